import Foundation
import Glibc
import Testing
import VersoGit
import VersoHistory
import VersoTestSupport

@testable import Verso

/// A machine with a systemd and a crontab that only remember.
private final class Machine: ProgramRunner {
  struct State {
    var calls: [[String]] = []
    var isBooted = true
    var hasCron = true
    var crontab: [UInt8]?
    var enabled = Set<String>()
    /// What fails, by its first word.
    var failing = Set<String>()
  }

  let state = Locked(State())

  func run(_ request: ProgramRequest) -> ProgramOutcome {
    state.withLock { state in
      state.calls.append(request.arguments)
      let words = request.arguments.filter { !$0.hasPrefix("--") || $0 == "--now" }
      if words[0] == "crontab" { return Self.crontab(words, request.input, &state) }
      guard words[0] == "systemctl" else { return ProgramOutcome(end: .exit(127)) }
      return Self.systemctl(Array(words.dropFirst()), &state)
    }
  }

  private static func crontab(
    _ words: [String], _ input: [UInt8], _ state: inout State
  ) -> ProgramOutcome {
    guard state.hasCron else { return ProgramOutcome(end: .notStarted("not found")) }
    if state.failing.contains("crontab") {
      return ProgramOutcome(end: .exit(1), error: Array("not allowed\n".utf8))
    }
    switch words.last {
    case "-l":
      guard let text = state.crontab else {
        return ProgramOutcome(end: .exit(1), error: Array("no crontab for ada\n".utf8))
      }
      return ProgramOutcome(end: .exit(0), output: text)
    case "-r": state.crontab = nil
    case "-": state.crontab = input
    default: return ProgramOutcome(end: .exit(2))
    }
    return ProgramOutcome(end: .exit(0))
  }

  private static func systemctl(_ words: [String], _ state: inout State) -> ProgramOutcome {
    if words[0] == "is-system-running" {
      let text = state.isBooted ? "degraded\n" : "offline\n"
      return ProgramOutcome(end: .exit(1), output: Array(text.utf8))
    }
    if state.failing.contains(words[0]) {
      return ProgramOutcome(end: .exit(1), error: Array("Failed: no\n".utf8))
    }
    let unit = words.last ?? ""
    switch words[0] {
    case "enable": state.enabled.insert(unit)
    case "disable": state.enabled.remove(unit)
    case "is-enabled", "is-active":
      let isOn = state.enabled.contains(unit)
      return ProgramOutcome(
        end: .exit(isOn ? 0 : 3), output: Array((isOn ? "active\n" : "inactive\n").utf8))
    case "list-timers":
      let text = "[{\"next\":1800000000000000,\"left\":5,\"unit\":\"\(unit)\"}]"
      return ProgramOutcome(end: .exit(0), output: Array(text.utf8))
    default: break
    }
    return ProgramOutcome(end: .exit(0))
  }

  /// What was asked since the last time that does more than look.
  func deeds() -> [String] {
    state.withLock { state in
      defer { state.calls = [] }
      return state.calls.map { $0.filter { !$0.hasPrefix("--no-") }.joined(separator: " ") }
        .filter { call in
          !["is-", "list-timers", "crontab -l"].contains { call.contains($0) }
        }
    }
  }

  var crontab: String? {
    state.withLock { $0.crontab.map { String(decoding: $0, as: UTF8.self) } }
  }
}

@Suite struct SchedulerTests {
  private let home: Scratch
  private let machine = Machine()
  private let scheduler: Scheduler

  init() throws {
    home = try Scratch("scheduler")
    let (path, runner) = (home.path, machine)
    var scheduler = Scheduler(environment: { $0 == "HOME" ? path : nil }, runner: runner)
    scheduler.user = 1000
    scheduler.lingerFolder = home.at("linger")
    self.scheduler = scheduler
  }

  private func plan(_ root: String, every: String = "10m", watches: Bool = false) throws
    -> SchedulePlan
  {
    try SchedulePlan(
      root: root, program: "/usr/local/bin/verso",
      rhythm: watches ? .watch(syncEvery: nil) : .every(VersoDuration(parsing: every)),
      host: "desk")
  }

  private var units: [String] {
    let folder = home.at(".config/systemd/user")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  // MARK: Which means

  @Test func `systemd where it answers, else cron, else a clear error`() throws {
    #expect(try scheduler.means(preferring: nil) == .systemd)
    #expect(try scheduler.means(preferring: .cron) == .cron)
    machine.state.withLock { $0.isBooted = false }
    #expect(try scheduler.means(preferring: nil) == .cron)
    let error = #expect(throws: VersoError.self) { try scheduler.means(preferring: .systemd) }
    #expect(error?.message == "systemd cannot be used: it is offline")
    machine.state.withLock { $0.failing = ["crontab"] }
    let none = #expect(throws: VersoError.self) { try scheduler.means(preferring: nil) }
    #expect(
      none?.message
        == "neither systemd (it is offline) nor cron (not allowed) can be used here")
  }

  // MARK: Units

  @Test func `adding twice changes nothing, adding otherwise replaces`() throws {
    let first = try scheduler.add(plan("/n"), .systemd)
    #expect(first.isNew && first.entry.name == "verso-n.timer")
    #expect(units == ["verso-n.service", "verso-n.timer"])
    #expect(
      machine.deeds() == [
        "systemctl --user daemon-reload", "systemctl --user enable verso-n.timer",
        "systemctl --user restart verso-n.timer",
      ])
    #expect(try !scheduler.add(plan("/n"), .systemd).isNew)
    #expect(machine.deeds().isEmpty)
    #expect(try scheduler.add(plan("/n", every: "1h"), .systemd).isNew)
    #expect(try scheduler.all().map(\.every) == ["1h"])
    _ = machine.deeds()
    // One that was switched off by hand is switched on again.
    machine.state.withLock { $0.enabled = [] }
    #expect(try scheduler.add(plan("/n", every: "1h"), .systemd).isNew)
    #expect(machine.deeds() == ["systemctl --user enable --now verso-n.timer"])
  }

  @Test func `a watching service takes the timer's place, and the other way round`() throws {
    _ = try scheduler.add(plan("/n"), .systemd)
    _ = machine.deeds()
    #expect(try scheduler.add(plan("/n", watches: true), .systemd).isNew)
    #expect(units == ["verso-n.service"])
    #expect(machine.deeds().first == "systemctl --user disable --now verso-n.timer")
    let entry = try #require(try scheduler.all().first)
    #expect(entry.every == nil && entry.name == "verso-n.service" && entry.isActive == true)
    #expect(try scheduler.add(plan("/n"), .systemd).isNew)
    #expect(units == ["verso-n.service", "verso-n.timer"])
    // The service must not go on watching beside the timer.
    #expect(machine.state.withLock { $0.enabled } == ["verso-n.timer"])
  }

  @Test func `remove takes out just that`() throws {
    for root in ["/n", "/n/m", "/other"] { _ = try scheduler.add(plan(root), .systemd) }
    try home.write("[Unit]\n", to: ".config/systemd/user/verso-mine.service")
    _ = machine.deeds()
    #expect(try scheduler.remove(root: Array("/n".utf8), isDryRun: true).count == 1)
    #expect(units.count == 7)
    #expect(try scheduler.remove(root: Array("/n".utf8)).map(\.name) == ["verso-n.timer"])
    #expect(
      units == [
        "verso-mine.service", "verso-n-m.service", "verso-n-m.timer", "verso-other.service",
        "verso-other.timer",
      ])
    #expect(try scheduler.remove(root: Array("/n".utf8)).isEmpty)
    #expect(try scheduler.remove(root: Array("/mine".utf8)).isEmpty)
    #expect(units.contains("verso-mine.service"))
  }

  @Test func `a unit that somebody else made is refused and left`() throws {
    try home.write("[Unit]\n", to: ".config/systemd/user/verso-n.timer")
    let error = #expect(throws: VersoError.self) { try scheduler.add(plan("/n"), .systemd) }
    #expect(error?.code == .refused)
    #expect(home.text(of: ".config/systemd/user/verso-n.timer") == "[Unit]\n")
    #expect(units == ["verso-n.timer"] && machine.deeds().isEmpty)
  }

  @Test func `where systemd refuses, everything is as it was`() throws {
    machine.state.withLock { $0.failing = ["restart"] }
    let error = #expect(throws: VersoError.self) { try scheduler.add(plan("/n"), .systemd) }
    #expect(error?.message == "systemd cannot start verso-n.timer: Failed: no")
    #expect(units.isEmpty && machine.state.withLock { $0.enabled.isEmpty })
    machine.state.withLock { $0.failing = [] }
    _ = try scheduler.add(plan("/n"), .systemd)
    let before = home.text(of: ".config/systemd/user/verso-n.timer")
    machine.state.withLock { $0.failing = ["daemon-reload"] }
    #expect(throws: VersoError.self) { try scheduler.add(plan("/n", every: "1h"), .systemd) }
    #expect(home.text(of: ".config/systemd/user/verso-n.timer") == before)
  }

  @Test func `a dry run writes and asks for nothing`() throws {
    for means in [Scheduler.Means.systemd, .cron] {
      #expect(try scheduler.add(plan("/n"), means, isDryRun: true).isNew)
    }
    #expect(units.isEmpty && machine.deeds().isEmpty && machine.crontab == nil)
    #expect(access(home.at(".config"), F_OK) != 0)
  }

  @Test func `lingering is asked for only where it is missing`() throws {
    let name = try #require(getpwuid(geteuid())).pointee.pw_name
    var own = scheduler
    own.user = geteuid() == 0 ? 65534 : geteuid()
    let user = geteuid() == 0 ? "nobody" : String(cString: try #require(name))
    #expect(
      try own.add(plan("/n"), .systemd).lingering == "loginctl enable-linger \(user)")
    try home.write("", to: "linger/\(user)")
    #expect(try own.add(plan("/n"), .systemd).lingering == nil)
  }

  @Test func `the system's units lie elsewhere and need no user`() throws {
    var system = scheduler
    system.user = 0
    system.systemFolder = home.at("system")
    let plan = try SchedulePlan(
      root: "/n", program: "/bin/v", rhythm: .watch(syncEvery: nil), user: "ada", host: "desk")
    let added = try system.add(plan, .systemd)
    #expect(added.lingering == nil)
    #expect(home.text(of: "system/verso-n.service")?.contains("\nUser=ada\n") == true)
    #expect(machine.deeds().allSatisfy { !$0.contains("--user") })
  }

  // MARK: Crontab

  @Test func `the crontab gets one line and gives it back`() throws {
    machine.state.withLock { $0.crontab = Array("# mine\n".utf8) }
    let added = try scheduler.add(plan("/n"), .cron)
    #expect(added.isNew && added.entry.every == "10m")
    #expect(machine.deeds() == ["crontab -"])
    #expect(try !scheduler.add(plan("/n"), .cron).isNew)
    #expect(machine.deeds().isEmpty)
    let entry = try #require(try scheduler.all(root: Array("/n".utf8)).first)
    #expect(entry.every == "10m")
    let next = try #require(entry.next)
    #expect(1...600 ~= next - Int64(time(nil)))
    #expect(try scheduler.remove(root: Array("/n".utf8)).count == 1)
    #expect(machine.crontab == "# mine\n")
    machine.state.withLock { $0.crontab = nil }
    _ = try scheduler.add(plan("/n"), .cron)
    _ = try scheduler.remove(root: Array("/n".utf8))
    #expect(machine.crontab == nil)
  }

  @Test func `a vault is scheduled by one means only`() throws {
    _ = try scheduler.add(plan("/n"), .cron)
    #expect(try scheduler.add(plan("/n"), .systemd).isNew)
    #expect(try scheduler.all().map(\.means) == [.systemd])
    #expect(try scheduler.add(plan("/n"), .cron).isNew)
    #expect(try scheduler.all().map(\.means) == [.cron])
    #expect(units.isEmpty)
  }

  @Test func `a crontab that cannot be read is not written`() throws {
    machine.state.withLock { $0.failing = ["crontab"] }
    let error = #expect(throws: VersoError.self) { try scheduler.add(plan("/n"), .cron) }
    #expect(error?.message == "the crontab cannot be read: not allowed")
    #expect(machine.deeds().isEmpty)
  }
}

import Foundation
import Glibc
import Testing
import VersoGit
import VersoTestSupport

@testable import Verso

/// What the doctor finds around a vault: the remote, keys, schedules, the list of vaults.
@Suite struct DoctorSurroundingsTests {
  /// A machine on which every program but those that are given fails.
  private struct Programs: ProgramRunner {
    let answers: [String: ProgramOutcome]

    func run(_ request: ProgramRequest) -> ProgramOutcome {
      let words = request.arguments.filter { !$0.hasPrefix("-") || $0 == "-l" }
      return answers[words.prefix(2).joined(separator: " ")] ?? ProgramOutcome(end: .exit(1))
    }
  }

  private func verdict(_ judge: (inout Doctor) -> Void) -> [Doctor.Finding] {
    var doctor = Doctor(root: "/nonexistent")
    let before = doctor.findings.count
    judge(&doctor)
    return Array(doctor.findings[before...])
  }

  // MARK: The remote

  @Test func `a remote that answers is told with its tip, an empty one as empty`() throws {
    let patient = try Patient()
    let bare = try Scratch()
    try bare.git("init", "-q", "--bare", "-b", "main")
    try patient.scratch.git("config", "verso.remote", bare.path)
    let empty = patient.look().findings.filter { $0.topic == "remote" }
    #expect(empty.count == 1 && empty[0].level == .good && empty[0].message.contains("it is empty"))
    try patient.scratch.git("push", "-q", bare.path, "HEAD:main")
    let full = patient.look().findings.filter { $0.topic == "remote" }
    let tip = try patient.scratch.git("rev-parse", "HEAD").prefix(7)
    #expect(full.count == 1 && full[0].message.contains("main is at \(tip) there"))
    #expect(patient.look().troubles == [])
  }

  @Test func `a remote that is not there, or none at all, is bad; one that is away is a look`()
    throws
  {
    let patient = try Patient()
    #expect(patient.look().findings.allSatisfy { $0.topic != "remote" && $0.topic != "sync" })
    try patient.scratch.git("config", "verso.remote", patient.scratch.at("nothing"))
    #expect(patient.look().troubles("remote").map(\.level) == [.bad])
    try patient.scratch.git("config", "verso.remote", "nobody")
    #expect(patient.look().troubles("remote").map(\.level) == [.bad])
    // A port that nobody listens at.
    try patient.scratch.git("config", "verso.remote", "http://127.0.0.1:9/x.git")
    let away = patient.look().troubles("remote")
    #expect(away.map(\.level) == [.look] && away[0].hint?.contains("run once by hand: git") == true)
    #expect(patient.mend().troubles("remote").count == 1, "it is not for us to mend")
  }

  @Test func `a remote of an unusual kind is not even asked`() throws {
    let patient = try Patient()
    let proof = patient.scratch.at("proof")
    try patient.scratch.git("config", "verso.remote", "ext::sh -c 'touch \(proof)'")
    #expect(patient.look().troubles("remote").map(\.level) == [.bad])
    #expect(access(proof, F_OK) != 0)
  }

  @Test func `how synchronising has gone is told`() throws {
    let patient = try Patient()
    let bare = try Scratch()
    try bare.git("init", "-q", "--bare", "-b", "main")
    try patient.scratch.git("config", "verso.remote", bare.path)
    let engine = try Engine(root: patient.scratch.path)
    try engine.recordSync(.success(at: 1_700_000_000))
    #expect(patient.look().troubles("sync").isEmpty)
    let failed = SyncRecord.failure(
      .init(.unreachable, "no route"), at: 1_700_000_100, after: engine.lastSync)
    try engine.recordSync(failed)
    let finding = try #require(patient.look().troubles("sync").first)
    #expect(finding.level == .look && finding.message.hasSuffix(": no route"))
  }

  @Test func `what the remote has from the future is told`() throws {
    let patient = try Patient()
    let bare = try Scratch()
    try bare.git("init", "-q", "--bare", "-b", "main")
    try patient.scratch.git("config", "verso.remote", "origin")
    try patient.scratch.git("remote", "add", "origin", bare.path)
    let tree = try patient.scratch.git("rev-parse", "HEAD^{tree}")
    for (date, count) in [("@1700000000 +0000", 0), ("@4000000000 +0000", 1)] {
      try patient.shell(
        "git update-ref refs/verso/remotes/origin/main $(GIT_COMMITTER_DATE='\(date)' "
          + "git commit-tree -m x \(tree))")
      #expect(patient.look().troubles("clock").count == count)
    }
  }

  @Test func `the agent matters where no key works without it`() {
    func level(_ agent: Doctor.Agent, answers: Bool) -> [Doctor.Finding.Level] {
      verdict { $0.judge(agent, at: "/run/agent", answers: answers) }.map(\.level)
    }
    for agent in [Doctor.Agent.unnamed, .empty, .unreachable, .holds(2)] {
      #expect(level(agent, answers: true) == [.good], "\(agent)")
    }
    for agent in [Doctor.Agent.unnamed, .empty, .unreachable] {
      #expect(level(agent, answers: false) == [.look], "\(agent)")
    }
    #expect(level(.holds(2), answers: false) == [.good])
  }

  // MARK: What runs by itself

  private func look(
    _ patient: Patient, _ home: Scratch, _ answers: [String: ProgramOutcome] = [:],
    fixes: Bool = false
  ) -> Doctor {
    var options = Doctor.Options(fixes: fixes)
    options.wait = 1
    let path = home.path
    options.environment = { $0 == "HOME" || $0 == "XDG_STATE_HOME" ? path : nil }
    options.runner = Programs(answers: answers)
    return Doctor(root: patient.scratch.path, options: options)
  }

  private func crontab(_ patient: Patient, program: String) throws -> [String: ProgramOutcome] {
    let plan = try SchedulePlan(
      root: patient.scratch.path, program: program,
      rhythm: .every(SchedulePlan.usualLength), host: "desk")
    let line = try CronTable.line(plan) + "\n"
    return ["crontab -l": ProgramOutcome(end: .exit(0), output: Array(line.utf8))]
  }

  @Test func `a schedule whose program is missing is bad`() throws {
    let (patient, home) = (try Patient(), try Scratch())
    #expect(look(patient, home).troubles("schedule").isEmpty)
    let good = look(patient, home, try crontab(patient, program: "/bin/sh"))
    #expect(good.troubles("schedule").isEmpty)
    #expect(good.findings.contains { $0.message == "crontab synchronises every 10m by /bin/sh" })
    let gone = look(patient, home, try crontab(patient, program: "/nonexistent/verso"))
    let finding = try #require(gone.troubles("schedule").first)
    #expect(finding.level == .bad && finding.path == Array("/nonexistent/verso".utf8))
    #expect(finding.hint?.contains("verso schedule add \(patient.scratch.path)") == true)
  }

  @Test func `a unit that is installed and not running is worth a look`() {
    func level(_ isActive: Bool?) -> [Doctor.Finding.Level] {
      let entry = Scheduler.Entry(
        means: .systemd, root: [], program: Array("/bin/sh".utf8), every: nil, name: "a.service",
        file: nil, isActive: isActive)
      return verdict { $0.judge(entry) }.map(\.level)
    }
    #expect(level(true) == [.good] && level(nil) == [.good] && level(false) == [.look])
  }

  @Test func `a filter that cron does not find is told where cron runs`() throws {
    let (patient, home) = (try Patient(), try Scratch())
    let program = try home.write("#!/bin/sh\ncat\n", to: "bin/verso-test-filter")
    try run(["chmod", "755", program])
    let cron = try crontab(patient, program: "/bin/sh")
    func troubles(_ filter: String, _ answers: [String: ProgramOutcome]) -> Int {
      var doctor = look(patient, home, answers)
      let before = doctor.troubles("filters").count
      doctor.checkFilterForCron("x", filter)
      return doctor.troubles("filters").count - before
    }
    #expect(troubles("verso-test-filter", cron) == 1)
    #expect(troubles("verso-test-filter", [:]) == 0)
    #expect(troubles("cat", cron) == 0)
    #expect(troubles(program, cron) == 0)
  }

  // MARK: The list

  @Test func `a vault that the list does not have is put in, and missing ones are named`() throws {
    let (patient, home) = (try Patient(), try Scratch())
    let path = home.path
    let registry = VaultRegistry(environment: { $0 == "XDG_STATE_HOME" ? path : nil })
    #expect(look(patient, home).troubles("list").map(\.level) == [.look])
    let mended = look(patient, home, fixes: true)
    #expect(mended.fixed("list").count == 1)
    #expect(try registry.all().map(\.root) == [Array(patient.scratch.path.utf8)])
    #expect(look(patient, home).troubles("list").isEmpty)
    try registry.add("/nonexistent/vault")
    let missing = look(patient, home).troubles("list")
    #expect(missing.count == 1 && missing[0].path == Array("/nonexistent/vault".utf8))
    #expect(try registry.all().count == 2, "only a person takes one out")
  }

  @Test func `the kernel's limit of watching programs is tried`() {
    #expect(verdict { $0.judge(inotify: 5) }.map(\.level) == [.good])
    let full = verdict { $0.judge(inotify: -EMFILE) }
    #expect(full.map(\.level) == [.look])
    #expect(full.first?.hint?.contains("max_user_instances") == true)
    #expect(verdict { $0.judge(inotify: -ENOSYS) }.map(\.level) == [.look])
  }
}

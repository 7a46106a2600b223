import Foundation
import Glibc
import Testing
import VersoHistory
import VersoTestSupport

@testable import Verso

/// Paths that some program on the way could read as something else.
let awkwardPaths = [
  "/home/ada/notes", "/home/ada/my notes", "/n/100%", "/n/%h/%%", "/n/$HOME/${X}/$$", "/n/it's",
  "/n/\"q\"", "/n/ü 梅干し", "/n/#c ;d &e |f >g", "/n/-x", "/n/ trailing ", "/n/a'b\"c'd",
  "/.hidden/x",
  "/n/`id`", "/n/(a)[b]{c}*?!~", "/", "/n//", "/n/--", "/n/=\u{202E}",
  "/n/it'\u{301}s", "/n/100%\u{301}", "/n/\"\u{301}q", "/n/$\u{301}{X}",
]

private func plan(
  _ root: String, program: String = "/usr/local/bin/verso", every: String = "10m",
  watches: Bool = false, user: String? = nil, host: String = "desk"
) throws -> SchedulePlan {
  try SchedulePlan(
    root: root, program: program,
    rhythm: watches ? .watch(syncEvery: nil) : .every(VersoDuration(parsing: every)), user: user,
    host: host)
}

@Suite struct ClockRhythmTests {
  private func length(_ text: String) throws -> VersoDuration { try VersoDuration(parsing: text) }

  @Test func `lengths that divide an hour or a day, and no others`() throws {
    for text in ["1m", "6m", "20m", "30m", "60m", "1h", "2h", "8h", "12h", "24h", "1d"] {
      #expect(ClockRhythm(try length(text)) != nil, "\(text)")
    }
    for text in ["10s", "90s", "7m", "45m", "90m", "5h", "25h", "2d", "7d"] {
      #expect(ClockRhythm(try length(text)) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("7m", "6m or 10m"), ("45m", "30m or 1h"), ("90m", "1h or 2h"), ("5h", "4h or 6h"),
    ("30s", "1m or 2m"), ("90s", "1m or 2m"), ("7d", "12h or 1d"), ("13h", "12h or 1d"),
  ])
  func `what cron cannot do names the two nearest`(text: String, expected: String) throws {
    let given = try plan("/n", every: text)
    let error = #expect(throws: VersoError.self) { try CronTable.line(given) }
    #expect(error?.code == .usage && error?.hint == "give \(expected)")
    #expect(!SystemdUnits.files(given).isEmpty)
  }

  @Test func `a line comes as often as it says, at any spread`() throws {
    for text in ["1m", "2m", "15m", "30m", "1h", "3h", "12h", "1d"] {
      let length = try length(text)
      let rhythm = try #require(ClockRhythm(length))
      for spread in [0, 1, 7, 59, 61, 1439, 123_456_789] {
        let fields = rhythm.cronFields(spread: spread).split(separator: " ").map(String.init)
        var (now, times) = (Int64(1_800_000_000), [Int64]())
        for _ in 0..<5 {
          now = try #require(
            CronTable.next(fields + ["*", "*", "*"], after: now, in: .utc), "\(fields)")
          times.append(now)
        }
        let gaps = zip(times.dropFirst(), times).map(-)
        #expect(gaps.allSatisfy { $0 == length.milliseconds / 1000 }, "\(text) \(fields)")
      }
    }
  }

  @Test func `fields that a person wrote are understood or left alone`() {
    func next(_ fields: String) -> Int64? {
      let words = fields.split(separator: " ").map(String.init)
      return CronTable.next(words, after: 1_800_000_030, in: .utc).map { $0 - 1_800_000_000 }
    }
    // 2027-01-15 08:00:30.
    #expect(next("* * * * *") == 60)
    #expect(next("*/20,5 * * * *") == 300)
    #expect(next("0 7,9-10 * * *") == 3600)
    for odd in [
      "0 0 1 * *", "0 0 * * mon", "@daily", "60 * * * *", "a * * * *", "5-1 * * * *", "*/0 * * * *",
    ] {
      #expect(next(odd) == nil, "\(odd)")
    }
  }

  @Test func `machines and vaults are spread over the hour, and the same one stays`() throws {
    var minutes = Set<Int>()
    for number in 0..<100 {
      minutes.insert(try plan("/n", host: "host\(number)").spread % 60)
      minutes.insert(try plan("/n\(number)").spread % 60)
    }
    #expect(minutes.count > 40)
    #expect(try plan("/n").spread == plan("/n").spread)
  }

  @Test func `systemd reads the calendar that is meant`() throws {
    guard access("/usr/bin/systemd-analyze", X_OK) == 0 else {
      return print("systemd is not installed: its calendar was not asked")
    }
    for text in ["1m", "2m", "15m", "30m", "1h", "3h", "12h", "1d"] {
      let length = try length(text)
      let rhythm = try #require(ClockRhythm(length))
      for spread in [0, 7, 61, 1439] {
        let calendar = rhythm.calendar(spread: spread)
        let outcome = try run(
          [
            "systemd-analyze", "calendar", "--base-time=2026-11-28 00:00:00 UTC", "--iterations=4",
            calendar,
          ])
        #expect(outcome.status == 0, "\(calendar): \(outcome.error)")
        let found = outcome.text.matches(of: /(?:elapse|#\d+): \w+ (\S+ \S+) UTC/)
        let fields = rhythm.cronFields(spread: spread).split(separator: " ").map(String.init)
        var now = Int64(1_795_824_000)
        for match in found {
          now = try #require(CronTable.next(fields + ["*", "*", "*"], after: now, in: .utc))
          #expect(TimeTextUTC.text(now) == String(match.1), "\(calendar) \(fields)")
        }
        #expect(found.count == 4)
      }
    }
  }
}

private enum TimeTextUTC {
  static func text(_ seconds: Int64) -> String {
    let formatter = DateFormatter()
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
  }
}

@Suite struct SchedulePlanTests {
  @Test func `a path with a line feed is refused, for both`() {
    for path in ["/n/a\nb", "/n/a\rb", "/n/\u{1B}[31m", "/n/\u{7F}"] {
      let one = #expect(throws: VersoError.self) { try plan(path) }
      let other = #expect(throws: VersoError.self) { try plan("/n", program: path) }
      #expect(one?.code == .refused && other?.code == .refused)
    }
    #expect(throws: VersoError.self) { try plan("/n", program: "/opt/$x/verso") }
    #expect(throws: VersoError.self) { try plan("/n", every: "9s") }
  }

  @Test func `a backslash is refused for cron alone`() throws {
    let given = try plan("/n/a\\b")
    let error = #expect(throws: VersoError.self) { try CronTable.line(given) }
    #expect(error?.code == .refused)
    #expect(SystemdUnits.files(given)[0].text.contains("\"/n/a\\\\b\""))
  }

  @Test func `a crontab cannot watch`() throws {
    let given = try plan("/n", watches: true)
    #expect(throws: VersoError.self) { try CronTable.line(given) }
  }
}

@Suite struct CronTableTests {
  @Test func `what others wrote stays byte for byte`() throws {
    let line = try CronTable.line(plan("/n/my notes"))
    let root = Array("/n/my notes".utf8)
    for text in [
      "", "\n", "# mine\nMAILTO=ada\n\n*/5 * * * * \u{FC}true\n", "no line end", "\r\n\t\n#\n\n",
    ] {
      let bytes = Array(text.utf8) + (text.isEmpty ? [] : [0xFF, 0x0A])
      var table = CronTable(bytes)
      #expect(table.text == bytes)
      let did1 = table.set(line, root: root)
      #expect(did1)
      #expect(table.text == bytes + Array(line.utf8) + [0x0A])
      let did2 = table.set(line, root: root)
      #expect(!did2)
      #expect(table.entries.map(\.root) == [root])
      let did3 = table.remove(root: root)
      #expect(did3)
      let did4 = table.remove(root: root)
      #expect(!did4)
      #expect(table.text == bytes)
    }
    // The last line must end before another follows.
    var open = CronTable(Array("a".utf8))
    let didAppend = open.set(line, root: root)
    #expect(didAppend)
    #expect(open.text == Array("a\n\(line)\n".utf8))
  }

  @Test func `a vault has one line, in its place, and others keep theirs`() throws {
    var table = CronTable(Array("first\n".utf8))
    for root in ["/a", "/b", "/a/b"] {
      let did5 = try table.set(CronTable.line(plan(root)), root: Array(root.utf8))
      #expect(did5)
    }
    table = CronTable(table.text + Array("last\n".utf8))
    let other = try CronTable.line(plan("/b", every: "1h"))
    let did6 = table.set(other, root: Array("/b".utf8))
    #expect(did6)
    let lines = String(decoding: table.text, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 5 && lines[0] == "first" && lines[2] == other && lines[4] == "last")
    #expect(table.entries.map { String(decoding: $0.root, as: UTF8.self) } == ["/a", "/b", "/a/b"])
    #expect(table.entries.map(\.length) == ["10m", "1h", "10m"])
    // Twice, by a hand that copied it.
    var twice = CronTable(table.text + Array("\(other)\n".utf8))
    let didMend = twice.set(other, root: Array("/b".utf8))
    #expect(didMend)
    #expect(twice.text == table.text)
  }

  @Test func `a line that a person commented out is theirs`() throws {
    let line = try CronTable.line(plan("/a"))
    var table = CronTable(Array("#\(line)\n".utf8))
    #expect(table.entries.isEmpty)
    let did7 = table.remove(root: Array("/a".utf8))
    #expect(!did7)
    let did8 = table.set(line, root: Array("/a".utf8))
    #expect(did8)
    #expect(table.text == Array("#\(line)\n\(line)\n".utf8))
  }

  @Test(arguments: awkwardPaths)
  func `the shell gets exactly the words that are meant`(root: String) throws {
    let program = "/opt/a % b/verso"
    let line = try CronTable.line(plan(root, program: program))
    #expect(!line.contains("\n"))
    let command = try #require(cronCommand(line))
    // In place of the program something that shows its words.
    let script = "f() { printf '%s\\0' \"$@\"; }; f " + command
    let outcome = try run(["sh", "-c", script])
    let words = outcome.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    #expect(words == [program, "sync", "-q", root], "\(line)")
    let entry = try #require(CronTable(Array("\(line)\n".utf8)).entries.first)
    #expect(entry.root == Array(root.utf8) && entry.program == Array(program.utf8))
  }

  /// What cron hands to the shell: the text after the five fields up to a `%` (crontab(5)).
  private func cronCommand(_ line: String) -> String? {
    let parts = line.split(separator: " ", maxSplits: 5)
    guard parts.count == 6 else { return nil }
    var command = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in parts[5].unicodeScalars {
      if scalar == "%", !isEscaped { return nil }
      if scalar == "%" { command.removeLast() }
      command.append(scalar)
      isEscaped = scalar == "\\"
    }
    return String(command)
  }
}

@Suite struct SystemdUnitTests {
  @Test func `names are those of systemd-escape, and never too long`() throws {
    let deep = "/" + Array(repeating: "ordner ü", count: 60).joined(separator: "/")
    let name = SystemdUnits.baseName(root: Array(deep.utf8))
    #expect(name.utf8.count < 245)
    #expect(name != SystemdUnits.baseName(root: Array((deep + "x").utf8)))
    guard access("/usr/bin/systemd-escape", X_OK) == 0 else {
      return print("systemd is not installed: names were not compared with systemd-escape")
    }
    for path in awkwardPaths + ["/a.b/.c", "/.x", "/a\\b", "/a:b_c"] {
      let outcome = try run(["systemd-escape", "--path", path])
      #expect(outcome.text == SystemdUnits.escapedPath(Array(path.utf8)) + "\n", "\(path)")
    }
  }

  @Test func `units are read back, and those of others are not`() throws {
    for root in awkwardPaths {
      let files = SystemdUnits.files(try plan(root, program: "/opt/a % b/verso"))
      #expect(files.map { $0.name.split(separator: ".").last } == ["service", "timer"])
      let read = try #require(SystemdUnits.reading(Array(files[0].text.utf8)))
      #expect(read.root == Array(root.utf8), "\(root)")
      #expect(read.program == Array("/opt/a % b/verso".utf8) && read.every == "10m")
    }
    let watching = SystemdUnits.files(try plan("/n", watches: true))
    #expect(watching.count == 1)
    #expect(SystemdUnits.reading(Array(watching[0].text.utf8))?.every == nil)
    #expect(SystemdUnits.reading(Array("[Unit]\n\(watching[0].text)".utf8)) == nil)
  }

  @Test func `units say what they must`() throws {
    let sync = SystemdUnits.files(try plan("/n", user: "ada"))
    for text in ["SuccessExitStatus=3", "User=ada", "Type=oneshot", "network-online.target"] {
      #expect(sync[0].text.contains(text))
    }
    #expect(sync[0].text.contains("ExecStart=/usr/local/bin/verso sync -q /n\n"))
    #expect(sync[1].text.contains("\nRandomizedDelaySec=60s\n"))
    #expect(sync[1].text.contains("\nWantedBy=timers.target\n"))
    let own = SystemdUnits.files(try plan("/n"))
    #expect(!own[0].text.contains("User=") && !own[0].text.contains("network-online"))
    let watch = SystemdUnits.files(try plan("/n", watches: true))[0].text
    for text in [
      "Type=notify", "WatchdogSec=60", "Restart=on-failure", "SuccessExitStatus=3",
      "WantedBy=default.target", "ExecStart=/usr/local/bin/verso watch /n\n",
    ] {
      #expect(watch.contains(text), "\(text)")
    }
    let odd = SystemdUnits.files(try plan("/n", every: "7m"))[1].text
    #expect(
      odd.contains("OnUnitActiveSec=7m") && odd.contains("OnBootSec=") && !odd.contains("OnCal"))
  }

  /// Writes units into a folder, with a program that is there.
  private func install(_ root: String, in scratch: Scratch, watches: Bool, every: String = "10m")
    throws -> [String]
  {
    let program = try scratch.write("#!/bin/sh\n", to: "bin %x/ver so")
    try run(["chmod", "-R", "a+rX", scratch.path])
    try run(["chmod", "755", program])
    let files = SystemdUnits.files(
      try plan(root, program: program, every: every, watches: watches))
    for file in files { try scratch.write(file.text, to: "systemd/user/\(file.name)") }
    return files.map(\.name)
  }

  @Test func `systemd-analyze has nothing to say against any of them`() throws {
    guard access("/usr/bin/systemd-analyze", X_OK) == 0 else {
      return print("systemd is not installed: no unit was verified")
    }
    for (root, watches, every) in [
      (awkwardPaths[0], false, "10m"), (awkwardPaths[0], true, "1h"),
      ("/n/%h $x \"q' ü\\", false, "7m"),
      ("/n/%h $x \"q' ü\\", true, "7m"), ("/n/a;b &c", false, "1d"),
    ] {
      let scratch = try Scratch("units")
      let names = try install(root, in: scratch, watches: watches, every: every)
      let paths = names.map { scratch.at("systemd/user/\($0)") }
      let outcome = try run(["systemd-analyze", "verify", "--man=no"] + paths)
      #expect(outcome.status == 0 && outcome.error == "", "\(root): \(outcome.error)")
      // The same check can fail.
      let broken = try String(contentsOfFile: paths[0], encoding: .utf8)
        .replacing("ExecStart=", with: "ExecStart=/nonexistent")
      try broken.write(toFile: paths[0], atomically: false, encoding: .utf8)
      #expect(try run(["systemd-analyze", "verify", "--man=no", paths[0]]).error != "")
    }
  }

  @Test func `systemd reads exactly the words that are meant`() throws {
    let systemd = "/lib/systemd/systemd"
    guard access(systemd, X_OK) == 0, access("/usr/bin/setpriv", X_OK) == 0 else {
      return print("systemd is not installed: it was not asked for the words it reads")
    }
    for root in ["/n/%h $HOME ${X} 'q' \"d\" ü\\x20", "/n/a;b &c\\", "/n/ end "] {
      let scratch = try Scratch("units")
      let names = try install(root, in: scratch, watches: true)
      try run(["mkdir", "-m", "700", scratch.at("run")])
      // systemd does not read as root what it does not run.
      let asNobody =
        geteuid() == 0
        ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      if geteuid() == 0 { try run(["chown", "-R", "65534:65534", scratch.path]) }
      let outcome = try run(
        asNobody + [systemd, "--user", "--test", "--unit=\(names[0])"],
        environment: [
          "HOME": scratch.path, "XDG_CONFIG_HOME": scratch.path,
          "XDG_RUNTIME_DIR": scratch.at("run"),
        ])
      let lines = (outcome.text + outcome.error).split(separator: "\n")
      let line = try #require(lines.first { $0.contains("Command Line: \"\(scratch.path)") })
      let shown = line.drop { $0.isWhitespace }.dropFirst("Command Line: ".count)
      // It shows them as a shell would read them, before it makes one dollar sign of two.
      let words = try run(["sh", "-c", "printf '%s\\0' \(shown)"]).output.split(separator: 0)
        .map { String(decoding: $0, as: UTF8.self).replacing("$$", with: "$") }
      #expect(words == [scratch.at("bin %x/ver so"), "watch", root])
    }
  }
}

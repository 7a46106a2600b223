import Foundation
import Testing
import VersoCommands
import VersoHistory
import VersoTestSupport

@testable import Verso

/// The samples are what the tool writes, and every command in them is right.
@Suite struct ScheduleSampleTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("samples")

  private func plan(_ rhythm: SchedulePlan.Rhythm, user: String? = nil) throws -> SchedulePlan {
    try SchedulePlan(
      root: "/home/ada/notes", program: "/usr/local/bin/verso", rhythm: rhythm, user: user,
      host: "desk")
  }

  @Test func `the units are what the tool writes`() throws {
    let every = SchedulePlan.Rhythm.every(SchedulePlan.usualLength)
    for (name, plan) in [
      ("sync", try plan(every)), ("watch", try plan(.watch(syncEvery: nil))),
      ("system", try plan(every, user: "ada")),
    ] {
      let folder = Self.folder.appendingPathComponent("systemd/\(name)")
      let files = SystemdUnits.files(plan)
      for file in files {
        try expectSample(file.text, folder.appendingPathComponent(file.name))
      }
      let there = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(there) == Set(files.map(\.name)))
    }
  }

  @Test func `the crontab has the tool's line, and every command is one`() throws {
    let file = Self.folder.appendingPathComponent("cron/crontab")
    let text = try String(contentsOf: file, encoding: .utf8)
    let line = try CronTable.line(plan(.every(SchedulePlan.usualLength)))
    #expect(text.contains("\n\(line)\n"), "\(line)")
    var count = 0
    for line in text.split(separator: "\n") where line.first?.isNumber == true {
      let words = line.split(separator: " ").map(String.init)
      #expect(words[5] == "/usr/local/bin/verso")
      #expect(CronTable.next(Array(words[..<5]), after: 0) != nil)
      count += 1
      let command = words[6...].prefix { $0 != "#" }
      guard CommandTable.command(called: words[6]) != nil else {
        // The one command that need not be there yet.
        #expect(words[6] == "sync")
        continue
      }
      #expect(throws: Never.self, "\(line)") { try Parser.parse(command.map { Array($0.utf8) }) }
    }
    #expect(count == 3)
  }

  private func expectSample(_ text: String, _ file: URL) throws {
    if ProcessInfo.processInfo.environment["VERSO_RECORD"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(file.lastPathComponent)")
  }
}

import Foundation
import Testing
import VersoTestSupport

/// What `verso status` knows of a running watcher.
@Suite struct WatchStatusTests {
  @Test func `names what is saved seldom, as its versions would fill the history`() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let watching = try Watching(scratch, options: "--json --settle 200ms")
    try await watching.wait("the start") { !watching.events("started").isEmpty }
    #expect(try !watching.verso("status").text.contains("half hour"))
    for number in 1...3 {
      // Appears whole, with 40 MB that take no room on the disk.
      try scratch.write("\(number)\n", to: ".git/big.new")
      try run(["truncate", "-s", "40M", scratch.at(".git/big.new")])
      try run(["mkdir", "-p", scratch.at("logs")])
      try run(["mv", scratch.at(".git/big.new"), scratch.at("logs/big.bin")])
      try await watching.wait("version \(number)") { try watching.subjects().count == number + 1 }
      try await watching.wait("it to be told") {
        watching.lines.filter { $0.contains("\"type\":\"saved\"") }.count == number
      }
    }
    let text = try watching.verso("status").text
    #expect(text.contains("saved at most every half hour"), "\(text)")
    #expect(text.contains("\n  logs/big.bin\n"), "\(text)")
    #expect(text.contains("everything is saved"), "\(text)")
    let named = #""spacedOut":["logs/big.bin"]"#
    for paths in [".", "logs", "logs/big.bin"] {
      let json = try watching.verso("status", "--json", paths).text
      #expect(json.contains(named), "\(paths): \(json)")
    }
    let other = try watching.verso("status", "--json", "note.md").text
    #expect(other.contains(#""spacedOut":[]"#), "\(other)")
    try await watching.finish()
    #expect(try watching.verso("status", "--json").text.contains(#""spacedOut":[]"#))
  }
}

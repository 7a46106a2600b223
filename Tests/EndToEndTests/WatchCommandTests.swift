import Foundation
import Testing
import VersoTestSupport

/// `verso watch` as its user meets it.
@Suite struct WatchCommandTests {
  private func vault() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    return scratch
  }

  @Test func `prints a line for each version, and ends with 0 after a last save`() async throws {
    let watching = try Watching(vault(), options: "--settle 500ms")
    try await watching.wait("the start") { watching.lines.contains { $0.hasPrefix("watching ") } }
    try watching.scratch.write("two\n", to: "note.md")
    try await watching.wait("the version") {
      watching.lines.contains { $0.hasPrefix("saved ") && $0.hasSuffix(" Edit note.md") }
    }
    // Written just before the end, but at rest.
    try watching.scratch.write("new\n", to: "last.md")
    let written = Date()
    try await watching.wait("the note to be at rest") { Date().timeIntervalSince(written) > 0.4 }
    try await watching.finish()
    #expect(watching.lines.last == "not watching any more")
    #expect(try watching.subjects().first == "Add last.md")
  }

  @Test func `tells programs of each event, and of a pause and its end`() async throws {
    let watching = try Watching(vault())
    try await watching.wait("the start") { !watching.events("started").isEmpty }
    #expect(try watching.verso("pause", "1h").status == 0)
    try await watching.wait("the pause") { !watching.events("paused").isEmpty }
    try watching.scratch.write("two\n", to: "note.md")
    let status = try watching.verso("status", "--json")
    #expect(status.text.contains("\"path\":\"note.md\""), "\(status.text)")
    #expect(status.text.contains("\"pausedUntil\":\"2"), "\(status.text)")
    #expect(status.text.contains("\"watcher\":{\"process\":"), "\(status.text)")
    #expect(try watching.subjects().count == 1)
    #expect(try watching.verso("resume").status == 0)
    try await watching.wait("the version") { try watching.subjects().first == "Edit note.md" }
    let saved = watching.lines.filter { $0.contains("\"type\":\"saved\"") }
    #expect(saved.count == 1)
    for line in watching.lines {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
    try await watching.finish()
    #expect(watching.events("stopped").count == 1)
  }

  @Test func `a second one is refused with 4, and a save beside it goes through it`() async throws {
    let watching = try Watching(vault(), options: "--json --settle 1h")
    try await watching.wait("the start") { !watching.events("started").isEmpty }
    let second = try watching.verso("watch")
    #expect(second.status == 4)
    #expect(second.error.contains("another verso watch"))
    try watching.scratch.write("two\n", to: "note.md")
    try watching.scratch.write("new\n", to: "b/new.md")
    let save = try watching.verso("save", "-m", "Now")
    #expect(save.status == 0)
    #expect(save.text.hasSuffix(" Now\n"))
    #expect(try watching.scratch.git("status", "--porcelain") == "")
    try await watching.wait("the version to be told") {
      watching.lines.contains { $0.contains("\"subject\":\"Now\"") }
    }
    #expect(try watching.verso("save").text == "")
    try await watching.finish()
  }

  @Test func `a save through it names what is skipped and held as one alone would`() async throws {
    let scratch = try vault()
    for number in 0..<12 { try scratch.write("\(number)\n", to: "many/\(number).md") }
    let watching = try Watching(scratch, options: "--json --settle 500ms")
    try await watching.wait("the start") { !watching.events("started").isEmpty }
    try run(["rm", "-r", scratch.at("many")])
    try await watching.wait("what is held") {
      watching.lines.contains { $0.contains("\"type\":\"held\"") }
    }
    let save = try watching.verso("save")
    #expect(save.status == 5, "\(save.error)")
    #expect(save.error.contains("held back 12 deletions"))
    #expect(try watching.verso("save", "--allow-mass-delete").status == 0)
    #expect(try scratch.git("status", "--porcelain") == "")
    try await watching.finish()
  }

  @Test func `a folder that is no vault, and settings that are no duration, are explained`() throws
  {
    let scratch = try vault()
    let none = try Verso.run("watch", scratch.path)
    #expect(none.status == 1)
    #expect(none.error.contains("not in a vault"))
    #expect(try Verso.run("init", "-q", scratch.path).status == 0)
    try scratch.git("config", "verso.settle", "soon")
    let wrong = try Verso.run("watch", scratch.path)
    #expect(wrong.status == 1)
    #expect(wrong.error.contains("verso.settle"))
    #expect(try Verso.run("watch", "--settle", "soon", scratch.path).status == 2)
  }
}

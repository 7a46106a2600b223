import Foundation
import Testing
import VersoTestSupport

/// `search` and `log`, as a person or a script uses them.
@Suite struct SearchCommandTests {
  private func notes() throws -> Notes {
    let notes = try Notes(["ideas/todo.md": "# Todo\nbuy oat milk\ncall Zoë\n", "b.md": "other\n"])
    try notes.scratch.write("# Todo\ncall Zoë\n", to: "ideas/todo.md")
    try notes.verso("save", "-q")
    return notes
  }

  @Test func `a lost line is found, and the printed commands show it and bring it back`() throws {
    let notes = try notes()
    let nothing = try notes.verso("search", "oat", "milk")
    #expect(nothing.status == 0 && nothing.text.isEmpty)
    let found = try notes.verso("search", "--history", "oat milk")
    #expect(found.status == 0, "\(found.error)")
    let lines = found.text.split(separator: "\n").map(String.init)
    try #require(lines.count == 4)
    #expect(lines[0].hasPrefix("in no note now; last in ideas/todo.md until "))
    #expect(lines[1].hasSuffix("2  buy oat milk"))
    func follow(_ line: String) throws -> Outcome {
      var words = line.split(separator: " ").map(String.init)
      #expect(words.removeFirst() == "verso")
      return try run([Verso.binary] + words, in: notes.path)
    }
    #expect(try follow(lines[2]).text == "# Todo\nbuy oat milk\ncall Zoë\n")
    let restored = try follow(lines[3])
    #expect(restored.status == 0, "\(restored.error)")
    #expect(notes.scratch.text(of: "ideas/todo.md") == "# Todo\nbuy oat milk\ncall Zoë\n")
    #expect(try notes.verso("search", "OAT", "milk").text == "ideas/todo.md:2: buy oat milk\n")
    #expect(
      try notes.verso("search", "--history", "oat milk").text.split(separator: "\n").count == 1)
  }

  @Test func `what is not saved yet is found, what is gone from the disk is not`() throws {
    let notes = try notes()
    try notes.scratch.write("fresh words\n", to: "new.md")
    try FileManager.default.removeItem(atPath: notes.scratch.at("b.md"))
    #expect(try notes.verso("search", "fresh").text == "new.md:1: fresh words\n")
    #expect(try notes.verso("search", "other").text.isEmpty)
    #expect(try notes.verso("search", "zoe", "--in", "ideas").text == "ideas/todo.md:2: call Zoë\n")
    #expect(try notes.verso("search", "zoe", "--in", "new.md").text.isEmpty)
  }

  @Test func `a search without an index tells the same`() throws {
    let notes = try notes()
    let before = try notes.verso("search", "--history", "--json", "oat").text
    #expect(before.contains("\"type\":\"match\"") && before.contains("\"until\":"))
    let log = try notes.verso("log", "ideas/todo.md").text
    for damage in ["rm -f .git/verso/history*", "echo x > .git/verso/history.sqlite"] {
      try run(["sh", "-c", damage], in: notes.path)
      #expect(try notes.verso("search", "todo").text == "ideas/todo.md:1: # Todo\n")
      #expect(try notes.verso("log", "ideas/todo.md").text == log)
      #expect(try notes.verso("search", "--history", "--json", "oat").text == before)
    }
  }

  @Test func `the index follows commits of git, an amended one and another branch`() throws {
    let notes = try notes()
    func git(_ words: String...) throws { try run(["git"] + words, in: notes.path) }
    try notes.scratch.write("zebra\n", to: "b.md")
    try git("commit", "-qam", "by hand")
    #expect(try notes.verso("log", "b.md").text.contains("by hand"))
    try notes.scratch.write("giraffe\n", to: "b.md")
    try git("commit", "-q", "--amend", "-am", "another")
    #expect(try !notes.verso("log", "b.md").text.contains("by hand"))
    #expect(try notes.verso("search", "--history", "zebra").text.isEmpty)
    #expect(try notes.verso("search", "giraffe").text == "b.md:1: giraffe\n")
    try git("checkout", "-q", "-b", "older", "HEAD~1")
    #expect(try !notes.verso("log", "b.md").text.contains("another"))
    #expect(try notes.verso("search", "other").text == "b.md:1: other\n")
    try git("checkout", "-q", "-")
    #expect(try notes.verso("log", "b.md").text.contains("another"))
  }

  @Test func `patterns and words that cannot be are refused with a hint`() throws {
    let notes = try notes()
    let pattern = try notes.verso("search", "--regex", "a(")
    #expect(pattern.status == 2 && pattern.error.contains("regular expression"))
    let signs = try notes.verso("search", "***")
    #expect(signs.status == 2 && signs.error.contains("--regex"))
    #expect(try notes.verso("search", "--regex", "^call +Z").text == "ideas/todo.md:2: call Zoë\n")
    #expect(
      try notes.verso("search", "--regex", "--history", "OAT *m").text.contains("buy oat milk"))
  }
}

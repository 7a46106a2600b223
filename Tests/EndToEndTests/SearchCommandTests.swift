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

/// `search --history` and what is not saved yet, and awkward histories.
@Suite struct SearchSurroundingsTests {
  @Test func `what was deleted and not saved yet is lost, what was pasted is not`() throws {
    let notes = try Notes(["a.md": "one\nlost paragraph\n", "b.md": "two\n"])
    try notes.scratch.write("one\n", to: "a.md")
    let gone = try notes.verso("search", "--history", "lost paragraph").text
    #expect(gone.hasPrefix("in no note now; last in a.md until"))
    #expect(gone.contains("2  lost paragraph") && gone.contains("--lines 2"))
    #expect(
      try notes.verso("search", "--history", "--regex", "lost").text.contains("last in a.md"))
    try notes.verso("save", "-q")
    try notes.scratch.write("two\nlost paragraph\n", to: "b.md")
    #expect(
      try notes.verso("search", "--history", "lost paragraph").text == "b.md:2: lost paragraph\n")
  }

  @Test func `a pattern names the last home of a line that moved`() throws {
    let notes = try Notes(["f.md": "room 101\n" + (1...9).map { "line \($0)\n" }.joined()])
    try run(["git", "mv", "f.md", "g.md"], in: notes.path)
    try run(["git", "commit", "-qm", "move"], in: notes.path)
    try notes.scratch.write("none\n", to: "g.md")
    try notes.verso("save", "-q")
    for words in [["room 101"], ["--regex", "room 1.1"]] {
      let found = try run([Verso.binary, "search", "--history"] + words, in: notes.path)
      #expect(found.text.contains("last in g.md until"), "\(words): \(found.text)")
    }
  }

  @Test func `a clone that is deepened gets its whole history`() throws {
    let notes = try Notes(["note.md": "0\n"])
    for number in 1...5 {
      try notes.scratch.write("unique\(number)\n", to: "note.md")
      try run(["git", "commit", "-qam", "c\(number)"], in: notes.path)
    }
    let scratch = try Scratch("shallow")
    let clone = scratch.at("c")
    try run(["git", "clone", "-q", "--depth", "2", "file://\(notes.path)", clone])
    try Verso.run("init", "-q", clone)
    #expect(try Verso.run("search", "--history", "unique2", in: clone).text.isEmpty)
    try run(["git", "fetch", "-q", "--unshallow"], in: clone)
    #expect(try Verso.run("search", "--history", "unique2", in: clone).text.contains("in no note"))
    let log = try Verso.run("log", "--json", "note.md", in: clone).text
    #expect(log.split(separator: "\n").count == 6)
  }

  @Test func `before the first version nothing is lost`() throws {
    let scratch = try Scratch()
    try scratch.git("init", "-q")
    try scratch.write("hello\n", to: "x.md")
    let found = try Verso.run("search", "--history", "hello", in: scratch.path)
    #expect(found.status == 0 && found.text == "x.md:1: hello\n", "\(found.error)")
  }

  @Test func `two searches that both need the index wait for each other`() throws {
    let notes = try Notes()
    // They meet at another step each time.
    for _ in 0..<20 {
      try run(["sh", "-c", "rm -f .git/verso/history.sqlite*"], in: notes.path)
      let both = try run(
        [
          "sh", "-c",
          "\"$0\" search --history one & \"$0\" search --history one; s=$?; wait $!; "
            + "echo $s$?", Verso.binary,
        ], in: notes.path)
      #expect(both.text.hasSuffix("00\n"), "\(both.text) \(both.error)")
    }
  }

  @Test func `a tree with a name that no file can have stops no command without a message`()
    throws
  {
    let notes = try Notes()
    let blob = try notes.git("rev-parse", "HEAD:note.md")
    let tree = try notes.shell(
      "printf '100644 ../../x\\0' > t; printf '\(blob)' | xxd -r -p >> t; "
        + "git hash-object -t tree -w --stdin --literally < t; rm t")
    let id = tree.text.trimmingCharacters(in: .whitespacesAndNewlines)
    if id.count != 40 { return }  // There is no xxd here.
    let commit = try notes.git("commit-tree", "-m", "bad", "-p", "HEAD", id)
    try notes.git("update-ref", "refs/heads/bad", commit)
    for words in [["ls", "--at", "bad"], ["show", "x", "--at", "bad"], ["diff", "--to", "bad"]] {
      let outcome = try run([Verso.binary] + words, in: notes.path)
      #expect(outcome.status == 1, "\(words): \(outcome.status) \(outcome.error)")
    }
  }
}

import Foundation
import Testing
import VersoTestSupport

/// `restore` in the forms that other suites do not try.
@Suite struct RestoreFormTests {
  private func modified(_ notes: Notes, _ name: String) throws -> Int {
    Int(try run(["stat", "-c", "%Y", name], in: notes.path).text.dropLast()) ?? 0
  }

  @Test func `a passage comes back at its place and nothing else changes`() throws {
    let notes = try Notes(["note.md": (1...9).map { "line \($0)\n" }.joined()])
    try notes.scratch.write("new first\nline 1\nline 2\nchanged\nline 9\n", to: "note.md")
    try notes.verso("save", "-q")
    // What is not saved yet is saved before.
    try notes.scratch.write("new first\nline 1\nline 2\nchanged\nline 9\nlast\n", to: "note.md")
    let done = try notes.verso("restore", "note.md", "--at", "~1", "--lines", "4-6")
    #expect(done.status == 0, "\(done.error)")
    #expect(
      notes.scratch.text(of: "note.md")?.contains("line 2\n") == true)
    let text = try #require(notes.scratch.text(of: "note.md"))
    #expect(text.hasPrefix("new first\nline 1\nline 2\n") && text.hasSuffix("line 9\nlast\n"))
    #expect(text.contains("line 4\nline 5\nline 6\n"))
    #expect(try notes.git("rev-list", "--count", "HEAD") == "4")
    let subject = try notes.git("log", "-1", "--format=%s")
    #expect(subject.hasPrefix("Restore lines of note.md from "))
    let beyond = try notes.verso("restore", "note.md", "--at", "HEAD~3", "--lines", "9-10")
    #expect(beyond.status == 2 && beyond.error.contains("that version has 9 lines"))
    #expect(try notes.verso("undo").status == 0)
    #expect(notes.scratch.text(of: "note.md")?.contains("changed") == true)
  }

  @Test func `an ignored file in a file's place refuses all of a restore before it begins`()
    throws
  {
    let notes = try Notes(["f/a": "1\n", ".gitignore": "*.ign\n"])
    try run(["rm", notes.scratch.at("f/a")])
    for name in ["b", "y.ign"] { try notes.scratch.write("\(name)\n", to: "f/a/\(name)") }
    #expect(try notes.verso("save", "-q").status == 0)
    let head = try notes.git("rev-parse", "HEAD")
    let refused = try notes.verso("restore", "f", "--at", "~1", "--exact", "--yes")
    #expect(refused.status == 5 && refused.error.contains("f/a/y.ign stands in the way"))
    #expect(notes.scratch.text(of: "f/a/b") == "b\n")
    #expect(try notes.git("rev-parse", "HEAD") == head)
    try run(["rm", notes.scratch.at("f/a/y.ign")])
    #expect(try notes.verso("restore", "f", "--at", "~1", "--exact", "--yes").status == 0)
    #expect(notes.scratch.text(of: "f/a") == "1\n")
    #expect(try notes.verso("undo").status == 0)
    #expect(notes.scratch.text(of: "f/a/b") == "b\n")
  }

  @Test func `what means nothing together is refused`() throws {
    let notes = try Notes()
    for flags in [["--as", "other.md"], ["--exact"]] {
      let words = [Verso.binary, "restore", "note.md", "--at", "HEAD", "--lines", "1-1"] + flags
      let refused = try run(words, in: notes.path)
      #expect(refused.status == 2 && refused.error.contains(flags[0]))
    }
    #expect(notes.scratch.text(of: "note.md") == "one\n")
  }

  @Test func `under another name a note has the time of its own version`() throws {
    let notes = try Notes(adopting: { scratch in
      for (number, text) in ["one\n", "two\n"].enumerated() {
        try scratch.write(text, to: "d/\(number).md")
        try scratch.git("add", "-A")
        let date = "\(1_780_000_000 + number * 1000) +0000"
        try run(
          ["git", "commit", "-q", "-m", "Add"], in: scratch.path,
          environment: ["GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date])
      }
    })
    try notes.scratch.write("edited\n", to: "d/0.md")
    try notes.verso("save", "-q")
    let note = try notes.verso("restore", "d/0.md", "--at", "HEAD~1", "--as", "old.md")
    #expect(note.status == 0, "\(note.error)")
    #expect(notes.scratch.text(of: "old.md") == "one\n")
    #expect(notes.scratch.text(of: "d/0.md") == "edited\n")
    #expect(try modified(notes, "old.md") == 1_780_000_000)
    let folder = try notes.verso("restore", "d", "--at", "HEAD~2", "--as", "e/f")
    #expect(folder.status == 0, "\(folder.error)")
    #expect(try modified(notes, "e/f/0.md") == 1_780_000_000)
    #expect(try modified(notes, "e/f/1.md") == 1_780_001_000)
    // In its own place a note is as new as its return.
    #expect(try notes.verso("restore", "d/0.md", "--at", "HEAD~3").status == 0)
    #expect(try modified(notes, "d/0.md") > 1_780_001_000)
    #expect(try notes.scratch.problems(keeping: ["edited", "two"], below: ".").isEmpty)
  }

  @Test func `a deleted folder comes back whole without a time`() throws {
    let notes = try Notes(["d/a.md": "one\n", "d/e/b.md": "two\n", "c.md": "three\n"])
    try run(["rm", "-r", "d"], in: notes.path)
    try notes.verso("save", "-q")
    let done = try notes.verso("restore", "d")
    #expect(done.status == 0, "\(done.error)")
    #expect(notes.scratch.text(of: "d/a.md") == "one\n")
    #expect(notes.scratch.text(of: "d/e/b.md") == "two\n")
    #expect(try notes.verso("restore", "never.md").status == 2)
  }

  @Test func `ten versions at most are offered, and none that removed the note`() throws {
    let notes = try Notes(["note.md": "0\n", "other.md": "x\n"])
    for number in 1...6 {
      try notes.scratch.write("\(number)\n", to: "note.md")
      try notes.verso("save", "-q")
    }
    try run(["rm", "note.md"], in: notes.path)
    try notes.verso("save", "-q")
    for number in 7...10 {
      try notes.scratch.write("\(number)\n", to: "note.md")
      try notes.verso("save", "-q")
    }
    let offer = try notes.verso("restore", "note.md")
    #expect(offer.status == 2)
    let lines = offer.text.split(separator: "\n")
    #expect(lines.count == 10)
    #expect(!offer.text.contains("Delete"))
    // Each of them can be typed.
    for (line, text) in zip(lines, ["10", "9", "8", "7", "6", "5", "4", "3", "2", "1"]) {
      let words = line.split(separator: " ")
      let at = try #require(words.firstIndex(of: "--at"))
      #expect(
        try notes.verso("show", "note.md", "--at", String(words[at + 1])).text == "\(text)\n")
    }
  }
}

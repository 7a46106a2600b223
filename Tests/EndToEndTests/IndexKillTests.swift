import Foundation
import Testing
import VersoTestSupport

/// The history index, when whoever writes it is killed.
@Suite struct IndexKillTests {
  private func notes() throws -> Notes {
    let notes = try Notes()
    for number in 1...12 {
      try notes.scratch.write("line \(number)\nkept\n", to: "n\(number % 4).md")
      if number % 5 == 0 {
        try run(["git", "mv", "n\(number % 4).md", "m\(number).md"], in: notes.path)
      }
      try run(["git", "add", "-A"], in: notes.path)
      try run(["git", "commit", "-q", "-m", "c\(number)"], in: notes.path)
    }
    return notes
  }

  /// All that an index answers.
  private func answers(_ notes: Notes) throws -> [String] {
    let names = try notes.git("log", "--name-only", "--format=").split(separator: "\n")
    var answers = [try notes.verso("search", "--history", "--json", "line").text]
    for name in Set(names).sorted() {
      answers.append(try notes.verso("log", "--json", String(name)).text)
    }
    return answers
  }

  private func dropIndex(_ notes: Notes) throws {
    try run(["sh", "-c", "rm -f .git/verso/history.sqlite*"], in: notes.path)
  }

  @Test(arguments: ["pwrite64", "fdatasync", "openat", "unlink"])
  func `an index whose making was killed answers as one made at once`(call: String) throws {
    let notes = try notes()
    try dropIndex(notes)
    let expected = try answers(notes)
    var (number, kills) = (1, 0)
    while true {
      try dropIndex(notes)
      let words = ["search", "--history", "line"]
      guard try Verso.runKilled(at: number, of: call, words, in: notes.path) != nil else { break }
      kills += 1
      let found = try answers(notes)
      #expect(found == expected, "killed at \(call) \(number)")
      number += isFullRun ? 1 : call == "openat" ? 31 : 7
    }
    #expect(kills > 0 || call == "unlink" || call == "fdatasync", "\(call) was never reached")
  }

  @Test func `a save that was killed while it noted its version leaves no wrong answer`() throws {
    let notes = try notes()
    _ = try notes.verso("search", "--history", "line")
    var (number, kills) = (1, 0)
    while number < 400 {
      try notes.scratch.write("line of save \(number)\n", to: "n1.md")
      let outcome = try Verso.runKilled(
        at: number, of: "pwrite64", ["save", "-q"], in: notes.path)
      if outcome == nil { break }
      kills += 1
      try notes.verso("save", "-q")
      let found = try answers(notes)
      try dropIndex(notes)
      let anew = try answers(notes)
      #expect(found == anew, "killed at write \(number)")
      number += isFullRun ? 1 : 3
    }
    #expect(kills > 0)
  }
}

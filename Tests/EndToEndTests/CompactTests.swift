import Foundation
import Testing
import VersoModel
import VersoTestSupport

@Suite struct CompactTests {
  /// A vault of many small saves, with objects that nothing leads to.
  private func notes() throws -> Notes {
    let notes = try Notes(numbered: 5)
    for number in 0..<12 {
      try notes.scratch.write("text \(number) again and again\n", to: Notes.name(number % 5))
      try notes.verso("save", "-q")
    }
    return notes
  }

  /// A blob that nothing leads to, so many days old.
  private func orphan(_ notes: Notes, days: Int) throws -> String {
    let outcome = try run(
      ["git", "hash-object", "-w", "--stdin"], in: notes.path,
      input: Array("orphan of \(days) days\n".utf8))
    let id = String(outcome.text.dropLast())
    let file = "\(notes.path)/.git/objects/\(id.prefix(2))/\(id.dropFirst(2))"
    try run(["touch", "-d", "\(days) days ago", file])
    return id
  }

  private func looseCount(_ notes: Notes) throws -> Int {
    let count = try notes.git("count-objects")
    return Int(count.split(separator: " ").first ?? "") ?? -1
  }

  @Test func `objects are packed and nothing of history goes`() throws {
    let notes = try notes()
    try notes.git("update-ref", "refs/verso/seen/test", "HEAD~3")
    // What only a reflog knows, made long ago, is kept whatever the configuration says.
    try notes.git("config", "gc.reflogExpire", "now")
    try notes.git("config", "gc.reflogExpireUnreachable", "now")
    try notes.git("config", "gc.pruneExpire", "now")
    let lost = try notes.git("commit-tree", "-m", "lost", "HEAD^{tree}")
    let head = try notes.git("rev-parse", "HEAD")
    try notes.git("update-ref", "HEAD", lost)
    try notes.git("update-ref", "HEAD", head)
    let young = try orphan(notes, days: 3)
    let old = try orphan(notes, days: 30)
    let log = try notes.git("log", "--format=%H", "--all", "--reflog")
    #expect(try looseCount(notes) > 20)
    let index = ".git/verso/history.sqlite"
    #expect(notes.scratch.bytes(of: index) != nil)
    let dry = try notes.verso("compact", "--dry-run")
    #expect(dry.status == 0 && dry.text.hasPrefix("would pack "))
    #expect(try looseCount(notes) > 20)
    let done = try notes.verso("compact")
    #expect(done.status == 0, "\(done.error)")
    #expect(done.text.contains("before: ") && done.text.contains("after:  "))
    #expect(try looseCount(notes) <= 1)
    #expect(notes.scratch.bytes(of: index) == nil)
    #expect(try notes.git("log", "--format=%H", "--all", "--reflog") == log)
    #expect(try notes.git("cat-file", "-t", young) == "blob")
    #expect(try run(["git", "cat-file", "-e", old], in: notes.path).status != 0)
    #expect(try notes.scratch.problems(keeping: ["text 3 again and again"], below: ".").isEmpty)
    // Saves go on, and a second time there is little to do.
    try notes.scratch.write("after\n", to: "n/0.md")
    #expect(try notes.verso("save").text.contains("saved"))
    #expect(try notes.verso("compact", "-q").output.isEmpty)
  }

  @Test func `without git, loose objects go into one pack`() throws {
    let notes = try notes()
    let young = try orphan(notes, days: 3)
    let done = try run(
      [Verso.binary, "compact", "--json"], in: notes.path, environment: ["PATH": "/nonexistent"])
    #expect(done.status == 0, "\(done.error)")
    #expect(done.text.contains(#""means":"own""#))
    #expect(try looseCount(notes) == 0)
    #expect(try notes.git("cat-file", "-p", young) == "orphan of 3 days")
    #expect(try notes.scratch.problems(keeping: ["text 3 again and again"], below: ".").isEmpty)
    #expect(try notes.verso("log").text.split(separator: "\n").count == 13)
  }

  @Test func `the vault's lock is respected`() throws {
    let notes = try notes()
    let held = try notes.shell(
      "flock -x .git/verso/lock \(Verso.binary) compact --wait 0; echo $?")
    #expect(held.text.hasSuffix("4\n"), "\(held.text)\(held.error)")
  }
}

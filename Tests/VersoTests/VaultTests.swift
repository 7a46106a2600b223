import Testing
import Verso
import VersoModel
import VersoTestSupport

@Suite struct VaultTests {
  @Test func `an embedding program makes a vault, saves, reads versions and brings one back`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let vault = try await Vault.create(at: scratch.path)
    #expect(vault.root == scratch.path)
    #expect(try await vault.tree().fileCount == 1)

    try scratch.write("two\n", to: "note.md")
    #expect(try await vault.unsavedChanges() == [PathChange(.modified, "note.md")])
    let save = try await vault.saveSettled(["note.md"])
    #expect(save.subject == "Edit note.md")
    #expect(try await vault.content(of: "note.md") == Array("two\n".utf8))

    let versions = try await vault.versions(of: "note.md")
    #expect(versions.map(\.kind) == [.modified, .added])
    let first = try #require(versions.last)
    try await vault.restore("note.md", from: first.commit)
    #expect(scratch.text(of: "note.md") == "one\n")
    try await vault.undo()
    #expect(scratch.text(of: "note.md") == "two\n")
    #expect(try scratch.git("status", "--porcelain") == "")
    try scratch.git("fsck", "--strict")
  }

  @Test func `a directory without a repository is no vault`() async throws {
    let scratch = try Scratch()
    await #expect(throws: VersoError.self) { try await Vault.open(at: scratch.path) }
  }

  @Test func `history, search and differences are read as far as somebody wants`() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let vault = try await Vault.create(at: scratch.path)
    for number in 2...100 {
      try scratch.write("one\nline \(number)\n", to: "note.md")
      try await vault.saveSettled(["note.md"])
    }
    var subjects: [String] = []
    for try await version in vault.history(of: "note.md") {
      subjects.append(version.subject)
      if subjects.count == 40 { break }
    }
    #expect(subjects == Array(repeating: "Edit note.md", count: 40))
    var count = 0
    for try await _ in vault.history(of: "note.md") { count += 1 }
    #expect(count == 100)
    for try await version in vault.history(of: "never.md") { Issue.record("\(version)") }

    var matches: [Vault.Match] = []
    for try await match in vault.search(["line 50"], history: true) { matches.append(match) }
    guard case .lost(let path, let lines, _, _) = try #require(matches.first) else {
      Issue.record("\(matches)")
      return
    }
    #expect(matches.count == 1 && path == "note.md")
    #expect(lines == [.init(number: 2, text: Array("line 50".utf8))])
    let now = try await vault.search(["LINE 100"]).first { _ in true }
    #expect(now == .note("note.md", lines: [.init(number: 2, text: Array("line 100".utf8))]))

    try scratch.write("one\nline 100\nmore\n", to: "note.md")
    var differences: [Vault.Difference] = []
    for try await difference in vault.differences() { differences.append(difference) }
    #expect(differences.map(\.change) == [PathChange(.modified, "note.md")])
    #expect(differences.first?.lines.last?.origin == .new)
    #expect(differences.first?.lines.last?.newNumber == 3)
  }

  @Test func `a cancelled reader ends without an error`() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let vault = try await Vault.create(at: scratch.path)
    let task = Task {
      var count = 0
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in vault.history(of: "note.md") { count += 1 }
      for try await _ in vault.search(["one"], history: true) { count += 1 }
      for try await _ in vault.differences() { count += 1 }
      return count
    }
    #expect(try await task.value == 0)
  }
}

import Glibc
import Testing
import Verso
import VersoModel
import VersoTestSupport

/// What a person does to notes and folders in a browser: each one version, each undone by one undo.
@Suite struct OperationTests {
  private func vault(_ files: [String: String]) async throws -> (Scratch, Vault) {
    let scratch = try Scratch(inMemory: true)
    for (name, text) in files { try scratch.write(text, to: name) }
    return (scratch, try await Vault.create(at: scratch.path))
  }

  private func subjects(_ scratch: Scratch) throws -> [String] {
    try scratch.git("log", "--format=%s").split(separator: "\n").map(String.init)
  }

  @Test func `a folder whose last note is deleted stays, and a folder that is deleted goes`()
    async throws
  {
    let (scratch, vault) = try await vault(["f/a.md": "a\n", "f/g/b.md": "b\n", "h/c.md": "c\n"])
    #expect(try await vault.perform(.delete(["f/g/b.md"])).batch.removed == ["f/g/b.md"])
    #expect(scratch.exists("f/g"))
    _ = try await vault.perform(.delete(["f/g", "f/a.md"]))
    #expect(scratch.exists("f") && !scratch.exists("f/g"))
    _ = try await vault.perform(.delete(["h", "h/c.md"]))
    #expect(!scratch.exists("h"))
    _ = try await vault.takeBack(redoing: false)
    #expect(scratch.text(of: "h/c.md") == "c\n")
  }

  @Test func `undoing a note's creation keeps the folder that it was made in`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    _ = try await vault.perform(.makeFolder("f"))
    _ = try await vault.perform(.create("f/n.md", []))
    _ = try await vault.takeBack(redoing: false)
    #expect(scratch.exists("f") && !scratch.exists("f/n.md"))
  }

  @Test func `undo and redo keep the folders through which they pass`() async throws {
    let (scratch, vault) = try await vault(["f/a.md": "a\n", "h/c.md": "c\n", "b.md": "b\n"])
    chmod(scratch.at("f"), 0o700)
    func mode() throws -> String { try run(["stat", "-c", "%a %i", scratch.at("f")]).text }
    let before = try mode()
    _ = try await vault.perform(.move([.init("f/a.md", "f/z.md")]))
    _ = try await vault.takeBack(redoing: false)
    #expect(try scratch.text(of: "f/a.md") == "a\n" && mode() == before)
    _ = try await vault.takeBack(redoing: true)
    #expect(try scratch.text(of: "f/z.md") == "a\n" && mode() == before)
    // What the action left stays with the action done again; a folder that it took goes again.
    _ = try await vault.perform(.delete(["f/z.md"]))
    for redoing in [false, true] { _ = try await vault.takeBack(redoing: redoing) }
    #expect(try !scratch.exists("f/z.md") && mode() == before)
    _ = try await vault.perform(.delete(["h"]))
    for redoing in [false, true] { _ = try await vault.takeBack(redoing: redoing) }
    #expect(!scratch.exists("h"))
  }

  @Test func `a note that is read-only is not written`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    func isReadOnly() async -> Bool? {
      if case .content(_, _, let isReadOnly) = await vault.read("a.md", limit: 9) {
        isReadOnly
      } else {
        nil
      }
    }
    #expect(await isReadOnly() == false)
    chmod(scratch.at("a.md"), 0o444)
    #expect(await isReadOnly() == true)
    for expected in [Array("a\n".utf8), nil] {
      let error = await #expect(throws: VersoError.self) {
        try await vault.perform(.write("a.md", Array("new\n".utf8), expecting: expected))
      }
      #expect(error?.message.contains("read-only") == true)
    }
    #expect(scratch.text(of: "a.md") == "a\n")
    #expect(try subjects(scratch).count == 1)
  }

  @Test func `a note that is not where it was expected is not made again`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    _ = try await vault.perform(.move([.init("a.md", "b.md")]))
    await #expect(throws: VersoError.self) {
      try await vault.perform(.write("a.md", Array("new\n".utf8), expecting: Array("a\n".utf8)))
    }
    #expect(scratch.text(of: "a.md") == nil && scratch.text(of: "b.md") == "a\n")
    // Who expects nothing gets a new note.
    _ = try await vault.perform(.write("a.md", Array("new\n".utf8), expecting: nil))
    #expect(scratch.text(of: "a.md") == "new\n")
  }

  @Test func `a new note goes through the filters of its path, as git has them`() async throws {
    let (scratch, vault) = try await vault([".gitattributes": "*.md text eol=crlf\n"])
    _ = try await vault.perform(.create("new.md", Array("one\r\ntwo\r\n".utf8)))
    #expect(scratch.text(of: "new.md") == "one\r\ntwo\r\n")
    #expect(try scratch.git("show", "HEAD:new.md") == "one\ntwo")
    #expect(try scratch.git("status", "--porcelain") == "")
  }

  @Test func `each operation is one version, and undo brings back what was there`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n", "f/b.md": "b\n", "f/c.md": "c\n"])
    let operations: [VaultOperation] = [
      .create("new.md", Array("n\n".utf8)), .move([.init("a.md", "f/a.md")]),
      .move([.init("f", "g")]), .copy([.init("f/b.md", "copy.md")]), .delete(["f"]),
      .write("a.md", Array("other\n".utf8), expecting: Array("a\n".utf8)),
    ]
    for operation in operations {
      let before = try scratch.git("rev-parse", "HEAD^{tree}")
      let count = try subjects(scratch).count
      let outcome = try await vault.perform(operation)
      #expect(outcome.save.commit != nil && outcome.left.isEmpty, "\(operation)")
      #expect(try subjects(scratch).count == count + 1, "\(operation)")
      #expect(try scratch.git("status", "--porcelain") == "", "\(operation)")
      #expect(try scratch.git("rev-parse", "HEAD^{tree}") != before)
      _ = try await vault.takeBack(redoing: false)
      #expect(try scratch.git("rev-parse", "HEAD^{tree}") == before, "\(operation)")
      #expect(try scratch.git("status", "--porcelain") == "", "\(operation)")
    }
    try scratch.git("fsck", "--strict")
  }

  @Test func `what others wrote is saved before it is changed`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    try scratch.write("edited\n", to: "a.md")
    _ = try await vault.perform(.delete(["a.md"]))
    #expect(scratch.text(of: "a.md") == nil)
    #expect(try scratch.git("show", "HEAD~1:a.md") == "edited")
  }

  @Test func `a write over what somebody else wrote is refused`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    try scratch.write("theirs\n", to: "a.md")
    await #expect(throws: VersoError.self) {
      try await vault.perform(
        .write("a.md", Array("mine\n".utf8), expecting: Array("a\n".utf8)))
    }
    #expect(scratch.text(of: "a.md") == "theirs\n")
    _ = try await vault.perform(.write("a.md", Array("mine\n".utf8), expecting: nil))
    #expect(scratch.text(of: "a.md") == "mine\n")
    #expect(try scratch.git("show", "HEAD~1:a.md") == "theirs")
  }

  @Test func `what is in the way is never replaced`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n", "b.md": "b\n"])
    for operation in [
      VaultOperation.create("b.md", []), .makeFolder("b.md"), .move([.init("a.md", "b.md")]),
      .copy([.init("a.md", "b.md")]),
    ] {
      await #expect(throws: VersoError.self) { try await vault.perform(operation) }
    }
    #expect(scratch.text(of: "a.md") == "a\n" && scratch.text(of: "b.md") == "b\n")
  }

  @Test func `a folder keeps its files' bytes and its ignored files when it is renamed`()
    async throws
  {
    let (scratch, vault) = try await vault([".gitignore": "*.tmp\n", "f/a.md": "a\n"])
    try scratch.write("ignored\n", to: "f/x.tmp")
    let outcome = try await vault.perform(.move([.init("f", "g")]))
    #expect(outcome.batch.renamed == [.init("f", "g")])
    #expect(scratch.text(of: "g/x.tmp") == "ignored\n")
    #expect(try await vault.versions(of: "g/a.md").map(\.kind) == [.renamed, .added])
  }

  @Test func `an empty folder is made and removed without a version`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    let made = try await vault.perform(.makeFolder("empty"))
    #expect(made.save.commit == nil && made.batch.added.map(\.path) == ["empty"])
    let gone = try await vault.perform(.delete(["empty"]))
    #expect(gone.batch.removed == ["empty"])
    #expect(try subjects(scratch).count == 1)
  }

  @Test func `drafts are kept off the branch, listed newest first, and dropped`() async throws {
    let (scratch, vault) = try await vault(["a.md": "a\n"])
    let head = try scratch.git("rev-parse", "HEAD")
    try await vault.keepDraft(of: "f/lost.md", Array("unsaved\n".utf8))
    try await vault.keepDraft(of: "f/lost.md", Array("unsaved\n".utf8))
    let drafts = try await vault.drafts()
    #expect(drafts.map(\.path) == ["f/lost.md"])
    #expect(drafts.map(\.bytes) == [Array("unsaved\n".utf8)])
    #expect(try scratch.git("rev-parse", "HEAD") == head)
    #expect(try scratch.git("show", "\(drafts[0].name):f/lost.md") == "unsaved")
    try await vault.dropDraft(drafts[0].name)
    #expect(try await vault.drafts().isEmpty)
    #expect(try scratch.git("for-each-ref", "refs/verso/drafts") == "")
  }
}

/// An old text beside a newer one, by lines and words.
@Suite struct PastComparisonTests {
  private func rows(_ old: String, _ new: String) throws -> [String] {
    try PastComparison(from: Array(old.utf8), to: Array(new.utf8)).rows.map { row in
      let pieces = row.pieces.map { piece in
        let text = String(decoding: piece.text, as: UTF8.self)
        return switch piece.kind {
        case .both: text
        case .removed: "[-\(text)-]"
        case .added: "{+\(text)+}"
        }
      }
      return "\(row.oldLine.map(String.init) ?? "·") \(pieces.joined())"
    }
  }

  @Test func `a removed line and an added one keep the numbers of the old text`() throws {
    #expect(
      try rows("a\nb\nc\n", "a\nc\nd\n") == ["1 a", "2 [-b-]", "3 c", "· {+d+}"])
  }

  @Test func `of a changed line only the words differ`() throws {
    #expect(
      try rows("one two three\n", "one 2 three\n") == ["1 one [-two-]{+2+} three"])
  }

  @Test func `passages are the runs of old lines that differ`() throws {
    let comparison = try PastComparison(
      from: Array("a\nb\nc\nd\ne\n".utf8), to: Array("a\nd\nX\n".utf8))
    #expect(comparison.passages == [2...3, 5...5])
  }

  @Test func `equal and removed pieces are the old text, whatever the two are`() throws {
    for seed in seeds(200) {
      var random = SeededGenerator(seed: seed)
      func text() -> String {
        (0..<Int.random(in: 0..<8, using: &random)).map { _ in
          ["a", "b b", "c", "", "d e"][Int.random(in: 0..<5, using: &random)] + "\n"
        }.joined() + (random.chance(3) ? "end" : "")
      }
      let (old, new) = (text(), text())
      let comparison = try PastComparison(from: Array(old.utf8), to: Array(new.utf8))
      let lines = comparison.rows.filter { $0.oldLine != nil }
      let numbers = lines.compactMap(\.oldLine)
      #expect(numbers == numbers.sorted(), "seed \(seed): \(old) → \(new)")
      let count = old.split(separator: "\n", omittingEmptySubsequences: false).count
      let expected = old.isEmpty ? 0 : old.hasSuffix("\n") ? count - 1 : count
      #expect(Set(numbers).count == expected, "seed \(seed): \(old) → \(new)")
    }
  }
}

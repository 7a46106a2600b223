import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct LineDifferenceTests {
  private static let names = [
    "plain.md", "with space.md", "ünï/cødé.md", "quo\"te.md", "tab\tin.md", "d/e/f.md", "new\nline",
  ]

  /// Two commits with files that differ in every way, contents at random.
  private static func vault(seed: UInt64, binary: Bool = false) throws -> Vault {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    var (first, second): ([Script.Edit], [Script.Edit]) = ([], [])
    for (number, name) in names.enumerated() {
      let old = randomText(&generator)
      let path = Array(name.utf8)
      if number != 3 { first.append(.writeBytes(path, old)) }
      if number == 4 { second.append(.delete(name)); continue }
      let mode = generator.chance(3) ? "100755" : "100644"
      second.append(.writeBytes(path, randomEdit(of: old, &generator), mode: mode))
    }
    first += [.write("link", "target"), .write("swap", "text\n"), .write("mode", "m\n")]
    second += [
      .write("link", "other", mode: "120000"), .write("swap", "text", mode: "120000"),
      .write("mode", "m\n", mode: "100755"), .write("empty", ""),
    ]
    if binary {
      first.append(.writeBytes(Array("p q".utf8), [0, 1, 2]))
      second.append(.writeBytes(Array("p q".utf8), [0, 1, 3]))
      second.append(.writeBytes(Array("r".utf8), [0]))
    }
    script.commit("1", first)
    script.commit("2", second)
    return try script.run()
  }

  private static func unified(_ vault: Vault, _ style: LineDifference.Style) throws -> [UInt8] {
    let graph = vault.history.graph
    let (a, b) = (try vault.id(1), try vault.id(2))
    let entries = try TreeDifference.between(
      try graph.node(a).tree, try graph.node(b).tree, in: vault.repository)
    return try entries.flatMap { entry in
      let change = FileChange(
        kind: .modified, path: entry.path, old: entry.old, new: entry.new, similarity: nil)
      return try vault.history.difference(of: change).unified(style)
    }
  }

  @Test(arguments: seeds(25))
  func `the text is git diff's, byte for byte`(seed: UInt64) throws {
    let vault = try Self.vault(seed: seed, binary: true)
    for quotes in [true, false] {
      let expected = try run(
        [
          "git", "-c", "core.quotePath=\(quotes)", "-c", "core.abbrev=7", "diff", "--no-renames",
          "HEAD~1", "HEAD",
        ], in: vault.scratch.path
      ).output
      let found = try Self.unified(vault, .init(quotesNonASCII: quotes))
      #expect(
        String(decoding: found, as: UTF8.self) == String(decoding: expected, as: UTF8.self),
        "seed \(seed)")
      #expect(found == expected, "seed \(seed)")
    }
  }

  @Test(arguments: seeds(10))
  func `git apply makes the same change of it`(seed: UInt64) throws {
    let vault = try Self.vault(seed: seed)
    let patch = try Self.unified(vault, .init(digits: 40))
    try vault.scratch.git("checkout", "-q", "HEAD~1")
    try vault.scratch.git("apply", "--index", input: patch)
    let tree = try vault.scratch.git("write-tree")
    #expect(try tree == vault.scratch.git("rev-parse", "main^{tree}"), "seed \(seed)")
  }

  @Test func `a rename with and without an edit reads as git writes it`() throws {
    var script = Script()
    script.commit("1", [.write("a b", paragraph("a")), .write("c", paragraph("c"))])
    script.commit(
      "2", [.delete("a b"), .write("d", paragraph("a") + "x\n"), .rename("c", "e/é")])
    let vault = try script.run()
    let expected = try run(
      ["git", "-c", "core.abbrev=7", "diff", "-M", "HEAD~1", "HEAD"], in: vault.scratch.path
    ).text
    let found = try vault.history.changes(in: try vault.id(2)).flatMap { change in
      try vault.history.difference(of: change).unified()
    }
    // The two measure likeness each in its own way.
    func masked(_ text: String) -> String { text.replacing(/index \d+%/) { _ in "index N%" } }
    #expect(masked(String(decoding: found, as: UTF8.self)) == masked(expected))
    try vault.scratch.git("checkout", "-q", "HEAD~1")
    try vault.scratch.git("apply", "--index", input: found)
    #expect(
      try vault.scratch.git("write-tree") == vault.scratch.git("rev-parse", "main^{tree}"))
  }

  @Test func `nothing is said where nothing differs`() throws {
    let side = try LineDifference.Side(path: "a", mode: 0o100644, content: Array("x\n".utf8))
    let same = try LineDifference(from: side, to: side)
    #expect(same.isEmpty)
    #expect(try same.unified().isEmpty)
  }

  @Test func `content that is no text is told by kind and never by lines`() throws {
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
    let side = try LineDifference.Side(path: "p.png", mode: 0o100644, content: png)
    let new = try LineDifference(from: nil, to: side)
    #expect(new.isBinary && new.hunks.isEmpty)
    #expect(ContentType.name(of: png) == "PNG image")
    #expect(ContentType.name(of: [1, 0, 2]) == "binary data")
    #expect(ContentType.name(of: Array("hello".utf8)) == "text")
    // git looks at the first 8,000 bytes and no further.
    #expect(!TextDifference.isBinary([UInt8](repeating: 65, count: 8000) + [0]))
    #expect(TextDifference.isBinary([UInt8](repeating: 65, count: 7999) + [0]))
  }

  @Test func `lines carry their numbers on both sides`() throws {
    let difference = try TextDifference(
      from: Array("a\nb\nc\n".utf8), to: Array("a\nx\nc\nd".utf8), context: 1)
    let lines = try #require(difference.hunks.first).lines
    #expect(lines.map(\.oldNumber) == [1, 2, nil, 3, nil])
    #expect(lines.map(\.newNumber) == [1, nil, 2, 3, 4])
    #expect(
      lines.map { String(decoding: $0.content, as: UTF8.self) }
        == ["a\n", "b\n", "x\n", "c\n", "d"])
  }
}

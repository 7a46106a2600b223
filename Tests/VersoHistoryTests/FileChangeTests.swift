import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct FileChangeTests {
  private static func randomTree(_ generator: inout SeededGenerator) -> [String: Script.Edit] {
    var files: [String: Script.Edit] = [:]
    for _ in 0..<Int.random(in: 0...14, using: &generator) {
      let depth = Int.random(in: 1...3, using: &generator)
      let path = (0..<depth).map { _ in
        ["a", "a.b", "a-", "b", "é", "\"q\" x"].randomElement(using: &generator) ?? "a"
      }.joined(separator: "/")
      // A name is a file or a folder, not both.
      let clash = files.keys.contains { $0.hasPrefix(path + "/") || path.hasPrefix($0 + "/") }
      if clash { continue }
      let mode = ["100644", "100755", "120000"].randomElement(using: &generator) ?? "100644"
      files[path] = .write(path, "\(Int.random(in: 0...30, using: &generator))\n", mode: mode)
    }
    return files
  }

  /// Two commits that hold exactly these files.
  private static func vault(_ trees: [[String: Script.Edit]]) throws -> Vault {
    var script = Script()
    var last: [String: Script.Edit] = [:]
    for tree in trees {
      let gone = last.keys.filter { tree[$0] == nil }.map { Script.Edit.delete($0) }
      script.commit("c", gone + tree.values)
      last = tree
    }
    return try script.run()
  }

  @Test(arguments: seeds(15))
  func `two trees differ where git says so`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let trees = (0..<12).map { _ in Self.randomTree(&generator) }
    let vault = try Self.vault(trees)
    for number in 2...12 {
      let (a, b) = (try vault.id(number - 1), try vault.id(number))
      let expected = try vault.lines(
        "diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", a.hex, b.hex)
      let graph = vault.history.graph
      let found = try TreeDifference.between(
        try graph.node(a).tree, try graph.node(b).tree, in: vault.repository)
      // git calls a file that became a link T.
      let lines = found.flatMap { entry -> [String] in
        func mode(_ side: PathFinder.Found?) -> String {
          let digits = String(side?.mode ?? 0, radix: 8)
          return String(repeating: "0", count: 6 - digits.count) + digits
        }
        let ids = "\((entry.old?.id ?? .zero).hex) \((entry.new?.id ?? .zero).hex)"
        let name = String(decoding: QuotedPath.quote(entry.path.bytes), as: UTF8.self)
        return [":\(mode(entry.old)) \(mode(entry.new)) \(ids) \(name)"]
      }
      let plain = expected.map { $0.replacing(/\ [AMDT]\t/) { _ in " " } }
      #expect(lines.sorted() == plain.sorted(), "seed \(seed)")
    }
  }

  @Test func `a difference is confined to a folder or a file`() throws {
    var script = Script()
    script.commit("1", [.write("a/x", "1"), .write("a/y", "1"), .write("b", "1")])
    script.commit("2", [.write("a/x", "2"), .write("a/y", "2"), .write("b", "2")])
    let vault = try script.run()
    let head = try vault.id(2)
    #expect(try vault.history.changes(in: head, below: "a").map(\.path) == ["a/x", "a/y"])
    #expect(try vault.history.changes(in: head, below: "a/y").map(\.path) == ["a/y"])
    #expect(try vault.history.changes(in: head, below: "c").isEmpty)
  }

  @Test func `in a first commit everything is new`() throws {
    var script = Script()
    script.commit("1", [.write("a/x", "1"), .write("b", "1")])
    let vault = try script.run()
    let changes = try vault.history.changes(in: try vault.id(1))
    #expect(changes.map(\.kind) == [.added, .added])
    #expect(changes.map(\.path) == ["a/x", "b"])
  }

  @Test func `a merge is shown against its first parent`() throws {
    var script = Script()
    let base = script.commit("1", [.write("a", "1"), .write("b", "1")])
    let ours = script.commit("2", [.write("a", "2")], parents: [base])
    let theirs = script.commit("3", [.write("b", "3")], parents: [base])
    script.commit("4", [.write("b", "3")], parents: [ours, theirs])
    let vault = try script.run()
    #expect(try vault.history.changes(in: try vault.id(4)).map(\.path) == ["b"])
  }

  @Test func `a file that became a folder is removed and its contents are new`() throws {
    var script = Script()
    script.commit("1", [.write("a", paragraph("a"))])
    script.commit("2", [.delete("a"), .write("a/b", "b\n")])
    let vault = try script.run()
    let changes = try vault.history.changes(in: try vault.id(2))
    #expect(changes.map { "\($0.kind.letter) \($0.path)" } == ["D a", "A a/b"])
  }

  @Test(arguments: seeds(6))
  func `renames are those that git finds`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    let count = 12
    var names = (0..<count).map { "d\($0 % 3)/n\($0).md" }
    var texts = (0..<count).map { paragraph("note \($0)") }
    script.commit("1", zip(names, texts).map { .write($0, $1) })
    for step in 1...10 {
      var edits: [Script.Edit] = []
      for index in names.indices.shuffled(using: &generator).prefix(4) {
        let old = names[index]
        if !generator.chance(3) { names[index] = "d\(step % 3)/m\(step)-\(index).md" }
        if generator.chance(2) { texts[index] += "line \(step) of \(index)\n" }
        if names[index] != old { edits.append(.delete(old)) }
        edits.append(.write(names[index], texts[index]))
      }
      script.commit("c", edits)
    }
    let vault = try script.run()
    for number in 2...11 {
      let id = try vault.id(number)
      let expected = try vault.lines("diff-tree", "-r", "-M", "--name-status", "\(id)^", id.hex)
        .map { $0.replacing(/^R\d+/) { _ in "R" } }.sorted()
      let found = try vault.history.changes(in: id).map { change in
        change.oldPath == change.path
          ? "\(change.kind.letter)\t\(change.path)" : "R\t\(change.oldPath)\t\(change.path)"
      }
      #expect(found.sorted() == expected, "seed \(seed)")
    }
  }

  @Test func `names that are not UTF-8 are kept`() throws {
    var script = Script()
    let name: [UInt8] = Array("caf".utf8) + [0xE9] + Array(".md".utf8)
    script.commit("1", [.writeBytes(name, Array("1\n".utf8))])
    script.commit("2", [.writeBytes(name, Array("2\n".utf8))])
    let vault = try script.run()
    let path = try #require(RelativePath(name))
    #expect(try vault.history.changes(in: try vault.id(2)).map(\.path) == [path])
    #expect(try vault.versions(path).count == 2)
  }

  @Test func `a tree that names what no file can be called is refused`() throws {
    let scratch = try Scratch("hostile")
    try scratch.git("init", "-q", "-b", "main")
    let blob = try scratch.git("hash-object", "-w", "--stdin", input: Array("x".utf8))
    let id = try #require(ObjectID(hex: blob))
    let row = Array("100644 ..".utf8) + [0] + id.bytes
    let tree = try scratch.git(
      "hash-object", "-w", "-t", "tree", "--literally", "--stdin", input: row)
    let repository = try Repository(at: scratch.path)
    let root = try #require(ObjectID(hex: tree))
    #expect(throws: GitError.self) { try TreeDifference.between(nil, root, in: repository) }
    let broken = try scratch.git(
      "hash-object", "-w", "-t", "tree", "--literally", "--stdin", input: Array("100644 a".utf8))
    #expect(throws: GitError.self) {
      try TreeDifference.between(nil, ObjectID(hex: broken), in: repository)
    }
  }

  @Test func `quoted names are git's and read back`() throws {
    var generator = SeededGenerator(seed: 1)
    let scratch = try Scratch("quoted")
    try scratch.git("init", "-q")
    var names: [[UInt8]] = []
    for _ in 0..<60 {
      let name = (0..<Int.random(in: 1...8, using: &generator)).map { _ -> UInt8 in
        let byte = UInt8.random(in: 1...255, using: &generator)
        return byte == 0x2F || byte == 0x2E ? 0x22 : byte
      }
      try scratch.write([0x78], to: name)
      names.append(name)
      #expect(QuotedPath.unquote(QuotedPath.quote(name)) == name)
      #expect(QuotedPath.unquote(QuotedPath.quote(name, escapesHighBytes: false)) == name)
    }
    try scratch.git("add", "-A")
    for (flag, nonASCII) in [("true", true), ("false", false)] {
      let output = try run(["git", "-c", "core.quotePath=\(flag)", "ls-files"], in: scratch.path)
      let lines = Set(output.output.split(separator: 0x0A).map(Array.init))
      #expect(lines == Set(names.map { QuotedPath.quote($0, escapesHighBytes: nonASCII) }))
    }
  }
}

import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct `Trees` {
  typealias Files = [RelativePath: (mode: UInt32, id: ObjectID)]

  private let desk: ObjectDesk

  init() throws { desk = try ObjectDesk() }

  /// The trees of `files` by git, from nothing.
  private func gitTree(_ files: Files) throws -> ObjectID {
    var lines: [UInt8] = []
    for (path, entry) in files {
      lines += Array("\(String(entry.mode, radix: 8)) \(entry.id.hex)\t".utf8) + path.bytes + [0]
    }
    let index = ["GIT_INDEX_FILE": desk.scratch.at("index-of-test")]
    _ = try run(["rm", "-f", "index-of-test"], in: desk.scratch.path)
    let read = try run(
      ["git", "update-index", "-z", "--index-info"], in: desk.scratch.path, input: lines,
      environment: index)
    #expect(read.status == 0, "\(read.error)")
    let tree = try run(
      ["git", "write-tree", "--missing-ok"], in: desk.scratch.path, environment: index)
    return try #require(ObjectID(hex: String(tree.text.prefix(40))), "\(tree.error)")
  }

  private func edit(
    _ base: ObjectID?, _ edits: [TreeEditor.Edit]
  ) throws -> (root: ObjectID, folders: FolderChange) {
    let writer = desk.loose()
    let sorted = edits.sorted { $0.path < $1.path }
    let result = try TreeEditor(sorted, repository: desk.repository, writer: writer)
      .apply(to: base)
    try writer.finish()
    return result
  }

  private func blob(_ number: Int) -> ObjectID { SHA1.id(of: .blob, Array("\(number)".utf8)) }

  private func put(
    _ path: RelativePath, _ number: Int, _ kind: Item.Kind = .file
  ) -> TreeEditor.Edit {
    TreeEditor.Edit(path: path, mode: kind.rawValue, id: blob(number))
  }

  // MARK: Against git

  /// Names that stand close together in one of the two orders, and far apart in the other.
  private static let names: [[UInt8]] =
    [
      "a", "a-", "a-b", "a.b", "a0", "aa", "b", "A", "ab", "a ", "ä",
    ].map { Array($0.utf8) } + [[0x61, 0xFF], [0x61, 0x01], [0xFF]]

  private func randomPath(_ random: inout SeededGenerator) -> RelativePath {
    var path = RelativePath.root
    repeat {
      path = path.appending(Self.names[Int.random(in: 0..<Self.names.count, using: &random)])
    } while path.components.count < 5 && random.chance(2)
    return path
  }

  /// What git's index would hold after a put: nothing above it, nothing below it.
  private func apply(_ edits: [TreeEditor.Edit], to files: Files) -> Files {
    var files = files
    for edit in edits where edit.mode == 0 { files[edit.path] = nil }
    // Of a file and something below it, both put at once, the latter stays.
    let puts = edits.filter { $0.mode != 0 }
    let above = Set(puts.flatMap(\.path.ancestors))
    for edit in puts where !above.contains(edit.path) {
      for above in edit.path.ancestors { files[above] = nil }
      for path in files.keys where edit.path.contains(path) { files[path] = nil }
      files[edit.path] = (edit.mode, edit.id)
    }
    return files
  }

  @Test(arguments: seeds(4))
  func `after random edits are those that git makes`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var files: Files = [:]
    var root: ObjectID?
    for step in 0..<(isFullRun ? 400 : 40) {
      var edits: [RelativePath: TreeEditor.Edit] = [:]
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let known = files.keys.sorted()
        let removes = random.chance(2)
        let path =
          removes && !known.isEmpty && !random.chance(5)
          ? known[Int.random(in: 0..<known.count, using: &random)] : randomPath(&random)
        let kinds: [Item.Kind] = [.file, .file, .executable, .link, .repository]
        edits[path] =
          removes
          ? .removing(path)
          : put(path, Int.random(in: 0..<50, using: &random), kinds[step % kinds.count])
      }
      let list = Array(edits.values)
      files = apply(list, to: files)
      let before = root
      let result = try edit(before, list)
      let expected = try gitTree(files)
      #expect(result.root == expected, "step \(step)")
      guard result.root == expected else { return }
      try expectTrue(result.folders, before: before, after: result.root)
      root = result.root
    }
    try desk.scratch.git("update-ref", "refs/verso/tree", try #require(root).hex)
    let fsck = try run(
      ["git", "fsck", "--strict", "--no-dangling"], in: desk.scratch.path)
    let complaints = fsck.error.split(separator: "\n").filter { $0.contains("error in tree") }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  /// Checks every folder that a change names, and that it names every folder that differs.
  private func expectTrue(
    _ change: FolderChange, before: ObjectID?, after: ObjectID?
  ) throws {
    #expect(change.old == before)
    // Of a folder that is gone, nothing need be said of those in it.
    if after == nil { return }
    func folders(_ id: ObjectID?) throws -> [[UInt8]: ObjectID] {
      guard let id else { return [:] }
      let rows = try desk.repository.tree(id).filter(\.isFolder)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.id) })
    }
    let (old, new) = (try folders(before), try folders(after))
    for name in Set(old.keys).union(new.keys).union(change.children.keys) {
      if let child = change.children[name] {
        #expect(child.new == new[name])
        #expect(child.old != nil || child.new != nil)
        try expectTrue(child, before: old[name], after: new[name])
      } else {
        #expect(old[name] == new[name])
      }
    }
  }

  // MARK: Cases

  @Test func `of no files are the empty tree`() throws {
    #expect(try edit(nil, []).root == .emptyTree)
    let one = try edit(nil, [put("a/b/c", 1)]).root
    let none = try edit(one, [.removing("a/b/c")])
    #expect(none.root == .emptyTree)
    #expect(none.folders.children[Array("a".utf8)]?.new == nil)
    #expect(try desk.repository.contains(.emptyTree))
  }

  @Test func `ignore the removal of what is not there`() throws {
    let base = try edit(nil, [put("a/b", 1)]).root
    for path: RelativePath in ["x", "a/x", "a/b/x", "x/y/z", "a"] {
      let result = try edit(base, [.removing(path)])
      #expect(result.root == base, "\(path)")
    }
  }

  @Test func `let a file take a folder's place, emptied or not`() throws {
    let base = try edit(nil, [put("a/b", 1), put("a/c/d", 2), put("a.md", 3)]).root
    let expected = try gitTree(["a": (0o100644, blob(9)), "a.md": (0o100644, blob(3))])
    #expect(try edit(base, [put("a", 9)]).root == expected)
    let partly = try edit(base, [.removing("a/b"), put("a", 9)])
    #expect(partly.root == expected)
    #expect(partly.folders.children[Array("a".utf8)]?.new == nil)
    #expect(try edit(base, [.removing("a/b"), .removing("a/c/d"), put("a", 9)]).root == expected)
  }

  @Test func `let a folder take a file's place, removed or not`() throws {
    let base = try edit(nil, [put("a", 1), put("a.md", 3)]).root
    let expected = try gitTree(["a/b": (0o100644, blob(2)), "a.md": (0o100644, blob(3))])
    #expect(try edit(base, [put("a/b", 2)]).root == expected)
    #expect(try edit(base, [.removing("a"), put("a/b", 2)]).root == expected)
  }

  @Test func `keep what lies below, where a file is put there too`() throws {
    let expected = try gitTree(["a/b": (0o100644, blob(2))])
    #expect(try edit(nil, [put("a", 1), put("a/b", 2)]).root == expected)
    let base = try edit(nil, [put("a/c", 3)]).root
    let result = try edit(base, [.removing("a/c"), put("a", 1), put("a/b", 2)])
    #expect(result.root == expected)
    try expectTrue(result.folders, before: base, after: result.root)
  }

  @Test func `write nothing where nothing changes`() throws {
    let base = try edit(nil, [put("a/b", 1), put("c", 2)]).root
    let before = try desk.files()
    let same = try edit(base, [put("a/b", 1), put("c", 2)])
    #expect(same.root == base)
    #expect(try desk.files() == before)
  }

  @Test func `touch only the folders on changed paths`() throws {
    let files = (0..<30).map { put(RelativePath(unchecked: Array("f\($0 % 6)/g\($0)/n".utf8)), $0) }
    let base = try edit(nil, files).root
    let before = try desk.files().count
    let result = try edit(base, [put("f1/g1/n", 100)])
    #expect(try desk.files().count == before + 3)
    #expect(result.folders.children.keys.map { $0 } == [Array("f1".utf8)])
  }

  @Test func `keep rows that old versions of git wrote`() throws {
    // A group-writable mode, which git wrote long ago and still accepts (fsck without --strict).
    let old = Array("100664 a\0".utf8) + blob(1).bytes
    let writer = desk.loose()
    let base = try writer.write(.tree, old)
    try writer.finish()
    let result = try edit(base, [put("b", 2)])
    let rows = try desk.repository.tree(result.root)
    #expect(rows.map(\.mode) == [0o100664, 0o100644])
  }

  @Test func `that are damaged are reported, not repaired`() throws {
    let writer = desk.loose()
    let whole = Array("100644 a\0".utf8) + blob(1).bytes
    for cut in [3, 8, 9, 20] {
      let base = try writer.write(.tree, Array(whole[..<cut]))
      try writer.finish()
      #expect(throws: GitError.self) { try edit(base, [put("b", 2)]) }
    }
    let blob = try writer.write(.blob, Array("no tree".utf8))
    try writer.finish()
    #expect(throws: GitError.self) { try edit(blob, [put("b", 2)]) }
  }

  @Test func `of 50,000 notes in one folder change by one note`() throws {
    func path(_ number: Int) -> RelativePath {
      RelativePath(unchecked: Array("notes/note \(number).md".utf8))
    }
    var files: Files = [:]
    for number in 0..<50_000 { files[path(number)] = (0o100644, blob(number % 7)) }
    let base = try edit(nil, files.map { TreeEditor.Edit(path: $0, mode: $1.mode, id: $1.id) })
    #expect(try gitTree(files) == base.root)
    files[path(777)] = nil
    files[path(60_000)] = (0o100644, blob(1))
    files[path(5)] = (0o100755, blob(2))
    let result = try edit(
      base.root, [.removing(path(777)), put(path(60_000), 1), put(path(5), 2, .executable)])
    #expect(try gitTree(files) == result.root)
  }

  @Test func `far down are written from the bottom`() throws {
    let deep = RelativePath(unchecked: Array(String(repeating: "d/", count: 600).utf8) + [0x6E])
    let base = try edit(nil, [put(deep, 1)])
    #expect(try gitTree([deep: (0o100644, blob(1))]) == base.root)
    #expect(try edit(base.root, [.removing(deep)]).root == .emptyTree)
  }
}

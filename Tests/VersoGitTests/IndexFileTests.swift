import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct IndexFileTests {
  @Test func `a repository without an index has none`() throws {
    let scratch = try Scratch()
    try scratch.git("init", "--quiet")
    #expect(try IndexFile.open(directory: scratch.at(".git"), store: SystemFileStore()) == nil)
  }

  @Test func `an unreadable index is no absent one`() throws {
    let scratch = try Scratch()
    mkdir(scratch.at("index"), 0o755)
    #expect(throws: IndexError.self) {
      try IndexFile.open(directory: scratch.path, store: SystemFileStore())
    }
  }

  @Test(arguments: [2, 3, 4]) func `the table says what git says`(version: Int) throws {
    let fixture = try IndexFixture(version: version)
    for number in 0..<300 {
      try fixture.scratch.write("\(number)", to: "folder\(number % 11)/sub/\(number).md")
    }
    try fixture.commitAll()
    if version == 3 {
      try fixture.scratch.git("update-index", "--skip-worktree", "folder3/sub/3.md")
    }
    let tree = try #require(ObjectID(hex: try fixture.scratch.git("write-tree")))
    let index = try fixture.open()
    #expect(index.version == UInt32(version) && index.verifyChecksum())
    var lines: [String] = []
    for row in index.table.rows {
      lines.append("\(String(row.mode, radix: 8)) \(row.id) 0\t\(row.path)")
      let size = try fixture.store.status(
        of: Array(fixture.scratch.at("\(row.path)").utf8), in: AT_FDCWD)?.size
      #expect(UInt64(row.size) == size)
    }
    #expect(try fixture.scratch.git("ls-files", "--stage") == lines.joined(separator: "\n"))
    let modified = try #require(
      try fixture.store.status(of: Array(fixture.scratch.at(".git/index").utf8), in: AT_FDCWD))
    #expect(index.table.written == modified.modified)
    #expect(index.cacheTreeRoot == tree)
    #expect(
      index.cachedTree(of: "folder7/sub")?.hex
        == (try fixture.scratch.git("rev-parse", "\(tree):folder7/sub")))
    #expect(index.cachedTree(of: "folder7/nothing") == nil)
    #expect(index.obstacles == (version == 3 ? [.skipWorktree] : []))
    withExtendedLifetime(index) {}
  }

  @Test func `a wrong checksum is found and a missing one is none`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a.md")
    try fixture.scratch.git("add", "a.md")
    var bytes = try #require(fixture.scratch.bytes(of: ".git/index"))
    bytes[bytes.count - 1] ^= 1
    try fixture.scratch.write(bytes, to: Array(".git/index".utf8))
    #expect(try !fixture.open().verifyChecksum())
    // index.skipHash
    bytes.replaceSubrange((bytes.count - 20)..., with: [UInt8](repeating: 0, count: 20))
    try fixture.scratch.write(bytes, to: Array(".git/index".utf8))
    #expect(try fixture.open().verifyChecksum())
    try fixture.patch([fixture.change("a.md", "two")])
    #expect(try fixture.scratch.git("fsck", "--no-dangling", "--no-progress") == "")
  }

  @Test func `an index cut off in its last entry is damaged`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a.md")
    try fixture.scratch.git("update-index", "--add", "a.md")
    let bytes = try #require(fixture.scratch.bytes(of: ".git/index"))
    #expect(try fixture.open().extensionNames == [])
    for cut in 1...72 {
      let content = Array(bytes.dropLast(20 + cut))
      try fixture.scratch.write(content + SHA1.hash(content).bytes, to: Array(".git/index".utf8))
      let error = #expect(throws: IndexError.self) { try fixture.open() }
      #expect(error?.code == .damaged)
      #expect(error?.description.hasPrefix("the index is damaged: ") == true)
    }
  }

  // MARK: What is refused

  @Test func `a split index is named and not patched`() throws {
    let fixture = try IndexFixture()
    for name in ["a.md", "b.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.scratch.git("add", "--all")
    try fixture.scratch.git("update-index", "--split-index")
    try fixture.scratch.write("two", to: "a.md")
    try fixture.scratch.git("add", "a.md")
    #expect(try fixture.open().obstacles == [.splitIndex])
    try expectRefusal(fixture, "it is split")
  }

  @Test func `a sparse index is named and not patched`() throws {
    let fixture = try IndexFixture()
    for name in ["a/1.md", "b/c/2.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    try fixture.scratch.git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
    #expect(try fixture.open().obstacles == [.sparseIndex, .skipWorktree])
    try expectRefusal(fixture, "it is sparse", path: "a/1.md")
  }

  @Test func `an extension that must be understood is named and not patched`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a.md")
    try fixture.scratch.git("add", "a.md")
    try fixture.addExtension("novl")
    #expect(try fixture.open().obstacles == [.unknownExtension("novl")])
    try expectRefusal(fixture, "it uses the extension novl")
  }

  private func expectRefusal(
    _ fixture: IndexFixture, _ text: String, path: String = "a.md"
  ) throws {
    let old = fixture.scratch.bytes(of: ".git/index")
    let error = #expect(throws: IndexError.self) {
      try fixture.patch([fixture.change(path, "two")])
    }
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains(text) == true)
    let other = #expect(throws: IndexError.self) {
      try fixture.rewrite([fixture.change(path, "two")])
    }
    #expect(other?.code == .library)
    #expect(fixture.scratch.bytes(of: ".git/index") == old)
  }

  @Test func `an unfinished merge is left to libgit2`() throws {
    let fixture = try IndexFixture()
    try fixture.makeConflict()
    #expect(try fixture.open().unmergedPaths == ["note.md"])
    let change = try fixture.change("note.md", "solved")
    let error = #expect(throws: IndexError.self) { try fixture.patch([change]) }
    #expect(error?.description.contains("note.md") == true)
    // Beside it the patch goes on.
    try fixture.patch([fixture.change("other.md", "two")])
    #expect(try fixture.open().unmergedPaths == ["note.md"])
    try fixture.rewrite([change])
    #expect(try fixture.open().unmergedPaths == [])
    #expect(try fixture.scratch.git("diff", "--name-only") == "")
    #expect(try fixture.scratch.git("show", ":note.md") == "solved")
    #expect(try fixture.complaintsAboutCache() == "")
  }

  @Test(arguments: [2, 4]) func `a hidden path is left to libgit2`(version: Int) throws {
    let fixture = try IndexFixture(version: version)
    for name in ["a.md", "b.md", "c/d.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    try fixture.scratch.git("update-index", "--skip-worktree", "b.md")
    let change = try fixture.change("b.md", "two")
    let error = #expect(throws: IndexError.self) { try fixture.patch([change]) }
    #expect(error?.code == .unsupported)
    let swap = [
      change, IndexPatch.Change(path: "c/d.md", entry: nil),
    ]
    try run(["rm", "-r", "c"], in: fixture.scratch.path)
    try fixture.rewrite(swap + [fixture.change("c", "a file now")])
    #expect(try fixture.scratch.git("ls-files") == "a.md\nb.md\nc")
    #expect(try fixture.scratch.git("status", "--porcelain") == "M  b.md\nA  c\nD  c/d.md")
    #expect(try fixture.open().obstacles == [])
  }

  @Test func `libgit2 writes an index from nothing`() throws {
    let fixture = try IndexFixture()
    let change = try fixture.change("a.md", "one")
    try IndexRewrite.write(
      [change], of: nil, to: fixture.scratch.at(".git/index"), store: fixture.store)
    #expect(try fixture.scratch.git("status", "--porcelain") == "A  a.md")
  }
}

@Suite struct SHA1Tests {
  @Test func `digests and ids are git's`() throws {
    #expect(SHA1.hash(Array("abc".utf8)).hex == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(ObjectID.emptyTree.hex == "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    #expect(ObjectID.emptyBlob.hex == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
    #expect(
      SHA1.id(of: .blob, Array("hello\n".utf8)).hex == "ce013625030ba8dba906f756967f9e9ca394464a")
  }

  @Test func `a copy goes on from the same state`() {
    let text = Array("a shared beginning and two endings".utf8)
    var start = SHA1()
    text[..<20].withUnsafeBytes { start.update($0) }
    for ending in [text[20...], text[25...]] {
      var copy = start
      ending.withUnsafeBytes { copy.update($0) }
      #expect(copy.finish() == SHA1.hash(Array(text[..<20]) + ending))
    }
  }
}

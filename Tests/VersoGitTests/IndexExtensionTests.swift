import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct IndexExtensionTests {
  /// A repository whose untracked cache git has filled and trusts.
  private func fixtureWithUntrackedCache() throws -> IndexFixture {
    let fixture = try IndexFixture(settings: ["core.untrackedCache=true"])
    for name in ["a.md", "b.md", "notes/c.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    try fixture.scratch.write("loose", to: "new/d.md")
    // A folder as young as the index is looked at again, and the cache not used.
    for folder in ["new", "notes", "."] { try fixture.setModified(folder, seconds: 1_700_000_000) }
    for _ in 0..<2 { #expect(try fixture.scratch.git("status", "--porcelain") == "?? new/") }
    #expect(try fixture.open().extensionNames.contains("UNTR"))
    return fixture
  }

  @Test func `a folder that becomes tracked is not listed as untracked`() throws {
    let fixture = try fixtureWithUntrackedCache()
    try fixture.patch([fixture.recorded("new/d.md")])
    #expect(try fixture.scratch.git("status", "--porcelain") == "A  new/d.md")
  }

  @Test func `a file that is no longer tracked is listed as untracked`() throws {
    let fixture = try fixtureWithUntrackedCache()
    try fixture.patch([IndexPatch.Change(path: "b.md", entry: nil)])
    let status = try fixture.scratch.git("status", "--porcelain")
    #expect(status == "D  b.md\n?? b.md\n?? new/")
    #expect(try fixture.open().extensionNames.contains("UNTR"), "it is still switched on")
  }

  @Test func `an edit keeps the untracked cache as it is`() throws {
    let fixture = try fixtureWithUntrackedCache()
    let size = try #require(fixture.scratch.bytes(of: ".git/index")).count
    try fixture.patch([fixture.change("a.md", "two")])
    #expect(try #require(fixture.scratch.bytes(of: ".git/index")).count <= size)
    #expect(try fixture.open().extensionNames.contains("UNTR"))
    #expect(try fixture.scratch.git("status", "--porcelain") == "M  a.md\n?? new/")
  }

  @Test
  func `what a file system monitor said is kept only while entries keep their places`() throws {
    let fixture = try IndexFixture()
    for name in ["a.md", "b.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    // A monitor that knows of nothing: what it says and the index holds is all that git looks at.
    try fixture.scratch.write("#!/bin/sh\nprintf 'token\\0'\n", to: ".git/monitor")
    chmod(fixture.scratch.at(".git/monitor"), 0o755)
    try fixture.scratch.git("config", "core.fsmonitor", ".git/monitor")
    try fixture.scratch.git("update-index", "--fsmonitor")
    try fixture.scratch.git("status")
    #expect(try fixture.open().extensionNames.contains("FSMN"))
    try fixture.patch([fixture.change("b.md", "two")])
    #expect(try fixture.open().extensionNames.contains("FSMN"))
    #expect(try fixture.scratch.git("status", "--porcelain") == "M  b.md")
    try fixture.patch([fixture.change("aa.md", "new")])
    #expect(try !fixture.open().extensionNames.contains("FSMN"))
    #expect(try fixture.scratch.git("status", "--porcelain") == "A  aa.md\nM  b.md")
  }

  @Test(arguments: [2, 4]) func `entry offsets stay true or go`(version: Int) throws {
    let fixture = try IndexFixture(version: version, settings: IndexPatchTests.threads)
    let names = (10..<40).map { "folder/common-beginning-\($0).md" }
    for name in names { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    #expect(try fixture.open().extensionNames == ["IEOT", "TREE", "EOIE"])
    // Every entry, and so also those with which a thread begins to read.
    try fixture.patch(names.map { try fixture.change($0, "two") })
    #expect(try fixture.open().extensionNames == ["IEOT", "TREE", "EOIE"])
    #expect(try fixture.scratch.git("ls-files") == names.joined(separator: "\n"))
    #expect(try fixture.scratch.git("diff", "--name-only") == "")

    try fixture.scratch.write("new", to: "a.md")
    try fixture.scratch.git("add", "--intent-to-add", "a.md")
    #expect(try fixture.open().extensionNames == ["IEOT", "TREE", "EOIE"])
    // The entry loses its extended flags, and those after it move.
    try fixture.patch([fixture.recorded("a.md")])
    #expect(try fixture.open().extensionNames == ["TREE", "EOIE"])
    #expect(try fixture.scratch.git("ls-files") == (["a.md"] + names).joined(separator: "\n"))
    #expect(try fixture.scratch.git("diff", "--name-only") == "")
  }

  @Test func `a resolved merge can still be brought back`() throws {
    let fixture = try IndexFixture()
    try fixture.makeConflict()
    try fixture.scratch.write("solved", to: "note.md")
    try fixture.scratch.git("add", "note.md")
    #expect(try fixture.open().extensionNames.contains("REUC"))
    try fixture.patch([fixture.change("other.md", "two")])
    #expect(try fixture.open().extensionNames.contains("REUC"))
    try fixture.scratch.git("checkout", "--merge", "note.md")
    #expect(try fixture.open().unmergedPaths == ["note.md"])
  }

  @Test func `an optional extension that nobody knows is left out`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a.md")
    try fixture.commitAll()
    try fixture.addExtension("XYZW")
    #expect(try fixture.open().obstacles.isEmpty)
    try fixture.patch([fixture.change("a.md", "two")])
    #expect(try fixture.open().extensionNames == ["TREE"])
  }

  @Test func `a malformed cache of trees is ignored`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a/b.md")
    try fixture.scratch.git("update-index", "--add", "a/b.md")
    let malformed = [
      "", "\0", "\0-1 1\n", "\0-1 0\nx", "a\0-1 0\n", "\0-1 99999999999999999999\n",
    ]
    for bad in malformed {
      let index = try #require(fixture.scratch.bytes(of: ".git/index"))
      try fixture.addExtension("TREE", Array(bad.utf8))
      #expect(try fixture.open().cacheTreeRoot == nil)
      try fixture.patch([fixture.change("a/b.md", bad)])
      #expect(try fixture.scratch.git("ls-files") == "a/b.md")
      try fixture.scratch.write(index, to: Array(".git/index".utf8))
    }
  }
}

extension IndexFixture {
  /// Leaves `note.md` with a merge that is not finished.
  func makeConflict() throws {
    try scratch.write("base", to: "note.md")
    try scratch.write("one", to: "other.md")
    try commitAll()
    try scratch.git("checkout", "--quiet", "-b", "side")
    try scratch.write("theirs", to: "note.md")
    try commitAll()
    try scratch.git("checkout", "--quiet", "main")
    try scratch.write("ours", to: "note.md")
    try commitAll()
    _ = try run(["git", "merge", "side"], in: scratch.path)
  }

  /// Puts an extension behind all others, its checksum right.
  func addExtension(_ name: String, _ bytes: [UInt8] = [1, 2, 3]) throws {
    guard var index = scratch.bytes(of: ".git/index") else { throw Failure("no index") }
    index.removeLast(20)
    index += Array(name.utf8) + [0, 0, 0, UInt8(bytes.count)] + bytes
    index += SHA1.hash(index).bytes
    try scratch.write(index, to: Array(".git/index".utf8))
  }
}

import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct IndexPatchTests {
  /// What a walk's repository is like.
  struct Setup: CustomTestStringConvertible, Sendable {
    let version: Int
    var settings: [String] = []
    var hidesPath = false
    var hasUntrackedCache = false
    var testDescription: String {
      "version \(version) \(settings) hides: \(hidesPath), untracked: \(hasUntrackedCache)"
    }
  }

  static let setups = [
    Setup(version: 2), Setup(version: 4), Setup(version: 3, hidesPath: true),
    Setup(version: 4, hidesPath: true),
    Setup(version: 2, settings: ["core.untrackedCache=true"], hasUntrackedCache: true),
    Setup(version: 2, settings: Self.threads), Setup(version: 4, settings: Self.threads),
  ]
  static let threads = [
    "index.threads=3", "index.recordEndOfIndexEntries=true", "index.recordOffsetTable=true",
  ]

  @Test(arguments: setups, seeds(isFullRun ? 20 : 2))
  func `git agrees with an index after random changes`(setup: Setup, seed: UInt64) throws {
    var walk = try IndexWalk(setup, seed: seed)
    for step in 1...(isFullRun ? 12 : 4) {
      walk.changeDisk()
      let tree = try walk.save()
      let complaints = try walk.fixture.complaints(expecting: tree)
      #expect(complaints == [], "seed \(seed), step \(step)")
      let index = try walk.fixture.open()
      #expect(index.verifyChecksum(), "seed \(seed), step \(step)")
      #expect(index.version == UInt32(setup.version))
      #expect(index.cacheTreeRoot == tree, "the cache is not only right but complete")
      if setup.hasUntrackedCache { #expect(index.extensionNames.contains("UNTR")) }
      if !setup.settings.isEmpty, setup.settings == Self.threads {
        #expect(index.extensionNames.last == "EOIE")
      }
      if step % 2 == 0 { try walk.fixture.scratch.git("status") }
    }
  }

  @Test func `an index is written from nothing`() throws {
    let fixture = try IndexFixture()
    for number in 0..<40 { try fixture.scratch.write("\(number)", to: "\(number % 7)/\(number)") }
    let tree = try fixture.treeOnDisk()
    try fixture.patch(
      fixture.changes(from: nil, to: tree), folders: fixture.folders(from: nil, to: tree))
    try fixture.commit(tree)
    #expect(try fixture.complaints(expecting: tree) == [])
    #expect(try fixture.open().cacheTreeRoot == tree)
    let folder = try fixture.repository.entry(at: "3", in: tree)
    #expect(try fixture.open().cachedTree(of: "3") == folder?.id && folder != nil)
  }

  @Test func `an index without entries is written and patched`() throws {
    let fixture = try IndexFixture()
    try fixture.patch([], folders: FolderChange(old: nil, new: .emptyTree))
    #expect(try fixture.scratch.git("write-tree") == ObjectID.emptyTree.hex)
    let change = try fixture.change("a.md", "one")
    let tree = try fixture.treeOnDisk()
    try fixture.patch([change], folders: fixture.folders(from: nil, to: tree))
    try fixture.commit(tree)
    #expect(try fixture.complaints(expecting: tree) == [])
    try fixture.scratch.git("rm", "--quiet", "--cached", "a.md")
    #expect(try fixture.open().table.rows.isEmpty)
  }

  @Test func `a user's staged change is not in the cached trees`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a/staged.md")
    try fixture.scratch.write("one", to: "a/b/saved.md")
    try fixture.commitAll()
    let old = try fixture.repository.commit(try #require(try fixture.repository.headCommit())).tree
    try fixture.scratch.write("two", to: "a/staged.md")
    try fixture.scratch.git("add", "a/staged.md")
    let change = try fixture.change("a/b/saved.md", "two")
    let cacheBefore = try fixture.open().cacheTreeRoot
    #expect(cacheBefore == nil)
    // The save makes trees without what the user has staged.
    let saved = try self.tree(old, replacing: change, in: fixture)
    try fixture.patch([change], folders: fixture.folders(from: old, to: saved))
    try fixture.commit(saved)
    #expect(try fixture.scratch.git("status", "--porcelain") == "M  a/staged.md")
    #expect(try fixture.open().cacheTreeRoot == nil)
    #expect(
      try fixture.open().cachedTree(of: "a/b")
        == fixture.repository.entry(at: "a/b", in: saved)?.id)
    let all = try fixture.scratch.git("write-tree")
    #expect(all != saved.hex)
    #expect(try fixture.scratch.git("rev-parse", "\(all):a/staged.md") != "")
    #expect(try fixture.complaintsAboutCache() == "")
  }

  @Test func `a folder left out of the folder changes is computed by git`() throws {
    let fixture = try IndexFixture()
    for name in ["a/1.md", "a/b/2.md", "c/3.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    let change = try fixture.change("a/b/2.md", "two")
    let tree = try fixture.treeOnDisk()
    let unchanged = try fixture.open().cachedTree(of: "c")
    try fixture.patch([change])
    let index = try fixture.open()
    #expect(index.cacheTreeRoot == nil)
    #expect(index.cachedTree(of: "a") == nil)
    #expect(index.cachedTree(of: "c") == unchanged && unchanged != nil)
    try fixture.commit(tree)
    #expect(try fixture.complaints(expecting: tree) == [])
  }

  @Test func `new stat fields alone leave the cached trees valid`() throws {
    let fixture = try IndexFixture()
    try fixture.scratch.write("one", to: "a/b.md")
    try fixture.commitAll()
    let tree = try #require(try fixture.open().cacheTreeRoot)
    try fixture.setModified("a/b.md", seconds: 1_000_000_000)
    try fixture.patch([fixture.recorded("a/b.md")])
    #expect(try fixture.open().cacheTreeRoot == tree)
    #expect(try fixture.withTable { $0.row(of: "a/b.md")?.modified.seconds } == 1_000_000_000)
    #expect(try fixture.complaints(expecting: tree) == [])
  }

  @Test func `removing what is not there changes nothing`() throws {
    let fixture = try IndexFixture(version: 4)
    for name in ["a", "c", "d/e"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    let old = try #require(fixture.scratch.bytes(of: ".git/index"))
    try fixture.patch(
      ["0", "b", "d/a", "x/y"].map { IndexPatch.Change(path: $0, entry: nil) },
      isClean: { _, _ in true })
    #expect(fixture.scratch.bytes(of: ".git/index") == old)
  }

  @Test(arguments: [2, 4]) func `an entry by intent to add gets its content`(version: Int) throws {
    let fixture = try IndexFixture(version: version)
    for name in ["a.md", "z.md"] { try fixture.scratch.write("one", to: name) }
    try fixture.commitAll()
    try fixture.scratch.write("new", to: "later.md")
    try fixture.scratch.git("add", "--intent-to-add", "later.md")
    #expect(try fixture.open().version == (version == 2 ? 3 : 4))
    #expect(try fixture.flags(of: "later.md") == .intentToAdd)
    let tree = try fixture.treeOnDisk()
    try fixture.patch([fixture.recorded("later.md")], folders: fixture.folders(from: nil, to: tree))
    try fixture.commit(tree)
    #expect(try fixture.flags(of: "later.md") == [])
    #expect(try fixture.complaints(expecting: tree) == [])
  }

  @Test func `a mode and an assume-unchanged bit are kept where asked`() throws {
    let fixture = try IndexFixture()
    for name in ["a.sh", "b.sh"] { try fixture.scratch.write("one", to: name) }
    try fixture.scratch.git("add", "--all")
    try fixture.scratch.git("update-index", "--chmod=+x", "a.sh", "b.sh")
    try fixture.scratch.git("update-index", "--assume-unchanged", "a.sh", "b.sh")
    try fixture.patch([
      fixture.change("a.sh", "two", options: [.keepsMode, .keepsFlags]),
      fixture.change("b.sh", "two"),
    ])
    #expect(try fixture.mode(of: "a.sh") == Item.Kind.executable.rawValue)
    #expect(try fixture.flags(of: "a.sh") == .assumeUnchanged)
    #expect(try fixture.mode(of: "b.sh") == Item.Kind.file.rawValue)
    #expect(try fixture.flags(of: "b.sh") == [])
  }

  @Test(arguments: [2, 4]) func `names of any length are written`(version: Int) throws {
    let fixture = try IndexFixture(version: version)
    let part = String(repeating: "long name ", count: 20)
    var lengths: [String] = []
    for depth in 0..<19 {
      // Around 0xFFF bytes, where the length no longer fits its field.
      lengths.append(String(repeating: part + "/", count: depth) + "x")
    }
    let id = try #require(ObjectID(hex: try fixture.scratch.git("hash-object", "-w", "/dev/null")))
    let entry = StatEntry(mode: 0o100644, id: id)
    let names = lengths + [4094, 4095, 5000].map { String(repeating: "n", count: $0) }
    let paths = try names.map { try #require(RelativePath($0)) }
    for half in [paths.prefix(9), paths.dropFirst(9)] {
      try fixture.patch(half.sorted().map { IndexPatch.Change(path: $0, entry: entry) })
    }
    let listed = try fixture.scratch.git("ls-files", "-z")
    #expect(listed == paths.sorted().map { "\($0)\0" }.joined())
    #expect(try fixture.withTable { $0.rows.map(\.path) } == paths.sorted())
  }

  @Test func `a full disk is an error that names the file`() throws {
    let fixture = try IndexFixture()
    let change = try fixture.change("a.md", "one")
    let patch = try IndexPatch(of: nil, changes: [change])
    let full = try fixture.store.opening(
      Array("/dev/full".utf8), in: AT_FDCWD, flags: O_WRONLY)
    let error = #expect(throws: IndexError.self) {
      try patch.write(to: full.number, store: fixture.store, path: Array("index.new".utf8))
    }
    #expect(error?.code == .disk && error?.cause?.code == ENOSPC)
    #expect(error?.description == "cannot write index.new: No space left on device")
  }

  /// A tree like `old` but for one file, made by git.
  private func tree(
    _ old: ObjectID, replacing change: IndexPatch.Change, in fixture: IndexFixture
  ) throws -> ObjectID {
    let index = ["GIT_INDEX_FILE": fixture.scratch.at(".git/third")]
    let id = try #require(change.entry).id
    let commands = [
      ["read-tree", old.hex],
      ["update-index", "--cacheinfo", "100644,\(id),\(change.path)"], ["write-tree"],
    ]
    var text = ""
    for command in commands {
      text = try run(["git"] + command, in: fixture.scratch.path, environment: index).text
    }
    return try #require(ObjectID(hex: String(text.dropLast())))
  }
}

/// A repository changed at random, and the same changes in its index.
struct IndexWalk {
  let fixture: IndexFixture
  private var random: SeededGenerator
  private var tree: ObjectID

  init(_ setup: IndexPatchTests.Setup, seed: UInt64) throws {
    print("index walk: \(setup.testDescription), seed \(seed)")
    fixture = try IndexFixture(
      version: setup.version == 3 ? 2 : setup.version, settings: setup.settings)
    random = SeededGenerator(seed: seed)
    tree = .emptyTree
    try fixture.scratch.write("hidden", to: "zz/hidden.md")
    for _ in 0..<60 { try writeFile() }
    try fixture.commitAll()
    if setup.hidesPath {
      try fixture.scratch.git("update-index", "--skip-worktree", "zz/hidden.md")
      try fixture.scratch.git("write-tree")
    }
    if setup.hasUntrackedCache { try fixture.scratch.git("status") }
    // What is written by hand has no such table yet.
    try fixture.scratch.git("update-index", "--force-write-index")
    tree = try fixture.repository.commit(try #require(try fixture.repository.headCommit())).tree
  }

  private static let names = ["a", "a-b", "a.b", "a0", "ab", "b", "Käse", "ü ü", "long-long-name"]

  private mutating func randomPath() -> String {
    let depth = Int.random(in: 1...4, using: &random)
    return (0..<depth).map { _ in
      // The names are few, so that a file often stands where a folder is wanted.
      Self.names.randomElement(using: &random) ?? "a"
    }.joined(separator: "/")
  }

  private mutating func writeFile() throws {
    let path = randomPath()
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += part
      var status = stat()
      if lstat(fixture.scratch.at(folder), &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
        unlink(fixture.scratch.at(folder))
      }
      folder += "/"
    }
    var status = stat()
    if lstat(fixture.scratch.at(path), &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      try run(["rm", "-r", path], in: fixture.scratch.path)
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      unlink(fixture.scratch.at(path))
      try fixture.scratch.write("", to: path)
    case 1:
      try fixture.scratch.write("#!/bin/sh\n", to: path)
      chmod(fixture.scratch.at(path), 0o755)
    default: try fixture.scratch.write("\(random.next() % 50)\n", to: path)
    }
  }

  /// A handful of writes and removals, of files and of whole folders.
  mutating func changeDisk() {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      if random.chance(3) {
        _ = try? run(["rm", "-rf", "--", randomPath()], in: fixture.scratch.path)
      } else {
        #expect(throws: Never.self) { try writeFile() }
      }
    }
  }

  /// Records what is on disk; returns its tree.
  mutating func save() throws -> ObjectID {
    let new = try fixture.treeOnDisk()
    try fixture.patch(
      fixture.changes(from: tree, to: new), folders: fixture.folders(from: tree, to: new))
    if new != tree { try fixture.commit(new) }
    tree = new
    return new
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// A real repository whose index is patched as a save does it.
final class IndexFixture {
  let scratch: Scratch
  let repository: Repository
  let store = SystemFileStore()

  /// Makes a repository without a commit.
  init(version: Int = 2, settings: [String] = []) throws {
    scratch = try Scratch("verso-index")
    try scratch.git("init", "--quiet", "--initial-branch=main")
    try scratch.git("config", "index.version", "\(version)")
    for setting in settings {
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      try scratch.git("config", parts[0], parts[1])
    }
    repository = try Repository(at: scratch.path)
  }

  func open() throws -> IndexFile {
    guard let index = try IndexFile.open(directory: scratch.at(".git"), store: store) else {
      throw Failure("there is no index")
    }
    return index
  }

  /// Looks at the entries; rows are views that must not outlive their table.
  func withTable<R>(_ body: (StatTable) throws -> R) throws -> R {
    let index = try open()
    return try withExtendedLifetime(index) { try body(index.table) }
  }

  func flags(of path: RelativePath) throws -> StatTable.Flags? {
    try withTable { $0.row(of: path)?.flags }
  }

  func mode(of path: RelativePath) throws -> UInt32? { try withTable { $0.row(of: path)?.mode } }

  /// Makes everything on disk the first commit, by git alone.
  func commitAll() throws {
    try scratch.git("add", "--all")
    try scratch.git("commit", "--quiet", "--allow-empty", "--message=all")
  }

  /// Moves a file's modification time.
  func setModified(_ name: String, seconds: Int64) throws {
    let time = Timestamp(seconds: seconds, nanoseconds: 0)
    let result = Array(scratch.at(name).utf8).withCString { store.setModified(AT_FDCWD, $0, time) }
    if result < 0 { throw Failure("utimensat: errno \(-result)") }
  }

  // MARK: Changes

  /// The entry of what is on disk at `path`, with a content that git knows.
  func entry(_ path: RelativePath, id: ObjectID, kind: Item.Kind? = nil) throws -> StatEntry {
    let full = Array(scratch.path.utf8) + [UInt8(ascii: "/")] + path.bytes
    guard let status = try store.status(of: full, in: AT_FDCWD), let found = status.itemKind else {
      throw Failure("nothing at \(path)")
    }
    return StatEntry(of: status, kind: kind ?? found, id: id)
  }

  /// Writes a file and its blob, and makes the change that records it.
  func change(
    _ name: String, _ text: String, options: IndexPatch.Change.Options = []
  ) throws -> IndexPatch.Change {
    try scratch.write(text, to: name)
    return try recorded(name, options: options)
  }

  /// Makes the change that records a file as it is on disk.
  func recorded(
    _ name: String, options: IndexPatch.Change.Options = []
  ) throws -> IndexPatch.Change {
    let hex = try scratch.git("hash-object", "-w", "--", name)
    guard let path = RelativePath(name), let id = ObjectID(hex: hex) else { throw Failure(hex) }
    return IndexPatch.Change(path: path, entry: try entry(path, id: id), options: options)
  }

  /// The tree that git makes of what is on disk, by an index of its own.
  func treeOnDisk() throws -> ObjectID {
    let index = ["GIT_INDEX_FILE": scratch.at(".git/other")]
    if scratch.bytes(of: ".git/index") != nil {
      // With its time: a younger copy would trust what was written in the second of the original.
      try run(["cp", "--preserve=all", ".git/index", ".git/other"], in: scratch.path)
    }
    for arguments in [["add", "--all"], ["write-tree"]] {
      let outcome = try run(["git"] + arguments, in: scratch.path, environment: index)
      guard outcome.status == 0 else { throw Failure(outcome.error) }
      if let id = ObjectID(hex: String(outcome.text.dropLast())) { return id }
    }
    throw Failure("git wrote no tree")
  }

  /// The changes between two trees, with the stat of what is on disk.
  func changes(from old: ObjectID?, to new: ObjectID) throws -> [IndexPatch.Change] {
    let before = try files(in: old)
    let after = try files(in: new)
    let paths = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    return try paths.sorted().map { path in
      let file = after[path]
      return IndexPatch.Change(
        path: path, entry: try file.map { try entry(path, id: $0.id, kind: $0.kind) })
    }
  }

  struct File: Equatable {
    let kind: Item.Kind
    let id: ObjectID
  }

  func files(in tree: ObjectID?, below folder: RelativePath = .root) throws
    -> [RelativePath: File]
  {
    var found: [RelativePath: File] = [:]
    guard let tree, tree != .emptyTree else { return found }
    for entry in try repository.tree(tree) {
      let path = folder.appending(entry.name)
      if entry.isFolder {
        found.merge(try files(in: entry.id, below: path)) { $1 }
      } else {
        found[path] = File(kind: Item.Kind(rawValue: entry.mode) ?? .file, id: entry.id)
      }
    }
    return found
  }

  /// What became of the folders between two trees, as whoever wrote the new one would say it.
  func folders(from old: ObjectID?, to new: ObjectID?) throws -> FolderChange {
    func subfolders(_ tree: ObjectID?) throws -> [[UInt8]: ObjectID] {
      guard let tree, tree != .emptyTree else { return [:] }
      let rows = try repository.tree(tree).filter(\.isFolder).map { ($0.name, $0.id) }
      return Dictionary(uniqueKeysWithValues: rows)
    }
    let (before, after) = (try subfolders(old), try subfolders(new))
    let change = FolderChange(old: old, new: new)
    for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
      change.children[name] = try folders(from: before[name], to: after[name])
    }
    return change
  }

  // MARK: Patching

  /// Patches the index in a copy and renames that over it.
  @discardableResult
  func patch(
    _ changes: [IndexPatch.Change], folders: FolderChange? = nil,
    isClean: (RelativePath, StatTable.Row) -> Bool = { _, _ in false }
  ) throws -> IndexPatch.Outcome {
    let index = try IndexFile.open(directory: scratch.at(".git"), store: store)
    let patch = try IndexPatch(of: index, changes: changes, folders: folders)
    let new = Array(scratch.at(".git/index.new").utf8)
    let file = try store.opening(new, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_TRUNC)
    let outcome = try patch.write(to: file.number, store: store, path: new, isClean: isClean)
    try takeOver(new)
    return outcome
  }

  /// The same through libgit2.
  func rewrite(_ changes: [IndexPatch.Change]) throws {
    let index = try IndexFile.open(directory: scratch.at(".git"), store: store)
    let new = scratch.at(".git/index.new")
    try IndexRewrite.write(changes, of: index, to: new, store: store)
    try takeOver(Array(new.utf8))
  }

  private func takeOver(_ new: [UInt8]) throws {
    let old = Array(scratch.at(".git/index").utf8)
    try store.renaming(new, in: AT_FDCWD, to: old, in: AT_FDCWD)
  }

  /// Moves the branch to a commit of `tree`.
  func commit(_ tree: ObjectID) throws {
    var arguments = ["git", "commit-tree", "-m", "save", tree.hex]
    if let parent = try repository.headCommit() { arguments += ["-p", parent.hex] }
    let outcome = try run(arguments, in: scratch.path)
    guard outcome.status == 0 else { throw Failure(outcome.error) }
    try scratch.git("update-ref", "HEAD", String(outcome.text.dropLast()))
  }

  /// What git says where it proves the cached trees against the entries; empty where they agree.
  func complaintsAboutCache() throws -> String {
    try run(["cp", "--preserve=all", ".git/index", ".git/looked-at"], in: scratch.path)
    let outcome = try run(
      ["git", "update-index", "--force-write-index"], in: scratch.path,
      environment: [
        "GIT_INDEX_FILE": scratch.at(".git/looked-at"), "GIT_TEST_CHECK_CACHE_TREE": "1",
      ])
    return outcome.status == 0 ? "" : outcome.error
  }

  /// What git says is wrong with an index that should hold exactly `tree`, which HEAD has too;
  /// empty where nothing is.
  ///
  /// It looks at a copy, so that git writes none of its own knowledge into the next one.
  func complaints(expecting tree: ObjectID) throws -> [String] {
    try run(["cp", "--preserve=all", ".git/index", ".git/looked-at"], in: scratch.path)
    let environment = [
      "GIT_INDEX_FILE": scratch.at(".git/looked-at"), "GIT_TEST_CHECK_CACHE_TREE": "1",
    ]
    var complaints: [String] = []
    func expect(_ arguments: [String], _ wanted: String) throws {
      let outcome = try run(["git"] + arguments, in: scratch.path, environment: environment)
      if outcome.status != 0 || outcome.text != wanted {
        complaints.append(
          "git \(arguments.joined(separator: " ")): \(outcome.status)\n"
            + "\(outcome.text)\(outcome.error)wanted \(wanted)")
      }
    }
    let staged = try run(["git", "ls-tree", "-r", "-z", tree.hex], in: scratch.path).text
    // "mode type id\tpath" against "mode id stage\tpath".
    let rows = staged.split(separator: "\0").map { row in
      let parts = row.split(separator: "\t", maxSplits: 1)
      let fields = parts[0].split(separator: " ")
      return "\(fields[0]) \(fields[2]) 0\t\(parts[1])\0"
    }
    try expect(["ls-files", "--stage", "-z"], rows.joined())
    try expect(["status", "--porcelain"], "")
    try expect(["update-index", "--refresh"], "")
    try run(["cp", "--preserve=all", ".git/index", ".git/looked-at"], in: scratch.path)
    try expect(["write-tree"], tree.hex + "\n")
    // Writing makes git prove the cached trees against the entries.
    try expect(["update-index", "--force-write-index"], "")
    try expect(["fsck", "--no-progress", "--no-dangling"], "")
    return complaints
  }
}

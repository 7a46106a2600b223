package import VersoGit
package import VersoModel

/// A repository as the planner reads it.
package final class RepositoryMergeSource: MergeSource {
  /// So many pairs of files are compared at most, as when a save decides which moves to write down.
  private static let mostPairs = 200_000

  private let repository: Repository
  private let graph: CommitGraph
  /// Tree objects, each read once.
  private var trees: [ObjectID: [UInt8]] = [:]

  package init(_ repository: Repository) throws(GitError) {
    self.repository = repository
    graph = try CommitGraph(repository)
  }

  package func commit(_ id: ObjectID) throws(GitError) -> MergeCommit {
    let commit = try repository.commit(id)
    let parents = try graph.node(id).parents
    graph.forget(id)
    return MergeCommit(commit, parents: parents)
  }

  package func differences(
    _ old: ObjectID?, _ new: ObjectID?
  ) throws(GitError) -> [MergeChange] {
    try TreeDifference.between(old, new, in: repository)
  }

  private func bytes(of tree: ObjectID) throws(GitError) -> [UInt8] {
    if let known = trees[tree] { return known }
    let (kind, bytes) = try repository.read(tree)
    guard kind == .tree else {
      throw GitError(code: .generic, function: "tree", message: "\(tree) is no readable tree")
    }
    trees[tree] = bytes
    return bytes
  }

  package func entry(
    at path: RelativePath, in tree: ObjectID
  ) throws(GitError) -> MergeEntry? {
    var entry = MergeEntry(mode: Item.Kind.folder.rawValue, id: tree)
    for part in path.components {
      guard entry.isFolder, let next = Self.row(part, in: try bytes(of: entry.id)) else {
        return nil
      }
      entry = next
    }
    return entry
  }

  /// Finds one row of a tree object; damaged bytes hold nothing.
  private static func row(_ name: ArraySlice<UInt8>, in tree: [UInt8]) -> MergeEntry? {
    tree.withUnsafeBytes { tree in
      var at = 0
      while at < tree.count {
        let start = at
        while at < tree.count, tree[at] != 0x20 { at += 1 }
        let first = at + 1
        while at < tree.count, tree[at] != 0 { at += 1 }
        let id = at + 1
        guard id + ObjectID.byteCount <= tree.count, let base = tree.baseAddress else { return nil }
        if at - first == name.count, tree[first..<at].elementsEqual(name) {
          let mode = tree[start..<(first - 1)].reduce(UInt32(0)) { $0 << 3 | UInt32($1 & 7) }
          return MergeEntry(mode: mode, id: ObjectID(at: base + id))
        }
        at = id + ObjectID.byteCount
      }
      return nil
    }
  }

  package func entries(
    in folder: RelativePath, of tree: ObjectID
  ) throws(GitError) -> [(name: [UInt8], entry: MergeEntry)] {
    guard let entry = try entry(at: folder, in: tree), entry.isFolder else { return [] }
    return try repository.tree(entry.id).map { ($0.name, MergeEntry(mode: $0.mode, id: $0.id)) }
  }

  package func size(of blob: ObjectID) throws(GitError) -> Int {
    try repository.header(of: blob).size
  }

  package func content(of blob: ObjectID) throws(GitError) -> [UInt8] {
    try repository.read(blob).bytes
  }

  package func alike(
    removed: [MergeChange], added: [MergeChange]
  ) throws(GitError) -> [MergeCommit.Move] {
    func isPlain(_ entry: MergeEntry?) -> Bool {
      entry.map { $0.mode & 0o170000 == 0o100000 } ?? false
    }
    let (old, new) = (removed.filter { isPlain($0.old) }, added.filter { isPlain($0.new) })
    guard old.count * new.count <= Self.mostPairs else { return [] }
    return try repository.similarities(between: old, and: new)
      .map { MergeCommit.Move($0.old, $0.new) }
  }
}

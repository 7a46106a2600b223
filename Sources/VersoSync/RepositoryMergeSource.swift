package import VersoGit
package import VersoModel

/// A repository as the planner reads it.
package final class RepositoryMergeSource: MergeSource {
  /// So many pairs of files are compared at most, as when a save decides which moves to write down.
  private static let mostPairs = 200_000

  private let repository: Repository
  private let graph: CommitGraph
  private let trees: TreeLookup

  package init(_ repository: Repository) throws(GitError) {
    self.repository = repository
    trees = TreeLookup(repository)
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

  package func entry(
    at path: RelativePath, in tree: ObjectID
  ) throws(GitError) -> MergeEntry? {
    try trees.find(path, in: tree)
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

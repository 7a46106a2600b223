package import VersoGit
package import VersoModel

/// The commits of a history, newest first, read as they are asked for: the first is there at once
/// in a history of any length.
///
/// The order is that of `git log`: by commit time, a commit never before one that was made on it
/// by way of which it was found. Clocks lie, so ``HistoryRange/since`` filters and never stops the
/// walk (`git log --since-as-filter`): a commit of 1970 hides nothing that lies below it.
package struct HistoryWalk {
  private let graph: CommitGraph
  private let range: HistoryRange
  private var queue = CommitQueue<ObjectID>()
  private var seen: Set<ObjectID> = []
  private var found = 0

  /// Starts at a commit; without one there is nothing to walk.
  package init(
    _ graph: CommitGraph, from start: ObjectID?, range: HistoryRange = .init()
  ) throws(GitError) {
    self.graph = graph
    self.range = range
    if let start { try push(start) }
  }

  /// The next commit; `nil` at the end.
  package mutating func next() throws(GitError) -> CommitRecord? {
    guard let id = try nextID() else { return nil }
    return CommitRecord(try graph.repository.commit(id))
  }

  /// The id of the next commit, for those who need no more.
  package mutating func nextID() throws(GitError) -> ObjectID? {
    guard found < range.limit ?? .max else { return nil }
    while let id = queue.pop() {
      let node = try graph.node(id)
      for parent in node.parents { try push(parent) }
      graph.forget(id)
      guard range.contains(node.time) else { continue }
      found += 1
      return id
    }
    return nil
  }

  private mutating func push(_ id: ObjectID) throws(GitError) {
    guard seen.insert(id).inserted else { return }
    queue.push(id, time: try graph.node(id).time)
  }
}

import VersoGit
import VersoModel

/// A ``PathLedger`` that reads git's commits and trees, one after the other.
final class TreeLedger: PathLedger {
  private let graph: CommitGraph
  /// The names asked for, each with what trees hold under it.
  private var finders: [RelativePath: PathFinder] = [:]

  init(_ graph: CommitGraph) { self.graph = graph }

  func landings(
    of path: RelativePath, from commit: ObjectID
  ) throws -> [(commit: ObjectID, time: Int64)] {
    [(commit, try graph.node(commit).time)]
  }

  func content(of path: RelativePath, at commit: ObjectID) throws -> PathFinder.Found? {
    try finders[path, default: PathFinder(path)].find(
      in: graph.node(commit).tree, of: graph.repository)
  }

  func standing(of path: RelativePath, at commit: ObjectID) throws -> Standing {
    let content = try content(of: path, at: commit)
    var parents: [(commit: ObjectID, other: Standing.Other)] = []
    for parent in try graph.node(commit).parents {
      let other = try self.content(of: path, at: parent)
      parents.append((parent, other == content ? .same : other == nil ? .absent : .different))
      // What is unchanged on one side comes from there: no other is looked at.
      if content != nil, other == content { break }
    }
    return Standing(content: content, parents: parents)
  }

  private func origin(_ commit: ObjectID, side: Int) throws -> RenameOrigin? {
    let node = try graph.node(commit)
    guard node.parents.indices.contains(side) else { return nil }
    let record = CommitRecord(try graph.repository.commit(commit))
    return RenameOrigin(
      parent: try graph.node(node.parents[side]).tree, child: node.tree,
      hints: record.renameHints)
  }

  func source(
    of path: RelativePath, at commit: ObjectID, side: Int, isFolder: Bool, isKnown: Bool
  ) throws -> RelativePath? {
    let origin = try origin(commit, side: side)
    return isKnown
      ? try origin?.hintedSource(of: path, in: graph.repository)
      : try origin?.source(of: path, isFolder: isFolder, in: graph.repository)
  }

  func destination(
    of path: RelativePath, at commit: ObjectID, isFolder: Bool
  ) throws -> RelativePath? {
    try origin(commit, side: 0)?.destination(of: path, isFolder: isFolder, in: graph.repository)
  }

  func card(of commit: ObjectID) throws -> VersionCard {
    VersionCard(CommitRecord(try graph.repository.commit(commit)))
  }

  func forget(_ commit: ObjectID) { graph.forget(commit) }
}

extension VersionCard {
  init(_ record: CommitRecord) {
    commit = record.id
    time = record.time
    timeZone = record.timeZone
    device = record.device
    subject = record.subject
  }
}

import VersoGit
import VersoModel

/// A ``PathLedger`` that reads git's commits and trees, one after the other.
final class TreeLedger: PathLedger {
  private let graph: CommitGraph
  /// The names asked for, each with what trees hold under it.
  private var finders: [RelativePath: PathFinder] = [:]

  private var commits: [ObjectID] = []
  private var numbers: [ObjectID: Int64] = [:]

  init(_ graph: CommitGraph) { self.graph = graph }

  func number(of commit: ObjectID) -> Int64 {
    if let known = numbers[commit] { return known }
    let number = Int64(commits.count)
    commits.append(commit)
    numbers[commit] = number
    return number
  }

  private func node(_ number: Int64) throws(GitError) -> CommitGraph.Node {
    try graph.node(commits[Int(number)])
  }

  func landings(
    of path: RelativePath, from commit: Int64
  ) throws -> [(commit: Int64, time: Int64)] {
    [(commit, try node(commit).time)]
  }

  func content(of path: RelativePath, at commit: Int64) throws -> PathFinder.Found? {
    try finders[path, default: PathFinder(path)].find(
      in: node(commit).tree, of: graph.repository)
  }

  func standing(of path: RelativePath, at commit: Int64) throws -> Standing {
    let content = try content(of: path, at: commit)
    var parents: [(commit: Int64, other: Standing.Other)] = []
    for parent in try node(commit).parents.map(number) {
      let other = try self.content(of: path, at: parent)
      parents.append((parent, other == content ? .same : other == nil ? .absent : .different))
      // What is unchanged on one side comes from there: no other is looked at.
      if content != nil, other == content { break }
    }
    return Standing(content: content, parents: parents)
  }

  private func origin(_ commit: Int64, side: Int) throws -> RenameOrigin? {
    let node = try node(commit)
    guard node.parents.indices.contains(side) else { return nil }
    let record = CommitRecord(try graph.repository.commit(commits[Int(commit)]))
    return RenameOrigin(
      parent: try graph.node(node.parents[side]).tree, child: node.tree,
      hints: record.renameHints)
  }

  func source(
    of path: RelativePath, at commit: Int64, side: Int, isFolder: Bool, isKnown: Bool
  ) throws -> RelativePath? {
    let origin = try origin(commit, side: side)
    return isKnown
      ? try origin?.hintedSource(of: path, in: graph.repository)
      : try origin?.source(of: path, isFolder: isFolder, in: graph.repository)
  }

  func destination(
    of path: RelativePath, at commit: Int64, isFolder: Bool
  ) throws -> RelativePath? {
    try origin(commit, side: 0)?.destination(of: path, isFolder: isFolder, in: graph.repository)
  }

  func card(of commit: Int64) throws -> VersionCard {
    VersionCard(CommitRecord(try graph.repository.commit(commits[Int(commit)])))
  }

  func forget(_ commit: Int64) { graph.forget(commits[Int(commit)]) }
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

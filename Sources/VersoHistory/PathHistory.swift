package import VersoGit
package import VersoModel

/// The versions of a path, newest first, followed through renames and moves, read as they are asked
/// for.
///
/// A path that is gone starts at the commit that removed it. One that was removed and written again
/// has both lives. A merge is passed on the side that it took the path from unchanged, as in
/// `git log PATH`; where it took it from none, every side is followed. While the path is absent
/// every side is followed, so that a life that only one side had is found too.
package struct PathHistory {
  private struct Lane {
    let commit: ObjectID
    let name: Int
    let life: Int
  }

  private struct Visit: Hashable {
    let commit: ObjectID
    let name: Int
  }

  private let graph: CommitGraph
  private let range: HistoryRange
  private var queue = CommitQueue<Lane>()
  private var seen: Set<Visit> = []
  /// The names that the path had, each with what trees hold under it.
  private var finders: [PathFinder] = []
  private var found = 0

  /// Starts at a commit; without one there are no versions.
  ///
  /// For a folder the commits count that touch anything below.
  package init(
    of path: RelativePath, in graph: CommitGraph, from start: ObjectID?,
    range: HistoryRange = .init()
  ) throws(GitError) {
    self.graph = graph
    self.range = range
    finders = [PathFinder(path)]
    if let start { try push(start, name: 0, life: 0) }
  }

  /// The next version; `nil` at the end.
  package mutating func next() throws(GitError) -> Version? {
    guard found < range.limit ?? .max else { return nil }
    while let lane = queue.pop() {
      guard let version = try visit(lane), range.contains(version.time) else { continue }
      found += 1
      return version
    }
    return nil
  }

  /// All that remain.
  package mutating func all() throws(GitError) -> [Version] {
    var versions: [Version] = []
    while let version = try next() { versions.append(version) }
    return versions
  }

  private mutating func push(_ commit: ObjectID, name: Int, life: Int) throws(GitError) {
    guard seen.insert(Visit(commit: commit, name: name)).inserted else { return }
    queue.push(Lane(commit: commit, name: name, life: life), time: try graph.node(commit).time)
  }

  private mutating func number(of name: RelativePath) -> Int {
    if let known = finders.firstIndex(where: { $0.path == name }) { return known }
    finders.append(PathFinder(name))
    return finders.count - 1
  }

  private mutating func visit(_ lane: Lane) throws(GitError) -> Version? {
    let node = try graph.node(lane.commit)
    let repository = graph.repository
    let mine = try finders[lane.name].find(in: node.tree, of: repository)
    var theirs: [PathFinder.Found?] = []
    for parent in node.parents {
      let other = try finders[lane.name].find(in: graph.node(parent).tree, of: repository)
      if mine != nil, other == mine {
        try push(parent, name: lane.name, life: lane.life)
        graph.forget(lane.commit)
        return nil
      }
      theirs.append(other)
    }
    defer { graph.forget(lane.commit) }
    if let mine { return try presence(of: mine, after: theirs, lane, node) }
    return try absence(after: theirs, lane, node)
  }

  private mutating func absence(
    after theirs: [PathFinder.Found?], _ lane: Lane, _ node: CommitGraph.Node
  ) throws(GitError) -> Version? {
    for parent in node.parents { try push(parent, name: lane.name, life: lane.life) }
    // Where a side lacked it already, that side has the commit that removed it.
    guard let parent = node.parents.first, let before = theirs.first ?? nil,
      theirs.allSatisfy({ $0 != nil })
    else { return nil }
    let record = try record(lane.commit)
    let path = finders[lane.name].path
    let origin = RenameOrigin(
      parent: try graph.node(parent).tree, child: node.tree, hints: record.renameHints)
    let goal = try origin.destination(of: path, isFolder: before.isFolder, in: graph.repository)
    return Version(
      record, path: path, kind: goal.map { .movedAway(to: $0) } ?? .deleted, content: nil,
      before: before, life: lane.life)
  }

  private mutating func presence(
    of mine: PathFinder.Found, after theirs: [PathFinder.Found?], _ lane: Lane,
    _ node: CommitGraph.Node
  ) throws(GitError) -> Version {
    let record = try record(lane.commit)
    let path = finders[lane.name].path
    let hints = record.renameHints
    var before = theirs.compactMap(\.self).first
    var kind: FileChange.Kind = before == nil ? .added : .modified
    for (parent, other) in zip(node.parents, theirs) {
      let origin = RenameOrigin(parent: try graph.node(parent).tree, child: node.tree, hints: hints)
      let source =
        other == nil
        ? try origin.source(of: path, isFolder: mine.isFolder, in: graph.repository)
        : try origin.hintedSource(of: path, in: graph.repository)
      if let source {
        try push(parent, name: number(of: source), life: lane.life)
        if other != nil || before == nil {
          kind = .renamed(from: source)
          var finder = PathFinder(source)
          before = try finder.find(in: graph.node(parent).tree, of: graph.repository)
        }
      }
      // Without it on any side an earlier life may lie below; else the sides share this one.
      let ends = kind == .added || source != nil
      if source == nil || other != nil {
        try push(parent, name: lane.name, life: lane.life + (ends ? 1 : 0))
      }
    }
    return Version(record, path: path, kind: kind, content: mine, before: before, life: lane.life)
  }

  private func record(_ id: ObjectID) throws(GitError) -> CommitRecord {
    CommitRecord(try graph.repository.commit(id))
  }
}

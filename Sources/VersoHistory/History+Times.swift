package import VersoGit
package import VersoModel

extension History {
  /// When each of some files got the content that it has at a commit, in seconds since 1970.
  ///
  /// What no save has made, such as the text of a merge, has the time of the commit itself. The cost
  /// is that of walking back to the oldest of them.
  package func times(
    of files: [RelativePath: PathFinder.Found], at commit: ObjectID
  ) throws(GitError) -> [RelativePath: Int64] {
    var times = files.mapValues { _ in Int64(0) }
    var wanted = files
    let time = try graph.node(commit).time
    var walk = try HistoryWalk(graph, from: commit)
    while !wanted.isEmpty, let id = try walk.nextID() {
      let node = try graph.node(id)
      graph.forget(id)
      guard node.parents.count < 2 else { continue }
      let before = try node.parents.first.map { parent throws(GitError) in
        try graph.node(parent).tree
      }
      for change in try TreeDifference.between(before, node.tree, in: graph.repository) {
        guard let new = change.new, wanted[change.path] == new else { continue }
        times[change.path] = node.time
        wanted[change.path] = nil
      }
    }
    for path in wanted.keys { times[path] = time }
    return times
  }
}

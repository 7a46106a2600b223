package import VersoGit
package import VersoModel

/// The reading side of a vault's history.
///
/// Not `Sendable`, as the repository is not; what it returns is.
package struct History {
  package let graph: CommitGraph
  private var repository: Repository { graph.repository }
  /// Answers at once what git's objects tell only after a walk; `nil` where it is missing or not up
  /// to HEAD.
  package let index: HistoryIndex?

  /// Opens the history of a repository.
  ///
  /// - Parameter index: One that is complete up to HEAD.
  package init(_ repository: Repository, index: HistoryIndex? = nil) throws(GitError) {
    graph = try CommitGraph(repository)
    self.index = index
  }

  // MARK: Walks

  /// The commits that lead to HEAD, newest first.
  package func commits(_ range: HistoryRange = .init()) throws(GitError) -> HistoryWalk {
    try HistoryWalk(graph, from: try repository.headCommit(), range: range)
  }

  /// The versions of a file or folder, newest first, from HEAD or the commit `start`.
  package func versions(
    of path: RelativePath, from start: ObjectID? = nil, range: HistoryRange = .init()
  ) throws(GitError) -> PathHistory {
    let head = try repository.headCommit()
    // A start of the caller's may lie on another branch, which the index does not know.
    return try PathHistory(
      of: path, in: graph, index: start == nil || start == head ? index : nil,
      from: start ?? head, range: range)
  }

  /// The version before the last by that many: 0 is the last, 1 the one before it (`~1`).
  ///
  /// - Returns: `nil` where there are not so many.
  package func version(of path: RelativePath, back: Int) throws(GitError) -> Version? {
    var history = try versions(of: path)
    for _ in 0..<max(0, back) where try history.next() == nil { return nil }
    return try history.next()
  }

  /// The last version in which something stood at the path: the present one, or for what is gone
  /// the one that was lost.
  package func lastContent(of path: RelativePath) throws(GitError) -> Version? {
    var history = try versions(of: path)
    while let version = try history.next() {
      if version.content != nil { return version }
    }
    return nil
  }

  // MARK: Moments

  /// The commit that HEAD was at that time, as far as clocks tell: what
  /// `git rev-list -1 --before=TIME HEAD` gives.
  ///
  /// `time` is in seconds since 1970. There is none where everything is younger.
  package func commit(at time: Int64) throws(GitError) -> ObjectID? {
    if let index, let known = index.commit(at: time) { return known }
    var walk = try commits(HistoryRange(until: time, limit: 1))
    return try walk.nextID()
  }

  /// The commit that a revision names: an id or its beginning, a branch, a tag, `HEAD~2`.
  ///
  /// - Throws: ``GitError/Code/notFound``, ``GitError/Code/ambiguous``, ``GitError/Code/invalid``.
  package func commit(named revision: String) throws(GitError) -> ObjectID {
    try repository.id(of: "\(revision)^{commit}")
  }

  /// Where a path was at some commit.
  package struct Place: Hashable, Sendable {
    package let commit: ObjectID
    /// The name it had then.
    package let path: RelativePath
    package let content: PathFinder.Found
    /// Whether it had another name than the one asked for, which people should be told.
    package let wasFollowed: Bool

    package init(
      commit: ObjectID, path: RelativePath, content: PathFinder.Found, wasFollowed: Bool
    ) {
      self.commit = commit
      self.path = path
      self.content = content
      self.wasFollowed = wasFollowed
    }
  }

  /// What stood at `path` at a commit; where nothing did, what stood at the name that the path had
  /// then, found by following its renames back from HEAD.
  ///
  /// - Returns: `nil` where no name of it leads there.
  package func place(of path: RelativePath, at commit: ObjectID) throws(GitError) -> Place? {
    let tree = try graph.node(commit).tree
    func place(_ name: RelativePath) throws(GitError) -> Place? {
      var finder = PathFinder(name)
      guard let found = try finder.find(in: tree, of: repository) else { return nil }
      return Place(commit: commit, path: name, content: found, wasFollowed: name != path)
    }
    if let place = try place(path) { return place }
    var history = try versions(of: path)
    while let version = try history.next() {
      guard case .renamed(let old) = version.kind else { continue }
      if let place = try place(old) { return place }
    }
    return nil
  }

  // MARK: Changes

  /// What a commit did, against its first parent; everything is new in a first commit.
  package func changes(
    in commit: ObjectID, below path: RelativePath = .root
  ) throws(GitError) -> [FileChange] {
    let node = try graph.node(commit)
    var parent: ObjectID?
    if let first = node.parents.first { parent = try graph.node(first).tree }
    let record = CommitRecord(try repository.commit(commit))
    return try FileChange.between(
      parent, node.tree, below: path, hints: record.renameHints, in: repository)
  }

  /// How much a change wrote and struck out.
  package func size(of change: FileChange) throws(GitError) -> ChangeSize {
    try size(from: change.old, to: change.new)
  }

  /// How much a version wrote and struck out; for a folder, in all files below it.
  package func size(of version: Version) throws(GitError) -> ChangeSize {
    try size(from: version.before, to: version.content)
  }

  /// The same, `nil` where a content is not here (a partial clone), so that its words cannot be
  /// counted.
  package func knownSize(of change: FileChange) throws(GitError) -> ChangeSize? {
    try knownSize(from: change.old, to: change.new)
  }

  package func knownSize(of version: Version) throws(GitError) -> ChangeSize? {
    try knownSize(from: version.before, to: version.content)
  }

  private func knownSize(
    from old: PathFinder.Found?, to new: PathFinder.Found?
  ) throws(GitError) -> ChangeSize? {
    do throws(GitError) { return try size(from: old, to: new) } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private func size(
    from old: PathFinder.Found?, to new: PathFinder.Found?
  ) throws(GitError) -> ChangeSize {
    func isFolder(_ side: PathFinder.Found?) -> Bool { side?.isFolder ?? true }
    if isFolder(old), isFolder(new) {
      var sum = ChangeSize()
      for change in try FileChange.between(old?.id, new?.id, in: repository) {
        sum += try size(of: change)
      }
      return sum
    }
    return try ChangeSize(from: content(of: old), to: content(of: new))
  }

  /// A change line by line, with that many unchanged lines around each.
  package func difference(
    of change: FileChange, context: Int = 3
  ) throws(GitError) -> LineDifference {
    func side(_ path: RelativePath, _ file: PathFinder.Found?) throws(GitError)
      -> LineDifference.Side?
    {
      guard let file else { return nil }
      return try LineDifference.Side(
        path: path, mode: file.mode, id: file.id, content: content(of: file))
    }
    return try LineDifference(
      from: side(change.oldPath, change.old), to: side(change.path, change.new),
      similarity: change.similarity, context: context)
  }

  /// The bytes of a file or link; a nested repository's are in that repository.
  private func content(of side: PathFinder.Found?) throws(GitError) -> [UInt8] {
    guard let side, !side.isFolder, side.mode != Item.Kind.repository.rawValue else { return [] }
    return try repository.read(side.id).bytes
  }
}

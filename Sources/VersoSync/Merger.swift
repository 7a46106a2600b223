package import VersoGit
package import VersoModel

/// A merge of two histories, ready to be published: its objects are written, no reference is moved.
package struct Merge: Hashable, Sendable {
  /// The merge commit: the same on every device that merges the same two.
  package let commit: ObjectID
  package let tree: ObjectID
  /// Sorted by id.
  package let parents: [ObjectID]
  /// How our tree becomes the merged one, sorted by path.
  package let ours: [MergeChange]
  /// How their tree becomes the merged one, sorted by path.
  package let theirs: [MergeChange]
  /// Which of our files are elsewhere now.
  package let ourMoves: [RelativePath: RelativePath]
  /// Copies that this merge makes.
  package let conflicts: [MergeConflict]
  package let warnings: [MergeWarning]

  /// What of ours is deleted: gone, and its bytes are at no other path.
  package var deletions: [RelativePath] { Self.deletions(in: ours, moves: ourMoves) }

  /// The same for any change of a tree, such as a fast-forward.
  package static func deletions(
    in changes: [MergeChange], moves: [RelativePath: RelativePath] = [:]
  ) -> [RelativePath] {
    let came = Set(changes.compactMap { $0.new?.id })
    return changes.compactMap { change in
      guard let old = change.old, change.new == nil, moves[change.path] == nil,
        !came.contains(old.id)
      else { return nil }
      return change.path
    }
  }
}

/// What becomes of two commits.
package enum MergeResult: Hashable, Sendable {
  /// Ours has theirs already.
  case upToDate
  /// Theirs has ours: go on to theirs.
  case fastForward
  /// Both merged the same saves into the same tree: no third merge, everybody takes this one.
  case published(ObjectID)
  case merged(Merge)
}

/// Merges the histories of two devices.
///
/// Whoever merges the same two commits makes the same commit, byte for byte: it depends on nothing
/// but what the two have committed.
package struct Merger {
  private let repository: Repository
  private let writer: any ObjectWriter
  private let published: ObjectID?
  private let reader: MergeReader

  /// Prepares to merge.
  ///
  /// - Parameters:
  ///   - writer: Where new objects go; the caller finishes it. To an ``ObjectNamer`` for a dry run.
  ///   - published: What the remote has, to tell which of two equal merges is known to others.
  package init(
    repository: Repository, writer: any ObjectWriter, published: ObjectID?
  ) throws(GitError) {
    self.repository = repository
    self.writer = writer
    self.published = published
    reader = MergeReader(try RepositoryMergeSource(repository))
  }

  /// Whether a commit is a merge that Verso made, on whatever device: it holds no edit of anybody's.
  package static func made(_ commit: Repository.Commit) -> Bool { MergeMessage.isOwn(commit) }

  /// Merges two commits.
  ///
  /// - Throws: ``GitError`` where history or a content cannot be read, a disk's error where an
  ///   object cannot be written.
  package func merge(ours: ObjectID, theirs: ObjectID) throws -> MergeResult {
    switch try MergeDecision(ours, theirs, published: published, reader) {
    case .first: return .upToDate
    case .second: return .fastForward
    case .same(let id): return .published(id)
    case .merge(let divergence):
      // One order for all, so that nothing can depend on who merges.
      let isSorted = ours < theirs
      let planner = try PairPlanner(
        isSorted ? ours : theirs, isSorted ? theirs : ours, reader,
        divergence: isSorted ? divergence : divergence.reversed)
      return .merged(try write(planner.plan(), ours, theirs))
    }
  }

  /// How the tree of one commit becomes that of another, sorted by path; `nil` holds nothing.
  package func changes(from old: ObjectID?, to new: ObjectID) throws(GitError) -> [MergeChange] {
    var before = LayeredTree(root: nil)
    if let old { before = try reader.node(old).tree }
    return try reader.difference(before, reader.node(new).tree)
  }

  private func write(_ plan: PairPlan, _ ours: ObjectID, _ theirs: ObjectID) throws -> Merge {
    let isSorted = ours < theirs
    let parents = isSorted ? [ours, theirs] : [theirs, ours]
    let nodes = [try reader.node(parents[0]), try reader.node(parents[1])]
    for entry in Set(plan.tree.layer.values.compactMap { $0?.id }).sorted() {
      if let content = reader.made[entry] { _ = try writer.write(.blob, content) }
    }
    let edits = plan.tree.layer.sorted { $0.key < $1.key }.map { path, entry in
      entry.map { TreeEditor.Edit(path: path, mode: $0.mode, id: $0.id) } ?? .removing(path)
    }
    let tree = try TreeEditor(edits, repository: repository, writer: writer)
      .apply(to: nodes[0].commit.tree).root
    let changes = [
      try reader.difference(nodes[0].tree, plan.tree),
      try reader.difference(nodes[1].tree, plan.tree),
    ]
    let remarks = zip(parents, zip(changes, [plan.firstMoves, plan.secondMoves])).flatMap {
      Self.remarks(on: $0, $1.0, $1.1)
    }
    let time = min(
      max(nodes[0].commit.time.seconds, nodes[1].commit.time.seconds, 0), 253_402_300_799)
    let stamp = CommitStamp(
      name: MergeMessage.name, email: MergeMessage.email, time: ZonedTime(seconds: time, zone: 0))
    let text = CommitText(
      tree: tree, parents: parents, author: stamp, committer: stamp,
      message: MergeMessage.text(remarks))
    return Merge(
      commit: try writer.write(.commit, text.bytes()), tree: tree, parents: parents,
      ours: changes[isSorted ? 0 : 1], theirs: changes[isSorted ? 1 : 0],
      ourMoves: isSorted ? plan.firstMoves : plan.secondMoves, conflicts: plan.conflicts,
      warnings: plan.warnings)
  }

  /// Where the moves of a parent's files are other than the trees suggest.
  private static func remarks(
    on parent: ObjectID, _ changes: [MergeChange], _ moves: [RelativePath: RelativePath]
  ) -> [MergeMessage.Remark] {
    let seen = Set(MoveFinder.exact(in: changes))
    let real = Set(moves.map { MergeCommit.Move($0.key, $0.value) })
    return real.subtracting(seen).map {
      MergeMessage.Remark(parent: parent, move: $0, isDenial: false)
    }
      + seen.subtracting(real).map {
        MergeMessage.Remark(parent: parent, move: $0, isDenial: true)
      }
  }
}

/// What is to be done about two commits, before any plan.
enum MergeDecision {
  case first
  case second
  case same(ObjectID)
  case merge(Divergence)

  /// - Parameters:
  ///   - published: What others know already.
  init(
    _ first: ObjectID, _ second: ObjectID, published: ObjectID?, _ reader: MergeReader
  ) throws(GitError) {
    let divergence = try Divergence(first, second, in: reader)
    if divergence.theirs.isEmpty {
      self = .first
    } else if divergence.mine.isEmpty {
      self = .second
    } else if try Self.areEqual(first, second, divergence, reader) {
      self = .same(try Self.known(first, second, published, reader))
    } else {
      self = .merge(divergence)
    }
  }

  /// Whether both have the same saves and made the same of them.
  private static func areEqual(
    _ first: ObjectID, _ second: ObjectID, _ divergence: Divergence, _ reader: MergeReader
  ) throws(GitError) -> Bool {
    let trees = (try reader.node(first).tree, try reader.node(second).tree)
    guard trees.0 == trees.1 else { return false }
    for id in divergence.mine + divergence.theirs where try !reader.node(id).commit.isMerge {
      return false
    }
    return true
  }

  private static func known(
    _ first: ObjectID, _ second: ObjectID, _ published: ObjectID?, _ reader: MergeReader
  ) throws(GitError) -> ObjectID {
    let sorted = [min(first, second), max(first, second)]
    if let published {
      for id in sorted where try Divergence.isAncestor(id, of: published, in: reader) {
        return id
      }
    }
    return sorted[0]
  }
}

import VersoGit
import VersoModel

/// Which files of a parent stand under another path in a commit.
///
/// First what the message says, as far as the trees bear it out: the old path is a file of the
/// parent, the new one a file of the commit; for a save also the old one is gone and the new one
/// was not there. Then, where the trees may be asked: files of equal content that are alone with it
/// among those that went and those that came. Last, for a save, what git's similarity of 50 % finds
/// among the rest, as a save writes no trailer for what git sees.
struct MoveFinder {
  private let commit: MergeCommit
  private let number: Int
  private let reader: MergeReader
  private var found: [RelativePath: RelativePath] = [:]
  private var taken = Set<RelativePath>()

  init(_ commit: MergeCommit, parent number: Int, in reader: MergeReader) {
    self.commit = commit
    self.number = number
    self.reader = reader
  }

  /// Old path to new path.
  func moves() throws(GitError) -> [RelativePath: RelativePath] {
    var finder = self
    let claims = commit.claims.indices.contains(number) ? commit.claims[number] : []
    if claims.isEmpty && !commit.infersMoves { return [:] }
    let parent = try reader.node(commit.parents[number]).tree
    let child = try reader.node(commit.id).tree
    if commit.isMerge, commit.infersMoves {
      // A merge by Verso says only where its moves differ from what the trees suggest.
      let denials = commit.denials.indices.contains(number) ? Set(commit.denials[number]) : []
      for move in Self.exact(in: try reader.difference(parent, child))
      where !denials.contains(move) { finder.add(move) }
    }
    for claim in claims { try finder.accept(claim, parent, child) }
    if commit.infersMoves, !commit.isMerge {
      var changes = try reader.difference(parent, child)
      changes.removeAll { finder.found[$0.path] != nil || finder.taken.contains($0.path) }
      try finder.infer(changes)
    }
    return finder.found
  }

  private mutating func add(_ move: MergeCommit.Move) {
    found[move.old] = move.new
    taken.insert(move.new)
  }

  private mutating func accept(
    _ move: MergeCommit.Move, _ parent: LayeredTree, _ child: LayeredTree
  ) throws(GitError) {
    guard move.old != move.new, commit.isMerge || found[move.old] == nil,
      try reader.file(at: move.old, in: parent) != nil,
      try reader.file(at: move.new, in: child) != nil
    else { return }
    if !commit.isMerge {
      guard !taken.contains(move.new), try reader.file(at: move.old, in: child) == nil,
        try reader.file(at: move.new, in: parent) == nil
      else { return }
    }
    add(move)
  }

  private mutating func infer(_ changes: [MergeChange]) throws(GitError) {
    for move in Self.exact(in: changes) { add(move) }
    guard commit.parents.count == 1 else { return }
    let removed = changes.filter { $0.new == nil && found[$0.path] == nil }
    let added = changes.filter { $0.old == nil && !taken.contains($0.path) }
    if removed.isEmpty || added.isEmpty { return }
    for move in try reader.source.alike(removed: removed, added: added) { add(move) }
  }

  /// Files that went and came with the same content, where only one went and one came with it.
  static func exact(in changes: [MergeChange]) -> [MergeCommit.Move] {
    var gone: [ObjectID: RelativePath?] = [:]
    for change in changes where change.new == nil {
      guard let old = change.old else { continue }
      gone[old.id] = .some(gone[old.id] == nil ? change.path : nil)
    }
    if gone.isEmpty { return [] }
    var came: [ObjectID: RelativePath?] = [:]
    for change in changes where change.old == nil {
      guard let new = change.new, gone[new.id] != nil else { continue }
      came[new.id] = .some(came[new.id] == nil ? change.path : nil)
    }
    return came.compactMap { id, new in
      guard let new, let old = gone[id] ?? nil else { return nil }
      return MergeCommit.Move(old, new)
    }.sorted { $0.old < $1.old }
  }
}

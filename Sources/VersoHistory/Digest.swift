package import VersoGit
package import VersoModel

/// What happened to notes within some days: what is new, edited, renamed and gone, each note once.
///
/// A note that came and went meanwhile is not told of. Words are those of its state after against its
/// state before, however often it was saved between.
package struct Digest: Hashable, Sendable {
  /// A note that is not what it was before.
  package struct Note: Hashable, Sendable {
    /// Its name after; for what is gone, its last one.
    package let path: RelativePath
    /// What became of it, a rename before an edit.
    package let kind: FileChange.Kind
    /// Whether its content changed too.
    package let isEdited: Bool
    /// How many versions it got.
    package let saves: Int
    package let size: ChangeSize
  }

  /// Versions that were saved, merges not counted.
  package let saves: Int
  /// The devices that saved them, by name.
  package let devices: [String]
  /// The notes, by path.
  package let notes: [Note]

  package var size: ChangeSize { notes.reduce(into: ChangeSize()) { $0 += $1.size } }

  /// The notes with most versions, those with several, most first.
  package var mostEdited: [Note] {
    notes.filter { $0.saves > 1 }.sorted { ($1.saves, $0.path) < ($0.saves, $1.path) }
  }

  package func count(_ matches: (Note) -> Bool) -> Int { notes.count(where: matches) }

  /// Whether anything happened.
  package var isEmpty: Bool { saves == 0 && notes.isEmpty }
}

extension Digest.Note {
  package var isRenamed: Bool {
    if case .renamed = kind { return true }
    return false
  }
}

/// Follows notes through the commits of some days, oldest first.
private struct DigestBuilder {
  /// A note from its state before to the one it has now.
  private struct Trace {
    var path: RelativePath
    let first: (path: RelativePath, file: PathFinder.Found)?
    var now: PathFinder.Found?
    var saves = 0
  }

  private var traces: [Trace] = []
  private var byPath: [RelativePath: Int] = [:]
  var saves = 0
  var devices: Set<String> = []

  /// Adds the changes of one commit.
  ///
  /// - Parameter counts: Whether it was a save, and no merge.
  mutating func add(_ changes: [FileChange], counts: Bool) {
    let numbers = changes.map { number(for: $0) }
    for change in changes where change.path != change.oldPath { byPath[change.oldPath] = nil }
    for (number, change) in zip(numbers, changes) {
      byPath[change.path] = number
      traces[number].path = change.path
      traces[number].now = change.new
      if counts { traces[number].saves += 1 }
    }
  }

  private mutating func number(for change: FileChange) -> Int {
    if let known = byPath[change.oldPath] { return known }
    traces.append(
      Trace(path: change.path, first: change.old.map { (change.oldPath, $0) }, now: change.new))
    byPath[change.oldPath] = traces.count - 1
    return traces.count - 1
  }

  /// Whether a merge's content of a path is news: neither side had it.
  func knows(_ path: RelativePath) -> Bool { byPath[path] != nil }

  func digest(_ history: History, within folder: RelativePath) throws(GitError) -> Digest {
    var notes: [Digest.Note] = []
    for trace in traces {
      guard let note = try note(trace, history) else { continue }
      let old = trace.first?.path ?? trace.path
      if folder.contains(note.path) || folder.contains(old) { notes.append(note) }
    }
    return Digest(
      saves: saves, devices: devices.sorted(), notes: notes.sorted { $0.path < $1.path })
  }

  private func note(_ trace: Trace, _ history: History) throws(GitError) -> Digest.Note? {
    let kind: FileChange.Kind
    switch (trace.first, trace.now) {
    case (nil, nil): return nil
    case (nil, _): kind = .added
    case (_, nil): kind = .deleted
    case (let first?, let now?):
      if first.path == trace.path, first.file == now { return nil }
      kind = first.path == trace.path ? .modified : .renamed(from: first.path)
    }
    let change = FileChange(kind: kind, path: trace.path, old: trace.first?.file, new: trace.now)
    let size = try history.knownSize(of: change)
    return Digest.Note(
      path: trace.path, kind: kind, isEdited: trace.first?.file != trace.now, saves: trace.saves,
      size: size ?? ChangeSize())
  }
}

extension History {
  /// What happened within each of some periods.
  ///
  /// - Parameters:
  ///   - periods: Ranges of time in seconds since 1970, none of which overlap.
  ///   - folder: Only notes that are, or were, at or below it.
  /// - Returns: A digest for each period, in their order.
  package func digests(
    of periods: [ClosedRange<Int64>], below folder: RelativePath = .root
  ) throws(GitError) -> [Digest] {
    guard let first = periods.map(\.lowerBound).min(), let last = periods.map(\.upperBound).max()
    else { return [] }
    var found = [[CommitRecord]](repeating: [], count: periods.count)
    var walk = try commits(HistoryRange(since: first, until: last))
    while let commit = try walk.next() {
      guard let number = periods.firstIndex(where: { $0.contains(commit.time) }) else { continue }
      found[number].append(commit)
    }
    return try found.map { newestFirst throws(GitError) in
      try digest(of: newestFirst.reversed(), below: folder)
    }
  }

  private func digest(
    of commits: [CommitRecord], below folder: RelativePath
  ) throws(GitError) -> Digest {
    var builder = DigestBuilder()
    for commit in commits {
      if commit.parents.count > 1 {
        builder.add(try news(of: commit).filter { builder.knows($0.path) }, counts: false)
        continue
      }
      let changes = try changes(in: commit.id)
      if !folder.isRoot {
        guard changes.contains(where: { folder.contains($0.path) || folder.contains($0.oldPath) })
        else { continue }
      }
      builder.saves += 1
      builder.devices.insert(commit.device)
      builder.add(changes, counts: true)
    }
    return try builder.digest(self, within: folder)
  }

  /// What a merge has otherwise than each of its parents.
  private func news(of merge: CommitRecord) throws(GitError) -> [FileChange] {
    var found: [RelativePath: FileChange]?
    for parent in merge.parents {
      let entries = try TreeDifference.between(
        graph.node(parent).tree, merge.tree, in: graph.repository)
      let changes = entries.map { entry in
        FileChange(
          kind: entry.old == nil ? .added : entry.new == nil ? .deleted : .modified,
          path: entry.path, old: entry.old, new: entry.new)
      }
      let byPath = Dictionary(changes.map { ($0.path, $0) }) { a, _ in a }
      found = found.map { $0.filter { byPath[$0.key] != nil } } ?? byPath
    }
    return found.map { Array($0.values) } ?? []
  }
}

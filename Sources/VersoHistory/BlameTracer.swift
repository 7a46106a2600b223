import VersoGit
import VersoModel

/// Takes the lines of a note back through its versions until each has found the one that wrote it.
///
/// Only the contents of the note's own versions are read. A history without merges is one lane; at a
/// merge that changed the note a lane begins for each side that has some of the lines, and lanes that
/// meet go on as one.
struct BlameTracer {
  /// A version, and the lines of today's note that it has.
  private struct Lane {
    var version: Version
    /// What comes before it.
    var rest: PathHistory
    var text: Lines
    var spans: [LineSpan]
  }

  private struct Key: Hashable {
    let commit: ObjectID
    let path: RelativePath
  }

  /// What a side of a merge has of the note.
  private struct Side {
    let parent: ObjectID
    let path: RelativePath
    let content: PathFinder.Found
    let isRenamed: Bool
  }

  private let history: History
  /// The history's index, where it has all that the note came from.
  private var index: HistoryIndex?
  private var repository: Repository { history.graph.repository }
  private var queue = CommitQueue<Int>()
  private var lanes: [Int: Lane] = [:]
  private var waiting: [Key: Int] = [:]
  private var count = 0
  private var pieces: [Blame.Piece] = []

  init(_ history: History) { self.history = history }

  mutating func run(
    _ place: History.Place, lines: ClosedRange<Int>?
  ) throws(GitError) -> Blame {
    index = Self.index(of: history, knowing: place.commit)
    let text = Lines(try repository.read(place.content.id).bytes)
    let wanted = (lines.map { ($0.lowerBound - 1)..<$0.upperBound } ?? 0..<text.count)
      .clamped(to: 0..<text.count)
    let all = [LineSpan(goal: wanted.lowerBound, start: wanted.lowerBound, count: wanted.count)]
    let side = Side(
      parent: place.commit, path: place.path, content: place.content, isRenamed: false)
    if !wanted.isEmpty, try !begin(side, text, all) {
      throw GitError(
        code: .notFound, function: "blame", message: "no version of \(place.path) has its content")
    }
    while let number = queue.pop() {
      guard let lane = lanes.removeValue(forKey: number) else { continue }
      waiting[Key(commit: lane.version.commit, path: lane.version.path)] = nil
      try visit(consume lane)
    }
    return Blame(lines: text, pieces: Blame.joined(pieces))
  }

  private static func index(of history: History, knowing commit: ObjectID) -> HistoryIndex? {
    guard let index = history.index else { return nil }
    // What is before a commit that it has, it has too. One that cannot be read is done without.
    do throws(DatabaseError) { return try index.number(of: commit) == nil ? nil : index } catch {
      return nil
    }
  }

  /// Starts a lane at the version that made what a side has.
  ///
  /// - Returns: Whether there is one.
  private mutating func begin(
    _ side: Side, _ text: Lines, _ spans: [LineSpan]
  ) throws(GitError) -> Bool {
    var rest = try PathHistory(
      of: side.path, in: history.graph, index: index, from: side.parent)
    while let version = try rest.next() {
      guard version.life == 0, version.content?.id == side.content.id else { continue }
      enqueue(Lane(version: version, rest: rest, text: text, spans: spans))
      return true
    }
    return false
  }

  private mutating func enqueue(_ lane: Lane) {
    let key = Key(commit: lane.version.commit, path: lane.version.path)
    if let number = waiting[key] {
      lanes[number]?.spans += lane.spans
      return
    }
    count += 1
    waiting[key] = count
    lanes[count] = lane
    queue.push(count, time: lane.version.time)
  }

  private mutating func settle(_ spans: [LineSpan], on version: Version) {
    if spans.isEmpty { return }
    let origin = Blame.Origin(version)
    pieces += spans.map {
      Blame.Piece(lines: $0.goal..<($0.goal + $0.count), origin: origin, start: $0.start)
    }
  }

  /// A lane is consumed, not copied: what it remembers of trees would be copied at each version.
  private mutating func visit(_ lane: consuming Lane) throws(GitError) {
    let parents = try history.graph.node(lane.version.commit).parents
    history.graph.forget(lane.version.commit)
    if parents.count > 1 {
      try divide(consume lane, among: parents)
    } else {
      try follow(consume lane)
    }
  }

  // MARK: One version before

  private mutating func follow(_ lane: consuming Lane) throws(GitError) {
    let version = lane.version
    guard let before = version.before, Self.isAlike(before, version.content) else {
      return settle(lane.spans, on: version)
    }
    if before.id != version.content?.id {
      let old = Lines(try repository.read(before.id).bytes)
      let (changed, kept) = LineSpan.divide(
        lane.spans, by: try LineRegions.between(old, lane.text))
      settle(changed, on: version)
      if kept.isEmpty { return }
      lane.text = old
      lane.spans = kept
    }
    var path = version.path
    if case .renamed(let old) = version.kind { path = old }
    while let next = try lane.rest.next() {
      guard next.life == version.life, next.path == path, next.content?.id == before.id else {
        continue
      }
      lane.version = next
      return enqueue(lane)
    }
    settle(lane.spans, on: version)
  }

  /// Whether what is there now can have lines of what was there before.
  private static func isAlike(_ a: PathFinder.Found, _ b: PathFinder.Found?) -> Bool {
    b.map { $0.mode & 0o170000 == a.mode & 0o170000 } ?? false
  }

  // MARK: Several

  private mutating func divide(
    _ lane: consuming Lane, among parents: [ObjectID]
  ) throws(GitError) {
    var spans = lane.spans
    let sides = try sides(of: lane.version, parents)
    // Unchanged under its own name, then unchanged under another: that side has all of it.
    let whole = [false, true].lazy.compactMap { isRenamed in
      sides.first { $0.isRenamed == isRenamed && $0.content.id == lane.version.content?.id }
    }.first
    if let whole, try begin(whole, lane.text, spans) { return }
    for side in sides where !spans.isEmpty {
      let old = Lines(try repository.read(side.content.id).bytes)
      let (changed, kept) = LineSpan.divide(spans, by: try LineRegions.between(old, lane.text))
      if !kept.isEmpty, try begin(side, old, kept) { spans = changed }
    }
    settle(spans, on: lane.version)
  }

  private func sides(
    of version: Version, _ parents: [ObjectID]
  ) throws(GitError) -> [Side] {
    guard let content = version.content else { return [] }
    if let index {
      // An index that fails costs time only.
      do { return try sides(of: version, content, parents, IndexedLedger(index)) } catch {}
    }
    do {
      return try sides(of: version, content, parents, TreeLedger(history.graph))
    } catch let error as GitError { throw error } catch {
      preconditionFailure("git's trees fail with errors of git: \(error)")
    }
  }

  private func sides(
    of version: Version, _ content: PathFinder.Found, _ parents: [ObjectID],
    _ ledger: some PathLedger
  ) throws -> [Side] {
    let commit = try ledger.number(of: version.commit)
    var sides: [Side] = []
    for (number, parent) in parents.enumerated() {
      let before = try ledger.number(of: parent)
      var found = try ledger.content(of: version.path, at: before)
      let source = try ledger.source(
        of: version.path, at: commit, side: number, isFolder: false, isKnown: found != nil)
      if let source { found = try ledger.content(of: source, at: before) }
      guard let found, Self.isAlike(found, content) else { continue }
      sides.append(
        Side(
          parent: parent, path: source ?? version.path, content: found, isRenamed: source != nil))
    }
    return sides
  }
}

import VersoGit
import VersoModel

/// How two commits stand to each other: what only one of them has, and where they part.
///
/// Only what is not common is walked, and a little more: clocks may be wrong, so the walk, which
/// goes by them, looks on below the commits that both have.
struct Divergence {
  /// Commits that only the first has, parents before children.
  private(set) var mine: [ObjectID] = []
  /// Commits that only the second has, parents before children.
  private(set) var theirs: [ObjectID] = []
  /// The best common ancestors, sorted by id.
  private(set) var bases: [ObjectID] = []

  private static let first: UInt8 = 1
  private static let second: UInt8 = 2
  private static let both: UInt8 = 3

  init(_ a: ObjectID, _ b: ObjectID, in reader: MergeReader) throws(GitError) {
    var walk = Walk(reader)
    try walk.mark(a, Self.first)
    try walk.mark(b, Self.second)
    try walk.run { $0 != Self.both }
    mine = try walk.sorted(from: a) { $0 == Self.first }
    theirs = try walk.sorted(from: b) { $0 == Self.second }
    var candidates = Set<ObjectID>()
    for tip in [a, b] where walk.flags[tip] == Self.both { candidates.insert(tip) }
    for id in mine + theirs {
      for parent in try reader.node(id).commit.parents where walk.flags[parent] == Self.both {
        candidates.insert(parent)
      }
    }
    bases = try Self.best(of: candidates, reader).sorted()
  }

  /// Those that are no ancestor of another.
  private static func best(
    of candidates: Set<ObjectID>, _ reader: MergeReader
  ) throws(GitError) -> Set<ObjectID> {
    if candidates.count < 2 { return candidates }
    var walk = Walk(reader)
    var oldest = Int64.max
    for id in candidates {
      let commit = try reader.node(id).commit
      oldest = min(oldest, commit.time.seconds)
      for parent in commit.parents { try walk.mark(parent, both) }
    }
    try walk.run(until: oldest) { _ in false }
    return candidates.filter { walk.flags[$0] == nil }
  }

  /// Whether `old` is `new` or one of its ancestors.
  static func isAncestor(
    _ old: ObjectID, of new: ObjectID, in reader: MergeReader
  ) throws(GitError) -> Bool {
    if old == new { return true }
    return try Divergence(old, new, in: reader).mine.isEmpty
  }
}

/// A walk from children to parents, the latest first.
private struct Walk {
  /// So many more commits are looked at once all seems to be known.
  private static let slack = 32
  /// The same where clocks that were seen to be wrong may hide something.
  private static let longSlack = 10_000

  private let reader: MergeReader
  private(set) var flags: [ObjectID: UInt8] = [:]
  private var queue = CommitQueue<ObjectID>()
  private var queued: [ObjectID: UInt8] = [:]
  /// By how much a commit was seen to be older than its parent, in seconds.
  private var skew: Int64 = 0

  init(_ reader: MergeReader) { self.reader = reader }

  mutating func mark(_ id: ObjectID, _ flag: UInt8) throws(GitError) {
    let before = flags[id] ?? 0
    if before | flag == before { return }
    flags[id] = before | flag
    // One that is waiting already takes its new flag with it.
    if queued[id] == nil { queue.push(id, time: try reader.node(id).commit.time.seconds, id: id) }
    queued[id] = before | flag
  }

  /// Passes marks on to parents until no waiting commit is of interest, and on for a while.
  mutating func run(
    until time: Int64 = .max, _ isOpen: (UInt8) -> Bool
  ) throws(GitError) {
    var oldest = time
    var idle = 0
    while let id = queue.pop() {
      guard let flag = queued.removeValue(forKey: id) else { continue }
      let commit = try reader.node(id).commit
      let isInteresting = isOpen(flag)
      if isInteresting { oldest = min(oldest, commit.time.seconds) }
      for parent in commit.parents {
        let time = try reader.node(parent).commit.time.seconds
        skew = max(skew, time.subtractingReportingOverflow(commit.time.seconds).partialValue)
        try mark(parent, flag)
      }
      if isInteresting || queued.values.contains(where: isOpen) { continue }
      idle += 1
      // Twice as wrong as any clock so far.
      let margin = skew.multipliedReportingOverflow(by: 2)
      let isLate =
        margin.overflow
        || commit.time.seconds
          >= oldest.subtractingReportingOverflow(
            margin.partialValue
          ).partialValue
      if idle > (isLate ? Self.longSlack : Self.slack) { return }
    }
  }

  /// The commits with a flag that a tip leads to, parents first.
  func sorted(
    from tip: ObjectID, where isWanted: (UInt8) -> Bool
  ) throws(GitError) -> [ObjectID] {
    func isIn(_ id: ObjectID) -> Bool { flags[id].map(isWanted) ?? false }
    guard isIn(tip) else { return [] }
    var order: [ObjectID] = []
    var seen: Set<ObjectID> = [tip]
    var stack: [(id: ObjectID, next: Int)] = [(tip, 0)]
    while let (id, next) = stack.last {
      let parents = try reader.node(id).commit.parents
      if next == parents.count {
        order.append(id)
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let parent = parents[next]
      if isIn(parent), seen.insert(parent).inserted { stack.append((parent, 0)) }
    }
    return order
  }
}

extension Divergence {
  /// The same, seen from the other side.
  var reversed: Divergence { Divergence(mine: theirs, theirs: mine, bases: bases) }

  private init(mine: [ObjectID], theirs: [ObjectID], bases: [ObjectID]) {
    self.mine = mine
    self.theirs = theirs
    self.bases = bases
  }
}

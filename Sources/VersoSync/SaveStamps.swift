import VersoGit
import VersoModel

/// The order of saves that no wrong clock can turn around: a save is later than all it was made on.
///
/// The stamp of a save is its author's time, but at least one more than the greatest of its parents;
/// a merge has the greatest of its parents. Nothing is stored. Beyond the commits that are asked
/// for, only so much of the common history is looked at as decides in all likelihood, the same on
/// every device; a stamp decides nothing but which of two names is kept.
struct SaveStamps {
  private static let lookBack = 1_000

  private var stamps: [ObjectID: Int64] = [:]

  init(of commits: [ObjectID], _ reader: MergeReader) throws(GitError) {
    var members = Set(commits)
    var queue = CommitQueue<ObjectID>()
    for id in commits {
      for parent in try reader.node(id).commit.parents where !members.contains(parent) {
        queue.push(parent, time: try reader.node(parent).commit.time.seconds, id: parent)
      }
    }
    var left = Self.lookBack
    while left > 0, let id = queue.pop() {
      guard members.insert(id).inserted else { continue }
      left -= 1
      for parent in try reader.node(id).commit.parents where !members.contains(parent) {
        queue.push(parent, time: try reader.node(parent).commit.time.seconds, id: parent)
      }
    }
    for id in members.sorted() where stamps[id] == nil { try add(id, members, reader) }
  }

  private mutating func add(
    _ start: ObjectID, _ members: Set<ObjectID>, _ reader: MergeReader
  ) throws(GitError) {
    var stack: [(id: ObjectID, next: Int, greatest: Int64)] = [(start, 0, 0)]
    while let (id, next, greatest) = stack.last {
      let commit = try reader.node(id).commit
      if next == commit.parents.count {
        let after = greatest == .max ? greatest : greatest + 1
        stamps[id] = commit.isMerge ? greatest : max(commit.time.seconds, after)
        stack.removeLast()
        continue
      }
      let parent = commit.parents[next]
      if let stamp = stamps[parent] {
        stack[stack.count - 1].next += 1
        stack[stack.count - 1].greatest = max(greatest, stamp)
      } else if members.contains(parent) {
        stack.append((parent, 0, 0))
      } else {
        stack[stack.count - 1].next += 1
      }
    }
  }

  subscript(id: ObjectID) -> Int64 { stamps[id] ?? 0 }

  /// The last of some commits.
  func last(of ids: some Sequence<ObjectID>) -> (stamp: Int64, id: ObjectID)? {
    ids.map { (stamp: self[$0], id: $0) }.max { $0 < $1 }
  }
}

/// How much a side worked on a file: what decides who keeps a name.
struct SaveKey: Comparable {
  /// How many saves of one side only touched the file.
  var count = 0
  /// Stamp of the last one.
  var stamp: Int64 = 0
  /// The last one; `nil` where there was none.
  var last: ObjectID?

  static func < (a: SaveKey, b: SaveKey) -> Bool {
    if a.count != b.count { return a.count < b.count }
    if a.stamp != b.stamp { return a.stamp < b.stamp }
    guard let other = b.last else { return false }
    return a.last.map { $0 < other } ?? true
  }
}

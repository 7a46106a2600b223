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
  /// A way down from the start, under one of the names.
  private struct Lane {
    let commit: Int64
    let name: Int
    let life: Int
  }

  private struct Visit: Hashable {
    let commit: Int64
    let name: Int
  }

  /// What is known of a version to whatever ledger.
  private struct Key: Hashable {
    let commit: ObjectID
    let path: RelativePath
  }

  private let range: HistoryRange
  private let path: RelativePath
  private let start: ObjectID?
  private var ledger: any PathLedger
  /// Takes the place of the ledger where that is an index and fails.
  private let spare: CommitGraph
  private var queue = CommitQueue<Int64>()
  /// For each commit in the queue the names to look at, each with its life: where ways of several
  /// lives meet, the later life.
  private var waiting: [Int64: [Int: Int]] = [:]
  private var seen: Set<Visit> = []
  /// What is to be given next, newest first.
  private var ready: ArraySlice<Version> = []
  /// The names that the path had.
  private var names: [RelativePath] = []
  private var found = 0
  /// What was given before the ledger failed, which is not given again.
  private var given: Set<Key> = []

  /// Starts at a commit; without one there are no versions.
  ///
  /// For a folder the commits count that touch anything below. With an index, `start` must be a
  /// commit that the index has.
  package init(
    of path: RelativePath, in graph: CommitGraph, index: HistoryIndex? = nil,
    from start: ObjectID?, range: HistoryRange = .init()
  ) throws(GitError) {
    self.range = range
    self.path = path
    self.start = start
    spare = graph
    ledger = index.map { IndexedLedger($0) } ?? TreeLedger(graph)
    try attempt { history throws in try history.begin() }
  }

  /// The next version; `nil` at the end.
  package mutating func next() throws(GitError) -> Version? {
    guard found < range.limit ?? .max else { return nil }
    let version = try attempt { history throws in try history.advance() }
    if version != nil { found += 1 }
    return version
  }

  /// All that remain.
  package mutating func all() throws(GitError) -> [Version] {
    var versions: [Version] = []
    while let version = try next() { versions.append(version) }
    return versions
  }

  /// Does something with the ledger; where an index fails in the middle, git's trees take over.
  private mutating func attempt<Result>(
    _ body: (inout PathHistory) throws -> Result
  ) throws(GitError) -> Result {
    do { return try body(&self) } catch let error as GitError { throw error } catch {
      precondition(!(ledger is TreeLedger), "git's trees fail with errors of git")
    }
    ledger = TreeLedger(spare)
    do {
      try begin()
      return try body(&self)
    } catch let error as GitError { throw error } catch {
      preconditionFailure("git's trees fail with errors of git: \(error)")
    }
  }

  private mutating func begin() throws {
    queue = CommitQueue()
    (waiting, seen, ready) = ([:], [], [])
    names = [path]
    if let start { try push(ledger.number(of: start), name: 0, life: 0) }
  }

  private mutating func advance() throws -> Version? {
    while true {
      if let next = ready.popFirst() {
        let key = Key(commit: next.commit, path: next.path)
        guard given.insert(key).inserted else { continue }
        return next
      }
      guard let commit = queue.pop() else { return nil }
      let lanes = (waiting.removeValue(forKey: commit) ?? [:])
        .map { Lane(commit: commit, name: $0.key, life: $0.value) }
        .sorted { names[$0.name] < names[$1.name] }
      for lane in lanes {
        guard let version = try visit(lane), range.contains(version.time) else { continue }
        ready.append(version)
      }
      ledger.forget(commit)
    }
  }

  private mutating func push(_ commit: Int64, name: Int, life: Int) throws {
    for landing in try ledger.landings(of: names[name], from: commit) {
      let at = landing.commit
      if seen.insert(Visit(commit: at, name: name)).inserted {
        if waiting[at] == nil { queue.push(at, time: landing.time) }
        waiting[at, default: [:]][name] = life
      } else if let other = waiting[at]?[name] {
        waiting[at]?[name] = min(other, life)
      }
    }
  }

  private mutating func number(of name: RelativePath) -> Int {
    if let known = names.firstIndex(of: name) { return known }
    names.append(name)
    return names.count - 1
  }

  private mutating func visit(_ lane: Lane) throws -> Version? {
    let standing = try ledger.standing(of: names[lane.name], at: lane.commit)
    guard let content = standing.content else { return try absence(standing, lane) }
    if let same = standing.parents.first(where: { $0.other == .same }) {
      try push(same.commit, name: lane.name, life: lane.life)
      return nil
    }
    return try presence(of: content, standing, lane)
  }

  private mutating func absence(_ standing: Standing, _ lane: Lane) throws -> Version? {
    for parent in standing.parents {
      try push(parent.commit, name: lane.name, life: lane.life)
    }
    let path = names[lane.name]
    // Where a side lacked it already, that side has the commit that removed it.
    guard let parent = standing.parents.first?.commit,
      standing.parents.allSatisfy({ $0.other == .different }),
      let before = try ledger.content(of: path, at: parent)
    else { return nil }
    let goal = try ledger.destination(of: path, at: lane.commit, isFolder: before.isFolder)
    return Version(
      try ledger.card(of: lane.commit), path: path,
      kind: goal.map { .movedAway(to: $0) } ?? .deleted, content: nil, before: before,
      life: lane.life)
  }

  private mutating func presence(
    of content: PathFinder.Found, _ standing: Standing, _ lane: Lane
  ) throws -> Version {
    let path = names[lane.name]
    let known = standing.parents.first { $0.other == .different }?.commit
    var before = try known.flatMap { try ledger.content(of: path, at: $0) }
    var kind: FileChange.Kind = before == nil ? .added : .modified
    for (side, parent) in standing.parents.enumerated() {
      let isKnown = parent.other == .different
      let source = try ledger.source(
        of: path, at: lane.commit, side: side, isFolder: content.isFolder, isKnown: isKnown)
      if let source {
        try push(parent.commit, name: number(of: source), life: lane.life)
        if isKnown || before == nil {
          kind = .renamed(from: source)
          before = try ledger.content(of: source, at: parent.commit)
        }
      }
      // Without it on any side an earlier life may lie below; else the sides share this one.
      let ends = kind == .added || source != nil
      if source == nil || isKnown {
        try push(parent.commit, name: lane.name, life: lane.life + (ends ? 1 : 0))
      }
    }
    return Version(
      try ledger.card(of: lane.commit), path: path, kind: kind, content: content, before: before,
      life: lane.life)
  }
}

import VersoGit
import VersoModel

/// Which file of a tip is which file of a base: paths that differ from the rule.
///
/// The rule: a path that is a file of both is the same file.
struct PathTrace {
  /// Path in the tip to path in the base, `nil` where the file is a new one.
  private(set) var exceptions: [RelativePath: RelativePath?] = [:]
  /// Path in the base to path in the tip, for the values of `exceptions`.
  private var inverse: [RelativePath: RelativePath] = [:]
  let base: LayeredTree
  let tip: LayeredTree

  init(base: LayeredTree, tip: LayeredTree) {
    self.base = base
    self.tip = tip
  }

  mutating func set(_ path: RelativePath, to origin: RelativePath?) {
    exceptions[path] = .some(origin)
    if let origin { inverse[origin] = path }
  }

  /// Where a file of the tip stands in the base; `nil` for a new one, and where no file is.
  func origin(of path: RelativePath, _ reader: MergeReader) throws(GitError) -> RelativePath? {
    if let known = exceptions[path] { return known }
    guard try reader.file(at: path, in: tip) != nil, try reader.file(at: path, in: base) != nil
    else { return nil }
    return path
  }

  /// Where a file of the base stands in the tip; `nil` where it is gone.
  func place(of origin: RelativePath, _ reader: MergeReader) throws(GitError) -> RelativePath? {
    if let known = inverse[origin] { return known }
    if exceptions[origin] != nil { return nil }
    return try self.origin(of: origin, reader) == origin ? origin : nil
  }

  /// All paths that the exceptions speak of, in the tip or the base.
  var paths: Set<RelativePath> { Set(exceptions.keys).union(exceptions.values.compactMap(\.self)) }
}

/// Follows files from a base to a tip through the moves of every commit between them.
struct PathTracer {
  /// What is known of a commit: only paths for which the rule does not hold.
  private typealias Exceptions = [RelativePath: RelativePath?]

  private let reader: MergeReader
  private let base: ObjectID
  private let baseTree: LayeredTree
  private var known: [ObjectID: Exceptions] = [:]
  private var uses: [ObjectID: Int] = [:]

  /// The trace from `base` to `tip`, over `commits`: what the tip has and the other side has not,
  /// parents first.
  static func trace(
    from base: ObjectID, to tip: ObjectID, over commits: [ObjectID], _ reader: MergeReader
  ) throws(GitError) -> PathTrace {
    var tracer = try PathTracer(base, reader)
    try tracer.walk(commits, to: tip)
    var trace = PathTrace(base: tracer.baseTree, tip: try reader.node(tip).tree)
    for (path, origin) in tracer.known[tip] ?? [:] { trace.set(path, to: origin) }
    return trace
  }

  private init(_ base: ObjectID, _ reader: MergeReader) throws(GitError) {
    self.base = base
    self.reader = reader
    baseTree = try reader.node(base).tree
    known[base] = [:]
  }

  private mutating func walk(_ commits: [ObjectID], to tip: ObjectID) throws(GitError) {
    var below: Set<ObjectID> = [base]
    for id in commits {
      let parents = try reader.node(id).commit.parents
      if !parents.contains(where: below.contains) { continue }
      below.insert(id)
      for parent in parents where below.contains(parent) { uses[parent, default: 0] += 1 }
    }
    uses[tip, default: 0] += 1
    for id in commits where below.contains(id) {
      let parents = try reader.node(id).commit.parents
      let traced = parents.indices.filter { below.contains(parents[$0]) }
      if traced.count == 1 {
        try advance(id, parents[traced[0]], traced[0])
      } else {
        try combine(id, parents, traced)
      }
    }
  }

  /// Takes what is known of a parent: without a copy where nobody else needs it.
  private mutating func take(_ id: ObjectID) -> Exceptions {
    uses[id, default: 1] -= 1
    return (uses[id] == 0 ? known.removeValue(forKey: id) : known[id]) ?? [:]
  }

  private func isInBase(_ path: RelativePath) throws(GitError) -> Bool {
    try reader.file(at: path, in: baseTree) != nil
  }

  private func origin(
    of path: RelativePath, in tree: LayeredTree, _ exceptions: Exceptions
  ) throws(GitError) -> RelativePath? {
    if let known = exceptions[path] { return known }
    guard try reader.file(at: path, in: tree) != nil, try isInBase(path) else { return nil }
    return path
  }

  private func record(
    _ path: RelativePath, _ origin: RelativePath?, in exceptions: inout Exceptions
  ) throws(GitError) {
    let rule = try isInBase(path) ? path : nil
    if origin == rule {
      exceptions.removeValue(forKey: path)
    } else {
      exceptions[path] = .some(origin)
    }
  }

  /// One parent leads to the base: only what the commit changed is looked at.
  private mutating func advance(
    _ id: ObjectID, _ parent: ObjectID, _ number: Int
  ) throws(GitError) {
    let (before, after) = (try reader.node(parent).tree, try reader.node(id).tree)
    let moves = try reader.moves(of: id)[number]
    var exceptions = take(parent)
    var moved: [RelativePath: RelativePath?] = [:]
    var affected = Set<RelativePath>()
    for (old, new) in moves.sorted(by: { $0.key < $1.key }) {
      affected.formUnion([old, new])
      if moved[new] == nil { moved[new] = .some(try origin(of: old, in: before, exceptions)) }
    }
    for change in try reader.difference(before, after) {
      if change.old == nil || change.new == nil { affected.insert(change.path) }
    }
    var results: [(RelativePath, RelativePath?)] = []
    for path in affected {
      guard try reader.file(at: path, in: after) != nil else { continue }
      if let origin = moved[path] {
        results.append((path, origin))
      } else if moves[path] == nil, try reader.file(at: path, in: before) != nil {
        results.append((path, try origin(of: path, in: before, exceptions)))
      } else {
        results.append((path, nil))
      }
    }
    for path in affected { exceptions.removeValue(forKey: path) }
    for (path, origin) in results { try record(path, origin, in: &exceptions) }
    known[id] = exceptions
  }

  private struct Candidate {
    let isMoved: Bool
    let isElsewhere: Bool
    let parent: Int
    let path: RelativePath
    let origin: RelativePath

    func precedes(_ other: Candidate) -> Bool {
      if isMoved != other.isMoved { return !isMoved }
      if isElsewhere != other.isElsewhere { return !isElsewhere }
      return (parent, path, origin) < (other.parent, other.path, other.origin)
    }
  }

  /// Several parents lead to the base: a name that was kept goes before one that was given.
  private mutating func combine(
    _ id: ObjectID, _ parents: [ObjectID], _ traced: [Int]
  ) throws(GitError) {
    let tree = try reader.node(id).tree
    let moves = try reader.moves(of: id)
    let sides = traced.map { take(parents[$0]) }
    var paths = Set<RelativePath>()
    for (number, exceptions) in zip(traced, sides) {
      paths.formUnion(exceptions.keys)
      paths.formUnion(exceptions.values.compactMap(\.self))
      paths.formUnion(exceptions.keys.compactMap { moves[number][$0] })
      paths.formUnion(moves[number].keys)
      paths.formUnion(moves[number].values)
      let before = try reader.node(parents[number]).tree
      for change in try reader.difference(before, tree) where change.old == nil {
        paths.insert(change.path)
      }
    }
    // What a file that moved was in the base may be what another path is by the rule.
    for (number, exceptions) in zip(traced, sides) {
      let before = try reader.node(parents[number]).tree
      for old in moves[number].keys {
        if let origin = try origin(of: old, in: before, exceptions) { paths.insert(origin) }
      }
    }
    var candidates: [Candidate] = []
    for (number, exceptions) in zip(traced, sides) {
      let before = try reader.node(parents[number]).tree
      let sources = MoveSources(moves[number])
      for path in paths {
        guard try reader.file(at: path, in: tree) != nil,
          let old = try sources.source(of: path, in: before, reader),
          let origin = try origin(of: old, in: before, exceptions)
        else { continue }
        candidates.append(
          Candidate(
            isMoved: old != path, isElsewhere: origin != path, parent: number, path: path,
            origin: origin))
      }
    }
    var found: [RelativePath: RelativePath] = [:]
    var used = Set<RelativePath>()
    for candidate in candidates.sorted(by: { $0.precedes($1) })
    where found[candidate.path] == nil && used.insert(candidate.origin).inserted {
      found[candidate.path] = candidate.origin
    }
    var exceptions: Exceptions = [:]
    for path in paths where try reader.file(at: path, in: tree) != nil {
      try record(path, found[path], in: &exceptions)
    }
    known[id] = exceptions
  }
}

/// Moves the other way around.
struct MoveSources {
  private let moves: [RelativePath: RelativePath]
  private var sources: [RelativePath: RelativePath] = [:]

  init(_ moves: [RelativePath: RelativePath]) {
    self.moves = moves
    for (old, new) in moves { sources[new] = min(old, sources[new] ?? old) }
  }

  /// Where a file of a commit stood in the parent; `nil` for a new one.
  func source(
    of path: RelativePath, in parent: LayeredTree, _ reader: MergeReader
  ) throws(GitError) -> RelativePath? {
    if let old = sources[path] { return old }
    guard moves[path] == nil, try reader.file(at: path, in: parent) != nil else { return nil }
    return path
  }
}

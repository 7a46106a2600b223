import VersoGit
import VersoModel

/// What two tips are compared with: the tree of their common ancestor, or of several merged.
struct MergeBase {
  /// A real base, and where its files stand in `tree`.
  struct Origin {
    let commit: ObjectID
    /// Paths for which the rule does not hold that a path of both is the same file.
    var exceptions: [RelativePath: RelativePath?] = [:]
  }

  private(set) var tree = LayeredTree(root: nil)
  private(set) var origins: [Origin] = []

  /// Merges the bases, the earliest first, by the rules that hold for any two tips.
  init(_ bases: [ObjectID], _ reader: MergeReader) throws(GitError) {
    guard bases.count > 1 else {
      guard let only = bases.first else { return }
      tree = try reader.node(only).tree
      origins = [Origin(commit: only)]
      return
    }
    let stamps = try SaveStamps(of: bases, reader)
    let sorted = bases.sorted { (stamps[$0], $0) < (stamps[$1], $1) }
    var merged = sorted[0]
    tree = try reader.node(merged).tree
    origins = [Origin(commit: merged)]
    for base in sorted.dropFirst() {
      let plan = try PairPlanner(merged, base, reader).plan()
      let before = tree
      merged = try Self.record(plan, merged, base, reader)
      tree = plan.tree
      for number in origins.indices {
        origins[number] = try moved(origins[number], from: before, plan.firstMoves, reader)
      }
      var origin = Origin(commit: base)
      for old in plan.secondMoves.keys {
        origin.exceptions[old] = try target(of: old, plan.secondMoves, reader)
      }
      origins.append(origin)
    }
  }

  /// Takes a merge in as though somebody had made it.
  private static func record(
    _ plan: PairPlan, _ first: ObjectID, _ second: ObjectID, _ reader: MergeReader
  ) throws(GitError) -> ObjectID {
    let isSorted = first < second
    let (one, other) = (try reader.node(first).commit, try reader.node(second).commit)
    let id = SHA1.id(of: .commit, Array("\(min(first, second)) \(max(first, second))".utf8))
    let commit = MergeCommit(
      id: id, tree: .zero, parents: isSorted ? [first, second] : [second, first],
      time: ZonedTime(seconds: max(one.time.seconds, other.time.seconds), zone: 0),
      device: "", isMerge: true, claims: [], infersMoves: false)
    reader.add(
      MergeReader.Node(
        commit: commit, tree: plan.tree,
        moves: isSorted
          ? [plan.firstMoves, plan.secondMoves] : [plan.secondMoves, plan.firstMoves]))
    return id
  }

  private func target(
    of path: RelativePath, _ moves: [RelativePath: RelativePath], _ reader: MergeReader
  ) throws(GitError) -> RelativePath?? {
    let target = moves[path] ?? path
    return .some(try reader.file(at: target, in: tree) == nil ? nil : target)
  }

  private func moved(
    _ origin: Origin, from before: LayeredTree, _ moves: [RelativePath: RelativePath],
    _ reader: MergeReader
  ) throws(GitError) -> Origin {
    let own = try reader.node(origin.commit).tree
    var moved = origin
    var paths = Set(origin.exceptions.keys).union(moves.keys)
    for change in try reader.difference(own, before) where change.new == nil {
      paths.insert(change.path)
    }
    for path in paths {
      if let place = try Self.place(of: path, origin, own, before, reader) {
        moved.exceptions[path] = try target(of: place, moves, reader)
      } else {
        moved.exceptions[path] = .some(nil)
      }
    }
    return moved
  }

  private static func place(
    of path: RelativePath, _ origin: Origin, _ own: LayeredTree, _ tree: LayeredTree,
    _ reader: MergeReader
  ) throws(GitError) -> RelativePath? {
    if let known = origin.exceptions[path] { return known }
    guard try reader.file(at: path, in: own) != nil, try reader.file(at: path, in: tree) != nil
    else { return nil }
    return path
  }

  /// Every version of a file of `tree` in the bases.
  func versions(
    of path: RelativePath, _ reader: MergeReader
  ) throws(GitError) -> [MergeEntry] {
    var found: [MergeEntry] = []
    if let entry = try reader.file(at: path, in: tree) { found.append(entry) }
    if origins.count < 2 { return found }
    for origin in origins {
      let own = try reader.node(origin.commit).tree
      for old in Set(origin.exceptions.keys).union([path]) {
        guard try Self.place(of: old, origin, own, tree, reader) == path,
          let entry = try reader.file(at: old, in: own), !found.contains(entry)
        else { continue }
        found.append(entry)
      }
    }
    return found
  }

  /// Which file of a tip is which file of `tree`.
  func trace(
    to tip: ObjectID, over commits: [ObjectID], _ reader: MergeReader
  ) throws(GitError) -> PathTrace {
    guard let first = origins.first else {
      return PathTrace(base: tree, tip: try reader.node(tip).tree)
    }
    let only = try PathTracer.trace(from: first.commit, to: tip, over: commits, reader)
    if origins.count == 1 { return try completed(only, reader) }
    var traces = [only]
    for origin in origins.dropFirst() {
      traces.append(
        try PathTracer.trace(from: origin.commit, to: tip, over: commits, reader))
    }
    return try combined(traces, tip, reader)
  }

  /// A path of both that no trace led to, and that is no other file: the same after all.
  private func completed(
    _ trace: PathTrace, _ reader: MergeReader
  ) throws(GitError) -> PathTrace {
    var complete = PathTrace(base: trace.base, tip: trace.tip)
    let used = Set(trace.exceptions.values.compactMap(\.self))
    for (path, origin) in trace.exceptions {
      if origin == nil, !used.contains(path), try reader.file(at: path, in: trace.base) != nil {
        continue
      }
      complete.set(path, to: origin)
    }
    return complete
  }

  private func combined(
    _ traces: [PathTrace], _ tip: ObjectID, _ reader: MergeReader
  ) throws(GitError) -> PathTrace {
    let tipTree = try reader.node(tip).tree
    var paths = Set<RelativePath>()
    for (trace, origin) in zip(traces, origins) {
      paths.formUnion(trace.paths)
      paths.formUnion(origin.exceptions.keys)
      paths.formUnion(origin.exceptions.values.compactMap(\.self))
    }
    let sorted = paths.sorted()
    var found: [RelativePath: RelativePath] = [:]
    var used = Set<RelativePath>()
    for (trace, origin) in zip(traces, origins) {
      let own = try reader.node(origin.commit).tree
      for path in sorted where found[path] == nil {
        guard let old = try trace.origin(of: path, reader),
          let place = try Self.place(of: old, origin, own, tree, reader),
          used.insert(place).inserted
        else { continue }
        found[path] = place
      }
    }
    var combined = PathTrace(base: tree, tip: tipTree)
    for path in sorted where try reader.file(at: path, in: tipTree) != nil {
      let isBoth = try reader.file(at: path, in: tree) != nil
      let place = found[path] ?? (isBoth && used.insert(path).inserted ? path : nil)
      if place != (isBoth ? path : nil) { combined.set(path, to: place) }
    }
    return combined
  }
}

import VersoGit
import VersoModel

extension PairPlanner {
  /// The newest save that one side only has, else of all.
  func newestSave() throws(GitError) -> MergeCommit {
    var saves: [ObjectID] = []
    for id in divergence.mine + divergence.theirs where try !reader.node(id).commit.isMerge {
      saves.append(id)
    }
    if let last = try allStamps().last(of: saves) { return try reader.node(last.id).commit }
    // A save is later than all below it: the last one is right below merges.
    var seen: Set<ObjectID> = [firstID, secondID]
    var open = [firstID, secondID]
    while let id = open.popLast() {
      let commit = try reader.node(id).commit
      if commit.isMerge {
        for parent in commit.parents where seen.insert(parent).inserted { open.append(parent) }
      } else {
        saves.append(id)
      }
    }
    let stamps = try SaveStamps(of: saves, reader)
    return try reader.node(stamps.last(of: saves)?.id ?? firstID).commit
  }

  /// A line that both tips hold, once each, must be in the result; else the version that holds it is
  /// kept as a copy.
  ///
  /// Only for several bases, where the base is a merge itself and may hold less than each of them.
  func guardLines(_ result: inout PlacedFiles) throws(GitError) {
    let mine = try units(of: handledFirst, in: first)
    let theirs = try units(of: handledSecond, in: second)
    var left = Set(Self.single(mine).intersection(Self.single(theirs)))
    left.subtract(try units(in: result.files.values))
    if left.isEmpty { return }
    // Rare enough to read every note: one that nobody touched may hold the line.
    for path in try reader.files(of: first) where !handledFirst.contains(path) {
      guard let entry = try reader.file(at: path, in: first) else { continue }
      left.subtract(try units(of: entry))
    }
    while let (path, entry, held) = try best(left) {
      let save = try newestSave()
      let copy = try freeName(for: entry, beside: path, by: save, result)
      result.put(entry, at: copy)
      conflicts.append(
        MergeConflict(path: path, copy: copy, device: save.device, time: save.time.seconds))
      left.subtract(held)
    }
  }

  private typealias Unit = [UInt8]

  /// The lines of a text that are not blank and no dates; other content is one unit.
  private func units(of entry: MergeEntry) throws(GitError) -> [Unit] {
    if FileMerge.isRepository(entry) { return [entry.id.bytes] }
    if try reader.size(of: entry.id) > FileMerge.largestText { return [entry.id.bytes] }
    let content = try reader.content(of: entry.id)
    if FileMerge.isLink(entry) || !TextLines.isText(content) { return [content] }
    return TextLines(content, stripping: true).lines
      .filter { !$0.isBlank && FrontMatter.DateLine($0) == nil }.map { Array($0.bytes) }
  }

  private func units(
    of paths: Set<RelativePath>, in tree: LayeredTree
  ) throws(GitError) -> [Unit: Int] {
    var counts: [Unit: Int] = [:]
    for path in paths {
      guard let entry = try reader.file(at: path, in: tree) else { continue }
      for unit in try units(of: entry) { counts[unit, default: 0] += 1 }
    }
    return counts
  }

  private func units(in entries: some Sequence<MergeEntry>) throws(GitError) -> Set<Unit> {
    var found = Set<Unit>()
    for entry in entries { found.formUnion(try units(of: entry)) }
    return found
  }

  private static func single(_ counts: [Unit: Int]) -> Set<Unit> {
    Set(counts.filter { $0.value == 1 }.map(\.key))
  }

  /// The version that holds most of the missing units.
  private func best(
    _ missing: Set<Unit>
  ) throws(GitError) -> (path: RelativePath, entry: MergeEntry, held: Set<Unit>)? {
    if missing.isEmpty { return nil }
    var best: (path: RelativePath, entry: MergeEntry, held: Set<Unit>)?
    for (paths, tree) in [(handledFirst, first), (handledSecond, second)] {
      for path in paths.sorted() {
        guard let entry = try reader.file(at: path, in: tree) else { continue }
        let held = missing.intersection(try units(of: entry))
        if held.isEmpty { continue }
        if let known = best {
          if held.count < known.held.count { continue }
          if held.count == known.held.count {
            if known.path < path { continue }
            if known.path == path, try !FileMerge.precedes(entry, known.entry, reader) { continue }
          }
        }
        best = (path, entry, held)
      }
    }
    return best
  }
}

package import VersoGit
package import VersoModel

/// Which of the files that a commit removed are which of those that it added.
package enum Renames {
  package struct Pair: Hashable, Sendable {
    package let old: RelativePath
    package let new: RelativePath
    /// How much of the content is the same.
    package let percent: Int

    package init(old: RelativePath, new: RelativePath, percent: Int) {
      self.old = old
      self.new = new
      self.percent = percent
    }
  }

  /// More comparisons than this are left out, as git does beyond `diff.renameLimit`.
  private static let mostComparisons = 1_000 * 1_000
  /// For one path of interest, what may be compared before only that path is.
  private static let fewComparisons = 20_000
  /// Contents larger than this, in bytes, are only compared by id.
  private static let largestContent = 32 << 20

  /// Pairs the files: by the trailers first, then by equal ids, then by likeness of at least 50 %.
  ///
  /// `entries` are all differences between parent and child. Where only a file or folder `interest`
  /// is asked for, pairs elsewhere may be missing.
  package static func find(
    in entries: [TreeDifference.Entry], hints: [RenameHint] = [],
    around interest: RelativePath? = nil, of repository: Repository
  ) throws(GitError) -> [Pair] {
    var removed = entries.filter { $0.new == nil }
    if removed.isEmpty { return [] }
    var added = entries.filter { $0.old == nil }
    var pairs = hinted(by: hints, entries)
    pairs += exact(&removed, &added, taken: pairs)
    return pairs + (try alike(removed, added, around: interest, repository))
  }

  /// What the trailers say, as far as the trees bear it out: old gone, new there.
  private static func hinted(by hints: [RenameHint], _ entries: [TreeDifference.Entry]) -> [Pair] {
    if hints.isEmpty { return [] }
    var removed = Set(entries.filter { $0.new == nil }.map(\.path))
    var arrived = Set(entries.filter { $0.new != nil }.map(\.path))
    return hints.compactMap { hint in
      for reading in hint.readings
      where removed.contains(reading.old) && arrived.contains(reading.new) {
        removed.remove(reading.old)
        arrived.remove(reading.new)
        return Pair(old: reading.old, new: reading.new, percent: 100)
      }
      return nil
    }
  }

  /// Takes equal contents out of both lists.
  ///
  /// Among several, one of the same name comes first.
  private static func exact(
    _ removed: inout [TreeDifference.Entry], _ added: inout [TreeDifference.Entry], taken: [Pair]
  ) -> [Pair] {
    var gone = Set(taken.map(\.old))
    var found = Set(taken.map(\.new))
    var sources: [PathFinder.Found: Sources] = [:]
    for entry in removed where !gone.contains(entry.path) {
      if let old = entry.old { sources[content(of: old), default: Sources()].add(entry.path) }
    }
    var pairs: [Pair] = []
    for entry in added where !found.contains(entry.path) {
      guard let new = entry.new,
        let source = sources[content(of: new)]?.take(preferring: entry.path.name)
      else { continue }
      gone.insert(source)
      found.insert(entry.path)
      pairs.append(Pair(old: source, new: entry.path, percent: 100))
    }
    removed.removeAll { gone.contains($0.path) }
    added.removeAll { found.contains($0.path) }
    return pairs
  }

  /// What is the same in a file and a program of one content, and not in a link.
  private static func content(of file: PathFinder.Found) -> PathFinder.Found {
    PathFinder.Found(mode: file.mode & 0o170000, id: file.id)
  }

  /// The removed files of one content: thousands of empty notes have the same.
  private struct Sources {
    private var paths: [RelativePath] = []
    private var isTaken: [Bool] = []
    private var first = 0
    private var byName: [[UInt8]: ArraySlice<Int>] = [:]

    mutating func add(_ path: RelativePath) {
      byName[Array(path.name), default: []].append(paths.count)
      paths.append(path)
      isTaken.append(false)
    }

    /// Takes the first of a name, else the first of all that are left.
    mutating func take(preferring name: ArraySlice<UInt8>) -> RelativePath? {
      while first < paths.count, isTaken[first] { first += 1 }
      guard first < paths.count else { return nil }
      let name = Array(name)
      var number = first
      while let named = byName[name]?.popFirst() {
        if isTaken[named] { continue }
        number = named
        break
      }
      isTaken[number] = true
      return paths[number]
    }
  }

  private static func alike(
    _ removed: [TreeDifference.Entry], _ added: [TreeDifference.Entry],
    around interest: RelativePath?, _ repository: Repository
  ) throws(GitError) -> [Pair] {
    var removed = removed.filter { $0.old?.isRegular ?? false }
    var added = added.filter { $0.new?.isRegular ?? false }
    if let interest, removed.count * added.count > fewComparisons {
      let target = added.filter { interest.contains($0.path) }
      if target.isEmpty {
        removed.removeAll { !interest.contains($0.path) }
      } else {
        added = target
      }
    }
    guard removed.count * added.count <= mostComparisons else { return [] }
    removed = try comparable(removed, \.old, repository)
    added = try comparable(added, \.new, repository)
    return try repository.similarities(between: removed, and: added).map { alike in
      Pair(old: alike.old, new: alike.new, percent: alike.percent)
    }
  }

  /// Those that are neither empty, nor large, nor missing (a partial clone).
  private static func comparable(
    _ entries: [TreeDifference.Entry],
    _ side: KeyPath<TreeDifference.Entry, PathFinder.Found?>, _ repository: Repository
  ) throws(GitError) -> [TreeDifference.Entry] {
    var kept: [TreeDifference.Entry] = []
    for entry in entries {
      guard let file = entry[keyPath: side] else { continue }
      do throws(GitError) {
        let size = try repository.header(of: file.id).size
        if size > 0, size <= largestContent { kept.append(entry) }
      } catch {
        guard error.code == .notFound else { throw error }
      }
    }
    return kept
  }
}

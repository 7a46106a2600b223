package import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

/// Which files differ between a version and another, or the disk; contents are read one by one.
package struct Comparison {
  /// The newer state.
  package enum Goal: Hashable, Sendable {
    case commit(ObjectID)
    case disk
  }

  /// The files, sorted by their newer paths.
  package private(set) var changes: [FileChange] = []
  /// What on the disk could not be looked at.
  package private(set) var skipped: [Skipped] = []

  private let engine: Engine
  private var disk: DiskState?

  /// Compares.
  ///
  /// - Parameters:
  ///   - old: A commit; `nil` for nothing at all.
  ///   - paths: Where to look, by their names in either state; empty for everywhere.
  ///   - renames: Pairs that the caller knows to be one file, older name first.
  package init(
    _ engine: Engine, from old: ObjectID?, to goal: Goal, below paths: [RelativePath],
    renames: [(old: RelativePath, new: RelativePath)] = []
  ) throws(VersoError) {
    self.engine = engine
    do throws(GitError) {
      let repository = engine.repository
      let before = try old.map { id throws(GitError) in try repository.commit(id).tree }
      var entries: [TreeDifference.Entry]
      switch goal {
      case .commit(let id):
        let after = try repository.commit(id).tree
        entries = try TreeDifference.between(before, after, in: repository)
      case .disk:
        let head = try repository.headCommit()
        let saved = try head.map { id throws(GitError) in try repository.commit(id).tree }
        entries = try TreeDifference.between(before, saved, in: repository)
        let disk: DiskState
        do throws(VersoError) {
          disk = try DiskState(engine, head: saved, below: paths)
        } catch {
          throw GitError(code: .generic, function: "disk", message: error.description)
        }
        self.disk = disk
        skipped = disk.skipped
        entries = try Self.overlay(disk.found, on: entries, before, repository)
      }
      try join(entries, renames, below: paths)
    } catch { throw VersoError(error, "compare") }
  }

  /// Puts what is on the disk over the difference between two trees.
  private static func overlay(
    _ found: [RelativePath: PathFinder.Found?], on entries: [TreeDifference.Entry],
    _ before: ObjectID?, _ repository: Repository
  ) throws(GitError) -> [TreeDifference.Entry] {
    let trees = TreeLookup(repository)
    var byPath = Dictionary(entries.map { ($0.path, $0) }) { a, _ in a }
    for (path, new) in found {
      var old = byPath[path]?.old
      if byPath[path] == nil, let before, let file = try trees.find(path, in: before),
        !file.isFolder
      {
        old = file
      }
      byPath[path] =
        old == new ? nil : TreeDifference.Entry(path: path, old: old, new: new)
    }
    return byPath.values.sorted { $0.path < $1.path }
  }

  /// Joins renames, and keeps what was asked for.
  private mutating func join(
    _ entries: [TreeDifference.Entry], _ known: [(old: RelativePath, new: RelativePath)],
    below paths: [RelativePath]
  ) throws(GitError) {
    let hints = known.map { RenameHint(from: $0.old, to: $0.new) }
    var pairs = try Renames.find(in: entries, hints: hints, of: engine.repository)
    pairs += try unsavedRenames(among: entries, besides: pairs)
    let entriesByPath = Dictionary(entries.map { ($0.path, $0) }) { a, _ in a }
    let byNew = Dictionary(pairs.map { ($0.new, $0) }) { a, _ in a }
    let moved = Set(pairs.map(\.old))
    for entry in entries {
      let change: FileChange
      if let pair = byNew[entry.path] {
        change = FileChange(
          kind: .renamed(from: pair.old), path: entry.path, old: entriesByPath[pair.old]?.old,
          new: entry.new, similarity: pair.percent)
      } else if entry.new == nil, moved.contains(entry.path) {
        continue
      } else {
        let kind: FileChange.Kind =
          entry.old == nil ? .added : entry.new == nil ? .deleted : .modified
        change = FileChange(kind: kind, path: entry.path, old: entry.old, new: entry.new)
      }
      let isWanted =
        paths.isEmpty || paths.contains { $0.contains(change.path) || $0.contains(change.oldPath) }
      if isWanted { changes.append(change) }
    }
  }

  // MARK: Renames on the disk

  /// More comparisons than this are left out.
  private static let mostComparisons = 10_000
  /// Contents larger than this, in bytes, are only compared by id.
  private static let largestContent = 1 << 20

  /// Files that were renamed and edited since: git's own search knows saved contents only.
  private func unsavedRenames(
    among entries: [TreeDifference.Entry], besides pairs: [Renames.Pair]
  ) throws(GitError) -> [Renames.Pair] {
    guard let disk else { return [] }
    let taken = Set(pairs.flatMap { [$0.old, $0.new] })
    let gone = entries.filter {
      $0.new == nil && !taken.contains($0.path) && $0.old?.isRegular ?? false
    }
    let fresh = entries.filter {
      $0.old == nil && !taken.contains($0.path) && $0.new?.isRegular ?? false
        && disk.found[$0.path] != nil
    }
    guard !gone.isEmpty, gone.count * fresh.count <= Self.mostComparisons else { return [] }
    let olds = try gone.map { entry throws(GitError) in try saved(entry.old) }
    var scores: [Renames.Pair] = []
    for entry in fresh {
      guard let new = content(onDisk: entry.path) else { continue }
      for (number, old) in olds.enumerated() where !old.isEmpty {
        let percent = Likeness.percent(of: old, and: new)
        if percent >= Likeness.threshold {
          scores.append(.init(old: gone[number].path, new: entry.path, percent: percent))
        }
      }
    }
    return Self.best(scores)
  }

  /// The likeliest pairs, each file in one at most.
  private static func best(_ scores: [Renames.Pair]) -> [Renames.Pair] {
    var used = Set<RelativePath>()
    return scores.sorted { $0.percent > $1.percent }.filter { pair in
      guard !used.contains(pair.old), !used.contains(pair.new) else { return false }
      used.formUnion([pair.old, pair.new])
      return true
    }
  }

  private func saved(_ file: PathFinder.Found?) throws(GitError) -> [UInt8] {
    guard let file, try engine.repository.header(of: file.id).size <= Self.largestContent else {
      return []
    }
    return try engine.repository.read(file.id).bytes
  }

  private func content(onDisk path: RelativePath) -> [UInt8]? {
    do {
      guard let bytes = try disk?.content(of: path).bytes else { return nil }
      return bytes.isEmpty || bytes.count > Self.largestContent ? nil : bytes
    } catch {
      return nil  // It is shown as new then; reading it says what is wrong.
    }
  }

  // MARK: Contents

  /// One of ``changes`` line by line.
  ///
  /// A file that changed again since is shown as it is now; one that is gone by now as deleted.
  package func difference(of change: FileChange) throws(VersoError) -> LineDifference {
    do {
      let old = try side(change.oldPath, change.old)
      var new: LineDifference.Side?
      if disk?.found[change.path] != nil, change.new != nil {
        new = try sideOnDisk(change.path)
      } else {
        new = try side(change.path, change.new)
      }
      return try LineDifference(from: old, to: new, similarity: change.similarity)
    } catch { throw VersoError(storing: error) }
  }

  private func side(
    _ path: RelativePath, _ file: PathFinder.Found?
  ) throws(GitError) -> LineDifference.Side? {
    guard let file else { return nil }
    let isRepository = file.mode == Item.Kind.repository.rawValue
    let bytes = isRepository ? [] : try engine.repository.read(file.id).bytes
    return try LineDifference.Side(path: path, mode: file.mode, id: file.id, content: bytes)
  }

  private func sideOnDisk(_ path: RelativePath) throws -> LineDifference.Side? {
    do {
      guard let (bytes, kind) = try disk?.content(of: path) else { return nil }
      return try LineDifference.Side(path: path, mode: kind.rawValue, content: bytes)
    } catch let refusal as ReadRefusal where refusal.reason == .vanished {
      return nil
    }
  }
}

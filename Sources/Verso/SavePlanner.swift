import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// Makes a ``SavePlan`` of what was seen: the place where candidates become changes.
struct SavePlanner {
  let engine: Engine
  let request: SaveRequest
  /// HEAD's tree; `nil` on a branch without commits.
  let base: ObjectID?
  let index: IndexFile?
  let staged: StagedDifference?
  let contents: ContentReader
  /// Deletions that a person has been shown and may now accept.
  let listed: Set<RelativePath>

  private var plan = SavePlan()
  private var table: StatTable { index?.table ?? StatTable.empty }

  init(
    engine: Engine, request: SaveRequest, base: ObjectID?, index: IndexFile?,
    contents: ContentReader, listed: Set<RelativePath>
  ) throws(VersoError) {
    self.engine = engine
    self.request = request
    self.base = base
    self.index = index
    self.contents = contents
    self.listed = listed
    do throws(GitError) {
      staged = try index.map { index throws(GitError) in
        try StagedDifference(between: base, and: index, in: engine.repository)
      }
    } catch { throw VersoError(error, "compare git's index with HEAD") }
  }

  /// The plan for what `seen` holds.
  consuming func plan(for seen: Settling) throws(VersoError) -> SavePlan {
    plan.skipped =
      seen.result.skipped + seen.moving.map { Skipped(path: $0, reason: .moving) }
    let read = try contents.read(seen.result.candidates, progress: request.progress)
    plan.skipped += read.skipped
    add(read.files)
    addStaged(besides: Set(read.files.map(\.path)), seen: seen)
    let deletions = deletions(seen.result.gone)
    let renames = try findRenames(deletions: deletions, files: read.files)
    let held = held(among: deletions, renames: renames)
    remove(deletions.filter { !held.contains($0.path) })
    dropAdditions(inTheWayOf: held.union(plan.skipped.filter { !$0.isFolder }.map(\.path)))
    plan.held = held.sorted()
    describe(renames)
    plan.tree.sort { $0.path < $1.path }
    plan.index.sort { $0.path < $1.path }
    plan.skipped.sort { $0.path < $1.path }
    return plan
  }

  // MARK: Files that are there

  private mutating func add(_ files: [ContentReader.File]) {
    plan.tree.reserveCapacity(files.count)
    plan.index.reserveCapacity(files.count)
    let staged = Set(staged?.paths ?? [])
    for file in files {
      let row = table.row(of: file.path)
      let isTracked = row.map { !$0.flags.contains(.intentToAdd) } ?? false
      let isSame = isTracked && row?.id == file.entry.id && row?.mode == file.entry.kind.rawValue
      plan.index.append((file.path, file.entry))
      if !isSame || staged.contains(file.path) { plan.tree.append((file.path, file.entry)) }
    }
  }

  /// What the index holds otherwise than HEAD, where the disk agrees with the index: somebody ran
  /// `git add` or `git rm`, or a save was cut off.
  private mutating func addStaged(besides read: Set<RelativePath>, seen: Settling) {
    guard let staged else { return }
    let gone = Set(seen.result.gone)
    let unknown = plan.skipped
    for path in staged.paths where !read.contains(path) && !gone.contains(path) {
      guard request.covers(path) else { continue }
      if unknown.contains(where: { $0.path == path || $0.isFolder && $0.path.contains(path) }) {
        continue
      }
      guard let row = table.row(of: path) else {
        stagedRemovals.append(path)
        continue
      }
      guard !row.flags.contains(.intentToAdd), let kind = Item.Kind(rawValue: row.mode) else {
        continue
      }
      let fields = Array(UnsafeRawBufferPointer(start: row.fields, count: 40))
      plan.tree.append((path, SavePlan.Entry(kind: kind, id: row.id, fields: fields)))
    }
  }

  private var stagedRemovals: [RelativePath] = []

  // MARK: Deletions

  /// A tracked file that is not there any more.
  struct Deletion {
    let path: RelativePath
    let id: ObjectID
    let mode: UInt32
    /// The inode's low 32 bits and the time of its last change, when it was last seen.
    let inode: UInt32
    let changed: (seconds: UInt32, nanoseconds: UInt32)
    let isTracked: Bool
  }

  private func deletions(_ gone: [RelativePath]) -> [Deletion] {
    // A skipped file that moved keeps its old entry: nothing of it would be in history otherwise.
    let moved = Set(
      plan.skipped.filter { $0.inode != 0 }.map { UInt32(truncatingIfNeeded: $0.inode) })
    var found: [Deletion] = []
    for path in gone {
      guard let row = table.row(of: path), !moved.contains(row.inode) else { continue }
      found.append(
        Deletion(
          path: path, id: row.id, mode: row.mode, inode: row.inode, changed: row.changed,
          isTracked: true))
    }
    for path in stagedRemovals {
      let entry = baseEntry(path)
      found.append(
        Deletion(
          path: path, id: entry?.id ?? .zero, mode: entry?.mode ?? 0, inode: 0, changed: (0, 0),
          isTracked: false))
    }
    return found.sorted { $0.path < $1.path }
  }

  private func held(
    among deletions: [Deletion], renames: [Rename]
  ) -> Set<RelativePath> {
    let renamed = Set(renames.map(\.old))
    var real = deletions.filter { $0.isTracked && !renamed.contains($0.path) }
    guard MassDeletion.isSuspicious(deletions: real.count, of: table.rows.count) else { return [] }
    let there = idsThatStay(besides: Set(deletions.map(\.path)), among: Set(real.map(\.id)))
    real.removeAll { there.contains($0.id) }
    if request.allowsMassDeletion {
      let known = listed.isEmpty ? Set(real.map(\.path)) : listed
      real.removeAll { known.contains($0.path) }
    }
    guard MassDeletion.isSuspicious(deletions: real.count, of: table.rows.count) else { return [] }
    return Set(real.map(\.path))
  }

  /// Those of `ids` that some other path still holds.
  private func idsThatStay(
    besides deleted: Set<RelativePath>, among ids: Set<ObjectID>
  ) -> Set<ObjectID> {
    var there = Set(plan.tree.compactMap { $0.entry?.id }.filter { ids.contains($0) })
    for row in table.rows where ids.contains(row.id) && !deleted.contains(row.path) {
      there.insert(row.id)
    }
    return there
  }

  private mutating func remove(_ deletions: [Deletion]) {
    for deletion in deletions {
      plan.tree.append((deletion.path, nil))
      if deletion.isTracked { plan.index.append((deletion.path, nil)) }
    }
    if request.allowsMassDeletion { plan.acceptedMassDeletion = deletions.count }
  }

  /// A file cannot be added where paths that stay need a folder, nor the reverse.
  private mutating func dropAdditions(inTheWayOf kept: Set<RelativePath>) {
    if kept.isEmpty { return }
    var folders = Set<RelativePath>()
    for path in kept { folders.formUnion(path.ancestors) }
    let table = table
    func isInTheWay(_ change: (path: RelativePath, entry: SavePlan.Entry?)) -> Bool {
      guard change.entry != nil else { return false }
      if folders.contains(change.path) { return true }
      return change.path.ancestors.contains { kept.contains($0) && table.row(of: $0) != nil }
    }
    let dropped = plan.tree.filter(isInTheWay).map(\.path)
    plan.tree.removeAll(where: isInTheWay)
    plan.index.removeAll(where: isInTheWay)
    plan.skipped += dropped.map { Skipped(path: $0, reason: .inTheWay) }
  }

  // MARK: Renames

  struct Rename {
    let old: RelativePath
    let new: RelativePath
    /// Whether git's similarity sees it too.
    let isVisible: Bool
  }

  private func findRenames(
    deletions: [Deletion], files: [ContentReader.File]
  ) throws(VersoError) -> [Rename] {
    if deletions.isEmpty { return [] }
    var added = files.filter { file in
      guard let row = table.row(of: file.path) else { return true }
      return row.flags.contains(.intentToAdd)
    }.map { RenameFinder.Arrival(path: $0.path, entry: $0.entry, status: $0.status) }
    // What somebody staged, such as by `git mv`.
    let read = Set(files.map(\.path))
    for (path, entry) in plan.tree where !read.contains(path) {
      if let entry, !isInBase(path) {
        added.append(RenameFinder.Arrival(path: path, entry: entry, status: nil))
      }
    }
    if added.isEmpty { return [] }
    do throws(DiskError) { try contents.writer.flush() } catch { throw VersoError(error) }
    do throws(GitError) {
      return try RenameFinder(repository: engine.repository).renames(
        from: deletions.filter { $0.mode != 0 }, to: added)
    } catch { throw VersoError(error, "look for renamed notes") }
  }

  // MARK: For people

  private mutating func describe(_ renames: [Rename]) {
    let changed = Dictionary(
      plan.tree.map { ($0.path, $0.entry != nil) }, uniquingKeysWith: { $0 || $1 })
    var renamedFrom: [RelativePath: RelativePath] = [:]
    var renamedAway = Set<RelativePath>()
    for rename in renames where changed[rename.old] == false && changed[rename.new] == true {
      renamedFrom[rename.new] = rename.old
      renamedAway.insert(rename.old)
      if !rename.isVisible, plan.trailers.count < SaveMessage.trailerLimit {
        plan.trailers.append(
          SaveRequest.Trailer(
            "Verso-Renamed",
            "\(rename.old.quotedBeforeMore) -> \(rename.new.quotedBeforeMore)"))
      }
    }
    let before = Set(staged?.paths ?? [])
    for (path, entry) in plan.tree {
      if renamedAway.contains(path) { continue }
      if let old = renamedFrom[path] {
        plan.changes.append(PathChange(.renamed, path, from: old))
      } else if entry == nil {
        plan.changes.append(PathChange(.deleted, path))
      } else if table.row(of: path) == nil || before.contains(path) && !isInBase(path) {
        plan.changes.append(PathChange(.added, path))
      } else {
        plan.changes.append(PathChange(.modified, path))
      }
    }
  }

  private func isInBase(_ path: RelativePath) -> Bool { baseEntry(path) != nil }

  /// What HEAD has at a path.
  private func baseEntry(_ path: RelativePath) -> Repository.TreeEntry? {
    guard let base else { return nil }
    do throws(GitError) {
      return try engine.repository.entry(at: path, in: base)
    } catch { return nil }
  }
}

extension SaveRequest {
  /// Whether `path` is among what is to be saved.
  func covers(_ path: RelativePath) -> Bool {
    paths.map { $0.contains { $0.contains(path) } } ?? true
  }
}

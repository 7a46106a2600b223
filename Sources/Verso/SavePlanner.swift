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
  /// Files that other devices deleted, and that wait for a person.
  let kept: [RelativePath: Journal.Content]
  /// What the disk has in another version than the branch.
  let pending: Engine.PendingFiles

  private let trees: TreeLookup
  private var plan = SavePlan()
  private var table: StatTable { index?.table ?? StatTable.empty }

  init(
    engine: Engine, request: SaveRequest, base: ObjectID?, index: IndexFile?,
    contents: ContentReader, listed: Set<RelativePath>, pending: Engine.PendingFiles
  ) throws(VersoError) {
    self.engine = engine
    self.request = request
    self.base = base
    self.index = index
    self.contents = contents
    self.listed = listed
    self.pending = pending
    trees = TreeLookup(engine.repository)
    kept = try engine.readKept()
    do throws(GitError) {
      staged = try index.map { index throws(GitError) in
        try StagedDifference(between: base, and: index, in: engine.repository)
      }
    } catch { throw VersoError(error, "compare git's index with HEAD") }
  }

  /// The plan for what was seen.
  ///
  /// - Parameter candidates: Those of `seen`, taken out of it: they go as soon as they are read.
  consuming func plan(
    for seen: Settling, candidates: consuming [Scan.Candidate]
  ) throws(VersoError) -> SavePlan {
    plan.skipped =
      seen.result.skipped + seen.moving.map { Skipped(path: $0, reason: .moving) }
    plan.skipped += movedRepositories(seen.result.repositories)
    var read = try contents.read(candidates, progress: request.progress)
    plan.skipped += read.skipped
    if !kept.isEmpty { read.files.removeAll(where: isKept) }
    add(read.files)
    addStaged(besides: read.files, seen: seen)
    let deletions = deletions(seen.result.gone)
    let waiting = pending.missing.map(Deletion.init)
    let renames = follow(try findRenames(deletions: deletions + waiting, files: read.files))
    read.files = []
    let held = held(among: deletions, renames: renames)
    remove(deletions.filter { !held.contains($0.path) })
    dropAdditions(inTheWayOf: held.union(plan.skipped.filter { !$0.isFolder }.map(\.path)))
    plan.held = held.sorted()
    plan.steps.sort { $0.path < $1.path }
    describe(renames)
    plan.skipped.sort { $0.path < $1.path }
    return plan
  }

  /// The submodules that are at another commit than the index has: they stay as they are, which
  /// people should know.
  private func movedRepositories(_ paths: [RelativePath]) -> [Skipped] {
    paths.compactMap { path -> Skipped? in
      guard let row = table.row(of: path) else { return nil }
      do throws(GitError) {
        let place = "\(engine.root)/\(String(decoding: path.bytes, as: UTF8.self))"
        let nested = try Repository(at: place)
        guard nested.workTree == place,
          let head = try nested.headCommit(), head != row.id
        else { return nil }
        return Skipped(path: path, reason: .movedRepository(head), isFolder: true)
      } catch {
        return nil  // An empty folder: the submodule was never fetched here.
      }
    }
  }

  /// Whether a file is only here because other devices' deletion of it waits for a person.
  private func isKept(_ file: ContentReader.File) -> Bool {
    kept[file.path]?.id == file.entry.id && table.row(of: file.path) == nil
  }

  // MARK: Files that are there

  private mutating func add(_ files: [ContentReader.File]) {
    plan.steps.reserveCapacity(files.count)
    let staged = Set(staged?.paths ?? [])
    for file in files {
      let row = table.row(of: file.path)
      let isTracked = row.map { !$0.flags.contains(.intentToAdd) } ?? false
      let isSame = isTracked && row?.id == file.entry.id && row?.mode == file.entry.mode
      plan.steps.append(
        SavePlan.Step(
          path: file.path, entry: file.entry, isInTree: !isSame || staged.contains(file.path)))
    }
  }

  /// What the index holds otherwise than HEAD, where the disk agrees with the index: somebody ran
  /// `git add` or `git rm`, or a save was cut off.
  private mutating func addStaged(besides files: [ContentReader.File], seen: Settling) {
    guard let staged, !staged.paths.isEmpty else { return }
    let read = Set(files.map(\.path))
    let gone = Set(seen.result.gone)
    let unknown = plan.skipped
    for path in staged.paths where !read.contains(path) && !gone.contains(path) {
      guard request.covers(path), !pending.paths.contains(path) else { continue }
      if unknown.contains(where: { $0.path == path || $0.isFolder && $0.path.contains(path) }) {
        continue
      }
      guard let row = table.row(of: path) else {
        stagedRemovals.append(path)
        continue
      }
      guard !row.flags.contains(.intentToAdd), Item.Kind(rawValue: row.mode) != nil else {
        continue
      }
      plan.steps.append(SavePlan.Step(path: path, entry: StatEntry(row), isInIndex: false))
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

    init(
      path: RelativePath, id: ObjectID, mode: UInt32, inode: UInt32,
      changed: (seconds: UInt32, nanoseconds: UInt32), isTracked: Bool
    ) {
      (self.path, self.id, self.mode) = (path, id, mode)
      (self.inode, self.changed, self.isTracked) = (inode, changed, isTracked)
    }

    /// A pending note that is not there any more.
    init(_ missing: (path: RelativePath, content: Journal.Content)) {
      self.init(
        path: missing.path, id: missing.content.id, mode: missing.content.kind.rawValue, inode: 0,
        changed: (0, 0), isTracked: true)
    }
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
    var there = Set(
      plan.steps.lazy.filter(\.isInTree).compactMap { $0.entry?.id }.filter { ids.contains($0) })
    for row in table.rows where ids.contains(row.id) && !deleted.contains(row.path) {
      there.insert(row.id)
    }
    return there
  }

  private mutating func remove(_ deletions: [Deletion]) {
    for deletion in deletions {
      plan.steps.append(
        SavePlan.Step(path: deletion.path, entry: nil, isInIndex: deletion.isTracked))
    }
    if request.allowsMassDeletion { plan.acceptedMassDeletion = deletions.count }
  }

  /// A file cannot be added where paths that stay need a folder, nor the reverse.
  private mutating func dropAdditions(inTheWayOf kept: Set<RelativePath>) {
    if kept.isEmpty { return }
    var folders = Set<RelativePath>()
    for path in kept { folders.formUnion(path.ancestors) }
    let table = table
    func isInTheWay(_ change: SavePlan.Step) -> Bool {
      guard change.entry != nil else { return false }
      if folders.contains(change.path) { return true }
      return change.path.ancestors.contains { kept.contains($0) && table.row(of: $0) != nil }
    }
    let dropped = plan.steps.filter { $0.isInTree && isInTheWay($0) }.map(\.path)
    plan.steps.removeAll(where: isInTheWay)
    plan.skipped += dropped.map { Skipped(path: $0, reason: .inTheWay) }
  }

  // MARK: Renames

  struct Rename {
    let old: RelativePath
    let new: RelativePath
    /// Whether git's similarity sees it too.
    let isVisible: Bool

    /// What tells of it where git does not see it.
    var trailer: SaveRequest.Trailer {
      SaveRequest.Trailer(
        "Verso-Renamed", "\(old.quotedBeforeMore) -> \(new.quotedBeforeMore)")
    }
  }

  private func findRenames(
    deletions: [Deletion], files: [ContentReader.File]
  ) throws(VersoError) -> [Rename] {
    if deletions.isEmpty { return [] }
    let before = Set(staged?.paths ?? [])
    var added = files.filter { file in
      guard let row = table.row(of: file.path) else { return true }
      // What somebody staged and has written since.
      return row.flags.contains(.intentToAdd) || before.contains(file.path) && !isInBase(file.path)
    }.map { RenameFinder.Arrival(path: $0.path, entry: $0.entry, born: $0.born) }
    // What somebody staged, such as by `git mv`.
    let read = Set(files.map(\.path))
    for step in plan.steps where step.isInTree && !read.contains(step.path) {
      if let entry = step.entry, !isInBase(step.path) {
        added.append(RenameFinder.Arrival(path: step.path, entry: entry, born: nil))
      }
    }
    if added.isEmpty { return [] }
    do throws(DiskError) { try contents.writer.flush() } catch { throw VersoError(error) }
    do throws(GitError) {
      return try RenameFinder(repository: engine.repository, known: request.renames).renames(
        from: deletions.filter { $0.mode != 0 }, to: added)
    } catch { throw VersoError(error, "look for renamed notes") }
  }

  /// Leaves renamed notes that are pending to ``Engine/takeUp(_:leaving:following:_:)``; returns the
  /// other renames.
  private mutating func follow(_ renames: [Rename]) -> [Rename] {
    plan.followed = renames.filter { pending.paths.contains($0.old) }
    if plan.followed.isEmpty { return renames }
    let names = Set(plan.followed.map(\.new))
    plan.steps.removeAll { names.contains($0.path) }
    return renames.filter { !pending.paths.contains($0.old) }
  }

  // MARK: For people

  private mutating func describe(_ renames: [Rename]) {
    let (renamedFrom, renamedAway) = accepted(renames)
    let before = Set(staged?.paths ?? [])
    plan.changes.reserveCapacity(plan.steps.count)
    for step in plan.steps where step.isInTree {
      let path = step.path
      if renamedAway.contains(path) { continue }
      if let old = renamedFrom[path] {
        plan.changes.append(PathChange(.renamed, path, from: old))
      } else if step.entry == nil {
        plan.changes.append(PathChange(.deleted, path))
      } else if table.row(of: path) == nil || before.contains(path) && !isInBase(path) {
        plan.changes.append(PathChange(.added, path))
      } else {
        plan.changes.append(PathChange(.modified, path))
      }
    }
  }

  /// Those renames of which both sides are in the plan; the ones that git would not see are noted.
  private mutating func accepted(
    _ renames: [Rename]
  ) -> (from: [RelativePath: RelativePath], away: Set<RelativePath>) {
    if renames.isEmpty { return ([:], []) }
    let changed = Dictionary(
      plan.steps.lazy.filter(\.isInTree).map { ($0.path, $0.entry != nil) },
      uniquingKeysWith: { $0 || $1 })
    var from: [RelativePath: RelativePath] = [:]
    var away = Set<RelativePath>()
    for rename in renames where changed[rename.old] == false && changed[rename.new] == true {
      from[rename.new] = rename.old
      away.insert(rename.old)
      if !rename.isVisible, plan.trailers.count < SaveMessage.trailerLimit {
        plan.trailers.append(rename.trailer)
      }
    }
    return (from, away)
  }

  private func isInBase(_ path: RelativePath) -> Bool { baseEntry(path) != nil }

  /// What HEAD has at a path.
  private func baseEntry(_ path: RelativePath) -> PathFinder.Found? {
    guard let base else { return nil }
    do throws(GitError) { return try trees.find(path, in: base) } catch { return nil }
  }
}

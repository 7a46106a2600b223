import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// Going on with what was left: by a process that was killed, and by files that could not be written.
extension Engine {
  /// Goes on with taking the files to another commit, which an earlier process began.
  func resume(
    _ journal: Journal, to target: ObjectID, from start: ObjectID?, wait: Double,
    _ lock: borrowing HeldVault
  ) throws(VersoError) -> SaveOutcome {
    let ground = try Ground(self)
    if let branch = journal.branch, branch != ground.branchReference {
      let name = Self.shortName(ofBranch: branch)
      throw VersoError(
        .refused,
        "a join on the branch \(name) was cut off, and HEAD of \(root) is on \(ground.branch)",
        hint: "run: git -C \(root) switch \(name), then sync or save: it goes on from there")
    }
    let hold = try keepObjects(wait: wait)
    defer { withExtendedLifetime(hold) {} }
    let disk = try knownDisk(ground, left: journal, to: target, from: start)
    let times = journal.steps.compactMap { step in step.modified.map { (step.path, $0) } }
    let goal = try goal(after: target, from: start, on: ground.commit)
    let advance = try Advance(
      self, from: ground, to: goal, subject: journal.subject, knowing: disk,
      keeping: journal.kept, times: Dictionary(times) { $1 }, after: journal.steps)
    let isDone = try advance.run(wait: wait) { advance throws(VersoError) in
      try self.collect(journal, from: start, for: advance)
    }
    guard isDone else {
      throw VersoError(
        .locked, "another git process keeps changing \(root)", hint: "nothing was lost; try again")
    }
    return SaveOutcome(commit: nil, branch: ground.branch)
  }

  /// What a killed process has left on disk: of each step what was there before, or what it wrote.
  ///
  /// The second where that shows, as an edit made since is an edit of it: the old file is in the
  /// staging folder, or git's index, which comes after all files, has the new one.
  private func knownDisk(
    _ ground: Ground, left journal: Journal, to target: ObjectID, from start: ObjectID?
  ) throws(VersoError) -> [RelativePath: Advance.Known] {
    let done = try stepsDone(of: journal)
    let pending = try readPending()
    var disk = try knownDisk(ground)
    for (number, step) in journal.steps.enumerated() {
      let row = ground.index?.table.row(of: step.path)
      let isIndexed = step.new.map { row?.id == $0.id && row?.mode == $0.kind.rawValue }
      let isNew =
        done.contains(number)
        || pending[step.path] == nil && (ground.commit == target || isIndexed ?? (row == nil))
      disk[step.path] =
        isNew
        ? Advance.Known(content: step.new, base: target)
        : Advance.Known(content: step.old, base: journal.bases[step.path] ?? start)
    }
    return disk
  }

  /// The steps whose old file was taken out, by number.
  private func stepsDone(of journal: Journal) throws(VersoError) -> Set<Int> {
    guard let staging = try existingStaging() else { return [] }
    do throws(DiskError) {
      return Set(
        try safeReplace(for: journal, in: staging.number).leftovers().lazy
          .filter {
            $0.role == .displaced && $0.operation.elementsEqual(journal.operation.utf8)
          }.map(\.number))
    } catch { throw VersoError(error) }
  }

  /// Where to go from where the branch is now.
  private func goal(
    after target: ObjectID, from start: ObjectID?, on head: ObjectID?
  ) throws(VersoError) -> ObjectID {
    guard let head, head != start, head != target else { return target }
    // Somebody's git was used in between.
    return try joined(head, target).goal
  }

  /// The commit that joins two, written but part of no branch yet.
  func joined(
    _ ours: ObjectID, _ theirs: ObjectID, published: ObjectID? = nil
  ) throws(VersoError) -> (goal: ObjectID, merge: Merge?) {
    let writer = try objectWriter(count: 1)
    let result: MergeResult
    do {
      let merger = try Merger(repository: repository, writer: writer, published: published)
      result = try merger.merge(ours: ours, theirs: theirs)
    } catch { throw VersoError(storing: error) }
    try finish(writer)
    switch result {
    case .upToDate: return (ours, nil)
    case .fastForward: return (theirs, nil)
    case .published(let id): return (id, nil)
    case .merged(let merge): return (merge.commit, merge)
    }
  }

  /// Joins two commits, given by their ids, for measuring: nothing becomes part of a branch.
  package func tryMerge(_ ours: String, _ theirs: String) throws(VersoError) {
    guard let ours = ObjectID(hex: ours), let theirs = ObjectID(hex: theirs) else {
      throw VersoError(.usage, "these are no ids")
    }
    _ = try joined(ours, theirs)
  }

  /// What is in the files that a killed process had taken out.
  private func collect(
    _ journal: Journal, from start: ObjectID?, for advance: Advance
  ) throws(VersoError) -> [Advance.Edit] {
    guard let staging = try existingStaging() else { return [] }
    var limits = SafeReplace.Limits()
    limits.grace = grace
    let replace = safeReplace(for: journal, in: staging.number, limits: limits)
    let filter = try contentFilter()
    let recorded = Set(try readTakenOut().map { Array($0.name.utf8) })
    var displaced: [Displaced] = []
    do throws(DiskError) {
      for leftover in try replace.leftovers() where !recorded.contains(leftover.name) {
        if leftover.role == .staged { try replace.drop(leftover) }
        guard leftover.role == .displaced,
          leftover.operation.elementsEqual(journal.operation.utf8),
          journal.steps.indices.contains(leftover.number)
        else { continue }
        let step = journal.steps[leftover.number]
        let known = step.old.flatMap {
          content(of: leftover, as: $0, path: step.path, replace, filter)
        }
        displaced.append(replace.displaced(leftover, path: step.path, known: known))
      }
    } catch { throw VersoError(error) }
    return try advance.settle(displaced, replace) { journal.bases[$0] ?? start }
  }

  // MARK: Pending files

  /// Whether there is anything for ``takeUp(_:leaving:following:_:)``.
  func hasPending() throws(VersoError) -> Bool {
    let pending = try readPending()
    if !pending.isEmpty { return true }
    return try !readTakenOut().isEmpty
  }

  /// Tries again what could not be written, and saves what has become of it.
  ///
  /// - Parameters:
  ///   - moving: Paths whose changes are not over.
  ///   - renames: What a user renamed of it.
  /// - Returns: `nil` where nothing came of it.
  func takeUp(
    _ request: SaveRequest, leaving moving: Set<RelativePath>,
    following renames: [SavePlanner.Rename] = [], _ lock: borrowing HeldVault
  ) throws(VersoError) -> Advance.Outcome? {
    var disk: [RelativePath: Advance.Known] = [:]
    for (path, base) in try readPending()
    where request.covers(path) && !moving.covers(path) {
      if request.settles, try isYoung(path) { continue }
      disk[path] = Advance.Known(content: try content(at: path, of: base), base: base)
    }
    let files = try readTakenOut()
    if disk.isEmpty, files.isEmpty { return nil }
    let ground = try Ground(self)
    guard let head = ground.commit else { return nil }
    let hold = try keepObjects(wait: request.wait)
    defer { withExtendedLifetime(hold) {} }
    let advance = try Advance(
      self, from: ground, to: head, subject: "join what was left", knowing: disk)
    let isDone = try advance.run(wait: request.wait) { advance throws(VersoError) in
      try advance.readRenamed(renames) + self.collect(files, for: advance)
    }
    return isDone ? advance.outcome : nil
  }

  private func isYoung(_ path: RelativePath) throws(VersoError) -> Bool {
    do throws(DiskError) {
      guard let status = try store.status(of: path.bytes, in: rootFolder.number) else {
        return false
      }
      return now().timeInterval(since: status.modified) < Settling.youth
    } catch { return false }
  }

  /// What programs have written into files that were taken out while they had them open.
  private func collect(
    _ files: [TakenOut], for advance: Advance
  ) throws(VersoError) -> [Advance.Edit] {
    guard !files.isEmpty, let staging = try existingStaging() else { return [] }
    var limits = SafeReplace.Limits()
    limits.writers = 0
    limits.grace = 0
    let replace = SafeReplace(
      root: rootFolder.number, staging: staging.number, operation: Array("none".utf8),
      limits: limits, store: store)
    let filter = try contentFilter()
    let byName = Dictionary(files.map { (Array($0.name.utf8), $0) }) { $1 }
    var displaced: [Displaced] = []
    let leftovers: [Leftover]
    do throws(DiskError) { leftovers = try replace.leftovers() } catch { throw VersoError(error) }
    let there = Set(leftovers.map(\.name))
    for name in byName.keys where !there.contains(name) { try forget(name) }
    for leftover in leftovers {
      guard let file = byName[leftover.name] else { continue }
      let known = try content(at: file.path, of: file.base).flatMap {
        content(of: leftover, as: $0, path: file.path, replace, filter)
      }
      displaced.append(replace.displaced(leftover, path: file.path, known: known))
    }
    let bases = Dictionary(files.map { ($0.path, $0.base) }) { $1 }
    return try advance.settle(displaced, replace) { bases[$0] ?? nil }
  }
}

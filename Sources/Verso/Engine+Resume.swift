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
    let hold = try keepObjects(wait: wait)
    defer { withExtendedLifetime(hold) {} }
    var disk: [RelativePath: Advance.Known] = [:]
    for step in journal.steps {
      disk[step.path] = Advance.Known(
        content: step.old, base: journal.bases[step.path] ?? start)
    }
    let goal = try goal(after: target, from: start, on: ground.commit)
    let advance = try Advance(
      self, from: ground, to: goal, subject: journal.subject, knowing: disk)
    let isDone = try advance.run(wait: wait) { advance throws(VersoError) in
      try self.collect(journal, from: start, for: advance)
    }
    guard isDone else {
      throw VersoError(
        .locked, "another git process keeps changing \(root)", hint: "nothing was lost; try again")
    }
    return SaveOutcome(commit: nil, branch: ground.branch)
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

  /// What is in the files that a killed process had taken out.
  private func collect(
    _ journal: Journal, from start: ObjectID?, for advance: Advance
  ) throws(VersoError) -> [Advance.Edit] {
    guard let staging = try existingStaging() else { return [] }
    let replace = safeReplace(for: journal, in: staging.number)
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

  /// Whether there is anything for ``takeUp(_:leaving:_:)``.
  func hasPending() throws(VersoError) -> Bool {
    let pending = try readPending()
    if !pending.isEmpty { return true }
    return try !readTakenOut().isEmpty
  }

  /// Tries again what could not be written, and saves what has become of it.
  ///
  /// - Parameter moving: Paths whose changes are not over.
  /// - Returns: `nil` where nothing came of it.
  func takeUp(
    _ request: SaveRequest, leaving moving: Set<RelativePath>, _ lock: borrowing HeldVault
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
      try self.collect(files, for: advance)
    }
    return isDone ? advance.outcome : nil
  }

  func content(
    at path: RelativePath, of commit: ObjectID?
  ) throws(VersoError) -> Journal.Content? {
    guard let commit else { return nil }
    do throws(GitError) {
      guard let entry = try repository.entry(at: path, in: repository.commit(commit).tree) else {
        return nil
      }
      return Journal.Content(PathFinder.Found(mode: entry.mode, id: entry.id))
    } catch { throw VersoError(error, "read \(path)") }
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
    do throws(DiskError) {
      for leftover in try replace.leftovers() {
        guard let file = byName[leftover.name] else { continue }
        do throws(VersoError) {
          let old = try content(at: file.path, of: file.base)
          let known = old.flatMap {
            content(of: leftover, as: $0, path: file.path, replace, filter)
          }
          displaced.append(replace.displaced(leftover, path: file.path, known: known))
        } catch { throw DiskError(code: 5, operation: "read what was at", path: file.path) }
      }
    } catch { throw VersoError(error) }
    // Those that are still open are remembered anew.
    try writeTakenOut([])
    let bases = Dictionary(files.map { ($0.path, $0.base) }) { $1 }
    return try advance.settle(displaced, replace) { bases[$0] ?? nil }
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Own actions: what Verso writes into the work tree because a person asked for it.
extension Engine {
  /// Saves what is there, writes what a plan says, and saves again, as a version that can be undone.
  ///
  /// - Parameter plan: Given the save of what was there; it may still ask, and refuse.
  func act(
    isDryRun: Bool, wait: Double,
    _ plan: (_ before: SaveOutcome) throws(VersoError) -> Journal
  ) throws(VersoError) -> RestoreOutcome {
    try changing(wait: wait, recovers: !isDryRun) { lock throws(VersoError) in
      var outcome = RestoreOutcome()
      var request = SaveRequest()
      request.isDryRun = isDryRun
      request.wait = wait
      outcome.before = try saveLocked(request, lock)
      let journal = try plan(outcome.before)
      try expectRoom(for: journal.steps)
      outcome.subject = journal.subject
      try carryOut(journal, isDryRun: isDryRun, wait: wait, lock, &outcome)
      return (outcome, outcome.save.commit)
    }
  }

  /// Does something that makes a version, while the vault's lock is held.
  ///
  /// - Parameters:
  ///   - recovers: Whether what an earlier process left half done is done first.
  ///   - body: Gives what it did, and the version that it made.
  func changing<Result>(
    wait: Double, recovers: Bool = true,
    _ body: (borrowing HeldVault) throws(VersoError) -> (result: Result, commit: ObjectID?)
  ) throws(VersoError) -> Result {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    let lock = try lockVault(wait: wait)
    if recovers { try recover(lock) }
    let done = try body(lock)
    _ = consume lock
    maintain(after: done.commit)
    return done.result
  }

  private func carryOut(
    _ journal: Journal, isDryRun: Bool, wait: Double, _ lock: borrowing HeldVault,
    _ outcome: inout RestoreOutcome
  ) throws(VersoError) {
    outcome.writes = journal.steps.filter { $0.new != nil }.map(\.path)
    outcome.removals = journal.steps.filter { $0.new == nil }.map(\.path)
    if !isDryRun, !journal.steps.isEmpty {
      let done = try carryOut(journal, wait: wait, lock)
      outcome.left = done.write.left
      outcome.save = done.save
    }
    // The deletion of what is back is held no more.
    let back = Set(outcome.writes).subtracting(outcome.left.map(\.path))
    outcome.before.held.removeAll { back.contains($0) }
  }

  /// Nothing is begun of several steps where one file cannot come to its path: a folder is there that
  /// holds more than what is taken away, such as ignored files.
  private func expectRoom(for steps: [Journal.Step]) throws(VersoError) {
    if steps.count < 2 { return }
    let removals = Set(steps.filter { $0.new == nil }.map(\.path))
    // Where a file is that was saved a moment ago there is no folder.
    for step in steps where step.old == nil {
      let obstacle: RelativePath?
      do throws(DiskError) {
        let status = try store.status(of: step.path.bytes, in: rootFolder.number)
        if status?.kind != .folder { continue }
        obstacle = try firstFile(below: step.path, besides: removals)
      } catch { throw VersoError(error) }
      guard let obstacle else { continue }
      throw VersoError(
        .refused, "\(obstacle) stands in the way of \(step.path), and no version has it",
        hint: "move it away, then try again")
    }
  }

  private func firstFile(
    below folder: RelativePath, besides known: Set<RelativePath>
  ) throws(DiskError) -> RelativePath? {
    let open = try store.openingBeneath(
      folder, root: rootFolder.number, flags: O_RDONLY | O_DIRECTORY)
    for name in try store.names(in: open.number, path: folder.bytes) {
      let path = folder.appending(name)
      if try store.status(of: name, in: open.number)?.kind == .folder {
        if let found = try firstFile(below: path, besides: known) { return found }
      } else if !known.contains(path) {
        return path
      }
    }
    return nil
  }

  static func action(_ name: String) -> SaveRequest.Trailer {
    SaveRequest.Trailer("Verso-Action", name)
  }
}

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
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    let lock = try lockVault(wait: wait)
    if !isDryRun { try recover(lock) }
    var outcome = RestoreOutcome()
    var request = SaveRequest()
    request.isDryRun = isDryRun
    request.wait = wait
    outcome.before = try saveLocked(request, lock)
    let journal = try plan(outcome.before)
    outcome.subject = journal.subject
    try carryOut(journal, isDryRun: isDryRun, wait: wait, lock, &outcome)
    _ = consume lock
    maintain(after: outcome.save.commit)
    return outcome
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

  static func action(_ name: String) -> SaveRequest.Trailer {
    SaveRequest.Trailer("Verso-Action", name)
  }
}

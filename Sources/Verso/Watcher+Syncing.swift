import VersoDisk
import VersoModel
import VersoWatch

/// What a watcher does about the other devices.
extension Watcher {
  /// A sync went well.
  ///
  /// - Parameter state: What it left of HEAD and git's index; `nil` where it moved neither.
  func noteSynced(_ outcome: SyncOutcome, _ state: GitState?) {
    if let state {
      gitState = state
      gitChangedAt = nil
    }
    if outcome.save.commit != nil { report(.saved(outcome.save)) }
    if !outcome.pending.isEmpty { expectPending(at: MonotonicTime.now()) }
    let isNews =
      outcome.fetched != nil || outcome.pushed != nil || !outcome.held.isEmpty || unsynced != nil
    unsynced = nil
    if isNews { report(.synced(outcome)) }
  }

  /// A sync did not go well; it is told once.
  func noteUnsynced(_ error: VersoError) {
    if unsynced?.message == error.message { return }
    unsynced = error
    report(.unsynced(error))
  }

  // MARK: What could not be written

  private static let firstPendingPause = 1.0
  private static let longestPendingPause = 60.0

  private func expectPending(at now: Double) {
    pendingPause = Self.firstPendingPause
    clock.pending = now + pendingPause
  }

  /// Finds out whether there is anything to try again, such as what an earlier process left.
  func lookForPending(_ engine: Engine) throws(VersoError) {
    guard clock.pending == .infinity, try !engine.readPending().isEmpty else { return }
    expectPending(at: MonotonicTime.now())
  }

  /// Tries again to write what others changed: what was being edited may be left alone now.
  func takeUpPending(at now: Double) {
    clock.pending = .infinity
    guard !isJoining, let lookout = readyLookout() else {
      return clock.pending = now + Self.firstPendingPause
    }
    do throws(VersoError) {
      let pending = try lookout.engine.readPending()
      if pending.isEmpty { return }
      pendingPause = min(pendingPause * 2, Self.longestPendingPause)
      clock.pending = now + pendingPause
      takeEvents(at: now)
      var restless = Set(reconciler.restlessPaths)
      if reconciler.hasUnsaved {
        // One that is gone may have another name, which is not settled yet.
        for path in pending.keys where try lookout.engine.isMissing(path) { restless.insert(path) }
      }
      let quiet = pending.keys.filter { !restless.covers($0) }
      if quiet.isEmpty { return }
      var request = SaveRequest(paths: quiet)
      request.settles = false
      request.wait = 0.5
      let outcome = try lookout.engine.save(request)
      noteSaved(outcome, lookout.engine, isWhole: false)
      if try lookout.engine.readPending().isEmpty {
        clock.pending = .infinity
        pendingPause = Self.firstPendingPause
      }
    } catch { clock.pending = now + Self.longestPendingPause }
  }
}

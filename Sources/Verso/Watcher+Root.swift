import VersoDisk
import VersoWatch

extension Watcher {
  // MARK: The root

  func goOffline(_ reason: String) {
    clock.rootCheck = MonotonicTime.now() + options.rootCheckInterval
    lookout = nil
    if isOffline { return }
    isOffline = true
    report(.offline(reason))
  }

  /// Compares the root with the one that was opened.
  func checkRoot(at now: Double) {
    clock.rootCheck = now + options.rootCheckInterval
    do throws(VersoError) {
      let present = try Engine.identity(of: root, known: identity)
      if isOffline { return try comeBack(at: now) }
      if let identity, let mismatch = present.mismatch(with: identity, since: .thisProcess) {
        return goOffline("\(root): \(mismatch)")
      }
      if reconciler.doubtsRoot {
        // Unmounted and mounted again within the interval, say: all watches went.
        goOffline("\(root) was moved or unmounted")
        try comeBack(at: now)
      }
    } catch { goOffline(error.message) }
  }

  /// Goes on where the root is there again, and is ours.
  func comeBack(at now: Double) throws(VersoError) {
    let engine = try openEngine()
    try engine.checkRoot(records: false)
    identity = try engine.identity()
    source?.stop()
    startListening(engine)
    reconciler.restart(at: now)
    toldLimit = false
    needsFullSave = true
    isReturning = true
    isOffline = false
    clock.retry = options.saves ? 0 : .infinity
    report(.online)
  }
}

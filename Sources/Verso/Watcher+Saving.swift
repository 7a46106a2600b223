import VersoDisk
import VersoGit
import VersoModel
import VersoWatch

extension Watcher {
  // MARK: The user's own git

  func watchGitDirectory(_ engine: Engine) {
    gitWatches = []
    guard let source else { return }
    for folder in [engine.gitFolder.number, engine.commonFolder.number] {
      do throws(DiskError) { gitWatches.insert(try source.watch(folder)) } catch {
        // Found at the next audit instead.
        continue
      }
    }
  }

  /// Seconds that git must have been left alone before its work is looked at.
  var gitQuiet: Double { min(0.5, options.rules.settle) }

  func noteGitChange(at now: Double) {
    gitChangedAt = now
    if blocked != nil {
      clock.retry = min(clock.retry, now + 0.1)
      reconciler.hasten(to: clock.retry)
    }
  }

  /// Finds out whether somebody else moved HEAD or the index: then the disk may differ from them
  /// without any event of its own (`git reset`).
  func checkGit(at now: Double) {
    guard let changed = gitChangedAt, now - changed >= gitQuiet else { return }
    gitChangedAt = nil
    guard let lookout = readyLookout() else { return }
    let state = GitState(lookout.engine)
    if state != gitState, gitState != nil { needsFullSave = true }
    gitState = state
  }

  // MARK: Saving

  /// Whether somebody else may have moved HEAD or the index, and it is not known yet.
  var isGitUnsure: Bool {
    guard gitChangedAt != nil, let lookout = readyLookout() else { return false }
    let state = GitState(lookout.engine)
    if state == gitState {
      gitChangedAt = nil
      return false
    }
    return true
  }

  func didSaveEverything() {
    needsFullSave = false
    gitChangedAt = nil
  }

  func saveWhatSettled(at now: Double) {
    checkGit(at: now)
    if !options.saves || reconciler.isStarting || now < clock.retry { return }
    if isJoining {
      clock.retry = now + 0.05
      return
    }
    if needsFullSave { return saveEverything(at: now) }
    guard reconciler.isSettled(at: now), let lookout = readyLookout() else { return }
    if let pause = lookout.engine.pausedUntil { return hold(pause, at: now) }
    let places = reconciler.placesToSettle(at: now)
    let batch = reconciler.settle(lookout.probe(places), at: now)
    publish()
    guard let batch else { return }
    save(batch, lookout.engine)
  }

  func save(_ batch: Reconciler.Batch, _ engine: Engine) {
    var request = SaveRequest(paths: batch.paths)
    request.settles = false
    request.wait = 0.5
    request.openFiles = Set(batch.openFiles)
    request.renames = batch.renames
    do throws(VersoError) {
      let outcome = try engine.save(request)
      let now = MonotonicTime.now()
      reconciler.saved(batch, left: outcome.left, at: now)
      takeEvents(at: now)
      reconciler.doubtUnseen(of: batch, at: now)
      noteSkipped(outcome, request)
      noteSaved(outcome, engine, isWhole: false)
    } catch {
      let now = MonotonicTime.now()
      noteFailure(error, at: now)
      reconciler.failed(batch, retryAt: clock.retry)
    }
  }

  /// Saves by looking at the whole disk: at the start, and where git itself was used.
  func saveEverything(at now: Double) {
    guard let lookout = readyLookout() else { return }
    if let pause = lookout.engine.pausedUntil { return hold(pause, at: now) }
    var request = SaveRequest()
    request.wait = 0.5
    do throws(VersoError) {
      // What is being changed has its own time, also what somebody began to change meanwhile.
      let outcome = try lookout.engine.save(request) {
        // What seemed to change when the disk went is part of what is found now.
        if isReturning { return [] }
        takeEvents(at: MonotonicTime.now())
        return Set(reconciler.restlessPaths)
      }
      needsFullSave = false
      // What is there is saved: now the others may have it, and theirs come in.
      synchroniser?.start()
      indexKeeper.start()
      if isReturning { reconciler.savedAll(before: now, left: outcome.left) }
      isReturning = false
      reconciler.remember(outcome.left, at: now)
      noteSkipped(outcome, request)
      noteSaved(outcome, lookout.engine, isWhole: true)
      try lookForPending(lookout.engine)
    } catch { noteFailure(error, at: MonotonicTime.now()) }
  }

  func noteSkipped(_ outcome: SaveOutcome, _ request: SaveRequest) {
    skipped = skipped.filter { !request.covers($0.key) }
    for item in outcome.skipped where item.reason != .moving { skipped[item.path] = item }
  }

  func noteSaved(_ outcome: SaveOutcome, _ engine: Engine, isWhole: Bool) {
    failures = 0
    clock.retry = 0
    // Where git was used before a save of some paths, only a look at everything tells what it did.
    if !isWhole, let gitState, engine.stateBeforeSave != gitState { needsFullSave = true }
    // What is converted differently from here on may be anything.
    let changed = outcome.changes.flatMap { [$0.path] + ($0.oldPath.map { [$0] } ?? []) }
    if !isWhole, changed.contains(where: \.setsAttributes) { needsFullSave = true }
    gitState = engine.stateAfterSave ?? GitState(engine)
    clock.lastActivity = MonotonicTime.now()
    // A save that somebody asked for ends no pause.
    if blocked != nil || isHeld, engine.pausedUntil == nil {
      blocked = nil
      isHeld = false
      report(.resumed)
    }
    if outcome.commit != nil { synchroniser?.saved() }
    if outcome.commit != nil || !outcome.newlySkipped.isEmpty || !outcome.held.isEmpty {
      report(.saved(outcome))
    }
  }

  func noteFailure(_ error: VersoError, at now: Double) {
    failures += 1
    let pause = error.code == .locked ? 0.5 : min(60, 2 * Double(1 << min(failures, 5)))
    clock.retry = now + pause
    // Somebody's git at work is no news before it has lasted.
    let isNews = blocked?.message != error.message && (error.code != .locked || failures > 10)
    if isNews {
      blocked = error
      report(.waiting(error))
    }
    if error.code == .refused || error.code == .failed { clock.rootCheck = now }
  }

  func hold(_ pause: Pause, at now: Double) {
    if !isHeld {
      isHeld = true
      report(.paused(pause))
    }
    clock.retry = now + 1
  }

  /// Saves what has settled by now, at the end.
  func saveLast() {
    guard options.saves, !isOffline, let lookout = readyLookout() else { return }
    let now = MonotonicTime.now()
    takeEvents(at: now)
    reconciler.rules.settle = 0.3
    look(at: now)
    guard lookout.engine.pausedUntil == nil else { return }
    let places = reconciler.placesToSettle(at: now, all: true)
    guard let batch = reconciler.settle(lookout.probe(places), at: now) else { return }
    save(batch, lookout.engine)
  }
}

import VersoDisk
import VersoModel
import VersoWatch

/// What other processes ask of the one that watches: it knows without looking at every file.
extension Watcher {
  func answerRequests(at now: Double) {
    guard let server = options.server else { return }
    for request in server.receive() {
      clock.lastActivity = now
      server.reply(to: request.id, answer(request.kind))
    }
  }

  private func answer(_ kind: ControlRequest.Kind) -> ControlReply {
    do throws(VersoError) {
      switch kind {
      case .save(let request): return .saved(try save(request))
      case .status(let paths): return .status(try status(of: paths))
      case .pause(let end):
        try engine().pause(until: end)
        isHeld = true
        report(.paused(end.map { .until($0) } ?? .untilResumed))
        return .done
      case .resume:
        try engine().resume()
        clock.retry = 0
        if isHeld { report(.resumed) }
        isHeld = false
        synchroniser?.wanted()
        return .done
      case .hello: return .done
      }
    } catch { return .failed(error) }
  }

  private func engine() throws(VersoError) -> Engine {
    if isOffline {
      throw VersoError(
        .refused, "\(root) is not where it was", hint: "mount the disk or put the folder back")
    }
    guard let lookout = readyLookout() else {
      throw VersoError(.failed, "\(root) cannot be opened")
    }
    return lookout.engine
  }

  /// Takes in everything that happened before this call.
  ///
  /// - Returns: Whether what the reconciler knows is all there is to know; `false` where only a look at
  ///   the whole disk tells.
  @discardableResult
  func passBarrier() -> Bool {
    let now = MonotonicTime.now()
    takeEvents(at: now)
    if let lookout = readyLookout() {
      let places = reconciler.takeLooks(at: now, all: true)
      reconciler.handle(lookout.look(at: places), at: now)
    }
    look(at: now)
    return !reconciler.isStarting && !reconciler.isSuspect && !hasPolledFolders && !needsFullSave
      && !isGitUnsure
  }

  private func save(_ request: SaveRequest) throws(VersoError) -> SaveOutcome {
    let engine = try engine()
    let knowsAll = passBarrier()
    if knowsAll, request.paths == nil, !request.allowsMassDeletion {
      return try saveKnown(request, engine)
    }
    let begin = MonotonicTime.now()
    let outcome = try engine.save(request)
    if request.isDryRun { return outcome }
    noteAsked(outcome, request, since: begin)
    if request.paths == nil { didSaveEverything() }
    note(outcome, request, engine)
    return outcome
  }

  /// Saves what is known to have changed.
  private func saveKnown(
    _ request: SaveRequest, _ engine: Engine
  ) throws(VersoError) -> SaveOutcome {
    let paths = reconciler.unsavedPaths
    var outcome = SaveOutcome()
    let begin = MonotonicTime.now()
    if !paths.isEmpty {
      var narrow = SaveRequest(paths: paths)
      narrow.message = request.message
      narrow.isDryRun = request.isDryRun
      narrow.wait = request.wait
      outcome = try engine.save(narrow)
      if !request.isDryRun {
        noteAsked(outcome, narrow, savesAll: true, since: begin)
        note(outcome, narrow, engine)
      }
    } else {
      try Preflight.checkState(engine)
      try engine.checkRoot()
    }
    outcome.skipped = withKnown(outcome.skipped)
    outcome.held = engine.readHeld().sorted()
    return outcome
  }

  /// Adds what earlier saves left alone: it is part of every answer. Sorted by path.
  private func withKnown(_ found: [Skipped]) -> [Skipped] {
    let named = Set(found.map(\.path))
    return (found + skipped.values.filter { !named.contains($0.path) })
      .sorted { $0.path < $1.path }
  }

  /// Tells the reconciler what was saved without its being asked what may be.
  ///
  /// - Parameter begin: When the save began: what happened later may not be in it.
  private func noteAsked(
    _ outcome: SaveOutcome, _ request: SaveRequest, savesAll: Bool? = nil, since begin: Double
  ) {
    if savesAll ?? (request.paths == nil) {
      reconciler.savedAll(before: begin, left: outcome.left)
    }
    let now = MonotonicTime.now()
    takeEvents(at: now)
    reconciler.doubtUnseen(where: request.covers, at: now)
  }

  private func note(_ outcome: SaveOutcome, _ request: SaveRequest, _ engine: Engine) {
    noteSkipped(outcome, request)
    noteSaved(outcome, engine, isWhole: request.paths == nil)
  }

  private func status(of paths: [RelativePath]?) throws(VersoError) -> StatusReport {
    let engine = try engine()
    let knowsAll = passBarrier()
    var report = try engine.status(of: knowsAll && paths == nil ? reconciler.unsavedPaths : paths)
    if knowsAll, paths == nil {
      report.skipped = withKnown(report.skipped)
      report.held = Set(report.held).union(engine.readHeld()).sorted()
    }
    let spacedOut = reconciler.spacedOut(at: MonotonicTime.now())
    let asked = SaveRequest(paths: paths)
    report.spacedOut = spacedOut.filter(asked.covers)
    return report
  }
}

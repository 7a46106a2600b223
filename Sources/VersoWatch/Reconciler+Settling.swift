package import VersoDisk
package import VersoModel

extension Reconciler {
  /// What may be saved together.
  package struct Batch {
    package let places: [Place]
    /// Sorted; a folder stands for all that is below it.
    package let paths: [RelativePath]
    /// Those that a program has open for writing, and that are not waited for any longer.
    package let openFiles: [RelativePath]
    let time: Double
    let sizes: [RelativePath: UInt64]
  }

  /// What a probe of a place found: a look, and the question who can write.
  package struct Probe: Sendable {
    package let sight: Sight
    package let writers: Writers

    package init(_ sight: Sight, writers: Writers) {
      self.sight = sight
      self.writers = writers
    }
  }

  /// Whether anything waits to be saved.
  package var hasUnsaved: Bool { tracks.values.contains { $0.unsavedSince != nil } }

  /// The paths that wait to be saved, sorted.
  package var unsavedPaths: [RelativePath] {
    tracks.filter { $0.key.folder.isAttached && $0.value.unsavedSince != nil }
      .map(\.key.path).sorted()
  }

  /// Paths that get fewer versions than they have changes, as these would fill the history.
  package var spacedOut: [RelativePath] {
    spacing.filter { $0.value.isOverBudget }.map(\.key).sorted()
  }

  /// When what waits may be saved; `nil` where nothing waits.
  var settleDue: Double? {
    var due = burstDue
    for track in tracks.values where track.unsavedSince != nil && track.notBefore > -.infinity {
      due = min(due, track.notBefore)
    }
    return due == .infinity ? nil : due
  }

  /// When the present burst of changes is over: nothing happened for a while, or it lasts too long.
  /// What was found busy before does not count: nobody else is kept waiting for it.
  private var burstDue: Double {
    var quietSince = -Double.infinity
    var begin = Double.infinity
    for track in tracks.values where track.notBefore == -.infinity {
      if let since = track.unsavedSince {
        begin = min(begin, since)
      } else if track.lookDue == nil {
        continue
      }
      quietSince = max(quietSince, track.last)
      // What came where something went belongs to the same version.
      if let gone = track.missingSince, track.unsavedSince != nil {
        quietSince = max(quietSince, gone + rules.deletionReady - rules.settle)
      }
    }
    if begin == .infinity { return .infinity }
    return min(quietSince + rules.settle, begin + rules.settleLimit)
  }

  /// Whether it is time to probe what waits.
  package func isSettled(at now: Double) -> Bool {
    guard !isStarting, let due = settleDue else { return false }
    return due <= now
  }

  /// The places to probe before a save.
  package func placesToSettle(at now: Double) -> [Place] {
    let isBurstOver = burstDue <= now
    return tracks.filter { place, track in
      guard track.unsavedSince != nil, place.folder.isAttached else { return false }
      return track.notBefore > -.infinity ? track.notBefore <= now : isBurstOver
    }.map(\.key)
  }

  /// Takes what the probes found.
  ///
  /// - Returns: What may be saved now; `nil` where nothing has come to rest.
  package func settle(_ probes: [(Place, Probe)], at now: Double) -> Batch? {
    for (place, probe) in probes { distrust(place, probe.sight, at: now) }
    handle(probes.map { ($0.0, $0.1.sight) }, at: now)
    var ready: Set<Place> = []
    var open: [RelativePath] = []
    for (place, probe) in probes {
      guard let track = tracks[place], track.unsavedSince != nil, place.folder.isAttached else {
        continue
      }
      let wait = waiting(for: place, track, probe, at: now)
      if wait <= 0 {
        ready.insert(place)
        if probe.writers == .some { open.append(place.path) }
      } else {
        tracks[place]?.notBefore = now + wait
      }
    }
    // Both ends of a rename, or none.
    for place in ready {
      guard let origin = tracks[place]?.origin, tracks[origin]?.unsavedSince != nil,
        origin.folder.isAttached, !ready.contains(origin)
      else { continue }
      if !isOverdue(place, at: now) { ready.remove(place) }
    }
    for (place, _) in probes where !ready.contains(place) {
      guard let origin = tracks[place]?.origin, !isOverdue(place, at: now) else { continue }
      ready.remove(origin)
    }
    return batch(ready, open, at: now)
  }

  private func isOverdue(_ place: Place, at now: Double) -> Bool {
    now - (tracks[place]?.unsavedSince ?? now) > rules.settleLimit
  }

  private func batch(_ ready: Set<Place>, _ open: [RelativePath], at now: Double) -> Batch? {
    if ready.isEmpty { return nil }
    let places = ready.sorted { $0.path < $1.path }
    var sizes: [RelativePath: UInt64] = [:]
    for place in places {
      if let file = place.folder.files[place.name] { sizes[place.path] = file.size }
    }
    return Batch(
      places: places, paths: places.map(\.path), openFiles: open.sorted(), time: now,
      sizes: sizes)
  }

  /// A probe that sees something else than the last look: its event is on its way.
  private func distrust(_ place: Place, _ sight: Sight, at now: Double) {
    let isNews: Bool
    switch sight {
    case .file(let status, _):
      let now = LiveFile(status)
      // The loss of a second name makes no event here, and is no write.
      isNews =
        !(place.folder.files[place.name].map {
          $0.hasSameContentFields(as: now) && $0.mode == now.mode
        } ?? false)
    case .absent: isNews = place.folder.holds(place.name) && tracks[place]?.missingSince == nil
    case .folder, .foreign, .unreadable: isNews = false
    }
    if isNews { tracks[place]?.last = now }
  }

  /// Seconds until a place may be saved; 0 for now.
  private func waiting(
    for place: Place, _ track: Track, _ probe: Probe, at now: Double
  ) -> Double {
    let quiet = now - track.last
    switch probe.sight {
    case .absent:
      if isSuspect { return 1 }
      let gone = now - (track.missingSince ?? track.last)
      return max(0, rules.deletionReady - gone)
    case .foreign, .unreadable: return 0
    case .folder:
      if isSuspect, track.origin != nil { return 1 }
      return max(0, min(rules.settle, rules.file.afterClose) - quiet)
    case .file(let status, _):
      if isSuspect, track.origin != nil { return 1 }
      return waiting(for: place.path, status, track, probe.writers, at: now)
    }
  }

  private func waiting(
    for path: RelativePath, _ status: FileStatus, _ track: Track, _ writers: Writers,
    at now: Double
  ) -> Double {
    let past = spacing[path] ?? Spacing()
    let pause = past.lastSave + past.pause(isOpen: writers == .some) - now
    if pause > 0 { return pause }
    let sighting = SettleRule.Sighting(
      quiet: now - track.last, isClosed: track.isClosed, writers: writers,
      savedSize: track.sizeBefore, size: status.size)
    let delay = rules.file.delay(for: sighting)
    if delay == 0 { return 0 }
    // Nobody is waited for without end.
    let patience = (track.unsavedSince ?? now) + rules.settleLimit - now
    if patience <= 0, status.size > 0 || track.sizeBefore == 0 || writers != .some { return 0 }
    return delay ?? min(1, max(0.1, patience))
  }

  // MARK: After a save

  /// Notes that a batch was saved.
  ///
  /// - Parameter left: Paths that the save left for the next time, as they were changing.
  package func saved(_ batch: Batch, left: Set<RelativePath> = [], at now: Double) {
    for place in batch.places {
      guard var track = tracks[place] else { continue }
      let path = place.path
      let isOpen = batch.openFiles.contains(path)
      if let size = batch.sizes[path], !left.contains(path) {
        spacing[path, default: Spacing()].saved(bytes: size, isOpen: isOpen, at: now)
      }
      track.notBefore = left.contains(path) ? now + 1 : -.infinity
      track.origin = nil
      // What came after the probe shows at the look that its event asks for.
      if !left.contains(path) { track.unsavedSince = nil }
      track.sizeBefore = place.folder.files[place.name]?.size ?? 0
      if !place.folder.holds(place.name) { track.missingSince = nil }
      tracks[place] = track
      if track.unsavedSince == nil, track.lookDue == nil, track.missingSince == nil {
        tracks[place] = nil
      }
    }
    prune(at: now)
  }

  /// Notes that everything was saved by other means, such as a scan of the whole disk.
  package func savedAll(before time: Double, left: Set<RelativePath> = []) {
    for (place, track) in tracks where track.unsavedSince != nil && track.last <= time {
      guard place.folder.isAttached, !left.contains(place.path) else { continue }
      tracks[place]?.unsavedSince = nil
      tracks[place]?.notBefore = -.infinity
      tracks[place]?.origin = nil
      tracks[place]?.sizeBefore = place.folder.files[place.name]?.size ?? 0
      let isGone = !place.folder.holds(place.name)
      if isGone { tracks[place]?.missingSince = nil }
      if track.lookDue == nil, track.missingSince == nil || isGone { tracks[place] = nil }
    }
  }

  /// Notes that a save failed: the same is tried again, not before `time`.
  package func failed(_ batch: Batch, retryAt time: Double) {
    for place in batch.places { tracks[place]?.notBefore = time }
  }

  /// Notes that paths wait to be saved, though no event says so.
  package func remember(_ paths: [RelativePath], at now: Double) {
    for path in paths {
      guard let folder = root.folder(at: path.parent) else { continue }
      markUnsaved(Place(folder, Array(path.name)), at: now)
    }
  }

  /// Has everything asked for again soon: what was in the way may be over.
  package func hasten(to time: Double) {
    for (place, track) in tracks where track.notBefore > time { tracks[place]?.notBefore = time }
  }

  private func prune(at now: Double) {
    if spacing.count < 1000 { return }
    spacing = spacing.filter { now - $0.value.lastSave < 86400 }
  }
}

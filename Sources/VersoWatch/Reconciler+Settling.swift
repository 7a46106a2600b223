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
    /// What was seen to be renamed, by the paths of the last save and of now; a folder stands for all
    /// that is below it.
    package let renames: [(old: RelativePath, new: RelativePath)]
    /// Those that were being written.
    let busy: Set<Place>
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
  package var hasUnsaved: Bool { tracks.all.values.contains { $0.unsavedSince != nil } }

  /// The paths that wait to be saved, sorted.
  package var unsavedPaths: [RelativePath] {
    tracks.all.compactMap { place, track in
      place.folder.isAttached && track.unsavedSince != nil ? place.path : nil
    }.sorted()
  }

  /// The paths that wait to be saved, and those of which an event says that they may.
  package var restlessPaths: [RelativePath] {
    tracks.all.compactMap { place, track in
      let isRestless = track.unsavedSince != nil || track.lookDue != nil
      return isRestless && place.folder.isAttached ? place.path : nil
    }
  }

  /// Paths that get fewer versions than they have changes, as these would fill the history; sorted.
  package func spacedOut(at now: Double) -> [RelativePath] {
    spacing.compactMap { place, past in
      let isSpaced = past.isOverBudget && !past.isOver(at: now) && place.folder.isAttached
      return isSpaced ? place.path : nil
    }.sorted()
  }

  /// When what waits may be saved; `nil` where nothing waits.
  var settleDue: Double? {
    let due = min(burstDue, tracks.firstRetry())
    return due == .infinity ? nil : due
  }

  /// When the present burst of changes is over: nothing happened for a while, or it lasts too long.
  /// What was found busy before does not count: nobody else is kept waiting for it.
  private var burstDue: Double {
    let begin = tracks.burstBegin()
    if begin == .infinity { return .infinity }
    // What came where something went belongs to the same version.
    let rest = max(
      tracks.quietSince() + rules.settle, tracks.missingSince() + rules.deletionReady)
    return min(rest, begin + rules.settleLimit)
  }

  /// Whether it is time to probe what waits.
  package func isSettled(at now: Double) -> Bool {
    guard !isStarting, let due = settleDue else { return false }
    return due <= now
  }

  /// The places to probe before a save.
  ///
  /// - Parameter all: Whether the end is near: what has come to rest by itself waits for nothing else.
  package func placesToSettle(at now: Double, all: Bool = false) -> [Place] {
    let isBurstOver = burstDue <= now
    return tracks.all.compactMap { place, track in
      guard track.unsavedSince != nil, place.folder.isAttached else { return nil }
      let isDue = track.isHeldBack ? track.notBefore <= now : isBurstOver
      return isDue || all ? place : nil
    }
  }

  // MARK: Before a save

  /// What the probes say of each place.
  private struct Verdicts {
    var ready: Set<Place> = []
    var busy: Set<Place> = []
    /// Seconds to wait.
    var waits: [Place: Double] = [:]
    var openFiles: Set<Place> = []

    mutating func put(off place: Place, _ wait: Double) {
      ready.remove(place)
      waits[place] = wait
    }
  }

  /// Takes what the probes found.
  ///
  /// - Returns: What may be saved now; `nil` where nothing has come to rest.
  package func settle(_ probes: [(Place, Probe)], at now: Double) -> Batch? {
    for (place, probe) in probes { distrust(place, probe.sight, at: now) }
    handle(probes.map { ($0.0, $0.1.sight) }, at: now)
    var verdicts = Verdicts()
    for (place, probe) in probes {
      guard let track = tracks[place], track.unsavedSince != nil, place.folder.isAttached else {
        continue
      }
      let (wait, isBusy) = waiting(for: place, track, probe, at: now)
      if wait > 0 {
        verdicts.put(off: place, wait)
      } else {
        verdicts.ready.insert(place)
        if isBusy { verdicts.busy.insert(place) }
        if probe.writers == .some { verdicts.openFiles.insert(place) }
      }
    }
    putOffWholes(&verdicts, at: now)
    // What one of them puts off may be half of what the other one is about.
    var ready = -1
    while ready != verdicts.ready.count {
      ready = verdicts.ready.count
      putOffHalves(&verdicts, at: now)
      putOffParts(&verdicts, at: now)
    }
    for (place, wait) in verdicts.waits { tracks[place]?.notBefore = now + wait }
    return batch(verdicts)
  }

  /// A folder that is saved as one waits for what is being written in it.
  private func putOffWholes(_ verdicts: inout Verdicts, at now: Double) {
    let wholes = verdicts.ready.filter { place in
      place.folder.folders[place.name] != nil && !isOverdue(place, at: now)
    }
    if wholes.isEmpty { return }
    var busy: Set<ObjectIdentifier> = []
    func note(_ folder: LiveFolder) {
      var folder: LiveFolder? = folder
      while let there = folder, busy.insert(ObjectIdentifier(there)).inserted {
        folder = there.parent
      }
    }
    for (place, track) in tracks.all where !verdicts.ready.contains(place) {
      if track.unsavedSince != nil || track.lookDue != nil { note(place.folder) }
    }
    for folder in toList { note(folder) }
    for place in wholes {
      if let node = place.folder.folders[place.name], busy.contains(ObjectIdentifier(node)) {
        verdicts.put(off: place, rules.file.afterClose)
      }
    }
  }

  /// Both ends of a rename are saved, or none.
  private func putOffHalves(_ verdicts: inout Verdicts, at now: Double) {
    var pairs: [(origin: Place, place: Place)] = []
    // Those too that it is not the time to ask for yet.
    for (place, track) in tracks.all where track.unsavedSince != nil {
      if let origin = track.origin, tracks[origin]?.unsavedSince != nil, place.folder.isAttached,
        origin.folder.isAttached, !isOverdue(place, at: now)
      {
        pairs.append((origin, place))
      }
    }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for (origin, place) in pairs
      where verdicts.ready.contains(origin) != verdicts.ready.contains(place) {
        let other = verdicts.ready.contains(place) ? origin : place
        let pause = (tracks[other]?.notBefore ?? now) - now
        let wait = verdicts.waits[other] ?? max(0.1, min(pause, rules.settleLimit))
        verdicts.put(off: origin, wait)
        verdicts.put(off: place, wait)
        hasChanged = true
      }
    }
  }

  /// What lies in a folder that waits to be saved as one waits with it: a renamed note is to be one in
  /// history, too.
  private func putOffParts(_ verdicts: inout Verdicts, at now: Double) {
    var waits: [ObjectIdentifier: Double] = [:]
    for (place, track) in tracks.all where track.isWhole && track.unsavedSince != nil {
      guard !verdicts.ready.contains(place), let node = place.folder.folders[place.name] else {
        continue
      }
      waits[ObjectIdentifier(node)] = verdicts.waits[place] ?? max(0.1, track.notBefore - now)
    }
    if waits.isEmpty { return }
    for place in verdicts.ready where !isOverdue(place, at: now) {
      var folder: LiveFolder? = place.folder
      while let there = folder {
        if let wait = waits[ObjectIdentifier(there)] {
          verdicts.put(off: place, wait)
          break
        }
        folder = there.parent
      }
    }
  }

  private func isOverdue(_ place: Place, at now: Double) -> Bool {
    now - (tracks[place]?.unsavedSince ?? now) > rules.settleLimit
  }

  private func batch(_ verdicts: Verdicts) -> Batch? {
    var chosen: [(path: RelativePath, place: Place)] = []
    for place in verdicts.ready {
      if place.folder.folders[place.name] != nil, tracks[place]?.isWhole == false {
        // A new folder is nothing to save; what is in it is saved for itself.
        noteSaved(place)
      } else {
        chosen.append((place.path, place))
      }
    }
    if chosen.isEmpty { return nil }
    chosen.sort { $0.path < $1.path }
    return Batch(
      places: chosen.map(\.place), paths: chosen.map(\.path),
      openFiles: verdicts.openFiles.map(\.path).sorted(),
      renames: chosen.compactMap { path, place in
        origin(of: place).map { (old: $0.path, new: path) }
      }, busy: verdicts.busy)
  }

  /// Where what is at a place was when it was last saved; `nil` where it was not moved since.
  private func origin(of place: Place) -> Place? {
    var found: Place?
    var passed: Set<Place> = [place]
    while let next = tracks[found ?? place]?.origin, next.folder.isAttached,
      passed.insert(next).inserted
    {
      found = next
    }
    return found
  }

  /// A probe that sees something else than the last look: its event is on its way.
  private func distrust(_ place: Place, _ sight: Sight, at now: Double) {
    let isNews: Bool
    switch sight {
    case .file(let status, _):
      let now = LiveFile(status)
      // The loss of a second name makes no event here, and is no write.
      isNews =
        !(place.folder.files[place.name]?.isSame(apartFromNames: now) ?? false)
    case .absent: isNews = place.folder.holds(place.name) && tracks[place]?.missingSince == nil
    case .folder, .foreign, .hidden, .unreadable, .elsewhere: isNews = false
    }
    if isNews { tracks[place]?.last = now }
  }

  /// Seconds until a place may be saved, 0 for now, and whether it is being written.
  private func waiting(
    for place: Place, _ track: Track, _ probe: Probe, at now: Double
  ) -> (seconds: Double, isBusy: Bool) {
    let quiet = now - track.last
    // Nothing is known to be gone, or moved.
    if isSuspect, track.isWhole { return (1, false) }
    switch probe.sight {
    case .absent:
      if isSuspect { return (1, false) }
      // From its event on, so that it is saved with what else happened then.
      let since = min(track.missingSince ?? track.last, track.last)
      return (max(0, since + rules.deletionReady - now), false)
    case .foreign, .hidden, .unreadable: return (0, false)
    case .elsewhere: return (patience(track, at: now), false)
    case .folder: return (max(0, min(rules.settle, rules.file.afterClose) - quiet), false)
    case .file(let status, _):
      return waiting(for: place, status, track, probe.writers, at: now)
    }
  }

  private func waiting(
    for place: Place, _ status: FileStatus, _ track: Track, _ writers: Writers, at now: Double
  ) -> (seconds: Double, isBusy: Bool) {
    let sighting = SettleRule.Sighting(
      quiet: now - track.last, isClosed: track.isClosed, writers: writers,
      savedSize: track.sizeBefore, size: status.size)
    let delay = rules.file.delay(for: sighting)
    let isBusy = delay != 0
    let past = spacing[place] ?? Spacing()
    let pause = past.lastSave + past.pause(isBusy: isBusy) - now
    // A file that comes to rest earlier is saved then.
    if pause > 0 { return (past.isOverBudget ? pause : min(pause, delay ?? pause), isBusy) }
    guard isBusy else { return (0, false) }
    let left = (track.unsavedSince ?? now) + rules.settleLimit - now
    // Nobody is waited for without end, but who truncated a file and has it open will write.
    let isTruncated = status.size == 0 && track.sizeBefore > 0
    if left <= 0, !isTruncated || writers != .some { return (0, true) }
    if let delay { return (isTruncated ? delay : min(delay, left), true) }
    return (isTruncated ? patience(track, at: now) : min(1, left), true)
  }

  /// Seconds to the next probe of what may last: the longer it has lasted, the more.
  private func patience(_ track: Track, at now: Double) -> Double {
    min(60, max(1, (now - (track.unsavedSince ?? now)) / 4))
  }

  // MARK: After a save

  /// Notes that a batch was saved.
  ///
  /// - Parameter left: Paths that the save left for the next time, as they were changing.
  package func saved(_ batch: Batch, left: Set<RelativePath> = [], at now: Double) {
    for (place, path) in zip(batch.places, batch.paths) where !left.contains(path) {
      if let file = place.folder.files[place.name] {
        spacing[place, default: Spacing()].saved(
          bytes: file.size, isBusy: batch.busy.contains(place), at: now)
      }
      place.folder.folders[place.name]?.savedWhole = now
      noteSaved(place)
    }
    // Something in a folder that was saved as one: nothing else would ask for it again.
    for path in left {
      guard let folder = root.folder(at: path.parent), !path.isRoot else { continue }
      let place = Place(folder, Array(path.name))
      markUnsaved(place, at: now)
      tracks[place]?.notBefore = now + 1
    }
    prune(at: now)
  }

  /// Notes that all events from before the end of a save have been received since it was noted.
  ///
  /// What came to a place that had been found empty may have been saved, and be gone again when it is
  /// looked for: then nothing else would say that there is anything to save.
  package func doubtUnseen(of batch: Batch, at now: Double) {
    for place in batch.places { doubtUnseen(place, at: now) }
  }

  /// The same after a save by other means.
  package func doubtUnseen(where isCovered: (RelativePath) -> Bool, at now: Double) {
    for place in tracks.all.keys where place.folder.isAttached && isCovered(place.path) {
      doubtUnseen(place, at: now)
    }
  }

  private func doubtUnseen(_ place: Place, at now: Double) {
    guard place.folder.isAttached, !place.folder.holds(place.name) else { return }
    // Where events are lost, that of this place may be among them.
    guard let look = tracks[place]?.lookDue ?? (isSuspect ? now + 1 : nil) else { return }
    markUnsaved(place, at: now)
    tracks[place]?.notBefore = max(look, now + rules.lookAfterClose)
  }

  /// What came after the probe shows at the look that its event asks for.
  private func noteSaved(_ place: Place) {
    guard var track = tracks[place] else { return }
    track.notBefore = spacing[place]?.nextSave(atLeast: rules.settleLimit) ?? -.infinity
    track.origin = nil
    track.isWhole = false
    track.unsavedSince = nil
    track.sizeBefore = place.folder.files[place.name]?.size ?? 0
    if !place.folder.holds(place.name) { track.missingSince = nil }
    tracks[place] = track
    dropIfSaved(place)
  }

  /// Notes that everything was saved by other means, such as a scan of the whole disk.
  package func savedAll(before time: Double, left: Set<RelativePath> = []) {
    for (place, track) in tracks.all where track.unsavedSince != nil && track.last <= time {
      guard place.folder.isAttached, left.isEmpty || !left.contains(place.path) else { continue }
      noteSaved(place)
    }
  }

  /// Notes that a save failed: the same is tried again, not before `time`.
  package func failed(_ batch: Batch, retryAt time: Double) {
    for place in batch.places { tracks[place]?.notBefore = time }
  }

  /// Notes that paths wait to be saved, though no event says so.
  package func remember(_ paths: Set<RelativePath>, at now: Double) {
    for path in paths {
      guard let folder = root.folder(at: path.parent) else { continue }
      markUnsaved(Place(folder, Array(path.name)), at: now)
    }
  }

  /// Has everything asked for again soon: what was in the way may be over.
  package func hasten(to time: Double) {
    for (place, track) in tracks.all where track.notBefore > time {
      tracks[place]?.notBefore = time
    }
  }

  /// Keeps only those that are large or busy, once they are many.
  private func prune(at now: Double) {
    if spacing.count < spacingLimit { return }
    spacing = spacing.filter { place, past in
      !past.isOver(at: now) && place.folder.isAttached
        && (past.busySaves > 0 || past.bytesOfDay > Spacing.bytesPerDay / 100)
    }
    spacingLimit = max(1000, 2 * spacing.count)
  }
}

import VersoModel

/// Makes of events, looks at the disk and the time what has changed, and when it may be saved.
///
/// An event says only "look here". The reconciler says where to look and when; what the looks find is
/// compared with what was last seen. It does nothing itself: it neither reads a clock nor touches a
/// disk, so every case can be told to it. Not `Sendable`: one thread at a time.
///
/// One round: ``receive(_:at:)`` → ``takeListings()`` and ``takeLooks(at:)`` → the caller looks →
/// ``handle(_:at:)`` → ``takeChanges()``; when ``isSettled(at:)``: ``placesToSettle(at:)`` → the caller
/// probes → ``settle(_:at:)`` → the caller saves → ``saved(_:left:at:)``.
package final class Reconciler {
  /// Seconds.
  package struct Rules: Sendable {
    /// How long nothing may happen before a save.
    package var settle = 2.0
    /// How long a save waits at most for that, counted from the first change.
    package var settleLimit = 30.0
    /// When to look after a close, a rename, a creation; and after a write that no close followed.
    package var lookAfterClose = 0.03
    package var lookAfterWrite = 0.3
    /// When to look at the latest, however busy the place is.
    package var lookLimit = 1.0
    /// How long something must be gone before the model says so, and before that is saved.
    package var deletionVisible = 1.0
    package var deletionReady = 2.0
    /// How long no event may come before everything is listed again after a lost one; and how long
    /// that waits at most, for a log that is written without end.
    package var rescanQuiet = 0.2
    package var rescanLimit = 2.0
    package var file = SettleRule()

    package init() {}
  }

  /// What went on, in numbers.
  package struct Counters: Hashable, Sendable {
    package var events = 0
    package var overflows = 0
    package var rescans = 0
    /// Changes that a periodic look found and no event had told.
    package var missed = 0

    package init() {}
  }

  package var rules: Rules
  package let root = LiveFolder()
  package internal(set) var counters = Counters()

  var watches: [Int32: LiveFolder] = [:]
  /// Watches that were ended, of which late events may still come.
  var retired: Set<Int32> = []
  var endedWatches: Set<Int32> = []
  var tracks = TrackTable()
  /// The first halves of renames that wait for the second, by cookie.
  private var departures: [UInt32: Place] = [:]
  /// What is gone since a moment, and may turn up elsewhere.
  var missing: [FileIdentity: Place] = [:]
  var toList: [LiveFolder] = []
  var awaitedListings = 0
  /// What listings have found that others were asked for together with.
  var openRound: Round?
  var log = ChangeLog()
  var spacing: [Place: Spacing] = [:]
  var spacingLimit = 1000
  var hasDetached = false
  /// What is now known of files with several names; `nil` for those that lost the name by which they
  /// may have been written last.
  var changedUnderNames: [FileIdentity: LiveFile?] = [:]

  /// Whether events may have been lost: nothing is known to be gone until all is listed again.
  package private(set) var isSuspect = false
  private var rescan = Rescan()
  /// Whether the first listing of everything is not complete.
  package private(set) var isStarting = true
  /// Whether something happened to the root itself: its identity is to be checked.
  package var doubtsRoot = false

  /// When everything is to be listed again.
  private struct Rescan {
    var due: Double?
    /// Not before, however quiet it is; and then, however noisy.
    var earliest = 0.0
    var latest = 0.0
    var isRunning = false
    /// When the last one ended, and how long it was put off: longer each time that events are lost
    /// again at once.
    var ended = -Double.infinity
    var delay = 0.0
  }

  package init(rules: Rules = Rules()) {
    self.rules = rules
    request(root)
  }

  // MARK: Events

  package func receive(_ events: [WatchEvent], at now: Double) {
    counters.events += events.count
    if rescan.due != nil, !events.isEmpty {
      rescan.due = max(rescan.earliest, min(now + rules.rescanQuiet, rescan.latest))
    }
    for event in events { receive(event, at: now) }
  }

  private func receive(_ event: WatchEvent, at now: Double) {
    if event.mask.contains(.overflowed) {
      counters.overflows += 1
      return suspect(at: now)
    }
    guard let folder = watches[event.watch] else {
      if event.mask.contains(.ignored) {
        retired.remove(event.watch)
      } else if !retired.contains(event.watch) {
        suspect(at: now)
      }
      return
    }
    if event.mask.contains(.ignored) || event.name.isEmpty {
      return receiveOfItself(event, folder, at: now)
    }
    let place = Place(folder, event.name)
    if event.mask.contains(.movedFrom) {
      // Those that left the tree are never asked for again.
      if departures.count > 4096 { departures = [:] }
      departures[event.cookie] = place
    }
    touch(place, event.mask, at: now)
    if event.mask.contains(.movedTo), let from = departures.removeValue(forKey: event.cookie) {
      if event.mask.contains(.isFolder) { move(from, to: place, at: now) }
      if from != place { tracks[place]?.companion = from }
    }
  }

  /// An event of a watched folder itself.
  private func receiveOfItself(_ event: WatchEvent, _ folder: LiveFolder, at now: Double) {
    if event.mask.contains(.ignored) {
      watches[event.watch] = nil
      folder.watch = nil
      // Should the same folder be found again, then only by a listing that watches it.
      folder.isListed = false
    }
    let isLoss: WatchEvent.Mask = [.ignored, .selfDeleted, .selfMoved, .unmounted]
    if folder === root {
      if !event.mask.isDisjoint(with: isLoss) { doubtsRoot = true }
    } else if let parent = folder.parent {
      touch(Place(parent, folder.name), event.mask, at: now)
    }
    if event.mask.contains(.attributes) {
      request(folder)
      // It may have become readable, and so what is below it.
      folder.forEach { if !$0.isListed { request($0) } }
    }
  }

  private func touch(_ place: Place, _ mask: WatchEvent.Mask, at now: Double) {
    var track = tracks[place] ?? newTrack(place, at: now)
    if track.lookDue == nil { track.first = now }
    track.last = now
    if mask.contains(.modified) { track.isClosed = false }
    if !mask.isDisjoint(with: [.closed, .movedTo]) { track.isClosed = true }
    let isGone = !mask.isDisjoint(with: [.movedFrom, .deleted])
    let delay = track.isClosed || isGone ? rules.lookAfterClose : rules.lookAfterWrite
    track.lookDue = min(now + delay, max(now, track.first + rules.lookLimit))
    // Whatever it was held back for may be over.
    if isGone {
      track.notBefore = min(track.notBefore, now + rules.deletionReady)
    } else if !mask.isDisjoint(with: [.closed, .movedTo, .created]) {
      track.notBefore = min(track.notBefore, now + rules.file.afterClose)
    }
    tracks[place] = track
  }

  func newTrack(_ place: Place, at now: Double) -> Track {
    var track = Track(
      at: now, sizeBefore: place.folder.files[place.name]?.size ?? 0,
      isKnown: place.folder.holds(place.name))
    if !spacing.isEmpty, let past = spacing[place] {
      // A log that was found busy keeps nobody else waiting, this time.
      let ready = past.nextSave(atLeast: rules.settleLimit)
      if ready > now { track.notBefore = ready }
    }
    return track
  }

  /// Moves a folder at once: events from inside it come by its watch, and their paths are the new
  /// ones from here on.
  ///
  /// Where something is known at the new place (two folders that were exchanged), looks decide.
  private func move(_ from: Place, to place: Place, at now: Double) {
    guard from != place, from.folder.isAttached, let node = from.folder.folders[from.name],
      !node.contains(place.folder), !place.folder.holds(place.name)
    else { return }
    let oldPath = node.path
    if let identity = node.identity, missing[identity] == from { missing[identity] = nil }
    place.folder.adopt(node, as: place.name)
    log.rename(oldPath, to: place.path, isFolder: true)
    link(from, to: place, at: now)
  }

  // MARK: Doubt

  /// Notes that events may have been lost.
  package func suspect(at now: Double) {
    isSuspect = true
    if rescan.due != nil { return }
    let isAgain = rescan.isRunning || now - rescan.ended < 2 * max(1, rescan.delay)
    rescan.isRunning = false
    rescan.delay = isAgain ? min(60, max(1, rescan.delay * 2)) : 0
    rescan.earliest = now + max(rules.rescanQuiet, rescan.delay)
    rescan.latest = max(rescan.earliest, now + rules.rescanLimit)
    rescan.due = rescan.earliest
  }

  /// Forgets all watches, which went with a disk that was unmounted: everything is to be watched and
  /// listed again, and what seemed gone is not.
  package func restart(at now: Double) {
    watches = [:]
    retired = []
    endedWatches = []
    departures = [:]
    missing = [:]
    root.identity = nil
    root.forEach { folder in
      folder.watch = nil
      folder.isAwaited = false
      if !isStarting { folder.isListed = false }
    }
    toList = []
    awaitedListings = 0
    openRound = nil
    for (place, track) in tracks.all where track.missingSince != nil {
      tracks[place]?.missingSince = nil
      tracks[place]?.lookDue = now + rules.lookAfterWrite
    }
    isSuspect = true
    rescan = Rescan(due: now, earliest: now, latest: now)
    doubtsRoot = false
  }

  /// Asks for everything to be listed again, below a folder or everywhere.
  package func relist(_ folder: LiveFolder? = nil) {
    (folder ?? root).forEach { request($0) }
  }

  func request(_ folder: LiveFolder) {
    if folder.isAwaited { return }
    folder.isAwaited = true
    toList.append(folder)
  }

  // MARK: Work for the caller

  /// Folders to place a watch on and then to list, in this order.
  package func takeListings() -> [LiveFolder] {
    let folders = toList.filter(\.isAttached)
    for folder in toList { folder.isAwaited = false }
    toList = []
    awaitedListings += folders.count
    return folders
  }

  /// Places to look at now.
  ///
  /// - Parameter all: Whether those count too that should be left alone for a moment yet.
  package func takeLooks(at now: Double, all: Bool = false) -> [Place] {
    startRescan(at: now)
    var places: [Place] = []
    while true {
      let next = tracks.takeLook(at: all ? .infinity : now)
      if next.isEmpty { return places }
      places += next
    }
  }

  private func startRescan(at now: Double) {
    guard let due = rescan.due, due <= now else { return }
    rescan.due = nil
    rescan.isRunning = true
    counters.rescans += 1
    relist()
  }

  /// Called when every listing that was asked for has come back.
  func finishListings(at now: Double) {
    guard toList.isEmpty, awaitedListings == 0 else { return }
    if isStarting {
      isStarting = false
      // Who wants to know what is there begins with a snapshot.
      log.clear()
    }
    if rescan.isRunning {
      isSuspect = false
      rescan.isRunning = false
      rescan.ended = now
    }
  }

  /// Whether no look and no listing is due.
  package func nothingIsDue(at now: Double) -> Bool {
    if !toList.isEmpty { return false }
    if let due = rescan.due, due <= now { return false }
    return tracks.nextLookDue().map { $0 > now } ?? true
  }

  /// Says that so many listings will come that it did not ask for.
  package func expectListings(_ count: Int) { awaitedListings += count }

  /// Watches that nothing needs any more.
  package func takeEndedWatches() -> [Int32] {
    defer { endedWatches = [] }
    return Array(endedWatches)
  }

  /// The sum of what changed since the last call: removals, additions, renames, modifications.
  package func takeChanges() -> [LiveChange] { isStarting ? [] : log.take() }

  /// When something is to be done next, events or not; `nil` for never.
  package var nextDeadline: Double? { nextDeadline(savingFrom: -.infinity) }

  /// When something is to be done next; `nil` for never.
  ///
  /// - Parameter start: When the caller is ready to save again.
  package func nextDeadline(savingFrom start: Double) -> Double? {
    if !toList.isEmpty { return -.infinity }
    var next = min(rescan.due ?? .infinity, tracks.nextLookDue() ?? .infinity)
    if let due = settleDue { next = min(next, max(due, start)) }
    return next == .infinity ? nil : next
  }

  /// How many folders are watched, and how many there are.
  package var folderCounts: (watched: Int, all: Int) {
    var all = 0
    root.forEach { _ in all += 1 }
    return (watches.count, all)
  }
}

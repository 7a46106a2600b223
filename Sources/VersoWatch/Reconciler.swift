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
    /// How long no event may come before everything is listed again after a lost one.
    package var rescanQuiet = 0.2
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
  var tracks: [Place: Track] = [:]
  /// The first halves of renames that wait for the second, by cookie.
  private var departures: [UInt32: Place] = [:]
  /// What is gone since a moment, and may turn up elsewhere.
  var missing: [FileIdentity: Place] = [:]
  var toList: [LiveFolder] = []
  var awaitedListings = 0
  var changes: [LiveChange] = []
  var endedWatches: [Int32] = []
  var spacing: [RelativePath: Spacing] = [:]

  /// Whether events may have been lost: nothing is known to be gone until all is listed again.
  package private(set) var isSuspect = false
  private var rescanDue: Double?
  private var rescanDelay = 0.0
  private var isRescanning = false
  /// Whether the first listing of everything is not complete.
  package private(set) var isStarting = true
  /// Whether something happened to the root itself: its identity is to be checked.
  package var doubtsRoot = false

  package init(rules: Rules = Rules()) {
    self.rules = rules
    request(root)
  }

  // MARK: Events

  package func receive(_ events: [WatchEvent], at now: Double) {
    counters.events += events.count
    if isSuspect, !isRescanning, !events.isEmpty { rescanDue = now + rules.rescanQuiet }
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
    if event.mask.contains(.movedTo), let from = departures.removeValue(forKey: event.cookie),
      event.mask.contains(.isFolder)
    {
      move(from, to: place, at: now)
    }
    touch(place, event.mask, at: now)
  }

  /// An event of a watched folder itself.
  private func receiveOfItself(_ event: WatchEvent, _ folder: LiveFolder, at now: Double) {
    if event.mask.contains(.ignored) {
      watches[event.watch] = nil
      folder.watch = nil
    }
    let isLoss: WatchEvent.Mask = [.ignored, .selfDeleted, .selfMoved, .unmounted]
    if folder === root {
      if !event.mask.isDisjoint(with: isLoss) { doubtsRoot = true }
    } else if let parent = folder.parent {
      touch(Place(parent, folder.name), event.mask, at: now)
    }
    // It may have become readable.
    if event.mask.contains(.attributes) { request(folder) }
  }

  private func touch(_ place: Place, _ mask: WatchEvent.Mask, at now: Double) {
    var track = tracks[place] ?? newTrack(place, at: now)
    if track.lookDue == nil { track.first = now }
    track.last = now
    if mask.contains(.modified) { track.isClosed = false }
    if !mask.isDisjoint(with: [.closed, .movedTo]) { track.isClosed = true }
    if !mask.isDisjoint(with: [.created, .deleted, .movedFrom, .movedTo]) { track.isRenamed = true }
    let delay = track.isClosed ? rules.lookAfterClose : rules.lookAfterWrite
    track.lookDue = min(now + delay, max(now, track.first + rules.lookLimit))
    if mask.contains(.closed), track.notBefore > now + rules.file.afterClose {
      track.notBefore = now + rules.file.afterClose
    }
    tracks[place] = track
  }

  func newTrack(_ place: Place, at now: Double) -> Track {
    Track(at: now, sizeBefore: place.folder.files[place.name]?.size ?? 0)
  }

  /// Moves a folder at once: events from inside it come by its watch, and their paths are the new
  /// ones from here on.
  ///
  /// Where something is known at the new place (two folders that were exchanged), looks decide.
  private func move(_ from: Place, to place: Place, at now: Double) {
    guard from != place, let node = from.folder.folders[from.name], !node.contains(place.folder),
      !place.folder.holds(place.name)
    else { return }
    let oldPath = node.path
    place.folder.adopt(node, as: place.name)
    noteRename(of: oldPath, from: from, to: place, at: now)
  }

  // MARK: Doubt

  /// Notes that events may have been lost.
  package func suspect(at now: Double) {
    isSuspect = true
    rescanDelay = isRescanning || rescanDelay > 0 ? min(60, max(1, rescanDelay * 2)) : 0
    isRescanning = false
    rescanDue = now + max(rules.rescanQuiet, rescanDelay)
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
    }
    toList = []
    awaitedListings = 0
    for (place, track) in tracks where track.missingSince != nil {
      tracks[place]?.missingSince = nil
      tracks[place]?.lookDue = now + rules.lookAfterWrite
    }
    isSuspect = true
    isRescanning = false
    rescanDue = now
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
    var dead: [Place] = []
    var companions: [Place] = []
    var isRename = false
    for (place, track) in tracks {
      if !place.folder.isAttached {
        dead.append(place)
      } else if let due = track.lookDue {
        if all || due <= now {
          places.append(place)
          if track.isRenamed { isRename = true }
        } else if track.isRenamed, track.isClosed {
          companions.append(place)
        }
      }
    }
    // Both ends of a rename are seen at one moment, or it would look like two other things.
    if isRename { places += companions }
    for place in dead { tracks[place] = nil }
    for place in places {
      tracks[place]?.lookDue = nil
      tracks[place]?.isRenamed = false
    }
    return places
  }

  private func startRescan(at now: Double) {
    guard let due = rescanDue, due <= now else { return }
    rescanDue = nil
    isRescanning = true
    counters.rescans += 1
    relist()
  }

  /// Called when every listing that was asked for has come back.
  func finishListings() {
    guard toList.isEmpty, awaitedListings == 0 else { return }
    isStarting = false
    if isRescanning {
      isRescanning = false
      isSuspect = false
      rescanDelay = 0
    }
  }

  /// Whether no look and no listing is due.
  package func nothingIsDue(at now: Double) -> Bool {
    if !toList.isEmpty { return false }
    if let rescanDue, rescanDue <= now { return false }
    return !tracks.values.contains { track in track.lookDue.map { $0 <= now } ?? false }
  }

  /// Says that so many listings will come that it did not ask for.
  package func expectListings(_ count: Int) { awaitedListings += count }

  /// Watches that nothing needs any more.
  package func takeEndedWatches() -> [Int32] {
    defer { endedWatches = [] }
    return endedWatches
  }

  /// What changed since the last call: removals, additions, renames, modifications.
  package func takeChanges() -> [LiveChange] {
    defer { changes = [] }
    if changes.count < 2 { return changes }
    return changes.enumerated().sorted { a, b in
      (a.element.rank, a.offset) < (b.element.rank, b.offset)
    }.map(\.element)
  }

  /// When something is to be done next, events or not; `nil` for never.
  package var nextDeadline: Double? {
    if !toList.isEmpty { return -.infinity }
    var next = rescanDue ?? .infinity
    for track in tracks.values { if let due = track.lookDue { next = min(next, due) } }
    if let due = settleDue { next = min(next, due) }
    return next == .infinity ? nil : next
  }

  /// How many folders are watched, and how many there are.
  package var folderCounts: (watched: Int, all: Int) {
    var all = 0
    root.forEach { _ in all += 1 }
    return (watches.count, all)
  }
}

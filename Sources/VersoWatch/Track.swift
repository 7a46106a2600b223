/// What is going on at one place.
struct Track {
  /// When to look at it for the model; `nil` where no look is due.
  var lookDue: Double?
  /// The first event since the last look, and the last event of all.
  var first: Double
  var last: Double
  /// Whether the last write was followed by a close.
  var isClosed = true
  /// Whether something was known there when this began. Events of what nobody knows yet keep nobody
  /// waiting: most are of files that are ignored.
  let isKnown: Bool
  /// The first change that is not saved; `nil` where nothing is to be saved.
  var unsavedSince: Double?
  /// Bytes when it was last at rest.
  var sizeBefore: UInt64
  /// Since when nothing is there.
  var missingSince: Double?
  /// Whether the folder that it is in was not at its path when it was looked for: what turns up
  /// elsewhere may have been here.
  var isLost = false
  /// Not to be asked for again before; while this is set, nothing else waits for it to rest.
  var notBefore = -Double.infinity
  /// Whether all below it is to be saved with it: a folder that came, went or was replaced as one.
  var isWhole = false
  /// The place it was renamed from: both are saved together.
  var origin: Place?
  /// The place an event says it was moved from: both are looked at together.
  var companion: Place?
  /// The time under which it stands in the queue of looks.
  fileprivate(set) var queued: Double?

  init(at now: Double, sizeBefore: UInt64, isKnown: Bool) {
    first = now
    last = now
    self.sizeBefore = sizeBefore
    self.isKnown = isKnown
  }

  var isHeldBack: Bool { notBefore > -.infinity }

  /// What it says of the present burst of changes: since when something waits, the last
  /// event, and since when it is missing.
  fileprivate var burst: (since: Double, last: Double, missing: Double)? {
    if isHeldBack { return nil }
    if let unsavedSince { return (unsavedSince, last, missingSince ?? -.infinity) }
    return isKnown && lookDue != nil ? (.infinity, last, -.infinity) : nil
  }

  fileprivate var retry: Double? { unsavedSince != nil && isHeldBack ? notBefore : nil }
}

/// All tracks, with the few sums over them that every round of the loop asks for.
///
/// There may be a million of them after an archive was unpacked, so none of the questions goes through
/// all: what comes next stands in a heap, sums are kept while they can be.
struct TrackTable {
  private var tracks: [Place: Track] = [:]
  private var queue = Heap()
  private var sums = Sums()
  private var isStale = false

  private struct Sums {
    /// The first change that is not saved, and the last event, of what is not held back.
    var begin = Double.infinity
    var quietSince = -Double.infinity
    /// Since when the last of what is missing is.
    var missingSince = -Double.infinity
    /// When to ask again for the first of what is held back.
    var retry = Double.infinity
  }

  subscript(place: Place) -> Track? {
    get { tracks[place] }
    set {
      guard var track = newValue else {
        if let old = tracks.removeValue(forKey: place) { leave(old, for: nil) }
        return
      }
      if let due = track.lookDue, due < track.queued ?? .infinity {
        queue.insert(due, place)
        track.queued = due
      }
      if let old = tracks.updateValue(track, forKey: place) { leave(old, for: track) }
      enter(track)
    }
  }

  var all: [Place: Track] { tracks }

  /// Drops all tracks of folders that are not in the tree any more.
  mutating func dropDetached() {
    for (place, track) in tracks {
      if !place.folder.isAttached {
        self[place] = nil
      } else if let origin = track.origin, !origin.folder.isAttached {
        // What was moved out of a folder that is gone now goes to history together with that.
        self[place]?.origin = origin.folder.wentWith
      }
    }
  }

  // MARK: Looks

  /// The place to look at next, and when.
  private mutating func nextLook() -> (due: Double, place: Place)? {
    while let next = queue.first {
      if let track = tracks[next.place], track.queued == next.due {
        if track.lookDue == next.due { return next }
        tracks[next.place]?.queued = track.lookDue
        if let due = track.lookDue { queue.insert(due, next.place) }
      }
      queue.removeFirst()
    }
    return nil
  }

  mutating func nextLookDue() -> Double? { nextLook()?.due }

  /// Takes a place out of those to look at now, and what was moved from elsewhere with its source.
  mutating func takeLook(at now: Double) -> [Place] {
    guard let next = nextLook(), next.due <= now else { return [] }
    queue.removeFirst()
    tracks[next.place]?.queued = nil
    var places = [next.place]
    // And so on: what came to the source may have been moved there in turn.
    var last = next.place
    while let other = tracks[last]?.companion, tracks[other]?.lookDue != nil,
      !places.contains(other)
    {
      places.append(other)
      last = other
    }
    for place in places { self[place]?.lookDue = nil }
    return places
  }

  // MARK: Sums

  private mutating func enter(_ track: Track) {
    if let burst = track.burst {
      sums.begin = min(sums.begin, burst.since)
      sums.quietSince = max(sums.quietSince, burst.last)
      sums.missingSince = max(sums.missingSince, burst.missing)
    }
    if let retry = track.retry { sums.retry = min(sums.retry, retry) }
  }

  /// What went may have been the one that decided.
  private mutating func leave(_ old: Track, for new: Track?) {
    if let burst = old.burst {
      let now = new?.burst
      if burst.since == sums.begin, burst.since < now?.since ?? .infinity { isStale = true }
      if burst.last == sums.quietSince, burst.last > now?.last ?? -.infinity { isStale = true }
      if burst.missing == sums.missingSince, burst.missing > now?.missing ?? -.infinity {
        isStale = true
      }
    }
    if let retry = old.retry, retry == sums.retry, retry < new?.retry ?? .infinity {
      isStale = true
    }
  }

  private mutating func refresh() {
    if !isStale { return }
    sums = Sums()
    isStale = false
    for track in tracks.values { enter(track) }
  }

  /// The first change that is not saved, of what is not held back; infinity where there is none.
  mutating func burstBegin() -> Double {
    refresh()
    return sums.begin
  }

  /// The last event of what is not held back.
  mutating func quietSince() -> Double {
    refresh()
    return sums.quietSince
  }

  /// Since when the last of what is missing is, of what is not held back.
  mutating func missingSince() -> Double {
    refresh()
    return sums.missingSince
  }

  /// When to ask again for the first of what is held back; infinity for never.
  mutating func firstRetry() -> Double {
    refresh()
    return sums.retry
  }
}

/// Places by time, the earliest first.
private struct Heap {
  private var items: [(due: Double, place: Place)] = []

  var first: (due: Double, place: Place)? { items.first }

  mutating func insert(_ due: Double, _ place: Place) {
    items.append((due, place))
    var child = items.count - 1
    while child > 0, items[child].due < items[(child - 1) / 2].due {
      items.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = items.popLast(), !items.isEmpty else { return }
    items[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
        if items[child].due < items[least].due { least = child }
      }
      if least == parent { return }
      items.swapAt(parent, least)
      parent = least
    }
  }
}

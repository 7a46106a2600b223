/// What is going on at one place.
struct Track {
  /// When to look at it for the model; `nil` where no look is due.
  var lookDue: Double?
  /// The first event since the last look, and the last event of all.
  var first: Double
  var last: Double
  /// Whether the last write was followed by a close.
  var isClosed = true
  /// The first change that is not saved; `nil` where nothing is to be saved.
  var unsavedSince: Double?
  /// Bytes when it was last at rest.
  var sizeBefore: UInt64
  /// Since when nothing is there.
  var missingSince: Double?
  /// Not to be asked for again before.
  var notBefore = -Double.infinity
  /// Whether a name came or went since the last look.
  var isRenamed = false
  /// The place it was renamed from: both are saved together.
  var origin: Place?

  init(at now: Double, sizeBefore: UInt64) {
    first = now
    last = now
    self.sizeBefore = sizeBefore
  }
}

/// Keeps files that never rest from filling the history.
struct Spacing {
  /// Versions in which a writer had the file open.
  private(set) var openSaves = 0
  private(set) var lastSave = -Double.infinity
  private var dayStart = -Double.infinity
  private var bytesOfDay: UInt64 = 0

  static let bytesPerDay: UInt64 = 100 << 20
  static let longestPause = 1800.0

  /// Seconds from the last version to the next.
  func pause(isOpen: Bool) -> Double {
    if bytesOfDay > Self.bytesPerDay { return Self.longestPause }
    guard isOpen, openSaves >= 3 else { return 0 }
    return min(Self.longestPause, 60 * Double(1 << min(openSaves - 3, 5)))
  }

  var isOverBudget: Bool { bytesOfDay > Self.bytesPerDay }

  mutating func saved(bytes: UInt64, isOpen: Bool, at now: Double) {
    if now - dayStart > 86400 { (dayStart, bytesOfDay) = (now, 0) }
    bytesOfDay += bytes
    lastSave = now
    openSaves = isOpen ? openSaves + 1 : 0
  }
}

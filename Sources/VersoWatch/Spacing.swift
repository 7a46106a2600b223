/// Keeps files that never rest from filling the history.
struct Spacing {
  /// Versions that were taken although the file was being written, one after another.
  private(set) var busySaves = 0
  private(set) var lastSave = -Double.infinity
  private(set) var bytesOfDay: UInt64 = 0
  private var dayStart = -Double.infinity

  static let bytesPerDay: UInt64 = 100 << 20
  static let longestPause = 1800.0

  /// Seconds from the last version to the next.
  func pause(isBusy: Bool) -> Double {
    if isOverBudget { return Self.longestPause }
    guard isBusy, busySaves >= 3 else { return 0 }
    return min(Self.longestPause, 60 * Double(1 << min(busySaves - 3, 5)))
  }

  var isOverBudget: Bool { bytesOfDay > Self.bytesPerDay }

  /// When to ask again for a file that was busy the last time; the distant past for one that was not.
  func nextSave(atLeast least: Double) -> Double {
    if busySaves == 0, !isOverBudget { return -.infinity }
    return lastSave + max(least, pause(isBusy: true))
  }

  mutating func saved(bytes: UInt64, isBusy: Bool, at now: Double) {
    if now - dayStart > 86400 { (dayStart, bytesOfDay) = (now, 0) }
    bytesOfDay += bytes
    lastSave = now
    busySaves = isBusy ? busySaves + 1 : 0
  }

  /// Whether it has nothing to say by now.
  func isOver(at now: Double) -> Bool { now - lastSave > 86400 }
}

/// When a watcher synchronises: pure, by times that are given to it.
///
/// Soon after a save, now and then all the same, at once when the remote tells, and ever more seldom
/// while it cannot be reached. Times are seconds of the monotonic clock.
package struct SyncSchedule: Sendable {
  package struct Rules: Sendable {
    /// `verso.syncAfter`: from a save to the sync; `nil` for ``soon`` or ``later``.
    package var after: Double?
    /// `verso.syncEvery`: between two syncs at most; `nil` for never by itself.
    package var every: Double? = 300

    package init() {}
  }

  /// After a save, where the last sync is longer ago than ``rest``.
  static let soon = 0.5
  /// After a save, where one save follows the other.
  static let later = 5.0
  static let rest = 10.0
  /// Between two questions after the remote's tip, for as long as people work.
  static let pollInterval = 5.0
  /// How long after the last change people count as working.
  static let activity = 600.0
  /// Pauses after failures.
  static let firstPause = 5.0
  static let longestPause = 300.0

  package var rules: Rules
  private var lastSync: Double?
  private var lastChange: Double?
  private var lastPoll: Double?
  /// When something was saved that the remote lacks.
  private var savedAt: Double?
  private var isWanted = true
  private var isTold = false
  private var failures = 0
  private var failedAt: Double?
  /// A number from 0.75 to 1.25, so that devices do not all come at once.
  private var jitter = 1.0

  package init(rules: Rules = Rules()) { self.rules = rules }

  // MARK: What happens

  /// Something was saved here.
  package mutating func saved(at now: Double) {
    savedAt = savedAt ?? now
    lastChange = now
  }

  /// The remote has something new, or may have: it told, the network came back, somebody asked.
  package mutating func wanted() {
    isWanted = true
    failedAt = nil
  }

  /// The remote's branches may have changed: worth a question.
  package mutating func told() { isTold = true }

  /// The machine has another address: a remote that was out of reach may be there now.
  package mutating func networkChanged() {
    if failedAt != nil { wanted() }
  }

  /// Whether something was saved that no sync has taken along.
  package var hasUnsent: Bool { savedAt != nil }

  /// A sync went well.
  ///
  /// - Parameter gotSomething: Whether versions of others came.
  package mutating func succeeded(at now: Double, gotSomething: Bool, jitter: Double = 1) {
    (isWanted, isTold, savedAt, failures, failedAt) = (false, false, nil, 0, nil)
    (lastSync, lastPoll, self.jitter) = (now, now, jitter)
    if gotSomething { lastChange = now }
  }

  package mutating func failed(at now: Double, jitter: Double = 1) {
    failures += 1
    (failedAt, lastSync, self.jitter) = (now, now, jitter)
    (isWanted, lastPoll) = (true, now)
  }

  /// The remote was asked whether it has anything new.
  package mutating func polled(at now: Double) { (lastPoll, isTold) = (now, false) }

  // MARK: What is due

  /// When to synchronise; `nil` for not before something happens.
  package var syncDue: Double? {
    if let failedAt {
      let pause = min(Self.longestPause, Self.firstPause * Double(1 << min(failures - 1, 10)))
      return failedAt + pause * jitter
    }
    var due: Double?
    if isWanted { due = lastSync ?? 0 }
    if let savedAt {
      let isRested = lastSync.map { savedAt - $0 > Self.rest } ?? true
      let pause = rules.after ?? (isRested ? Self.soon : Self.later)
      due = min(due ?? .infinity, savedAt + pause)
    }
    if let every = rules.every, let lastSync {
      due = min(due ?? .infinity, lastSync + every * jitter)
    }
    return due
  }

  /// When to ask the remote for its tip, which costs little where a connection is open; `nil` for not
  /// now.
  package func pollDue(at now: Double) -> Double? {
    if isTold, failedAt == nil { return now }
    guard failedAt == nil, rules.every != nil, let lastPoll, let lastChange,
      now - lastChange < Self.activity
    else { return nil }
    return lastPoll + Self.pollInterval
  }
}

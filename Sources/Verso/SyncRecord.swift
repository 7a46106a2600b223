import VersoModel

/// How the synchronisation of a vault has gone: what `status --max-age` and `sync --grace` go by.
///
/// Times are seconds since 1970 by this machine's clock. In a vault without a remote, where `sync` is
/// `save`, a save of everything counts.
package struct SyncRecord: Hashable, Sendable {
  /// Why an attempt failed.
  package struct Failure: Hashable, Sendable {
    package let code: VersoError.Code
    /// One line.
    package let message: String

    package init(_ code: VersoError.Code, _ message: String) {
      self.code = code
      self.message = message
    }

    package init(_ error: VersoError) { self.init(error.code, error.message) }
  }

  /// When it was tried last.
  package private(set) var attempted: Int64
  /// What went wrong then; `nil` where nothing did.
  package private(set) var failure: Failure?
  /// When it last went well; `nil` for never.
  package private(set) var succeeded: Int64?
  /// When the first attempt since then failed; `nil` where none did.
  package private(set) var failingSince: Int64?
  /// When an unreachable remote was last told of, since then; `nil` for not yet.
  package private(set) var reported: Int64?

  /// The record after an attempt that went well. What a person should look at, such as a new conflict
  /// copy, is no failure.
  package static func success(at now: Int64) -> SyncRecord {
    var record = SyncRecord(attempted: now)
    record.succeeded = now
    return record
  }

  /// The record after an attempt that failed.
  ///
  /// - Parameter earlier: The record before.
  package static func failure(
    _ failure: Failure, at now: Int64, after earlier: SyncRecord?
  ) -> SyncRecord {
    var record = SyncRecord(attempted: now)
    record.failure = failure
    record.succeeded = earlier?.succeeded
    // A clock that was set back must not make a failure begin in the future.
    record.failingSince = min(earlier?.failingSince ?? now, now)
    record.reported = earlier?.reported
    return record
  }

  /// The same record, after an unreachable remote was told of.
  package func reporting(at now: Int64) -> SyncRecord {
    var record = self
    record.reported = now
    return record
  }

  private init(attempted: Int64) { self.attempted = attempted }

  // MARK: On disk

  private static let head = "verso-sync 1"

  /// Lines of a word and its value; the message quoted as git quotes paths.
  package var encoded: [UInt8] {
    var text = Array("\(Self.head)\nattempted \(attempted)\n".utf8)
    for (word, time) in [
      ("succeeded", succeeded), ("failing", failingSince), ("reported", reported),
    ] {
      if let time { text += "\(word) \(time)\n".utf8 }
    }
    if let failure {
      text += "failure \(failure.code.rawValue) ".utf8
      text += QuotedPath.quote(failure.message.utf8) + [0x0A]
    }
    return text
  }

  /// Reads what ``encoded`` wrote; words that are not known mean nothing. `nil` for anything else.
  package init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard lines.first == Self.head, bytes.last == 0x0A else { return nil }
    var times: [Substring: Int64] = [:]
    for line in lines.dropFirst() {
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      if words.count == 3, words[0] == "failure",
        let message = QuotedPath.unquote(Array(words[2].utf8))
      {
        failure = Failure(
          VersoError.Code(rawValue: String(words[1])), String(decoding: message, as: UTF8.self))
      } else if words.count == 2 {
        times[words[0]] = Int64(words[1])
      }
    }
    guard let attempted = times["attempted"] else { return nil }
    self.attempted = attempted
    succeeded = times["succeeded"]
    failingSince = times["failing"]
    reported = times["reported"]
  }
}

extension Engine {
  /// How the last synchronisation went; `nil` where there was none, or nothing is known of it.
  package var lastSync: SyncRecord? { readOwn(OwnFile.synced).flatMap { SyncRecord($0) } }

  /// Notes how a synchronisation went.
  package func recordSync(_ record: SyncRecord) throws(VersoError) {
    try writeOwn(record.encoded, OwnFile.synced)
  }

  /// The remote in use, `verso.remote`; `nil` without one.
  package var usedRemote: String? { settings.remote }
}

/// Whether an unreachable remote is told of: `sync --grace`.
package enum GraceRule {
  package enum Decision: Hashable, Sendable {
    /// Nothing is said, and the command ends with 0.
    case silence
    /// A line is printed, and the command ends with 6; then ``SyncRecord/reporting(at:)``.
    case report
  }

  /// "A line a day" of a command that runs once a day, a little earlier or later each time.
  static let day: Int64 = 23 * 3600

  /// Decides about an attempt that could not reach the remote.
  ///
  /// Silent for so long since the first attempt that failed, then a report a day. Time spent asleep
  /// counts, but not before an attempt was made.
  ///
  /// - Parameters:
  ///   - record: As it is after the attempt.
  ///   - now: Seconds since 1970.
  ///   - grace: Seconds; 0 reports at once, once a day.
  package static func decide(_ record: SyncRecord, now: Int64, grace: Int64) -> Decision {
    let elapsed = now - (record.failingSince ?? now)
    if elapsed < grace { return .silence }
    // A report from the future is of a clock that was wrong.
    if let reported = record.reported, reported <= now, now - reported < day { return .silence }
    return .report
  }
}

/// Whether a vault was synchronised lately enough: `status --max-age`.
package enum AgeRule {
  /// When a vault was last known to be well.
  ///
  /// With a remote, the last good synchronisation. Without one, the last good save: a recorded one, a
  /// version, or the present, where there is nothing to save or somebody watches.
  package static func lastGood(
    _ report: StatusReport, _ record: SyncRecord?, hasRemote: Bool, now: Int64
  ) -> Int64? {
    if hasRemote { return record?.succeeded }
    let isWell =
      report.blocked == nil && report.held.isEmpty && report.pausedUntil == nil
      && (report.changes.isEmpty || report.watcher != nil)
    if isWell { return now }
    return [record?.succeeded, report.lastSave?.time].compactMap(\.self).max()
  }

  /// Whether that is too long ago. A time in the future, of a clock that was wrong, is.
  package static func isTooOld(_ time: Int64?, now: Int64, limit: Int64) -> Bool {
    guard let time else { return true }
    return now - time > limit || time > now + 600
  }
}

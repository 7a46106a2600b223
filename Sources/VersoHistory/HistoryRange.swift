/// Which part of a history is asked for.
package struct HistoryRange: Hashable, Sendable {
  /// Seconds since 1970 of the earliest commit wanted, that second included.
  package let since: Int64?
  /// Seconds since 1970 of the latest commit wanted, that second included.
  package let until: Int64?
  /// How many are wanted at most.
  package let limit: Int?

  /// Makes a range; by default it is everything.
  package init(since: Int64? = nil, until: Int64? = nil, limit: Int? = nil) {
    self.since = since
    self.until = until
    self.limit = limit
  }

  func contains(_ time: Int64) -> Bool { time >= since ?? .min && time <= until ?? .max }
}

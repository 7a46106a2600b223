package import VersoModel

/// What a person wrote to name a state of the past: the WHEN of every command.
package enum When: Hashable, Sendable {
  /// The last version at or before a time, in seconds since 1970.
  case time(Int64)
  /// So many versions of the path before its last one.
  case back(Int)
  /// The version whose id starts with these lower-case hexadecimal digits, 4 to 40 of them.
  case id(String)
  /// Anything `git rev-parse` may know; whether it does is for the repository to say.
  case revision(String)

  /// Which end of a day, month or year is meant.
  package enum Role: Sendable {
    /// The first second: `--since`, `--from`.
    case start
    /// The last second: `--at`, `--until`, `--to`.
    case end
  }

  /// Reads a WHEN.
  ///
  /// Dates, words and `ago` are looked for first, whatever branches and tags there are: digits that
  /// read as a date are a date. Upper and lower case are the same, except in revisions.
  ///
  /// - Parameters:
  ///   - text: What was written.
  ///   - role: Which end of a period is meant.
  ///   - now: The present, in seconds since 1970.
  ///   - zone: The clock that dates without a zone of their own go by.
  /// - Throws: ``WhenError`` where a date or time is impossible, such as `2026-02-30`, a number is
  ///   out of bounds, or the text can be neither a time nor a revision.
  package init(
    parsing text: String, role: Role, now: Int64, zone: CivilTime.Zone = .local
  ) throws(WhenError) {
    let reader = WhenReader(text: text, role: role, now: now, zone: zone)
    if let back = try reader.back() {
      self = .back(back)
    } else if let id = try reader.id() {
      self = .id(id)
    } else if let seconds = try reader.time() {
      self = .time(seconds)
    } else {
      self = .revision(try reader.revision())
    }
  }
}

/// The forms of a WHEN, one function each; `nil` means "not this form".
private struct WhenReader {
  let text: String
  let role: When.Role
  let now: Int64
  let zone: CivilTime.Zone

  func back() throws(WhenError) -> Int? {
    guard text.hasPrefix("~") else { return nil }
    let digits = text.dropFirst()
    if digits.isEmpty { return 1 }
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(digits) else {
      throw WhenError("'\(text)' names no version", hint: "write ~1 for the one before the last")
    }
    return count
  }

  func id() throws(WhenError) -> String? {
    guard text.hasPrefix("id:") else { return nil }
    let digits = text.dropFirst(3).lowercased()
    guard 4...40 ~= digits.utf8.count, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw WhenError("'\(text)' is no id", hint: "id: takes 4 to 40 hexadecimal digits")
    }
    return digits
  }

  func time() throws(WhenError) -> Int64? {
    if let word = word() { return word }
    if let span = try ago() { return span }
    return try DateReader(text: text, role: role, zone: zone).seconds()
  }

  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  private func word() -> Int64? {
    let today = CivilTime(now, in: zone).startOfDay
    switch text.lowercased() {
    case "now": return now
    case "today": return Period.day(today).seconds(role, zone)
    case "yesterday": return Period.day(today.adding(days: -1)).seconds(role, zone)
    case let name:
      guard let weekday = Self.weekdays.firstIndex(of: name) else { return nil }
      let daysBack = (today.weekday - weekday + 6) % 7 + 1
      return Period.day(today.adding(days: -Int64(daysBack))).seconds(role, zone)
    }
  }

  /// `3 hours ago`: seconds to hours are counted on the time line, days to years on the calendar, so
  /// that `2 days ago` keeps the clock time when summer time began in between.
  private func ago() throws(WhenError) -> Int64? {
    let words = text.lowercased().split(separator: " ")
    guard words.count == 3, words[2] == "ago" else { return nil }
    let unit = words[1].hasSuffix("s") ? words[1].dropLast() : words[1]
    let units = ["second", "minute", "hour", "day", "week", "month", "year"]
    guard units.contains(String(unit)) else {
      throw WhenError(
        "'\(text)' has an unknown unit", hint: "the units are \(units.joined(separator: "s, "))s")
    }
    let isOne = words[0] == "a" || words[0] == "an"
    guard isOne || words[0].allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw WhenError("'\(text)' has no number", hint: "write it in digits: 3 \(unit)s ago")
    }
    // Beyond what any history holds, and far from where calendar arithmetic would overflow.
    guard let count = isOne ? 1 : Int64(words[0]), let moment = before(count, unit) else {
      throw WhenError("'\(text)' is too long ago")
    }
    return moment
  }

  private func before(_ count: Int64, _ unit: Substring) -> Int64? {
    let spans: [Substring: Int64] = [
      "second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800,
      "month": 2_629_746, "year": 31_556_952,
    ]
    guard let span = spans[unit] else { return nil }
    let (length, overflow) = count.multipliedReportingOverflow(by: span)
    guard !overflow, length < 2_000 * 31_556_952 else { return nil }
    let clock = CivilTime(now, in: zone)
    switch unit {
    case _ where count == 0: return now
    case "day": return clock.adding(days: -count).seconds(in: zone)
    case "week": return clock.adding(days: -7 * count).seconds(in: zone)
    case "month": return clock.adding(months: -count).seconds(in: zone)
    case "year": return clock.adding(months: -12 * count).seconds(in: zone)
    default: return now - length
    }
  }

  /// A revision may hold spaces only where git has brackets or a path in it: `HEAD@{2 days ago}`,
  /// `:/fix the list`, `HEAD:my notes.md`.
  func revision() throws(WhenError) -> String {
    let forms = "2026-11-28, '2026-11-28 14:30', yesterday, monday, '3 hours ago', ~1"
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw WhenError("an empty text is no time", hint: "times look like \(forms)")
    }
    if text.prefix(while: { $0 != ":" && $0 != "{" }).contains(" ") {
      throw WhenError("'\(text)' reads as no time", hint: "times look like \(forms)")
    }
    return text
  }
}

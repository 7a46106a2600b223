import VersoModel

/// A day, month or year of the calendar.
enum Period {
  case day(CivilTime)
  case month(CivilTime)
  case year(CivilTime)

  /// The period's first or last second.
  ///
  /// Days are 23 or 25 hours long where clocks change, so the
  /// end is found as the start of what follows.
  func seconds(_ role: When.Role, _ zone: CivilTime.Zone) -> Int64 {
    switch (self, role) {
    case (.day(let first), .start), (.month(let first), .start), (.year(let first), .start):
      first.seconds(in: zone)
    case (.day(let first), .end): first.adding(days: 1).seconds(in: zone) - 1
    case (.month(let first), .end): first.adding(months: 1).seconds(in: zone) - 1
    case (.year(let first), .end): first.adding(months: 12).seconds(in: zone) - 1
    }
  }
}

/// Reads `2026`, `2026-11`, `20261128`, `2026-11-28`, and each full date with a time of day after a
/// space or `T`, with or without seconds, fractions (dropped) and a zone (RFC 3339).
struct DateReader {
  let text: String
  let role: When.Role
  let zone: CivilTime.Zone

  /// - Returns: `nil` where the text has the shape of no date.
  /// - Throws: ``WhenError`` where it has, but there is no such day or time.
  func seconds() throws(WhenError) -> Int64? {
    if let period = undashed() { return period.seconds(role, zone) }
    var scanner = DigitScanner(text)
    guard let year = scanner.number(digits: 4...4), scanner.take("-"),
      let month = scanner.number(digits: 1...2)
    else { return nil }
    var date = CivilTime(year: year, month: month)
    if scanner.isAtEnd {
      guard date.isValidDate else { throw noSuch("month") }
      return Period.month(date).seconds(role, zone)
    }
    guard scanner.take("-"), let day = scanner.number(digits: 1...2) else { return nil }
    date.day = day
    if scanner.isAtEnd {
      guard date.isValidDate else { throw noSuch("day") }
      return Period.day(date).seconds(role, zone)
    }
    guard scanner.take(" ") || scanner.take("T") || scanner.take("t") else { return nil }
    guard let time = clock(&scanner) else { return nil }
    guard date.isValidDate else { throw noSuch("day") }
    return try moment(on: date, time)
  }

  /// A year, or year, month and day in a row.
  ///
  /// Other digits, and those that make no day between 1970
  /// and 2099, may as well be an id, and are left to git.
  private func undashed() -> Period? {
    guard text.utf8.count == 4 || text.utf8.count == 8, text.allSatisfy(\.isASCII),
      text.allSatisfy(\.isNumber), let number = Int64(text)
    else { return nil }
    let year = text.utf8.count == 4 ? number : number / 10_000
    guard 1970...2099 ~= year else { return nil }
    if text.utf8.count == 4 { return .year(CivilTime(year: year)) }
    let date = CivilTime(year: year, month: number / 100 % 100, day: number % 100)
    return date.isValidDate ? .day(date) : nil
  }

  private struct Clock {
    var hour: Int64
    var minute: Int64
    var second: Int64 = 0
    var offset: Int64?
  }

  private func clock(_ scanner: inout DigitScanner) -> Clock? {
    guard let hour = scanner.number(digits: 1...2), scanner.take(":"),
      let minute = scanner.number(digits: 2...2)
    else { return nil }
    var clock = Clock(hour: hour, minute: minute)
    if scanner.take(":") {
      guard let second = scanner.number(digits: 2...2) else { return nil }
      clock.second = second
      if scanner.take(".") || scanner.take(",") {
        guard scanner.skipDigits() else { return nil }
      }
    }
    // `git log --date=iso` has a space here.
    _ = scanner.take(" ")
    if scanner.take("Z") || scanner.take("z") {
      clock.offset = 0
    } else if !scanner.isAtEnd {
      guard let offset = offset(&scanner) else { return nil }
      clock.offset = offset
    }
    return scanner.isAtEnd ? clock : nil
  }

  private func offset(_ scanner: inout DigitScanner) -> Int64? {
    let isWest = scanner.take("-")
    guard isWest || scanner.take("+"), let hours = scanner.number(digits: 2...2) else { return nil }
    _ = scanner.take(":")
    guard let minutes = scanner.number(digits: 2...2), hours < 24, minutes < 60 else { return nil }
    return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }

  private func moment(on date: CivilTime, _ clock: Clock) throws(WhenError) -> Int64 {
    // Only RFC 3339 knows leap seconds; the system's clock has none, and reads one as the next.
    let lastSecond: Int64 = clock.offset == nil ? 59 : 60
    guard clock.hour < 24, clock.minute < 60, clock.second <= lastSecond else {
      throw noSuch("time of day")
    }
    var time = date
    (time.hour, time.minute, time.second) = (clock.hour, clock.minute, clock.second)
    let zone = clock.offset.map(CivilTime.Zone.offset) ?? zone
    return time.seconds(in: zone, choosing: role == .start ? .earlier : .later)
  }

  private func noSuch(_ what: String) -> WhenError {
    WhenError(
      "there is no such \(what): '\(text)'", hint: "write YYYY-MM-DD, or 'YYYY-MM-DD HH:MM'")
  }
}

/// Reads digits and marks of an ASCII text from left to right.
private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: mark) else { return false }
    rest.removeFirst()
    return true
  }

  /// The number that the next digits make, as many as there are, but no more than allowed.
  mutating func number(digits: ClosedRange<Int>) -> Int64? {
    let found = rest.prefix(digits.upperBound).prefix(while: Self.isDigit)
    guard digits ~= found.count else { return nil }
    rest.removeFirst(found.count)
    return found.reduce(0) { $0 * 10 + Int64($1 & 15) }
  }

  mutating func skipDigits() -> Bool {
    let count = rest.prefix(while: Self.isDigit).count
    rest.removeFirst(count)
    return count > 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}

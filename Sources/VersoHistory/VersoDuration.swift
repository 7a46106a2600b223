/// A length of time as settings and options write it: `500ms`, `2s`, `5m`, `1h`, `7d`.
package struct VersoDuration: Hashable, Sendable, Comparable {
  /// The length; never negative, and a day is always 24 hours.
  package let milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// Reads a whole number and its unit; `0` needs none.
  ///
  /// - Throws: ``WhenError`` where there is anything else, or more than Verso can count.
  package init(parsing text: String) throws(WhenError) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard !digits.isEmpty else {
      throw WhenError(
        "'\(text)' is no length of time", hint: "write a number and a unit: 500ms, 2s, 5m, 1h, 7d")
    }
    if digits.allSatisfy({ $0 == "0" }) && unit.isEmpty {
      self.init(milliseconds: 0)
      return
    }
    guard !unit.isEmpty else {
      throw WhenError(
        "'\(text)' needs a unit", hint: "write \(text)s for seconds, or use ms, m, h or d")
    }
    guard let factor = Self.units.first(where: { $0.name == unit })?.milliseconds else {
      throw WhenError("'\(text)' has an unknown unit", hint: "the units are ms, s, m, h and d")
    }
    let (length, overflow) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: factor)
    guard !overflow, length <= Self.limit else { throw WhenError("'\(text)' is too long") }
    self.init(milliseconds: length)
  }

  /// About 285 years, so that a sum with the present time never overflows, not even in nanoseconds.
  private static let limit: Int64 = 9_000_000_000_000

  /// The value as Swift's clocks take it.
  package var duration: Duration { .milliseconds(milliseconds) }

  package static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}

extension VersoDuration: CustomStringConvertible {
  /// The shortest text that reads as the same length, such as `90s` or `2h`.
  package var description: String {
    guard milliseconds != 0 else { return "0s" }
    for (name, factor) in Self.units.reversed() where milliseconds % factor == 0 {
      return "\(milliseconds / factor)\(name)"
    }
    return "\(milliseconds)ms"
  }
}

import Glibc

/// A regular expression that a line of a note is held against (`grep -E`: regex(7), extended, case
/// does not count).
///
/// Characters are those of UTF-8, whatever the locale of the process, which is left as it is.
package final class LinePattern {
  private var compiled = regex_t()
  private let locale: locale_t

  /// What is wrong with a pattern.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  package init(_ pattern: String) throws(Failure) {
    guard !pattern.utf8.contains(0) else { throw Failure(description: "it holds a NUL byte") }
    // LC_CTYPE_MASK is a macro with a shift, which Swift does not import.
    guard let made = newlocale(1 << LC_CTYPE, "C.UTF-8", nil) else {
      throw Failure(description: "the locale C.UTF-8 is missing")
    }
    locale = made
    let status = Self.inLocale(made) {
      regcomp(&compiled, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB)
    }
    if status == 0 { return }
    var text = [CChar](repeating: 0, count: 200)
    let length = regerror(status, &compiled, &text, text.count)
    let bytes = text.prefix(max(0, min(length, text.count) - 1)).map { UInt8(bitPattern: $0) }
    throw Failure(description: String(decoding: bytes, as: UTF8.self))
  }

  deinit {
    regfree(&compiled)
    freelocale(locale)
  }

  private static func inLocale<Result>(_ locale: locale_t, _ body: () -> Result) -> Result {
    let before = uselocale(locale)
    defer { uselocale(before) }
    return body()
  }

  /// Whether a line fits; one with a NUL byte is looked at up to there.
  package func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    Self.inLocale(locale) { holds(line) }
  }

  private func holds(_ line: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: line.count + 1) { buffer in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: line)
      buffer[line.count] = 0
      guard let text = buffer.baseAddress else { return false }
      return regexec(&compiled, text, 0, nil, 0) == 0
    }
  }

  /// How many lines fit.
  package func count(in text: [UInt8]) -> Int {
    Self.inLocale(locale) {
      var count = 0
      TextLines.forEach(in: text) { line, _ in if holds(line) { count += 1 } }
      return count
    }
  }

  /// The number of the first line that fits, from 1; `nil` where none does.
  package func firstLine(of text: [UInt8]) -> Int? {
    Self.inLocale(locale) {
      var first: Int?
      TextLines.forEach(in: text) { line, number in
        if first == nil, holds(line) { first = number + 1 }
      }
      return first
    }
  }
}

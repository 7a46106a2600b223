import Glibc

/// A line of a note, without its line end: bytes, shared with the text that it is part of.
struct TextLine: Hashable, Comparable {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static func == (a: TextLine, b: TextLine) -> Bool { order(a, b) == 0 }
  static func < (a: TextLine, b: TextLine) -> Bool { order(a, b) < 0 }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  private static func order(_ a: TextLine, _ b: TextLine) -> Int {
    a.bytes.withUnsafeBytes { left in
      b.bytes.withUnsafeBytes { right in
        let shared = min(left.count, right.count)
        if shared > 0, let first = left.baseAddress, let second = right.baseAddress {
          let order = memcmp(first, second, shared)
          if order != 0 { return Int(order) }
        }
        return left.count - right.count
      }
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Whether the line has nothing but white space.
  var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

  /// The line without white space at its end.
  var withoutTail: ArraySlice<UInt8> {
    var rest = bytes
    while let last = rest.last, Self.isSpace(last) { rest.removeLast() }
    return rest
  }

  /// Whether the line is an item of a list, a row of a table or an entry that starts with a clock
  /// time: what stands one after another without blank lines.
  var isListItem: Bool {
    let rest = bytes.drop(while: Self.isSpace)
    if rest.first == UInt8(ascii: "|") { return true }
    if let first = rest.first, "-*+".utf8.contains(first) {
      if let next = rest.dropFirst().first, Self.isSpace(next) { return true }
    }
    let number = rest.prefix(while: Self.isDigit)
    if !number.isEmpty {
      let after = rest.dropFirst(number.count)
      if let mark = after.first, mark == UInt8(ascii: ".") || mark == UInt8(ascii: ")"),
        let next = after.dropFirst().first, Self.isSpace(next)
      {
        return true
      }
    }
    let clock = bytes.first == UInt8(ascii: "[") ? bytes.dropFirst() : bytes
    let digits = Array(clock.prefix(5))
    return digits.count == 5 && digits[2] == UInt8(ascii: ":")
      && [0, 1, 3, 4].allSatisfy { Self.isDigit(digits[$0]) }
  }
}

/// The lines of a text and what ends them.
struct TextLines {
  /// How a text ends its lines.
  enum Ending: Hashable {
    case lf
    case crlf
    case mixed
  }

  var lines: [TextLine]
  /// Whether the last line is ended too.
  var isEnded: Bool

  /// Takes a text apart at its line feeds.
  ///
  /// - Parameter stripping: Whether a carriage return before a line feed is no part of the line.
  init(_ text: [UInt8], stripping: Bool) {
    isEnded = text.last == 0x0A
    lines = []
    var start = 0
    text.withUnsafeBytes { bytes in
      while start < bytes.count, let base = bytes.baseAddress {
        let end =
          memchr(base + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - base }
          ?? bytes.count
        let isReturn = stripping && end > start && bytes[end - 1] == 0x0D
        lines.append(TextLine(text[start..<(isReturn ? end - 1 : end)]))
        start = end + 1
      }
    }
  }

  /// How `text` ends its lines; `nil` where there is no line end.
  static func ending(of text: [UInt8]) -> Ending? {
    var (feeds, pairs) = (0, 0)
    var last: UInt8 = 0
    for byte in text {
      if byte == 0x0A {
        feeds += 1
        if last == 0x0D { pairs += 1 }
      }
      last = byte
    }
    if feeds == 0 { return nil }
    return pairs == feeds ? .crlf : pairs == 0 ? .lf : .mixed
  }

  /// Whether content is text to a merge: valid UTF-8 without a NUL.
  static func isText(_ content: [UInt8]) -> Bool {
    !content.contains(0) && String(validating: content, as: UTF8.self) != nil
  }

  /// Puts lines together.
  static func joined(_ lines: [TextLine], ending: Ending, isEnded: Bool) -> [UInt8] {
    let separator: [UInt8] = ending == .crlf ? [0x0D, 0x0A] : [0x0A]
    var text: [UInt8] = []
    text.reserveCapacity(lines.reduce(0) { $0 + $1.bytes.count + separator.count })
    for (number, line) in lines.enumerated() {
      if number > 0 { text += separator }
      text += line.bytes
    }
    if isEnded { text += separator }
    return text
  }
}

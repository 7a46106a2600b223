/// Makes bytes fit to be shown on a terminal: nothing in them moves the cursor, colours the screen,
/// sets a title, turns text around or hides.
///
/// Shown as symbols are: C0 controls and DEL as control pictures (`␛`), invalid UTF-8 as `\xE9`, and
/// as `⟨U+202E⟩` all of C1, bidirectional controls, line and paragraph separators, zero-width and
/// other invisible characters, tags, and what Unicode has not assigned.
///
/// Three invisible characters are kept where they visibly belong to the character before, and only
/// there: a joiner within an emoji, a joiner or non-joiner between letters that join (the rules of
/// RFC 5892, appendix A, for domain names), and one variation selector after an emoji, an ideograph
/// or a Mongolian letter. Without these Persian, Hindi and family emoji would be unreadable.
package enum SafeText {
  /// Controls that a caller wants to act.
  package struct Kept: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let newline = Kept(rawValue: 1)
    package static let tab = Kept(rawValue: 2)
    /// Both: for the content of a note.
    package static let text: Kept = [.newline, .tab]
  }

  /// The safe form of `bytes`.
  package static func text(_ bytes: [UInt8], keeping kept: Kept = []) -> String {
    String(decoding: safe(bytes, keeping: kept), as: UTF8.self)
  }

  /// The safe form of `text`.
  package static func text(_ text: String, keeping kept: Kept = []) -> String {
    self.text(Array(text.utf8), keeping: kept)
  }

  /// The safe form of `bytes`, as UTF-8.
  ///
  /// What is cut out of a longer text must be cut between lines, or half a character shows as
  /// invalid bytes.
  package static func safe(_ bytes: [UInt8], keeping kept: Kept = []) -> [UInt8] {
    bytes.withUnsafeBufferPointer { safe($0, keeping: kept) }
  }

  /// The safe form of `bytes`, as UTF-8.
  package static func safe(_ bytes: UnsafeBufferPointer<UInt8>, keeping kept: Kept) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + bytes.count / 16)
    var position = 0
    var before: Unicode.Scalar?
    while position < bytes.count {
      let start = position
      while position < bytes.count, isPlain(bytes[position]) { position += 1 }
      if position > start {
        output.append(contentsOf: bytes[start..<position])
        before = Unicode.Scalar(bytes[position - 1])
      }
      guard position < bytes.count else { break }
      let rest = UnsafeBufferPointer(rebasing: bytes[position...])
      let next = decode(rest)
      defer { position += next.count }
      guard let scalar = next.scalar else {
        for byte in rest.prefix(next.count) { append(byte: byte, to: &output) }
        before = nil
        continue
      }
      let after = { decode(UnsafeBufferPointer(rebasing: rest[next.count...])).scalar }
      if acts(scalar, kept) || isVisible(scalar, before: before, after: after) {
        output.append(contentsOf: rest[..<next.count])
        before = scalar
      } else {
        output.append(contentsOf: symbol(for: scalar).utf8)
        before = nil
      }
    }
    return output
  }

  private static func isPlain(_ byte: UInt8) -> Bool { 0x20..<0x7F ~= byte }

  private static func acts(_ scalar: Unicode.Scalar, _ kept: Kept) -> Bool {
    scalar == "\n" && kept.contains(.newline) || scalar == "\t" && kept.contains(.tab)
  }

  /// The first scalar of `bytes` and its length; without a scalar, the length of what is invalid.
  private static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (scalar: Unicode.Scalar?, count: Int) {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    switch parser.parseScalar(from: &iterator) {
    case .valid(let encoded): return (Unicode.UTF8.decode(encoded), encoded.count)
    case .error(let length): return (nil, length)
    case .emptyInput: return (nil, 0)
    }
  }

  // MARK: Symbols

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func append(byte: UInt8, to output: inout [UInt8]) {
    output += [
      UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
    ]
  }

  private static func symbol(for scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20: return picture(0x2400 + scalar.value)
    case 0x7F: return picture(0x2421)
    case let value:
      let hex = String(value, radix: 16, uppercase: true)
      return "⟨U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex + "⟩"
    }
  }

  /// A character of the block Control Pictures.
  private static func picture(_ value: UInt32) -> String {
    Unicode.Scalar(value).map { String(Character($0)) } ?? "?"
  }
}

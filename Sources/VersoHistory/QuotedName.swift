/// Names as git writes them in text: in double quotes with escapes where they hold anything but
/// harmless bytes (`core.quotePath` in git-config(1)).
package enum QuotedName {
  private static let letters: [(byte: UInt8, letter: UInt8)] = [
    (7, UInt8(ascii: "a")), (8, UInt8(ascii: "b")), (9, UInt8(ascii: "t")),
    (10, UInt8(ascii: "n")), (11, UInt8(ascii: "v")), (12, UInt8(ascii: "f")),
    (13, UInt8(ascii: "r")), (0x22, 0x22), (0x5C, 0x5C),
  ]
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// The name, quoted where it must be.
  ///
  /// `nonASCII` says whether bytes above 127 are escaped: `core.quotePath`, on by default.
  package static func write(_ name: some Collection<UInt8>, nonASCII: Bool = true) -> [UInt8] {
    func isPlain(_ byte: UInt8) -> Bool {
      byte >= 0x20 && byte != 0x7F && byte != quote && byte != backslash
        && (byte < 0x80 || !nonASCII)
    }
    if name.allSatisfy(isPlain) { return Array(name) }
    var text = [quote]
    for byte in name {
      if isPlain(byte) {
        text.append(byte)
      } else if let known = letters.first(where: { $0.byte == byte }) {
        text += [backslash, known.letter]
      } else {
        let zero = UInt8(ascii: "0")
        text += [backslash, zero + byte >> 6, zero + byte >> 3 & 7, zero + byte & 7]
      }
    }
    return text + [quote]
  }

  /// The name that a text stands for; a text without quotes stands for itself.
  ///
  /// - Returns: `nil` where quotes or escapes are broken.
  package static func read(_ text: [UInt8]) -> [UInt8]? {
    guard text.first == quote else { return text.isEmpty ? nil : text }
    guard text.count >= 2, text.last == quote else { return nil }
    var name: [UInt8] = []
    var rest = text.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      if byte == quote { return nil }
      guard byte == backslash else {
        name.append(byte)
        continue
      }
      guard let next = rest.popFirst() else { return nil }
      if let known = letters.first(where: { $0.letter == next }) {
        name.append(known.byte)
      } else {
        guard let value = octal(next, &rest) else { return nil }
        name.append(value)
      }
    }
    return name
  }

  private static func octal(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt8? {
    guard let second = rest.popFirst(), let third = rest.popFirst() else { return nil }
    var value = 0
    for digit in [first, second, third] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
      value = value << 3 | Int(digit - UInt8(ascii: "0"))
    }
    return UInt8(exactly: value)
  }
}

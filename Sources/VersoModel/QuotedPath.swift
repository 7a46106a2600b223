/// Git's way to write a name on one line, in quotes where it holds anything unusual.
///
/// It is what git calls C-style quoting (`core.quotePath` in git-config(1)): control characters,
/// `"`, `\` and, by default, every byte from 0x80 up are escaped, and a name with any of these gets
/// quotes around it. Any bytes round-trip; the result is plain ASCII without line breaks, so that a
/// name can forge neither a line nor a trailer.
public enum QuotedPath {
  /// Writes `path` as `git ls-files` does.
  ///
  /// - Parameters:
  ///   - path: Any bytes.
  ///   - escapesHighBytes: Whether bytes from 0x80 up are escaped, git's default; with
  ///     `core.quotePath=false` they are not, and do not call for quotes either.
  ///   - quotesSpaces: Whether a space calls for quotes too, as in `git status --porcelain`: needed
  ///     where more follows on the line, such as ` -> new`.
  /// - Returns: The name itself, or its quoted form.
  public static func quote(
    _ path: some Collection<UInt8>, escapesHighBytes: Bool = true, quotesSpaces: Bool = false
  ) -> [UInt8] {
    let escapes = { (byte: UInt8) in
      byte < 0x20 || byte == 0x7F || byte == mark || byte == backslash
        || (escapesHighBytes && byte >= 0x80)
    }
    guard path.contains(where: { escapes($0) || (quotesSpaces && $0 == 0x20) }) else {
      return Array(path)
    }
    var quoted: [UInt8] = [mark]
    for byte in path {
      if escapes(byte) { appendEscape(of: byte, to: &quoted) } else { quoted.append(byte) }
    }
    quoted.append(mark)
    return quoted
  }

  /// Reads what ``quote(_:escapesHighBytes:quotesSpaces:)`` wrote.
  ///
  /// - Returns: The name's bytes; text without a leading `"` stands for itself. `nil` where a
  ///   quoted name is not closed, has an unknown escape, or is followed by anything.
  public static func unquote(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.first == mark else { return Array(text) }
    guard let (path, rest) = unquotePrefix(Array(text)), rest.isEmpty else { return nil }
    return path
  }

  /// Reads the quoted name that `text` starts with.
  ///
  /// - Returns: The name's bytes and what follows its closing quote; `nil` where `text` does not
  ///   start with a well-formed quoted name.
  public static func unquotePrefix(_ text: [UInt8]) -> (path: [UInt8], rest: ArraySlice<UInt8>)? {
    guard text.first == mark else { return nil }
    var path: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == mark { return (path, rest) }
      guard byte == backslash else {
        path.append(byte)
        continue
      }
      guard let plain = readEscape(&rest) else { return nil }
      path.append(plain)
    }
    return nil
  }

  private static let mark = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// The escapes that have a letter, as in quote.c of git: `\e` is not among them.
  private static let letters: [(byte: UInt8, letter: UInt8)] = [
    (0x07, UInt8(ascii: "a")), (0x08, UInt8(ascii: "b")), (0x09, UInt8(ascii: "t")),
    (0x0A, UInt8(ascii: "n")), (0x0B, UInt8(ascii: "v")), (0x0C, UInt8(ascii: "f")),
    (0x0D, UInt8(ascii: "r")), (mark, mark), (backslash, backslash),
  ]

  private static func appendEscape(of byte: UInt8, to text: inout [UInt8]) {
    text.append(backslash)
    if let known = letters.first(where: { $0.byte == byte }) {
      text.append(known.letter)
    } else {
      for shift in [6, 3, 0] { text.append(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
    }
  }

  private static func readEscape(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
    guard let letter = rest.popFirst() else { return nil }
    if let known = letters.first(where: { $0.letter == letter }) { return known.byte }
    // Three octal digits, the first at most 3, so that the value fits a byte.
    let octal = UInt8(ascii: "0")...UInt8(ascii: "7")
    guard octal ~= letter, letter <= UInt8(ascii: "3"),
      let second = rest.popFirst(), octal ~= second,
      let third = rest.popFirst(), octal ~= third
    else { return nil }
    return (letter & 7) << 6 | (second & 7) << 3 | third & 7
  }
}

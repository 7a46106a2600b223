/// One line of an ignore file; plain data, so that reading it costs no reference counting.
struct IgnorePattern {
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The line began with `!`.
    static let negated = Flags(rawValue: 1)
    /// The line ended with a slash.
    static let foldersOnly = Flags(rawValue: 2)
    /// There is no other slash: the pattern is about names, at any depth.
    static let nameOnly = Flags(rawValue: 4)
    /// A star and then literal bytes.
    static let suffix = Flags(rawValue: 8)
  }

  /// Where the pattern's bytes begin, without `!`, a leading slash and a trailing one.
  var start: Int32
  var length: Int32
  /// How many bytes from the start are literal.
  var literal: Int32
  /// The number of the line, from 1.
  var line: Int32
  var flags: Flags

  /// What must be true of a name before the pattern is worth trying.
  enum Condition: Hashable {
    case none
    case firstByte(UInt8)
    case lastByte(UInt8)
  }

  /// Reads one line, its end and trailing spaces removed; the start counts from the line's own.
  init(_ line: ArraySlice<UInt8>, number: Int) {
    var text = line
    var flags: Flags = []
    if text.first == UInt8(ascii: "!") {
      flags.insert(.negated)
      text.removeFirst()
    }
    if text.last == UInt8(ascii: "/") {
      flags.insert(.foldersOnly)
      text.removeLast()
    }
    if !text.contains(UInt8(ascii: "/")) { flags.insert(.nameOnly) }
    var literal = text.firstIndex(where: IgnoreGlob.isSpecial).map { $0 - text.startIndex }
    if text.first == UInt8(ascii: "*"), !text.dropFirst().contains(where: IgnoreGlob.isSpecial) {
      flags.insert(.suffix)
    }
    if !flags.contains(.nameOnly), text.first == UInt8(ascii: "/") {
      text.removeFirst()
      literal = literal.map { $0 - 1 }
    }
    start = Int32(text.startIndex - line.startIndex)
    length = Int32(text.count)
    self.literal = Int32(literal ?? text.count)
    self.line = Int32(number)
    self.flags = flags
  }

  /// A cheap necessary condition on the last component of any path that `text` matches.
  static func condition(_ text: ArraySlice<UInt8>, flags: Flags) -> Condition {
    guard let last = text.last else { return .none }
    // Every match takes all of the pattern, so that a literal last byte is also the name's. In an
    // unclosed class it is not, but that matches nothing.
    let lastByte: Condition =
      IgnoreGlob.isSpecial(last) || last == UInt8(ascii: "]") ? .none : .lastByte(last)
    var name = text
    if !flags.contains(.nameOnly) {
      // A slash may stand in a class, and `x**/y` also matches `xy`: the name is then not known.
      if text.contains(UInt8(ascii: "[")) || hasDoubleStar(text) { return lastByte }
      if let slash = text.lastIndex(of: UInt8(ascii: "/")) { name = text[(slash + 1)...] }
    }
    let first = firstByte(name)
    return first == .none ? lastByte : first
  }

  private static func firstByte(_ name: ArraySlice<UInt8>) -> Condition {
    guard let first = name.first else { return .none }
    if first == UInt8(ascii: "\\") {
      return name.count > 1 ? .firstByte(name[name.startIndex + 1]) : .none
    }
    return IgnoreGlob.isSpecial(first) ? .none : .firstByte(first)
  }

  private static func hasDoubleStar(_ text: ArraySlice<UInt8>) -> Bool {
    zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "*") && $1 == UInt8(ascii: "*") }
  }
}

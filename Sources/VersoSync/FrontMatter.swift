/// The block of properties that a note may start with, between `---` and `---` or `...`.
enum FrontMatter {
  /// How many lines it takes, its marks among them; 0 where there is none.
  static func end(in lines: [TextLine]) -> Int {
    guard let first = lines.first, first.withoutTail.elementsEqual("---".utf8) else { return 0 }
    for number in lines.indices.dropFirst() {
      let line = lines[number].withoutTail
      if line.elementsEqual("---".utf8) || line.elementsEqual("...".utf8) { return number + 1 }
    }
    return 0
  }

  /// A line that says when the note was last changed; editors' plug-ins write it at each save.
  struct DateLine: Hashable {
    /// In lower case.
    let key: [UInt8]
    let value: ArraySlice<UInt8>

    private static let keys: [[UInt8]] = [
      "updated", "modified", "date modified", "last-modified", "last_modified", "last modified",
      "lastmodified", "lastmod", "mtime",
    ].map { Array($0.utf8) }

    init?(_ line: TextLine) {
      guard let colon = line.bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let key = FrontMatter.lowercased(TextLine(line.bytes[..<colon]).withoutTail)
      guard Self.keys.contains(key) else { return nil }
      self.key = key
      value = TextLine(line.bytes[(colon + 1)...]).withoutTail.drop(while: TextLine.isSpace)
    }

    /// Whether the value is a date, or a date and a time, as ISO 8601 writes them.
    var isISO: Bool {
      var rest = value
      func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }
      if let first = rest.first, isQuote(first) { rest.removeFirst() }
      if let last = rest.last, isQuote(last) { rest.removeLast() }
      guard Self.take("dddd-dd-dd", &rest) else { return false }
      if let mark = rest.first, mark == UInt8(ascii: "T") || mark == UInt8(ascii: " ") {
        rest.removeFirst()
        guard Self.take("dd:dd", &rest) else { return false }
        if Self.take(":dd", &rest), rest.first == UInt8(ascii: ".") {
          let fraction = rest.dropFirst().prefix(while: TextLine.isDigit)
          guard !fraction.isEmpty else { return false }
          rest = rest[fraction.endIndex...]
        }
      }
      if rest.isEmpty || rest.elementsEqual("Z".utf8) { return true }
      guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
      else { return false }
      return (Self.take("dd:dd", &rest) || Self.take("dddd", &rest)) && rest.isEmpty
    }

    /// Takes what looks like `shape` off the front; `d` stands for a digit.
    private static func take(_ shape: StaticString, _ rest: inout ArraySlice<UInt8>) -> Bool {
      let shape = UnsafeRawBufferPointer(
        start: shape.utf8Start, count: shape.utf8CodeUnitCount)
      let head = rest.prefix(shape.count)
      guard head.count == shape.count else { return false }
      for (byte, wanted) in zip(head, shape) {
        if wanted == UInt8(ascii: "d") ? !TextLine.isDigit(byte) : byte != wanted { return false }
      }
      rest = rest.dropFirst(shape.count)
      return true
    }
  }

  /// The property that a line sets, in lower case; `nil` where the line is no `key: value`.
  static func key(of line: TextLine) -> [UInt8]? {
    guard let first = line.bytes.first, let colon = line.bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    let isWord =
      first &- 0x30 < 10 || (first | 0x20) &- 0x61 < 26 || first == UInt8(ascii: "_")
    return isWord ? lowercased(line.bytes[..<colon]) : nil
  }

  /// Whether two sets of new lines set properties, and none that both set.
  static func areDisjoint(_ x: [TextLine], _ y: [TextLine]) -> Bool {
    let (left, right) = (x.map(key), y.map(key))
    if left.contains(nil) || right.contains(nil) { return false }
    return Set(left).isDisjoint(with: right)
  }

  /// Where the lines with dates of change stand; of several with one key the first or the last.
  private static func dates(in lines: [TextLine], first: Bool) -> [[UInt8]: Int] {
    let end = end(in: lines)
    guard end > 2 else { return [:] }
    var found: [[UInt8]: Int] = [:]
    for number in 1..<(end - 1) {
      guard let date = DateLine(lines[number]) else { continue }
      if !first || found[date.key] == nil { found[date.key] = number }
    }
    return found
  }

  /// Gives the dates of change that both sides have one value, so that they never conflict: the
  /// later where both have the same ISO shape, else the winner's.
  static func settleDates<E>(
    _ x: inout [TextLine], _ y: inout [TextLine], xWins: () throws(E) -> Bool
  ) throws(E) {
    let (left, right) = (dates(in: x, first: true), dates(in: y, first: true))
    for (key, at) in left {
      guard let other = right[key], x[at] != y[other], let mine = DateLine(x[at]),
        let theirs = DateLine(y[other])
      else { continue }
      let line: TextLine
      if mine.isISO, theirs.isISO, mine.value.count == theirs.value.count,
        mine.value != theirs.value
      {
        line = TextLine(mine.value) > TextLine(theirs.value) ? x[at] : y[other]
      } else {
        line = try xWins() ? x[at] : y[other]
      }
      x[at] = line
      y[other] = line
    }
  }

  /// `x` with the base's value of each date that `y` took away: a new value for it is no edit.
  static func undoDates(_ x: [TextLine], base: [TextLine], without y: [TextLine]) -> [TextLine] {
    let old = dates(in: base, first: false)
    if old.isEmpty { return x }
    let (mine, theirs) = (dates(in: x, first: false), dates(in: y, first: false))
    var lines = x
    for (key, at) in mine {
      if let before = old[key], theirs[key] == nil { lines[at] = base[before] }
    }
    return lines
  }

  /// Whether two texts are equal but for line ends, a final line end and dates of change.
  static func isSameText(_ base: [UInt8], _ text: [UInt8]) -> Bool {
    if base == text { return true }
    guard TextLines.isText(base), TextLines.isText(text) else { return false }
    let old = TextLines(base, stripping: true).lines
    var new = TextLines(text, stripping: true).lines
    let (before, after) = (dates(in: old, first: false), dates(in: new, first: false))
    for (key, at) in before {
      if let here = after[key] { new[here] = old[at] }
    }
    return old == new
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
  }
}

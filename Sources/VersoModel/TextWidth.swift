import CLinux

/// How many columns text takes on a terminal.
///
/// Ground is wcwidth(3) in the C.UTF-8 locale, whatever locale the process runs in, for that is what
/// terminals and multiplexers go by: East Asian wide characters and emoji take two, marks that are
/// drawn on a letter none (Latin and Hebrew points, Arabic and Thai vowels, the later letters of a
/// Hangul syllable), spacing marks of Thai and Indic scripts one. Where the C library does not know
/// a character that is newer than itself, its Unicode properties decide.
package enum TextWidth {
  /// The columns of `text` when it is written as it is.
  ///
  /// It is the sum over all scalars, and so never too small: a terminal that draws several emoji as
  /// one may need fewer. ``Glyph`` has a form of each character that all terminals agree on.
  ///
  /// - Parameter text: Text that was made safe; a control counts as nothing.
  package static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + columns($1) }
  }

  /// The columns of one scalar: 0, 1 or 2.
  package static func columns(_ scalar: Unicode.Scalar) -> Int {
    if 0x20..<0x7F ~= scalar.value { return 1 }
    let known = scalar.value < Self.tableEnd ? table[Int(scalar.value)] : look(up: scalar)
    return known >= 0 ? Int(known) : guess(scalar)
  }

  /// The longest beginning of `text` that fits `limit` columns, with `…` where it was cut.
  package static func truncated(_ text: String, to limit: Int) -> String {
    guard columns(text) > limit else { return text }
    guard limit > 0 else { return "" }
    var (width, kept) = (0, "")
    for character in text {
      let next = columns(String(character))
      if width + next > limit - 1 { break }
      width += next
      kept.append(character)
    }
    return kept + "…"
  }

  /// `text` with spaces after it, up to `width` columns.
  package static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(text)))
  }

  /// `text` in lines of at most `width` columns, broken at spaces; a longer word stays whole.
  package static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, columns(last) + 1 + columns(String(word)) <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  // MARK: Widths of scalars

  /// Behind this lie ideographs that are used seldom, tags and private characters.
  private static let tableEnd: UInt32 = 0x2_0000

  /// What wcwidth(3) says for each scalar before ``tableEnd``: a call for each character would set
  /// the thread's locale twice every time.
  private static let table: [Int8] = {
    let scalars = Array(0..<tableEnd)
    return [Int8](unsafeUninitializedCapacity: scalars.count) { buffer, count in
      verso_column_widths(scalars, scalars.count, buffer.baseAddress)
      count = scalars.count
    }
  }()

  private static func look(up scalar: Unicode.Scalar) -> Int8 {
    var (value, width) = (scalar.value, Int8(0))
    verso_column_widths(&value, 1, &width)
    return width
  }

  /// Columns of what wcwidth(3) does not know.
  private static func guess(_ scalar: Unicode.Scalar) -> Int {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .surrogate, .nonspacingMark, .enclosingMark, .format, .lineSeparator,
      .paragraphSeparator:
      return 0
    default:
      // Planes 2 and 3 are set aside for ideographs (UAX #11).
      let isWide = properties.isEmojiPresentation || 0x2_0000...0x3_FFFD ~= scalar.value
      return isWide ? 2 : 1
    }
  }
}

/// A character in the form that takes the same columns on every terminal.
///
/// Terminals disagree about emoji made of several: joined ones, flags, skin tones, and those that a
/// variation selector turns into emoji; some draw one picture, some all parts. Of these, and of
/// other characters of several wide code points, only the first code point is drawn. All else is
/// kept, and its columns are the sum of those of its scalars, as terminals count: Thai, Khmer and
/// Indic letters with their vowels, Arabic and Hebrew with their points, conjoining Hangul.
package struct Glyph: Hashable, Sendable {
  /// What is drawn: at least one scalar with a column of its own.
  package let text: String
  /// 1 or more.
  package let columns: Int

  /// - Parameter character: One of a text that was made safe; a control is drawn as a symbol all
  ///   the same, and a mark without a letter on a dotted circle.
  package init(_ character: Character) {
    (text, columns) = Self.form(of: character)
  }

  private static func form(of character: Character) -> (String, Int) {
    if let byte = character.asciiValue, 0x20..<0x7F ~= byte { return (String(character), 1) }
    let scalars = character.unicodeScalars
    guard scalars.count == 1 || isCertain(scalars) else {
      let first = scalars[scalars.startIndex]
      let width = TextWidth.columns(first)
      return width > 0 ? (String(Character(first)), width) : ("\u{FFFD}", 1)
    }
    let width = scalars.reduce(0) { $0 + TextWidth.columns($1) }
    return width > 0 ? (String(character), width) : (symbol(for: scalars), 1)
  }

  /// What stands for scalars that have no column of their own.
  private static func symbol(for scalars: Character.UnicodeScalarView) -> String {
    // A line feed, or what else was not made safe, or else a mark or a lone part of a syllable.
    let shown = SafeText.text(String(scalars)).first.map(String.init) ?? "?"
    return TextWidth.columns(shown) > 0 ? shown : "\u{25CC}" + shown
  }

  /// Whether terminals agree on how several scalars of one character are drawn.
  private static func isCertain(_ scalars: Character.UnicodeScalarView) -> Bool {
    var wide = 0
    for scalar in scalars {
      switch scalar.value {
      case 0xFE0F, 0x20E3, 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: return false
      // A joiner within Indic letters or Arabic is no emoji's.
      case 0x200D where scalars.first?.properties.isEmoji ?? false: return false
      default: wide += TextWidth.columns(scalar) == 2 ? 1 : 0
      }
    }
    return wide < 2
  }

  /// The columns of `text` when each of its characters is drawn in this form.
  package static func columns(_ text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text.utf8.count }
    return text.reduce(0) { $0 + Glyph($1).columns }
  }
}

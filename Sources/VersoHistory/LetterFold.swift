/// What a search makes of one character of a text.
///
/// Case and diacritics are folded away: `Café` is found by `cafe`, and the other way round.
package enum LetterFold: Hashable, Sendable {
  /// Part of a word, as UTF-8.
  case letter([UInt8])
  /// A letter of a script that puts no spaces between words (Chinese, Japanese, Thai, …).
  case unspaced([UInt8])
  /// A mark that belongs to the letter before it and is no diacritic: a vowel sign.
  case mark([UInt8])
  /// A diacritic or something invisible: as though it were not there.
  case nothing
  /// What no word goes on behind.
  case separator

  package init(_ scalar: Unicode.Scalar) {
    let value = scalar.value
    // Of ASCII only the few letters of a query come here: they must not wait for the table.
    if value < 0x80 || value >= Self.memoized {
      self = Self.folded(scalar)
    } else {
      self = Self.memo[Int(value)]
    }
  }

  private static let memoized = 0x3000
  /// The scripts of Europe, the Near East, India and South-East Asia, worked out once; properties of
  /// Unicode are slow to ask for.
  private static let memo: [LetterFold] = (0..<memoized).map { value in
    Unicode.Scalar(UInt32(value)).map(folded) ?? .separator
  }

  private static let plain: [Unicode.Scalar: [UInt8]] = {
    var table: [Unicode.Scalar: [UInt8]] = [:]
    for (plain, marked) in FoldTable.letters {
      for scalar in marked.unicodeScalars { table[scalar] = Array(plain.utf8) }
    }
    return table
  }()

  private static func folded(_ scalar: Unicode.Scalar) -> LetterFold {
    // Fullwidth forms of ASCII.
    if 0xFF01...0xFF5E ~= scalar.value, let narrow = Unicode.Scalar(scalar.value - 0xFEE0) {
      return folded(narrow)
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      if WordTokens.standsAlone(scalar) { return .unspaced(Array(String(scalar).utf8)) }
      return .letter(lowered(scalar))
    case .nonspacingMark, .spacingMark, .enclosingMark:
      return isDiacritic(scalar.value) ? .nothing : .mark(Array(String(scalar).utf8))
    case .format: return .nothing
    default: return .separator
    }
  }

  private static func lowered(_ scalar: Unicode.Scalar) -> [UInt8] {
    // One letter may become a letter and a mark (U+0130).
    scalar.properties.lowercaseMapping.unicodeScalars.flatMap { low -> [UInt8] in
      if let plain = plain[low] { return plain }
      return isDiacritic(low.value) ? [] : Array(String(low).utf8)
    }
  }

  /// Marks that writers leave out as they please: those of Latin, Greek and Cyrillic, the points of
  /// Hebrew, the vowels of Arabic. Where marks are vowels that must be written, they stay.
  private static func isDiacritic(_ value: UInt32) -> Bool {
    switch value {
    case 0x0300...0x036F, 0x0483...0x0489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
      0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xE0100...0xE01EF,
      0x0591...0x05C7, 0xFB1E,
      0x0610...0x061A, 0x064B...0x065F, 0x0670, 0x06D6...0x06ED, 0x08D3...0x08FF:
      true
    default: false
    }
  }
}

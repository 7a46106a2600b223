extension SafeText {
  /// Whether a character has a form of its own, wherever it stands.
  ///
  /// The JSON printer escapes exactly the others.
  package static func isAlwaysVisible(_ scalar: Unicode.Scalar) -> Bool {
    if 0x20..<0x7F ~= scalar.value { return true }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .unassigned, .surrogate, .lineSeparator, .paragraphSeparator: return false
    case .format: return isPrependedMark(scalar)
    // Among the rest are a few that are drawn as nothing, such as the Hangul fillers.
    default: return !properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether a character is seen where it stands.
  static func isVisible(
    _ scalar: Unicode.Scalar, before: Unicode.Scalar?, after: () -> Unicode.Scalar?
  ) -> Bool {
    if isAlwaysVisible(scalar) { return true }
    guard let before else { return false }
    switch scalar.value {
    case 0x200C, 0x200D:
      // After a virama both have a visible effect whatever follows (RFC 5892, A.1 and A.2).
      if before.properties.canonicalCombiningClass == .virama { return true }
      guard let after = after() else { return false }
      if joins(before) && joins(after) { return true }
      return scalar.value == 0x200D && isEmojiPart(before) && isPictograph(after)
    default:
      return scalar.properties.isVariationSelector && takesVariation(before)
    }
  }

  /// Arabic signs such as that of a year, which stand before digits: formats by category, but seen
  /// (the property Prepended_Concatenation_Mark, which the standard library does not have).
  private static func isPrependedMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: true
    default: false
    }
  }

  /// Whether a letter, or a mark on one, belongs to a script whose letters join: Arabic, Syriac,
  /// N'Ko, Mandaic and Mongolian.
  private static func joins(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0620...0x065F, 0x066E...0x06D5, 0x06DF...0x06EF, 0x06FA...0x06FF, 0x0710...0x074F,
      0x0750...0x077F, 0x07CA...0x07FA, 0x0840...0x086A, 0x0870...0x0887, 0x08A0...0x08FF,
      0x1820...0x18AA, 0xFB50...0xFDFB, 0xFE70...0xFEFC:
      switch scalar.properties.generalCategory {
      case .otherLetter, .modifierLetter, .nonspacingMark: true
      default: false
      }
    default: false
    }
  }

  /// Emoji that are no ASCII digits or signs.
  private static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x7F && scalar.properties.isEmoji
  }

  /// What an emoji may end with before a joiner.
  private static func isEmojiPart(_ scalar: Unicode.Scalar) -> Bool {
    isPictograph(scalar) || scalar.value == 0xFE0F || scalar.properties.isEmojiModifier
  }

  private static func takesVariation(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmoji || scalar.properties.isIdeographic || 0x1820...0x18AA ~= scalar.value
  }
}

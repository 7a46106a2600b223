/// One cluster as it is drawn.
package struct TextGlyph: Hashable, Sendable {
  package enum Kind: Sendable {
    /// A grapheme, drawn as it is.
    case plain
    /// Blank cells up to the next stop.
    case tab
    /// A character that would not be seen, or not stay in its cell: a symbol stands for it.
    case control
    /// A byte that is no text.
    case invalid
  }

  /// Where it is in the text.
  package let offset: Int
  /// Its bytes.
  package let length: Int
  /// What is drawn; never a control character.
  package let text: String
  package let kind: Kind
  /// The first cell in its row.
  package let column: Int
  /// The cells it takes, at least one.
  package let cells: Int
}

/// How many cells a grapheme takes on the terminal; 0 for what combines with what stands before.
package typealias CellWidth = @Sendable (Character) -> Int

extension TextGlyph {
  /// How a cluster is drawn, whatever its column; for a tab one cell.
  struct Form {
    let text: String
    let kind: Kind
    let cells: Int
    let canBreakAfter: Bool
    /// Whether lines may be broken on both sides, as between ideographs.
    let isWide: Bool
    /// Whether it must not start a row, as a closing bracket or a full stop.
    let clingsToPrevious: Bool

    private static let clinging: Set<Character> = [
      "、", "。", "，", "．", "：", "；", "！", "？", "」", "』", "）", "】", "》", "〉", "ー", "…", "々",
    ]

    init(_ cluster: TextCluster, _ width: CellWidth) {
      guard let character = cluster.character else {
        self.init("\u{FFFD}", .invalid, 1)
        return
      }
      if character == "\t" {
        self.init(" ", .tab, 1, canBreakAfter: true)
      } else if let byte = character.asciiValue, 0x20..<0x7F ~= byte {
        self.init(
          String(character), .plain, 1, canBreakAfter: character == " " || character == "-")
      } else if let symbol = Self.symbol(of: character) {
        self.init(symbol, .control, 1)
      } else {
        let cells = width(character)
        if cells > 0 {
          self.init(
            String(character), .plain, min(cells, 2), canBreakAfter: character.isWhitespace,
            isWide: cells > 1, clings: Self.clinging.contains(character))
        } else {
          // A mark with nothing to stand on gets the circle that stands for a letter.
          self.init("\u{25CC}" + String(character), .control, 1)
        }
      }
    }

    private init(
      _ text: String, _ kind: Kind, _ cells: Int, canBreakAfter: Bool = false,
      isWide: Bool = false, clings: Bool = false
    ) {
      self.text = text
      self.kind = kind
      self.cells = cells
      self.canBreakAfter = canBreakAfter
      self.isWide = isWide
      clingsToPrevious = clings
    }

    /// A visible symbol for a character that is none: the pictures of Unicode for C0, a replacement for
    /// others that start a cluster (C1, directions, widthless spaces, fillers, unassigned ones).
    private static func symbol(of character: Character) -> String? {
      guard let scalar = character.unicodeScalars.first else { return nil }
      switch scalar.value {
      case 0..<0x20: return Unicode.Scalar(0x2400 + scalar.value).map { String(Character($0)) }
      case 0x7F: return "\u{2421}"
      // Signs such as that of a year, which stand before digits: formats by category, but seen.
      case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: return nil
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
          return "\u{FFFD}"
        default: return scalar.properties.isDefaultIgnorableCodePoint ? "\u{FFFD}" : nil
        }
      }
    }
  }
}

/// Cell widths by Unicode's blocks, for where nothing better is wired.
package enum StandardCells {
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x25FD...0x25FE,
    0x2614...0x2615, 0x2648...0x2653, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274C, 0x2753...0x2755,
    0x2795...0x2797, 0x27B0...0x27B0, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2E80...0x303E,
    0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1F9FF,
    0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
  ]

  /// The cells of a grapheme: those of its first code point.
  @Sendable package static func cells(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control: return 0
    default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }
}

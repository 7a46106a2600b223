import VersoModel

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

    init(_ cluster: TextCluster) {
      guard let character = cluster.character else {
        self.init("\u{FFFD}", .invalid, 1)
        return
      }
      if character == "\t" {
        self.init(" ", .tab, 1, canBreakAfter: true)
      } else if let byte = character.asciiValue, 0x20..<0x7F ~= byte {
        self.init(
          String(character), .plain, 1, canBreakAfter: character == " " || character == "-")
      } else {
        self.init(drawing: character)
      }
    }

    /// In the form that all terminals agree on, and nothing that a terminal would obey.
    private init(drawing character: Character) {
      let safe = SafeText.text(String(character))
      let glyph = Glyph(character)
      guard safe == String(character), glyph.text.unicodeScalars.first == safe.unicodeScalars.first
      else {
        let shown = safe.map(Glyph.init)
        self.init(
          shown.map(\.text).joined(), .control, shown.reduce(0) { $0 + $1.columns })
        return
      }
      self.init(
        glyph.text, .plain, glyph.columns, canBreakAfter: character.isWhitespace,
        isWide: TextWidth.columns(safe.unicodeScalars[safe.startIndex]) > 1,
        clings: Self.clinging.contains(character))
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

    /// What stands for a cluster that is wider than the whole row.
    static let tooWide = Form("\u{FFFD}", .control, 1)
  }
}

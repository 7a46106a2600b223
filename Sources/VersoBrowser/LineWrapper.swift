import VersoModel

/// Breaks styled text into lines of a width, one character after the other.
///
/// Lines break at spaces, and before and behind characters that are two columns wide, as Chinese and
/// Japanese have no spaces; not before what closes a sentence or a bracket, nor behind what opens
/// one. What has no such place is cut between two characters: Thai, Khmer, and long addresses.
struct LineWrapper {
  let width: Int
  /// Whether spaces at the start of a line stand for themselves, as in code and plain text.
  let keepsSpaces: Bool
  private(set) var lines: [StyledLine] = []
  private var pieces: [Piece] = []
  private var columns = 0
  /// How many pieces are in the line, should it be broken.
  private var breakIndex = 0
  /// Whether the line was begun by a break that nobody wrote.
  private var isContinued = false

  private struct Piece {
    let text: String
    let columns: Int
    let style: Style
    let isSpace: Bool
  }

  init(width: Int, keepsSpaces: Bool = false) {
    self.width = max(1, width)
    self.keepsSpaces = keepsSpaces
  }

  /// Adds text that was made safe; a line feed ends the line.
  mutating func add(_ text: some StringProtocol, _ style: Style) {
    for character in text {
      switch character {
      case "\n": endLine(isContinued: false)
      case "\t": addTab(style)
      case " ": addSpace(style)
      default: add(character, style)
      }
    }
  }

  mutating func add(_ spans: [Span]) {
    for span in spans { add(span.text, span.style) }
  }

  /// Ends the last line, and hands over all.
  mutating func finish() -> [StyledLine] {
    if !pieces.isEmpty || lines.isEmpty { endLine(isContinued: false) }
    defer { lines = [] }
    return lines
  }

  /// Hands over the lines that are whole.
  mutating func takeLines() -> [StyledLine] {
    defer { lines = [] }
    return lines
  }

  // MARK: Pieces

  private static let tabColumns = 4

  private mutating func addTab(_ style: Style) {
    let count = Self.tabColumns - columns % Self.tabColumns
    for _ in 0..<count { addSpace(style) }
  }

  private mutating func addSpace(_ style: Style) {
    if pieces.isEmpty, isContinued || !keepsSpaces { return }
    if columns + 1 > width {
      endLine(isContinued: true)
      return
    }
    pieces.append(Piece(text: " ", columns: 1, style: style, isSpace: true))
    columns += 1
    breakIndex = pieces.count
  }

  private mutating func add(_ character: Character, _ style: Style) {
    var glyph = Glyph(character)
    if glyph.columns > width { glyph = Glyph("…") }
    if let last = pieces.last, glyph.columns == 2 || last.columns == 2,
      !Self.closing.contains(character), !Self.opening.contains(last.text)
    {
      breakIndex = pieces.count
    }
    // What is carried over may leave too little room once more.
    while columns + glyph.columns > width { wrap() }
    pieces.append(
      Piece(text: glyph.text, columns: glyph.columns, style: style, isSpace: false))
    columns += glyph.columns
  }

  private mutating func wrap() {
    guard breakIndex > 0, pieces[..<breakIndex].contains(where: { !$0.isSpace }) else {
      endLine(isContinued: true)
      return
    }
    let rest = Array(pieces[breakIndex...])
    pieces.removeSubrange(breakIndex...)
    endLine(isContinued: true)
    pieces = rest
    columns = rest.reduce(0) { $0 + $1.columns }
  }

  private mutating func endLine(isContinued: Bool) {
    while pieces.last?.isSpace ?? false { pieces.removeLast() }
    lines.append(StyledLine(Self.spans(pieces)))
    pieces.removeAll(keepingCapacity: true)
    (columns, breakIndex) = (0, 0)
    self.isContinued = isContinued
  }

  private static func spans(_ pieces: [Piece]) -> [Span] {
    var spans: [Span] = []
    for piece in pieces {
      if let last = spans.indices.last, spans[last].style == piece.style {
        spans[last].text += piece.text
      } else {
        spans.append(Span(piece.text, piece.style))
      }
    }
    return spans
  }

  /// What no line begins with, and what none ends with (the rules of JIS X 4051, in short).
  private static let closing = Set<Character>("、。，．・：；？！）］｝」』】〉》〕ー々ぁぃぅぇぉっゃゅょ,.:;?!)]}’”…")
  private static let opening = Set<String>(
    ["（", "［", "｛", "「", "『", "【", "〈", "《", "〔", "(", "[", "{", "‘", "“"])
}

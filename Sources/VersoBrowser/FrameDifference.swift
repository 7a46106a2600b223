import VersoModel

/// The bytes that turn what a terminal shows into the next frame.
///
/// Only cells that differ are written. A few equal ones between them are written again where that is
/// shorter than placing the cursor anew.
struct FrameDifference {
  let kind: TerminalKind
  var encoder: LookEncoder
  /// Without UTF-8, symbols stand for all that is no ASCII.
  let isUTF8: Bool

  private var output: [UInt8] = []
  /// Where the terminal's cursor is known to be, and which style is set.
  private var cursor: CellPoint?
  private var style: Style?

  init(kind: TerminalKind, encoder: LookEncoder, isUTF8: Bool) {
    (self.kind, self.encoder, self.isUTF8) = (kind, encoder, isUTF8)
  }

  /// The bytes between two grids of the same size; what is in neither is left alone.
  mutating func bytes(from old: CellGrid, to new: CellGrid) -> [UInt8] {
    output = []
    (cursor, style) = (nil, nil)
    for y in 0..<new.size.height {
      let (before, after) = (old.row(y), new.row(y))
      if before != after { drawRow(y, Array(before), Array(after)) }
    }
    return output
  }

  /// Placing the cursor takes 6 bytes or more.
  private static let shortGap = 6

  private mutating func drawRow(_ y: Int, _ before: [Cell], _ after: [Cell]) {
    var x = 0
    while x < after.count {
      guard before[x] != after[x] else {
        x += 1
        continue
      }
      // A glyph is drawn from its first cell on.
      while x > 0, after[x].isContinuation { x -= 1 }
      let end = Self.endOfRun(before, after, from: x)
      place(x, y)
      for column in x..<end where !after[column].isContinuation {
        draw(after, column, y)
      }
      x = end
    }
  }

  private static func endOfRun(_ before: [Cell], _ after: [Cell], from start: Int) -> Int {
    var (end, index) = (start, start)
    while index < after.count, index - end < shortGap {
      // A glyph that loses its other half to a new one takes it along on many terminals.
      let isTouched = before[index] != after[index] || after[index].isContinuation && index == end
      index += 1
      if isTouched { end = index }
    }
    while end < after.count, after[end].isContinuation { end += 1 }
    return end
  }

  private mutating func place(_ x: Int, _ y: Int) {
    guard cursor != CellPoint(x: x, y: y) else { return }
    kind.appendPlace(x: x, y: y, to: &output)
    cursor = CellPoint(x: x, y: y)
  }

  private mutating func draw(_ row: [Cell], _ x: Int, _ y: Int) {
    let cell = row[x]
    var width = 1
    while x + width < row.count, row[x + width].isContinuation { width += 1 }
    place(x, y)
    if style != cell.style {
      output += encoder.sequence(cell.style)
      style = cell.style
    }
    guard cell.text.utf8.count > 1 else {
      output += cell.text.utf8
      cursor?.x += 1
      return
    }
    guard isUTF8 else {
      output += Array(repeating: Self.substitute(cell.text), count: width)
      cursor?.x += width
      return
    }
    let isCertain = Self.isCertain(cell.text)
    if !isCertain {
      // Where the terminal takes it for narrower than it is, nothing old must show beside it.
      output += Array(repeating: UInt8(ascii: " "), count: width)
      cursor = nil
      place(x, y)
    }
    output += cell.text.utf8
    if isCertain { cursor?.x += width } else { cursor = nil }
  }

  /// Whether all terminals agree how far the cursor goes: not for several code points, nor for emoji
  /// and symbols, of which some terminals have other tables.
  private static func isCertain(_ text: String) -> Bool {
    guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1 else {
      return false
    }
    switch scalar.value {
    case 0xA0..<0x0300, 0x0370..<0x0530, 0x2500..<0x2580, 0x3040..<0x3100, 0x4E00..<0xA000,
      0xAC00..<0xD7A4:
      return true
    default: return false
    }
  }

  /// What stands for a glyph where a terminal takes bytes only.
  private static func substitute(_ text: String) -> UInt8 {
    switch text {
    case "│", "┃", "║", "▏", "▕": UInt8(ascii: "|")
    case "─", "━", "═": UInt8(ascii: "-")
    case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼", "╭", "╮", "╰", "╯": UInt8(ascii: "+")
    case "…": UInt8(ascii: "~")
    case "•", "·", "☐": UInt8(ascii: "*")
    case "☑", "✓", "✔": UInt8(ascii: "x")
    case "‘", "’": UInt8(ascii: "'")
    case "“", "”": UInt8(ascii: "\"")
    case "→", "▸", "›": UInt8(ascii: ">")
    case "←", "◂", "‹": UInt8(ascii: "<")
    default: UInt8(ascii: "?")
    }
  }
}

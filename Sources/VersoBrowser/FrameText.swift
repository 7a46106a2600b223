/// A frame as text, for `--dump`, for documentation, and for tests.
package enum FrameText {
  /// The rows of a frame, without the blanks at their ends, each with a line feed.
  package static func plain(_ frame: Frame) -> String { plain(frame.grid) }

  /// The rows of a grid, without the blanks at their ends, each with a line feed.
  package static func plain(_ grid: CellGrid) -> String {
    rows(of: grid).map { $0 + "\n" }.joined()
  }

  /// The rows of a grid, without the blanks at their ends.
  package static func rows(of grid: CellGrid) -> [String] {
    (0..<grid.size.height).map { y in
      let cells = grid.row(y)
      let end = cells.lastIndex { $0.text != " " }.map { $0 + 1 } ?? cells.startIndex
      return cells[..<end].map(\.text).joined()
    }
  }

  /// Text with each run of right-to-left words wrapped in isolates (UAX #9), so that whatever shows it
  /// turns the letters of a name around and not the columns that it stands between.
  ///
  /// Terminals get none: few know isolates, and others draw them.
  package static func isolated(_ text: String) -> String {
    var (result, run, neutral) = ("", "", "")
    func closed() -> String { run.isEmpty ? "" : "\u{2068}\(run)\u{2069}" }
    for character in text {
      let first = character.unicodeScalars.first?.value ?? 0
      if isRightToLeft(first) {
        run += run.isEmpty ? "" : neutral
        result += run.isEmpty ? neutral : ""
        run.append(character)
        neutral = ""
      } else if character == " " && !run.isEmpty && neutral.isEmpty {
        // One space joins words; more of them, or a line, stand between columns.
        neutral.append(character)
      } else {
        result += closed() + neutral + String(character)
        (run, neutral) = ("", "")
      }
    }
    return result + closed() + neutral
  }

  /// Blocks of scripts that run from right to left (UAX #9, classes R and AL).
  private static func isRightToLeft(_ value: UInt32) -> Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
      true
    default: false
    }
  }

  /// The rows of a frame with "select graphic rendition" sequences, each ended by a reset and a line
  /// feed: what a terminal that has more columns shows as the frame.
  ///
  /// - Parameter depth: How many colours to use.
  package static func colored(_ frame: Frame, theme: Theme, depth: ColorDepth) -> String {
    var encoder = LookEncoder(
      theme: theme, depth: depth,
      marks: [.bold, .faint, .italic, .underlined, .reversed, .struck])
    var output: [UInt8] = []
    for y in 0..<frame.grid.size.height { append(frame.grid.row(y), &encoder, to: &output) }
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(
    _ cells: ArraySlice<Cell>, _ encoder: inout LookEncoder, to output: inout [UInt8]
  ) {
    let reset = Array("\u{1B}[0m".utf8)
    // Blanks that look like nothing are left out at the end.
    let end = cells.lastIndex { $0.text != " " || encoder.sequence($0.style) != reset }
    var current = reset
    for cell in cells[..<(end.map { $0 + 1 } ?? cells.startIndex)] where !cell.isContinuation {
      let sequence = encoder.sequence(cell.style)
      if sequence != current {
        output += sequence
        current = sequence
      }
      output += cell.text.utf8
    }
    if current != reset { output += reset }
    output.append(0x0A)
  }
}

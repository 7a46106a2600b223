import Verso
import VersoModel

/// Rows that are broken to a width, each once, and the line of them that is on top.
///
/// A row may be a paragraph of many lines, or higher than the screen: what scrolls is lines.
struct WrappedRows<Line> {
  /// A line of a row.
  struct Seen {
    let row: Int
    /// Which line of its row it is, from 0.
    let number: Int
    let line: Line
  }

  private(set) var count: Int
  private(set) var width = 0
  private var lines: [Int: [Line]] = [:]
  private var row = 0
  private var number = 0

  init(count: Int) { self.count = count }

  /// Breaks everything anew for a width; the row on top stays.
  mutating func layOut(width: Int) {
    guard width != self.width else { return }
    self.width = width
    lines = [:]
    number = 0
  }

  /// The lines that fill a height, from the one on top.
  mutating func visible(height: Int, _ wrap: (Int, Int) -> [Line]) -> [Seen] {
    var seen: [Seen] = []
    var at = row
    while at < count, seen.count < height {
      let all = broken(at, wrap)
      for index in (at == row ? min(number, max(0, all.count - 1)) : 0)..<all.count {
        if seen.count == height { break }
        seen.append(Seen(row: at, number: index, line: all[index]))
      }
      at += 1
    }
    return seen
  }

  private mutating func broken(_ row: Int, _ wrap: (Int, Int) -> [Line]) -> [Line] {
    if let known = lines[row] { return known }
    let made = wrap(row, width)
    lines[row] = made
    return made
  }

  /// Scrolls by lines; the last one stays in view.
  mutating func scroll(by lines: Int, _ wrap: (Int, Int) -> [Line]) {
    guard count > 0 else { return }
    for _ in 0..<abs(lines) {
      if lines > 0 {
        if number + 1 < broken(row, wrap).count {
          number += 1
        } else if row + 1 < count {
          (row, number) = (row + 1, 0)
        } else {
          return
        }
      } else if number > 0 {
        number -= 1
      } else if row > 0 {
        row -= 1
        number = max(0, broken(row, wrap).count - 1)
      } else {
        return
      }
    }
  }

  /// Puts the last lines at the bottom of a height.
  mutating func moveToEnd(height: Int, _ wrap: (Int, Int) -> [Line]) {
    guard count > 0 else { return }
    row = count - 1
    number = max(0, broken(row, wrap).count - 1)
    scroll(by: 1 - height, wrap)
  }

  /// Puts a row on top.
  mutating func move(to row: Int) { (self.row, number) = (min(max(0, row), max(0, count - 1)), 0) }

  /// Scrolls so that rows are seen, below two rows of what stands before; not where they are already.
  mutating func reveal(_ rows: Range<Int>, height: Int, _ wrap: (Int, Int) -> [Line]) {
    guard count > 0, width > 0 else { return move(to: rows.lowerBound - 2) }
    let seen = visible(height: height, wrap)
    let last = broken(max(rows.lowerBound, rows.upperBound - 1), wrap).count - 1
    let hasStart = seen.contains { $0.row == rows.lowerBound && $0.number == 0 }
    let hasEnd = seen.contains { $0.row == rows.upperBound - 1 && $0.number == last }
    if hasStart, hasEnd { return }
    move(to: rows.lowerBound)
    // Two rows before, unless they are so high that what is looked for would not be seen.
    let before = max(0, rows.lowerBound - 2)
    let above = (before..<rows.lowerBound).reduce(0) { $0 + broken($1, wrap).count }
    if above < height / 2 { move(to: before) }
  }
}

extension StyledLine {
  /// A line of a text, its words marked that only one of two texts has, broken to a width.
  static func wrapped(_ pieces: [PastComparison.Piece], to width: Int) -> [StyledLine] {
    let isWhole = pieces.count == 1
    var wrapper = LineWrapper(width: width, keepsSpaces: true)
    for piece in pieces {
      var style: Style =
        switch piece.kind {
        case .both: Style()
        case .removed: Style(isWhole ? .removed : .removedWord)
        case .added: Style(isWhole ? .added : .addedWord)
        }
      if piece.kind == .removed { style.marks = [.struck] }
      if piece.kind == .added { style.marks = [.underlined] }
      wrapper.add(SafeText.text(piece.text, keeping: .tab), style)
    }
    return wrapper.finish()
  }
}

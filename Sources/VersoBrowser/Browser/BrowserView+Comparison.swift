import Verso
import VersoModel
import VersoSplitView

extension BrowserView {
  /// Draws two texts beside each other, or below each other where there is no room.
  mutating func draw(_ pane: ComparisonPane) {
    let rect = geometry.comparison
    grid.fill(geometry.body, with: .blank)
    drawTitles(of: pane)
    cursor = CellPoint(x: rect.x, y: rect.y)
    guard pane.texts != nil else { return drawHint("reading…", in: rect) }
    let (left, right) = columns(of: pane, in: rect)
    var y = rect.y
    for (index, row) in pane.rows.enumerated().dropFirst(pane.scroll) {
      guard y < rect.y + rect.height else { break }
      let isMarked = pane.markedRows?.contains(index) ?? false
      let height = draw(row, isMarked: isMarked, y: y, left: left, right: right)
      y += height
    }
    if !pane.isNarrow, !model.options.isAccessible {
      for y in geometry.body.rows {
        grid.draw(Glyph(model.options.isUTF8 ? "│" : "|"), Style(.divider), x: right.x - 1, y: y)
      }
    }
  }

  /// Where the texts stand; both in one place where there is room for one.
  private func columns(
    of pane: ComparisonPane, in rect: CellRect
  ) -> (left: CellRect, right: CellRect) {
    guard !pane.isNarrow else { return (rect, rect) }
    let half = (rect.width - 1) / 2
    let first = CellRect(x: rect.x, y: rect.y, width: half, height: rect.height)
    let second = CellRect(
      x: rect.x + half + 1, y: rect.y, width: rect.width - half - 1, height: rect.height)
    return direction == .leftToRight ? (first, second) : (second, first)
  }

  private mutating func drawTitles(of pane: ComparisonPane) {
    let body = geometry.body
    let row = CellRect(x: body.x, y: body.y, width: body.width, height: 1)
    let style = Style(.title, on: .title, .bold)
    grid.fill(row, with: Cell(" ", style))
    if pane.isNarrow {
      let text = " − \(pane.titles.left)   + \(pane.titles.right)"
      return grid.draw(text, style, in: row, direction: direction, ellipsis: ellipsis)
    }
    let (left, right) = columns(of: pane, in: row)
    for (rect, title) in [(left, pane.titles.left), (right, pane.titles.right)] {
      grid.draw(" \(title)", style, in: rect, direction: direction, ellipsis: ellipsis)
    }
  }

  /// Draws a row of both sides; returns how many rows of the screen it takes.
  private mutating func draw(
    _ row: SideBySide.Row, isMarked: Bool, y: Int, left: CellRect, right: CellRect
  ) -> Int {
    let isShared = left == right
    var height = 1
    for (line, rect, isLeft) in [(row.left, left, true), (row.right, right, false)] {
      guard let line else { continue }
      let lines = wrapped(line.pieces, to: max(1, rect.width - 2))
      for (index, text) in lines.enumerated() where y + index < rect.y + rect.height {
        let mark = index > 0 ? " " : mark(row, isLeft: isLeft, isMarked: isMarked, isShared)
        grid.draw(mark, Style(isMarked ? .key : .faint), x: rect.x, y: y + index, clip: rect)
        let part = CellRect(x: rect.x + 2, y: y + index, width: rect.width - 2, height: 1)
        grid.draw(text, in: part, direction: direction, ellipsis: ellipsis)
      }
      height = max(height, lines.count)
      // Where both stand in one place, a line that both have is drawn once.
      if isShared { break }
    }
    return height
  }

  private func mark(
    _ row: SideBySide.Row, isLeft: Bool, isMarked: Bool, _ isShared: Bool
  ) -> String {
    guard row.isChanged else { return " " }
    if isShared { return isLeft ? "−" : "+" }
    if isMarked { return model.options.isUTF8 ? "▌" : ">" }
    return "!"
  }
}

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
    for (index, seen) in pane.visible.enumerated() where index < rect.height {
      let row = pane.rows[seen.row]
      let isMarked = pane.markedRows?.contains(seen.row) ?? false
      for (line, column, isLeft) in [
        (seen.line.left, left, true), (seen.line.right, right, false),
      ] {
        guard let line else { continue }
        let mark =
          seen.number > 0
          ? " " : mark(row, isLeft: isLeft && row.left != nil, isMarked, pane.isNarrow)
        let (x, y) = (column.x, rect.y + index)
        grid.draw(mark, Style(isMarked ? .key : .faint), x: x, y: y, clip: rect)
        let margin = ComparisonPane.margin
        let part = CellRect(x: x + margin, y: y, width: column.width - margin, height: 1)
        grid.draw(line, in: part, direction: direction, ellipsis: ellipsis)
      }
    }
    if !pane.isNarrow, !model.options.isAccessible {
      for y in geometry.body.rows {
        let x = direction == .leftToRight ? right.x - 1 : left.x - 1
        grid.draw(Glyph(model.options.isUTF8 ? "│" : "|"), Style(.divider), x: x, y: y)
      }
    }
  }

  /// Where the texts stand; both in one place where there is room for one.
  private func columns(
    of pane: ComparisonPane, in rect: CellRect
  ) -> (left: CellRect, right: CellRect) {
    guard !pane.isNarrow else { return (rect, rect) }
    let widths = ComparisonPane.widths(of: rect.width)
    func part(_ x: Int, _ width: Int) -> CellRect {
      CellRect(x: rect.x + x, y: rect.y, width: width, height: rect.height)
    }
    return direction == .leftToRight
      ? (part(0, widths.left), part(widths.left + 1, widths.right))
      : (part(widths.right + 1, widths.left), part(0, widths.right))
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

  private func mark(
    _ row: SideBySide.Row, isLeft: Bool, _ isMarked: Bool, _ isNarrow: Bool
  ) -> String {
    guard row.isChanged else { return " " }
    if isNarrow { return isLeft ? "−" : "+" }
    if isMarked { return model.options.isUTF8 ? "▌" : ">" }
    return "!"
  }
}

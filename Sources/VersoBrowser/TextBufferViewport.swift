/// The part of a text that is seen: rows from one on.
package struct TextViewport: Hashable, Sendable {
  /// An offset in the first row; it may be anywhere in that row, so that a row stays in view when the
  /// width changes.
  package var top: Int
  /// Rows on the screen.
  package var height: Int

  package init(top: Int = 0, height: Int) {
    self.top = top
    self.height = max(1, height)
  }

  private func walk(_ buffer: TextBuffer, _ layout: SoftWrap) -> RowWalk {
    RowWalk(buffer.storage, layout, at: min(max(0, top), buffer.count))
  }

  /// The rows to draw, fewer than the height where the text ends before.
  package func rows(_ buffer: TextBuffer, _ layout: SoftWrap) -> [WrappedRow] {
    var walk = walk(buffer, layout)
    var rows = [walk.row]
    while rows.count < height, walk.next() { rows.append(walk.row) }
    return rows
  }

  /// The row, from 0, and the column at which an offset is drawn; `nil` where it is out of view.
  package func place(
    of offset: Int, _ buffer: TextBuffer, _ layout: SoftWrap
  ) -> (row: Int, column: Int)? {
    let start = buffer.row(at: offset, layout).range.lowerBound
    let rows = rows(buffer, layout)
    guard let row = rows.firstIndex(where: { $0.range.lowerBound == start }) else { return nil }
    return (row, rows[row].column(of: offset))
  }

  /// The offset of what is drawn at a row and a column; below the text, its end.
  package func offset(
    row: Int, column: Int, _ buffer: TextBuffer, _ layout: SoftWrap
  ) -> Int {
    let rows = rows(buffer, layout)
    if row < 0 { return rows[0].offset(at: column) }
    return row < rows.count ? rows[row].offset(at: column) : rows[rows.count - 1].offset(at: .max)
  }

  /// Scrolls by rows, down if positive; the last row of the text stays in view.
  package mutating func scroll(by count: Int, _ buffer: TextBuffer, _ layout: SoftWrap) {
    var walk = walk(buffer, layout)
    for _ in 0..<abs(count) where !(count > 0 ? walk.next() : walk.previous()) { break }
    top = walk.row.range.lowerBound
  }

  /// Scrolls up where rows would stay empty that text could take, as after it became shorter.
  package mutating func fill(_ buffer: TextBuffer, _ layout: SoftWrap) {
    if rows(buffer, layout).count >= height { return }
    var walk = RowWalk(buffer.storage, layout, at: buffer.count)
    for _ in 1..<max(2, height) where !walk.previous() { break }
    top = walk.row.range.lowerBound
  }

  /// Scrolls as little as brings the caret into view.
  package mutating func reveal(_ buffer: TextBuffer, _ layout: SoftWrap) {
    top = walk(buffer, layout).row.range.lowerBound
    if place(of: buffer.caret, buffer, layout) != nil { return }
    var walk = RowWalk(buffer.storage, layout, at: buffer.caret)
    if buffer.caret >= top { for _ in 1..<height where !walk.previous() { break } }
    top = walk.row.range.lowerBound
  }
}

package import VersoModel

/// A rectangle of cells that text is drawn into.
///
/// Whatever is drawn, no glyph is split: of one that does not fit at an edge blanks are left, and one
/// that is partly drawn over becomes blanks too. Places beyond the grid are valid, and nothing is
/// drawn there.
package struct CellGrid: Hashable, Sendable {
  package let size: CellSize
  package private(set) var cells: [Cell]

  package init(_ size: CellSize, filledWith cell: Cell = .blank) {
    self.size = size
    cells = Array(repeating: cell, count: size.width * size.height)
  }

  package init(width: Int, height: Int) {
    self.init(CellSize(width: width, height: height))
  }

  /// The cell at a place in the grid.
  package subscript(x: Int, y: Int) -> Cell {
    precondition(0..<size.width ~= x && 0..<size.height ~= y, "no cell at \(x), \(y)")
    return cells[y * size.width + x]
  }

  /// The cells of a row.
  package func row(_ y: Int) -> ArraySlice<Cell> {
    cells[y * size.width..<(y + 1) * size.width]
  }

  // MARK: Drawing

  /// Draws a glyph where all of it fits into `clip`, else blanks where part of it does.
  package mutating func draw(
    _ glyph: Glyph, _ style: Style = .init(), x: Int, y: Int, clip: CellRect? = nil
  ) {
    let bounds = clip.map { $0.intersection(CellRect(size)) } ?? CellRect(size)
    let columns = x..<x + glyph.columns
    guard bounds.rows.contains(y), columns.overlaps(bounds.columns) else { return }
    let base = y * size.width
    let visible = columns.clamped(to: bounds.columns)
    breakGlyph(at: visible.lowerBound, base)
    breakGlyph(at: visible.upperBound, base)
    let isWhole = visible.count == columns.count
    for column in visible {
      let text = isWhole ? (column == x ? glyph.text : "") : " "
      cells[base + column] = Cell(text: text, style: style)
    }
  }

  /// Draws text in one row, from `x` on.
  ///
  /// - Parameter text: Text that was made safe; what has no column of its own is drawn as a symbol.
  /// - Returns: The column behind the text, also where that is cut off.
  @discardableResult
  package mutating func draw(
    _ text: some StringProtocol, _ style: Style = .init(), x: Int, y: Int, clip: CellRect? = nil
  ) -> Int {
    var column = x
    let end = min(size.width, clip.map { $0.columns.upperBound } ?? .max)
    for character in text {
      let glyph = Glyph(character)
      if column < end { draw(glyph, style, x: column, y: y, clip: clip) }
      column += glyph.columns
    }
    return column
  }

  /// Fills a part with one cell, such as a blank of a style.
  package mutating func fill(_ part: CellRect, with cell: Cell) {
    let part = part.intersection(CellRect(size))
    guard !part.isEmpty else { return }
    for row in part.rows {
      let base = row * size.width
      breakGlyph(at: part.columns.lowerBound, base)
      breakGlyph(at: part.columns.upperBound, base)
      for column in part.columns { cells[base + column] = cell }
    }
  }

  /// Changes the style of what is drawn in a part; of a glyph that lies in it partly, all cells.
  package mutating func restyle(_ part: CellRect, _ change: (inout Style) -> Void) {
    let part = part.intersection(CellRect(size))
    guard !part.isEmpty else { return }
    for row in part.rows {
      let base = row * size.width
      var columns = part.columns
      while columns.lowerBound > 0, cells[base + columns.lowerBound].isContinuation {
        columns = columns.lowerBound - 1..<columns.upperBound
      }
      while columns.upperBound < size.width, cells[base + columns.upperBound].isContinuation {
        columns = columns.lowerBound..<columns.upperBound + 1
      }
      for column in columns { change(&cells[base + column].style) }
    }
  }

  /// Lays another grid over this one with its corner at a place, which may be outside.
  package mutating func place(_ other: CellGrid, x: Int, y: Int, clip: CellRect? = nil) {
    var part = CellRect(x: x, y: y, width: other.size.width, height: other.size.height)
      .intersection(CellRect(size))
    if let clip { part = part.intersection(clip) }
    guard !part.isEmpty else { return }
    for row in part.rows {
      let base = row * size.width
      breakGlyph(at: part.columns.lowerBound, base)
      breakGlyph(at: part.columns.upperBound, base)
      let source = (row - y) * other.size.width - x
      for column in part.columns { cells[base + column] = other.cells[source + column] }
      repairEdges(of: part, base, other.cells, source)
    }
  }

  /// Makes blanks of glyphs whose other part was left out when a row was copied.
  private mutating func repairEdges(
    of part: CellRect, _ base: Int, _ copied: [Cell], _ source: Int
  ) {
    var column = part.columns.lowerBound
    while column < part.columns.upperBound, cells[base + column].isContinuation {
      blank(base + column)
      column += 1
    }
    let end = part.columns.upperBound
    // The glyph at the end is whole unless the next cell of its own row continues it; the first cell
    // of a row continues nothing.
    guard column < end, source + end < copied.count, copied[source + end].isContinuation
    else { return }
    var last = end - 1
    while last > column, cells[base + last].isContinuation {
      blank(base + last)
      last -= 1
    }
    blank(base + last)
  }

  /// Makes blanks of a glyph that stands on both sides of a column's left edge.
  private mutating func breakGlyph(at column: Int, _ base: Int) {
    guard column > 0, column < size.width, cells[base + column].isContinuation else { return }
    var first = column - 1
    while first > 0, cells[base + first].isContinuation { first -= 1 }
    var end = column + 1
    while end < size.width, cells[base + end].isContinuation { end += 1 }
    for index in base + first..<base + end { blank(index) }
  }

  private mutating func blank(_ index: Int) {
    cells[index] = Cell(text: " ", style: cells[index].style)
  }
}

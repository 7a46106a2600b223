import VersoModel

/// One cell of a screen: what is drawn in it, and as what.
package struct Cell: Hashable, Sendable {
  /// A glyph's text; empty where the glyph before reaches into this cell.
  package private(set) var text: String
  package var style: Style

  package static let blank = Cell(" ")

  /// - Parameter character: What takes one column; anything wider becomes a blank.
  package init(_ character: Character, _ style: Style = .init()) {
    let glyph = Glyph(character)
    self.init(text: glyph.columns == 1 ? glyph.text : " ", style: style)
  }

  init(text: String, style: Style) {
    self.text = text
    self.style = style
  }

  /// Whether the glyph before reaches into this cell.
  package var isContinuation: Bool { text.isEmpty }
}

/// A place on a screen, in cells from the upper left corner.
package struct CellPoint: Hashable, Sendable {
  package var x: Int
  package var y: Int

  package init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// Columns and rows.
package struct CellSize: Hashable, Sendable {
  package var width: Int
  package var height: Int

  /// Negative numbers count as 0.
  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }
}

/// A part of a screen; it may reach beyond it.
package struct CellRect: Hashable, Sendable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y) = (x, y)
    (self.width, self.height) = (max(0, width), max(0, height))
  }

  package init(_ size: CellSize) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  package var columns: Range<Int> { x..<x + width }
  package var rows: Range<Int> { y..<y + height }
  package var size: CellSize { CellSize(width: width, height: height) }
  package var isEmpty: Bool { width == 0 || height == 0 }

  /// What is in both; empty where they do not meet.
  package func intersection(_ other: CellRect) -> CellRect {
    let (columns, rows) = (columns.clamped(to: other.columns), rows.clamped(to: other.rows))
    return CellRect(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  package func contains(_ point: CellPoint) -> Bool {
    columns.contains(point.x) && rows.contains(point.y)
  }
}

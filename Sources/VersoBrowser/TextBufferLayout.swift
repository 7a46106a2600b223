/// One row of the screen: a line of the text, or a part of one that is too long for it.
package struct WrappedRow: Hashable, Sendable {
  /// The bytes in it, without a line's end.
  package let range: Range<Int>
  /// The number of its line, from 0.
  package let line: Int
  /// Whether its line starts here.
  package let startsLine: Bool
  /// Whether its line ends here: only then is the end of its range a place for the caret in it.
  package let endsLine: Bool
  package let glyphs: [TextGlyph]

  /// The cells in it.
  package var cells: Int { glyphs.last.map { $0.column + $0.cells } ?? 0 }

  /// The column of an offset in it, which is that of the cluster that holds it.
  package func column(of offset: Int) -> Int {
    glyphs.first { offset < $0.offset + $0.length }?.column ?? cells
  }

  /// The offset of what is drawn at a column; behind the text, the last place for the caret.
  package func offset(at column: Int) -> Int {
    if let glyph = glyphs.first(where: { column < $0.column + $0.cells }) { return glyph.offset }
    return endsLine ? range.upperBound : glyphs.last?.offset ?? range.lowerBound
  }
}

/// How text is broken into rows.
///
/// Rows are broken after blanks and hyphens and between wide characters, and within a word only where
/// it is longer than a row. No cluster is split between rows. A line that fills its last row exactly has
/// one more, empty, so that the caret has a place behind it.
package struct SoftWrap: Sendable {
  /// Cells in a row, at least 2.
  package let width: Int
  /// Cells between the stops of tabs.
  package let tabWidth: Int

  /// - Parameter width: Cells in a row; less than 2 counts as 2, as a wide character has to fit.
  package init(width: Int, tabWidth: Int = 4) {
    self.width = max(2, width)
    self.tabWidth = max(1, tabWidth)
  }

  /// The rows of the line that holds `offset`; of a very long line, those of a part of it.
  func rows(around offset: Int, in storage: TextStorage) -> [WrappedRow] {
    let line = storage.line(at: offset)
    let content = storage.content(ofLine: line)
    let paragraph = storage.paragraph(at: offset, inLine: content)
    let bytes = storage.bytes(in: paragraph)
    var breaker = RowBreaker(self, paragraph, line: line, content: content)
    return breaker.rows(TextCluster.all(in: bytes[...]))
  }
}

/// Breaks the clusters of a paragraph into rows.
private struct RowBreaker {
  private let layout: SoftWrap
  private let paragraph: Range<Int>
  private let line: Int
  private let content: Range<Int>
  private var rows: [WrappedRow] = []
  private var glyphs: [TextGlyph] = []
  private var column = 0
  private var start: Int

  init(_ layout: SoftWrap, _ paragraph: Range<Int>, line: Int, content: Range<Int>) {
    self.layout = layout
    self.paragraph = paragraph
    self.line = line
    self.content = content
    start = paragraph.lowerBound
  }

  mutating func rows(_ clusters: [TextCluster]) -> [WrappedRow] {
    var offset = paragraph.lowerBound
    var index = 0
    /// Where the row can be broken: the cluster that would start the next row, and its offset.
    var opening: (index: Int, offset: Int)?
    var previous: TextGlyph.Form?
    while index < clusters.count {
      let whole = TextGlyph.Form(clusters[index])
      let form = whole.cells > layout.width ? .tooWide : whole
      if let before = previous, Self.canBreak(before, form) { opening = (index, offset) }
      let cells = form.kind == .tab ? tabCells : form.cells
      if column + cells > layout.width, !glyphs.isEmpty {
        if let opening {
          (index, offset) = opening
          glyphs.removeAll { $0.offset >= offset }
        }
        end(at: offset)
        (opening, previous) = (nil, nil)
        continue
      }
      glyphs.append(
        TextGlyph(
          offset: offset, length: clusters[index].length, text: form.text, kind: form.kind,
          column: column, cells: cells))
      column += cells
      offset += clusters[index].length
      index += 1
      previous = form
    }
    finish()
    return rows
  }

  /// Up to the next stop, but not beyond the row.
  private var tabCells: Int {
    let cells = layout.tabWidth - column % layout.tabWidth
    return column < layout.width ? min(cells, layout.width - column) : cells
  }

  private static func canBreak(_ before: TextGlyph.Form, _ after: TextGlyph.Form) -> Bool {
    if after.clingsToPrevious { return false }
    // A blank that does not fit starts the next row rather than take its word along.
    if after.kind == .tab || after.text == " " { return true }
    return before.canBreakAfter || before.isWide || after.isWide
  }

  private mutating func end(at offset: Int) {
    rows.append(
      WrappedRow(
        range: start..<offset, line: line, startsLine: start == content.lowerBound,
        endsLine: false, glyphs: glyphs))
    start = offset
    glyphs = []
    column = 0
  }

  private mutating func finish() {
    let endsLine = paragraph.upperBound == content.upperBound
    if endsLine, column >= layout.width { end(at: paragraph.upperBound) }
    if !endsLine, glyphs.isEmpty { return }
    rows.append(
      WrappedRow(
        range: start..<paragraph.upperBound, line: line, startsLine: start == content.lowerBound,
        endsLine: endsLine, glyphs: glyphs))
  }
}

/// Walks from row to row.
struct RowWalk {
  private let storage: TextStorage
  private let layout: SoftWrap
  private var rows: [WrappedRow]
  private var index: Int

  /// At the row that holds `offset`.
  init(_ storage: TextStorage, _ layout: SoftWrap, at offset: Int) {
    self.storage = storage
    self.layout = layout
    rows = layout.rows(around: offset, in: storage)
    index = rows.lastIndex { $0.range.lowerBound <= offset } ?? 0
  }

  var row: WrappedRow { rows[index] }

  /// Goes one row down; false at the end.
  mutating func next() -> Bool {
    if index + 1 < rows.count {
      index += 1
      return true
    }
    let last = rows[rows.count - 1]
    let offset =
      last.endsLine ? storage.boundary(after: last.range.upperBound) : last.range.upperBound
    if last.endsLine, last.line == storage.feedCount { return false }
    rows = layout.rows(around: offset, in: storage)
    index = 0
    return true
  }

  /// Goes one row up; false at the start.
  mutating func previous() -> Bool {
    if index > 0 {
      index -= 1
      return true
    }
    let first = rows[0]
    if first.range.lowerBound == 0 { return false }
    rows = layout.rows(around: storage.boundary(before: first.range.lowerBound), in: storage)
    index = rows.count - 1
    return true
  }
}

extension TextBuffer {
  /// The row that holds an offset.
  package func row(at offset: Int, _ layout: SoftWrap) -> WrappedRow {
    RowWalk(storage, layout, at: offset).row
  }

  /// Moves the caret by rows, down if positive; it returns to its column after shorter rows.
  package mutating func move(rows: Int, _ layout: SoftWrap, extending: Bool = false) {
    var walk = RowWalk(storage, layout, at: caret)
    let column = goal ?? walk.row.column(of: caret)
    for _ in 0..<abs(rows) where !(rows > 0 ? walk.next() : walk.previous()) { break }
    place(walk.row.offset(at: column), extending)
    goal = column
  }

  /// Moves the caret to the start or end of its row; the end of a row that goes on is its last grapheme.
  package mutating func moveToRowEdge(
    _ layout: SoftWrap, atEnd: Bool, extending: Bool = false
  ) {
    let row = row(at: caret, layout)
    place(atEnd ? row.offset(at: Int.max) : row.range.lowerBound, extending)
  }
}

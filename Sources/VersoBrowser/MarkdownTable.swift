import VersoModel

/// A table of a note.
struct MarkdownTable {
  private let header: [[Span]]
  private let body: [[[Span]]]
  private let alignments: [UInt8]

  init(_ table: MarkdownNode) {
    var (header, body) = ([[Span]](), [[[Span]]]())
    var row = table.firstChild
    while let current = row {
      let isHeader = current.kind == .tableHeader
      let style = isHeader ? Style(.strong, .bold) : Style(.table)
      var (cells, cell) = ([[Span]](), current.firstChild)
      while let node = cell {
        cells.append(MarkdownInlines(of: node, style).spans)
        cell = node.next
      }
      if isHeader { header = cells } else { body.append(cells) }
      row = current.next
    }
    (self.header, self.body) = (header, body)
    alignments = table.alignments
  }

  /// The rows of the table in a width, cells wrapped; where its columns do not fit side by side, each
  /// row as a list of names and values.
  func lines(width: Int) -> [StyledLine] {
    let count = max(header.count, body.map(\.count).max() ?? 0)
    guard count > 0 else { return [] }
    guard let widths = widths(count, width) else { return list(width: width) }
    var lines = rowLines(header, widths)
    lines.append(
      StyledLine(
        widths.map { String(repeating: "─", count: $0) }
          .joined(separator: "─┼─"), Style(.rule)))
    for row in body { lines += rowLines(row, widths) }
    return lines
  }

  // MARK: Columns

  private static let separator = " │ "
  /// Narrower columns cannot be read.
  private static let narrowest = 4

  /// The columns of each column of the table; `nil` where they do not fit.
  private func widths(_ count: Int, _ width: Int) -> [Int]? {
    var natural = Array(repeating: 1, count: count)
    for row in [header] + body {
      for (index, cell) in row.enumerated() {
        natural[index] = max(natural[index], Self.columns(of: cell))
      }
    }
    let room = width - (count - 1) * Self.separator.count
    if natural.reduce(0, +) <= room { return natural }
    guard room >= natural.reduce(0, { $0 + min($1, Self.narrowest) }) else { return nil }
    return Self.shrunk(natural, to: room)
  }

  private static func columns(of cell: [Span]) -> Int {
    cell.reduce(0) { $0 + Glyph.columns($1.text) }
  }

  /// Takes from the widest columns until all fit: the largest limit for all that is small enough.
  private static func shrunk(_ natural: [Int], to room: Int) -> [Int] {
    var (low, high) = (1, room)
    while low < high {
      let limit = (low + high + 1) / 2
      if natural.reduce(0, { $0 + min($1, limit) }) <= room {
        low = limit
      } else {
        high = limit - 1
      }
    }
    var widths = natural.map { min($0, low) }
    var rest = room - widths.reduce(0, +)
    for index in widths.indices where rest > 0 && widths[index] < natural[index] {
      widths[index] += 1
      rest -= 1
    }
    return widths
  }

  // MARK: Rows

  private func rowLines(_ row: [[Span]], _ widths: [Int]) -> [StyledLine] {
    let cells = widths.indices.map { index in
      var wrapper = LineWrapper(width: widths[index])
      wrapper.add(index < row.count ? row[index] : [])
      return wrapper.finish()
    }
    let height = cells.map(\.count).max() ?? 0
    return (0..<height).map { y in
      var spans: [Span] = []
      for (index, lines) in cells.enumerated() {
        if index > 0 { spans.append(Span(Self.separator, Style(.rule))) }
        let line = y < lines.count ? lines[y] : StyledLine()
        spans += aligned(line, index, widths[index])
      }
      return StyledLine(Self.withoutTrailingBlanks(spans))
    }
  }

  private func aligned(_ line: StyledLine, _ index: Int, _ width: Int) -> [Span] {
    let room = max(0, width - line.columns)
    let alignment = index < alignments.count ? alignments[index] : 0
    let before =
      switch alignment {
      case UInt8(ascii: "r"): room
      case UInt8(ascii: "c"): room / 2
      default: 0
      }
    func blanks(_ count: Int) -> [Span] {
      count > 0 ? [Span(String(repeating: " ", count: count), Style(.table))] : []
    }
    return blanks(before) + line.spans + blanks(room - before)
  }

  private static func withoutTrailingBlanks(_ spans: [Span]) -> [Span] {
    var spans = spans
    while let last = spans.last, last.text.allSatisfy({ $0 == " " }) { spans.removeLast() }
    return spans
  }

  private func list(width: Int) -> [StyledLine] {
    var lines: [StyledLine] = []
    for (index, row) in body.enumerated() {
      if index > 0 { lines.append(StyledLine(String(repeating: "─", count: width), Style(.rule))) }
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        var wrapper = LineWrapper(width: width)
        if column < header.count, !header[column].isEmpty {
          wrapper.add(header[column] + [Span(": ", Style(.strong, .bold))])
        }
        wrapper.add(cell)
        lines += wrapper.finish()
      }
    }
    if body.isEmpty {
      var wrapper = LineWrapper(width: width)
      for cell in header { wrapper.add(cell + [Span(" ")]) }
      lines = wrapper.finish()
    }
    return lines
  }
}

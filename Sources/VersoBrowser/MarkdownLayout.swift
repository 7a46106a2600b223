import VersoModel

/// A note's Markdown as text in rows of a width, laid out block by block.
package struct MarkdownLayout: TextLayout {
  package private(set) var rows: [TextRow] = []
  package private(set) var isComplete = false

  private let document: MarkdownDocument
  private let width: Int
  /// The blocks that are open, outermost first. A note may be nested deeper than a call stack is.
  private var open: [OpenBlock] = []
  /// Prefix of the empty row that is due before the next block.
  private var gap: [Span]?
  private var hasFrontMatter: Bool

  /// A block that holds blocks.
  private struct OpenBlock {
    let node: MarkdownNode
    let kind: MarkdownNode.Kind
    var nextChild: MarkdownNode?
    var isFirstChild = true
    /// What stands before each row; before the first one, `marker`, while there is one.
    var indent: Span?
    var marker: Span?
    /// Whether the blocks within follow one another without a gap.
    var isTight = false
    /// The number of the next item, or of the last footnote.
    var number = 0
  }

  package init(_ document: MarkdownDocument, width: Int) {
    (self.document, self.width) = (document, max(1, width))
    hasFrontMatter = !document.frontMatter.isEmpty
    if let root = MarkdownNode(document.root) {
      open = [OpenBlock(node: root, kind: .document, nextChild: root.firstChild)]
    }
  }

  package mutating func layOutMore() {
    if hasFrontMatter { return layOutFrontMatter() }
    let count = rows.count
    while rows.count == count {
      guard let parent = open.last else {
        isComplete = true
        return
      }
      if let child = parent.nextChild { take(child) } else { close() }
    }
  }

  private mutating func layOutFrontMatter() {
    hasFrontMatter = false
    var layout = PlainTextLayout(document.frontMatter, width: width, style: Style(.faint))
    _ = layout.countAll()
    rows = layout.rows
    gap = []
  }

  // MARK: Blocks that hold blocks

  private mutating func take(_ child: MarkdownNode) {
    let index = open.count - 1
    open[index].nextChild = child.next
    if !open[index].isFirstChild { gap = open[index].isTight ? nil : prefix() }
    open[index].isFirstChild = false
    switch child.kind {
    case .quote:
      push(child, .quote, indent: Span("▏ ", Style(.quote)))
    case .list:
      push(child, .list)
      open[index + 1].isTight = child.isTight
      open[index + 1].number = child.isOrdered ? child.start : 0
    case .item, .task: pushItem(child)
    case .footnote:
      // The number is what references have; they stand in the order of these.
      open[index].number += 1
      push(child, .footnote, marker: Span("[^\(open[index].number)]: ", Style(.link)))
    default: layOut(child)
    }
  }

  private mutating func push(
    _ node: MarkdownNode, _ kind: MarkdownNode.Kind, indent: Span? = nil, marker: Span? = nil
  ) {
    var block = OpenBlock(node: node, kind: kind, nextChild: node.firstChild)
    (block.indent, block.marker) = (indent, marker)
    if let marker {
      block.indent = Span(String(repeating: " ", count: Glyph.columns(marker.text)), marker.style)
    }
    open.append(block)
  }

  private mutating func pushItem(_ node: MarkdownNode) {
    let list = open.count - 1
    let marker: Span
    if node.kind == .task {
      marker = node.isChecked ? Span("☑ ", Style(.taskDone)) : Span("☐ ", Style(.task))
    } else if open[list].node.isOrdered {
      let delimiter = open[list].node.hasParenthesis ? ")" : "."
      marker = Span("\(open[list].number)\(delimiter) ", Style(.listMarker))
    } else {
      marker = Span("• ", Style(.listMarker))
    }
    open[list].number += 1
    push(node, .item, marker: marker)
    open[open.count - 1].isTight = open[list].isTight
  }

  private mutating func close() {
    guard let block = open.last else { return }
    // An empty item is seen all the same.
    if block.marker != nil { emit([StyledLine()], of: block.node) }
    open.removeLast()
  }

  // MARK: Rows

  /// What stands before a row that is neither the first of an item.
  private func prefix() -> [Span] { limited(open.compactMap(\.indent)) }

  /// Deep nesting may take half of the width, so that the text is not squeezed out.
  private func limited(_ spans: [Span]) -> [Span] {
    var (left, kept) = (width / 2, [Span]())
    for span in spans {
      left -= Glyph.columns(span.text)
      guard left >= 0 else { break }
      kept.append(span)
    }
    return kept
  }

  private var room: Int { max(1, width - prefix().reduce(0) { $0 + Glyph.columns($1.text) }) }

  private mutating func emit(_ lines: [StyledLine], of node: MarkdownNode) {
    emit(lines.map { TextRow($0, sourceLine: node.line + document.lineOffset) })
  }

  private mutating func emit(_ block: [TextRow]) {
    if let gap, let last = rows.last {
      rows.append(TextRow(StyledLine(gap), sourceLine: last.sourceLine))
    }
    gap = nil
    for row in block {
      // A block without a marker must not lose its indent in the rows behind it.
      let spans = limited(open.compactMap { $0.marker ?? $0.indent })
      for index in open.indices { open[index].marker = nil }
      rows.append(TextRow(StyledLine(spans + row.line.spans), sourceLine: row.sourceLine))
    }
  }

  private mutating func layOut(_ block: MarkdownNode) {
    switch block.kind {
    case .paragraph: emit(wrapped(MarkdownInlines(of: block).spans), of: block)
    case .heading: emit(heading(block), of: block)
    case .codeBlock: emit(code(block, Style(.code, on: .code), filled: true))
    case .htmlBlock: emit(code(block, Style(.html), filled: false))
    case .rule:
      emit([StyledLine(String(repeating: "─", count: room), Style(.rule))], of: block)
    case .table: emit(MarkdownTable(block).lines(width: room), of: block)
    default: emit(wrapped(MarkdownInlines(of: block).spans), of: block)
    }
  }

  private func wrapped(_ spans: [Span]) -> [StyledLine] {
    var wrapper = LineWrapper(width: room)
    wrapper.add(spans)
    return wrapper.finish()
  }

  /// The two highest levels are underlined, the others keep their marks: nothing depends on colour.
  private func heading(_ block: MarkdownNode) -> [StyledLine] {
    let level = block.headingLevel
    let mark = level > 2 ? [Span(String(repeating: "#", count: level) + " ", Style(.faint))] : []
    let lines = wrapped(mark + MarkdownInlines(of: block, Style(.heading, .bold)).spans)
    guard level <= 2 else { return lines }
    let columns = lines.map(\.columns).max() ?? 0
    let line = String(repeating: level == 1 ? "═" : "─", count: columns)
    return columns > 0 ? lines + [StyledLine(line, Style(.rule))] : lines
  }

  private func code(_ block: MarkdownNode, _ style: Style, filled: Bool) -> [TextRow] {
    let room = room
    let inset = room > 8 && filled ? 1 : 0
    let text = block.literal
    // The line of the fence holds no code.
    let first = block.line + document.lineOffset + (block.isFenced ? 1 : 0)
    let body = text.hasSuffix("\n") ? text.dropLast() : text[...]
    var result: [TextRow] = []
    for (index, line) in body.fileLines.enumerated() {
      var wrapper = LineWrapper(width: room - 2 * inset, keepsSpaces: true)
      wrapper.add(SafeText.text(String(line), keeping: .tab), style)
      result += wrapper.finish().map { line in
        TextRow(
          filled ? Self.filled(line, inset, room, style) : line, sourceLine: first + index)
      }
    }
    return result
  }

  /// A line on a ground that reaches to the edge.
  private static func filled(
    _ line: StyledLine, _ inset: Int, _ room: Int, _ style: Style
  ) -> StyledLine {
    let rest = String(repeating: " ", count: max(0, room - inset - line.columns))
    let before = inset > 0 ? [Span(" ", style)] : []
    return StyledLine(before + line.spans + [Span(rest, style)])
  }
}

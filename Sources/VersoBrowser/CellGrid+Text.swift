package import VersoModel

/// The way that columns run.
package enum LayoutDirection: Sendable, CaseIterable {
  case leftToRight
  case rightToLeft

  /// An ornament that points somewhere, such as `<`, as it is drawn in this direction.
  package func mirrored(_ character: Character) -> Character {
    guard self == .rightToLeft else { return character }
    let pairs: [Character: Character] = [
      "<": ">", ">": "<", "[": "]", "]": "[", "(": ")", ")": "(", "‹": "›", "›": "‹", "▸": "◂",
      "◂": "▸", "←": "→", "→": "←", "»": "«", "«": "»", "├": "┤", "┤": "├", "▏": "▕", "▕": "▏",
    ]
    return pairs[character] ?? character
  }
}

/// Where text stands in the room it has.
package enum TextAlignment: Sendable, CaseIterable {
  /// At the left; at the right where columns run from there.
  case leading
  case center
  case trailing
}

/// A span of text in one style.
package struct Span: Hashable, Sendable {
  /// Text that was made safe.
  package var text: String
  package var style: Style

  package init(_ text: String, _ style: Style = .init()) {
    (self.text, self.style) = (text, style)
  }
}

/// One line of spans.
package struct StyledLine: Hashable, Sendable {
  package var spans: [Span]

  package init(_ spans: [Span] = []) { self.spans = spans }
  package init(_ text: String, _ style: Style = .init()) { spans = [Span(text, style)] }

  package var text: String { spans.map(\.text).joined() }
  package var columns: Int { spans.reduce(0) { $0 + Glyph.columns($1.text) } }
}

extension Glyph {
  /// The beginning of `text` that fits `limit` columns, with an ellipsis where it was cut.
  ///
  /// - Parameter ellipsis: What takes one column: `…`, or `~` where a terminal has no UTF-8.
  package static func fitted(
    _ text: String, to limit: Int, ellipsis: Character = "…"
  ) -> String {
    // A glyph takes a column or more, so longer text need not be measured to its end.
    var (columns, fit, index) = (0, text.startIndex, text.startIndex)
    while index < text.endIndex {
      let next = columns + Glyph(text[index]).columns
      guard next <= limit else {
        return limit > 0 ? String(text[..<fit]) + String(ellipsis) : ""
      }
      (columns, index) = (next, text.index(after: index))
      if columns < limit { fit = index }
    }
    return text
  }
}

extension CellGrid {
  /// Draws one line of text into the first row of a part, cut to it with an ellipsis.
  ///
  /// Text of right-to-left scripts is put in its logical order: whether to turn it around is a
  /// terminal's own business, and those that do would turn what was turned.
  package mutating func draw(
    _ text: String, _ style: Style = .init(), in part: CellRect,
    alignment: TextAlignment = .leading, direction: LayoutDirection = .leftToRight,
    ellipsis: Character = "…"
  ) {
    guard !part.isEmpty else { return }
    let fitted = Glyph.fitted(text, to: part.width, ellipsis: ellipsis)
    let x = part.x + Self.offset(Glyph.columns(fitted), in: part.width, alignment, direction)
    draw(fitted, style, x: x, y: part.y, clip: part)
  }

  /// Draws one line of spans into the first row of a part, cut to it with an ellipsis.
  package mutating func draw(
    _ line: StyledLine, in part: CellRect, alignment: TextAlignment = .leading,
    direction: LayoutDirection = .leftToRight, ellipsis: Character = "…"
  ) {
    guard !part.isEmpty else { return }
    var spans = line.spans
    if line.columns > part.width { spans = Self.cut(spans, to: part.width, ellipsis) }
    let columns = spans.reduce(0) { $0 + Glyph.columns($1.text) }
    var x = part.x + Self.offset(columns, in: part.width, alignment, direction)
    for span in spans { x = draw(span.text, span.style, x: x, y: part.y, clip: part) }
  }

  private static func offset(
    _ columns: Int, in width: Int, _ alignment: TextAlignment, _ direction: LayoutDirection
  ) -> Int {
    let room = max(0, width - columns)
    switch (alignment, direction) {
    case (.center, _): return room / 2
    case (.leading, .leftToRight), (.trailing, .rightToLeft): return 0
    case (.trailing, .leftToRight), (.leading, .rightToLeft): return room
    }
  }

  private static func cut(_ spans: [Span], to width: Int, _ ellipsis: Character) -> [Span] {
    var (left, kept) = (width, [Span]())
    for (index, span) in spans.enumerated() {
      let columns = Glyph.columns(span.text)
      let hasMore = spans[(index + 1)...].contains { !$0.text.isEmpty }
      // The ellipsis needs the last column, unless all ends here.
      if columns < left || columns == left && !hasMore {
        kept.append(span)
        left -= columns
        continue
      }
      let text = columns == left ? span.text + " " : span.text
      return kept + [Span(Glyph.fitted(text, to: left, ellipsis: ellipsis), span.style)]
    }
    return kept
  }
}

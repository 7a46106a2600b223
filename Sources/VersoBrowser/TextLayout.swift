import VersoModel

/// One row of a note as it is shown.
package struct TextRow: Hashable, Sendable {
  package var line: StyledLine
  /// The line of the note that it comes from, from 1.
  package let sourceLine: Int

  package init(_ line: StyledLine, sourceLine: Int) {
    (self.line, self.sourceLine) = (line, sourceLine)
  }
}

/// A note in rows of a width, laid out only as far as somebody looks.
package protocol TextLayout {
  /// The rows there are so far.
  var rows: [TextRow] { get }
  /// Whether ``rows`` are all.
  var isComplete: Bool { get }
  /// Lays out more, a block or a line of the note at a time.
  mutating func layOutMore()
}

extension TextLayout {
  /// Rows of a range, laid out up to its end; fewer at the end of the note.
  package mutating func rows(_ range: Range<Int>) -> ArraySlice<TextRow> {
    while rows.count < range.upperBound, !isComplete { layOutMore() }
    return rows[range.clamped(to: 0..<rows.count)]
  }

  /// The first row of a line of the note, or of the first line behind it that has one; `nil` behind
  /// the last.
  package mutating func row(ofSourceLine line: Int) -> Int? {
    var checked = 0
    while true {
      if let index = rows[checked...].firstIndex(where: { $0.sourceLine >= line }) { return index }
      checked = rows.count
      if isComplete { return nil }
      layOutMore()
    }
  }

  /// How many rows there are, everything laid out.
  package mutating func countAll() -> Int {
    while !isComplete { layOutMore() }
    return rows.count
  }
}

/// Plain text in rows of a width.
package struct PlainTextLayout: TextLayout, Sendable {
  package private(set) var rows: [TextRow] = []
  package private(set) var isComplete: Bool

  private let bytes: [UInt8]
  private let width: Int
  private let style: Style
  private var position = 0
  private var line = 0

  /// - Parameter bytes: Of any kind: what acts, hides or is not UTF-8 is drawn as symbols.
  package init(_ bytes: [UInt8], width: Int, style: Style = .init()) {
    (self.bytes, self.width, self.style) = (bytes, width, style)
    isComplete = bytes.isEmpty
  }

  package mutating func layOutMore() {
    guard !isComplete else { return }
    line += 1
    let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
    var content = bytes[position..<end]
    // A carriage return is part of the line's end.
    if content.last == 0x0D { content = content.dropLast() }
    var wrapper = LineWrapper(width: width, keepsSpaces: true)
    wrapper.add(SafeText.text(Array(content), keeping: .tab), style)
    rows += wrapper.finish().map { TextRow($0, sourceLine: line) }
    position = end + 1
    isComplete = position >= bytes.count
  }
}

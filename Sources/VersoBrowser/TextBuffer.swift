/// The text of an editor: bytes, a caret, a selection, and what undo needs.
///
/// Pure: no clock, no terminal. Positions are byte offsets at which a grapheme starts, or the end. What
/// is not edited keeps its bytes, whatever they are.
package struct TextBuffer: Sendable {
  var storage: TextStorage
  /// Where text is inserted.
  package internal(set) var caret = 0
  /// The other end of the selection; `nil` without one.
  package internal(set) var anchor: Int?
  /// The column that movement by rows returns to.
  var goal: Int?
  var history = TextHistory()
  /// What a new line ends with: what the first line of the text ends with.
  package let lineEnding: [UInt8]

  /// A buffer of what a file holds.
  package init(_ bytes: [UInt8] = []) {
    storage = TextStorage(bytes)
    let first = storage.content(ofLine: 0).upperBound
    let end = storage.bytes(in: first..<storage.start(ofLine: 1))
    lineEnding = storage.feedCount == 0 ? [TextStorage.feed] : end
  }

  /// The text as a file holds it.
  package var bytes: [UInt8] { storage.bytes }

  /// The number of bytes.
  package var count: Int { storage.count }

  /// The number of lines; a text that ends with a line's end has an empty last one.
  package var lineCount: Int { storage.feedCount + 1 }

  /// Some of the text's bytes.
  package func bytes(in range: Range<Int>) -> [UInt8] { storage.bytes(in: range) }

  /// A line without its end; lines are numbered from 0.
  package func content(ofLine line: Int) -> Range<Int> { storage.content(ofLine: line) }

  /// The line that holds an offset.
  package func line(at offset: Int) -> Int { storage.line(at: offset) }

  /// The graphemes before the caret in its line, and the number of the line, both from 0.
  package var position: (line: Int, character: Int) {
    let line = storage.line(at: caret)
    let start = storage.start(ofLine: line)
    return (line, TextCluster.all(in: storage.bytes(in: start..<caret)[...]).count)
  }

  /// The selected range; `nil` where nothing is selected.
  package var selection: Range<Int>? {
    guard let anchor, anchor != caret else { return nil }
    return min(anchor, caret)..<max(anchor, caret)
  }

  /// The selected bytes.
  package var selectedBytes: [UInt8] { selection.map(storage.bytes(in:)) ?? [] }

  /// Selects a range, with the caret at its end.
  package mutating func select(_ range: Range<Int>) {
    history.seal()
    let range = range.clamped(to: 0..<count)
    anchor = storage.boundary(atOrAfter: range.lowerBound)
    caret = storage.boundary(atOrAfter: range.upperBound)
    goal = nil
  }

  /// Selects everything.
  package mutating func selectAll() { select(0..<count) }

  /// Drops the selection; the caret stays.
  package mutating func deselect() { anchor = nil }

  /// Whether the text differs from what was read or saved last.
  package var isModified: Bool { history.isModified }

  /// Another number after each change of the text, and the same again where it is undone.
  package var revision: Int { history.number }

  /// The text is on disk now.
  package mutating func markSaved() { history.markSaved() }
}

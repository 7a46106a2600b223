import Testing
import VersoBrowser
import VersoTestSupport

/// Random editing against the reference.
@Suite struct TextBufferWalkTests {
  @Test(arguments: seeds(isFullRun ? 300 : 15))
  func `a buffer and an array of characters never differ`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let text = awkwardText(Int.random(in: 0...60, using: &generator), &generator)
    var buffer = TextBuffer(Array(text.utf8))
    var reference = TextBufferReference(text)
    var past: [TextBufferReference] = []
    var future: [(before: TextBufferReference, after: TextBufferReference)] = []
    var (time, undone) = (0.0, 0)
    for step in 0..<150 {
      let comment: Comment = "seed \(seed), step \(step)"
      time += generator.chance(4) ? 2 : 0.1
      let before = reference
      switch Int.random(in: 0...9, using: &generator) {
      case 0...3:
        Self.edit(&buffer, &reference, at: time, &generator)
        if buffer.bytes != before.bytes || before.selection != nil { past.append(before) }
        if !buffer.canRedo { future = [] }
      case 4 where buffer.canUndo:
        buffer.undo()
        undone += 1
        // A step may hold several edits, but it starts and ends at states that there were.
        repeat {
          guard let state = past.popLast() else {
            Issue.record("undo leads to a state that never was: \(comment)")
            return
          }
          future.append((state, reference))
          reference = state
        } while reference.bytes != buffer.bytes || reference.offset(reference.caret) != buffer.caret
      case 5 where buffer.canRedo:
        buffer.redo()
        repeat {
          guard let state = future.popLast() else {
            Issue.record("redo leads to a state that never was: \(comment)")
            return
          }
          past.append(state.before)
          reference = state.after
        } while reference.bytes != buffer.bytes
        reference.place(reference.characters.count)
        Self.matchPlace(buffer, &reference)
      default: Self.move(&buffer, &reference, &generator)
      }
      Self.expectEqual(buffer, reference, comment)
    }
    while buffer.undo() {}
    #expect(buffer.bytes == Array(text.utf8), "seed \(seed)")
    #expect(!buffer.isModified)
    #expect(undone > 0, "seed \(seed)")
  }

  private static func matchPlace(_ buffer: TextBuffer, _ reference: inout TextBufferReference) {
    for index in 0...reference.characters.count
    where reference.offset(index) == buffer.caret { reference.place(index) }
  }

  private static func expectEqual(
    _ buffer: TextBuffer, _ reference: TextBufferReference, _ comment: Comment
  ) {
    #expect(buffer.bytes == reference.bytes, comment)
    #expect(buffer.count == reference.bytes.count, comment)
    #expect(buffer.caret == reference.offset(reference.caret), comment)
    let selection = reference.selection.map {
      reference.offset($0.lowerBound)..<reference.offset($0.upperBound)
    }
    #expect(buffer.selection == selection, comment)
    let ends = reference.characters.filter(TextBufferReference.endsLine).count
    #expect(buffer.lineCount == ends + 1, comment)
    let line = reference.characters[..<reference.caret].filter(TextBufferReference.endsLine).count
    #expect(buffer.position.line == line, comment)
    #expect(
      buffer.position.character == reference.caret - reference.lineStart(reference.caret), comment)
  }

  private static func edit(
    _ buffer: inout TextBuffer, _ reference: inout TextBufferReference, at time: Double,
    _ generator: inout SeededGenerator
  ) {
    let range = reference.selection ?? reference.caret..<reference.caret
    let place = reference.selection ?? reference.gap
    switch Int.random(in: 0...6, using: &generator) {
    case 0...1:
      let text = awkwardText(1, &generator)
      buffer.type(text, at: time)
      reference.replace(place, with: text)
    case 2:
      let text = awkwardText(Int.random(in: 1...20, using: &generator), &generator)
        .split(whereSeparator: \.isNewline).joined(separator: " ")
      buffer.paste(Array(text.utf8), at: time)
      if !text.isEmpty || !range.isEmpty { reference.replace(place, with: text) }
    case 3:
      buffer.deleteBackward(at: time)
      let start = reference.selection == nil ? max(0, range.lowerBound - 1) : range.lowerBound
      if start < range.upperBound { reference.replace(start..<range.upperBound, with: "") }
    case 4:
      buffer.deleteForward(at: time)
      let end = reference.selection == nil ? range.upperBound + 1 : range.upperBound
      let limit = min(end, reference.characters.count)
      if limit > range.lowerBound { reference.replace(range.lowerBound..<limit, with: "") }
    case 5:
      let killed = buffer.killLine(at: time)
      let end = reference.lineEnd(reference.caret)
      let limit = end == reference.caret ? min(end + 1, reference.characters.count) : end
      #expect(killed == reference.characters[reference.caret..<limit].flatMap { Array($0.utf8) })
      let caret = reference.caret
      reference.place(caret)
      if limit > caret { reference.replace(caret..<limit, with: "") }
    default:
      buffer.newline(indenting: false, at: time)
      reference.replace(place, with: String(decoding: buffer.lineEnding, as: UTF8.self))
    }
  }

  private static func move(
    _ buffer: inout TextBuffer, _ reference: inout TextBufferReference,
    _ generator: inout SeededGenerator
  ) {
    let extending = generator.chance(3)
    switch Int.random(in: 0...6, using: &generator) {
    case 0:
      buffer.move(.left, extending: extending)
      let target = extending ? nil : reference.selection?.lowerBound
      reference.place(target ?? reference.caret - 1, extending: extending)
    case 1:
      buffer.move(.right, extending: extending)
      let target = extending ? nil : reference.selection?.upperBound
      reference.place(target ?? reference.caret + 1, extending: extending)
    case 2:
      buffer.move(.lineStart, extending: extending)
      reference.place(reference.lineStart(reference.caret), extending: extending)
    case 3:
      buffer.move(.lineEnd, extending: extending)
      reference.place(reference.lineEnd(reference.caret), extending: extending)
    case 4:
      buffer.move(.documentStart, extending: extending)
      reference.place(0, extending: extending)
    case 5:
      buffer.move(.documentEnd, extending: extending)
      reference.place(reference.characters.count, extending: extending)
    default:
      let index = Int.random(in: 0...reference.characters.count, using: &generator)
      buffer.move(to: reference.offset(index), extending: extending)
      reference.place(index, extending: extending)
    }
  }
}

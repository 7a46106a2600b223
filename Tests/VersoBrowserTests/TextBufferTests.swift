import Testing
import VersoBrowser
import VersoTestSupport

@Suite struct TextBufferTests {
  private func buffer(_ text: String, caretAt offset: Int = 0) -> TextBuffer {
    var buffer = TextBuffer(Array(text.utf8))
    buffer.move(to: offset)
    return buffer
  }

  private func text(_ buffer: TextBuffer) -> String {
    String(decoding: buffer.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      [], [0x0A], [0xFF, 0xFE, 0x00, 0x0D, 0x0A, 0x0D, 0x0A], [0xC3], [0xE2, 0x82],
      [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x0D], [0x0D, 0x0D, 0x0A], [0xC0, 0xAF, 0x61],
    ] as [[UInt8]])
  func `bytes that are no text come back as they were`(bytes: [UInt8]) {
    var buffer = TextBuffer(bytes)
    #expect(buffer.bytes == bytes)
    for movement in TextBuffer.Movement.allCases { buffer.move(movement) }
    #expect(buffer.bytes == bytes)
    buffer.move(.documentEnd)
    buffer.type("x", at: 0)
    #expect(buffer.bytes == bytes + [0x78])
    buffer.undo()
    #expect(buffer.bytes == bytes)
    #expect(!buffer.isModified)
  }

  @Test(arguments: seeds(3)) func `random bytes come back, and an edit touches its place alone`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<6000).map { _ in
      UInt8.random(in: generator.chance(3) ? 0...255 : 0x20...0x7E, using: &generator)
    }
    var buffer = TextBuffer(bytes)
    var expected = bytes
    for _ in 0..<30 {
      buffer.move(to: Int.random(in: 0...buffer.count, using: &generator))
      let at = buffer.caret
      buffer.type("né", at: 0)
      expected.replaceSubrange(at..<at, with: "né".utf8)
      let isExpected = buffer.bytes == expected
      #expect(isExpected, "seed \(seed)")
    }
    // Each byte that is no text is a step of its own, in both directions.
    var (right, left) = ([0], [buffer.count])
    buffer.move(.documentStart)
    while buffer.caret < buffer.count {
      buffer.move(.right)
      right.append(buffer.caret)
    }
    while buffer.caret > 0 {
      buffer.move(.left)
      left.append(buffer.caret)
    }
    // The comparison alone: to show how long arrays differ takes long.
    let firstDifference = zip(right, left.reversed()).first { $0 != $1 }?.0
    #expect(firstDifference == nil && right.count == left.count, "seed \(seed)")
  }

  @Test(arguments: ["one\r\ntwo\r\n", "one\ntwo\n", "one\ntwo", "one"])
  func `line ends and the last line's are kept as the file has them`(note: String) {
    var buffer = buffer(note, caretAt: 2)
    buffer.type("x", at: 0)
    #expect(text(buffer) == note.replacing("one", with: "onxe"))
    buffer.newline(at: 5)
    let ending = note.contains("\r\n") ? "\r\n" : "\n"
    #expect(text(buffer) == note.replacing("one", with: "onx\(ending)e"))
    buffer.paste(Array("a\rb\nc\r\nd".utf8), at: 9)
    #expect(text(buffer).contains("a\(ending)b\(ending)c\(ending)d"))
  }

  @Test func `CR LF is one step and is deleted as one`() {
    var buffer = buffer("a\r\nb", caretAt: 1)
    buffer.move(.right)
    #expect(buffer.caret == 3)
    #expect(buffer.position == (1, 0))
    buffer.deleteBackward(at: 0)
    #expect(text(buffer) == "ab")
  }

  @Test func `a new line is indented as the one before`() {
    var buffer = buffer("  \tone", caretAt: 6)
    buffer.newline(at: 0)
    buffer.type("two", at: 0.1)
    #expect(text(buffer) == "  \tone\n  \ttwo")
    // Only the blanks before the caret count.
    buffer = self.buffer("    one", caretAt: 2)
    buffer.newline(at: 0)
    #expect(text(buffer) == "  \n    one")
  }

  @Test(arguments: ["e\u{301}", "👨‍👩‍👧", "🇩🇪", "👍🏽", "กำ", "각"])
  func `a grapheme is stepped over and deleted whole`(grapheme: String) {
    var buffer = buffer("a\(grapheme)b", caretAt: 1)
    buffer.move(.right)
    #expect(buffer.caret == 1 + grapheme.utf8.count)
    buffer.move(.left)
    #expect(buffer.caret == 1)
    buffer.deleteForward(at: 0)
    #expect(text(buffer) == "ab")
    buffer.undo()
    buffer.move(.lineEnd)
    buffer.move(.left)
    buffer.deleteBackward(at: 5)
    #expect(text(buffer) == "ab")
  }

  @Test func `words are letters, signs, ideographs or kana, and lines are places to stop at`() {
    let note = "one two.three  日本語カナ\nnext"
    var buffer = buffer(note)
    var stops: [String] = []
    while buffer.caret < buffer.count {
      let before = buffer.caret
      buffer.move(.wordRight)
      stops.append(String(decoding: buffer.bytes(in: before..<buffer.caret), as: UTF8.self))
    }
    #expect(stops == ["one ", "two", ".", "three  ", "日本語", "カナ", "\n", "next"])
    var back: [String] = []
    while buffer.caret > 0 {
      let before = buffer.caret
      buffer.move(.wordLeft)
      back.append(String(decoding: buffer.bytes(in: buffer.caret..<before), as: UTF8.self))
    }
    #expect(back.reversed() == ["one ", "two", ".", "three  ", "日本語", "カナ", "\n", "next"])
    buffer = self.buffer("one two", caretAt: 7)
    buffer.deleteWordBackward(at: 0)
    #expect(text(buffer) == "one ")
    buffer.move(.documentStart)
    buffer.deleteWordForward(at: 5)
    #expect(text(buffer) == "")
  }

  @Test func `the first character of a line comes before its start`() {
    var buffer = buffer("   one", caretAt: 5)
    buffer.move(.indentation)
    #expect(buffer.caret == 3)
    buffer.move(.indentation)
    #expect(buffer.caret == 0)
    buffer.move(.indentation)
    #expect(buffer.caret == 3)
  }

  @Test func `a selection grows, is replaced, and a step leaves at its end`() {
    var buffer = buffer("one two", caretAt: 4)
    buffer.move(.lineEnd, extending: true)
    #expect(buffer.selection == 4..<7)
    #expect(buffer.selectedBytes == Array("two".utf8))
    buffer.move(.left)
    #expect(buffer.caret == 4 && buffer.selection == nil)
    buffer.move(.wordRight, extending: true)
    buffer.type("2", at: 0)
    #expect(text(buffer) == "one 2")
    buffer.undo()
    #expect(text(buffer) == "one two")
    #expect(buffer.selection == 4..<7)
    #expect(buffer.cut(at: 5) == Array("two".utf8))
    buffer.selectAll()
    buffer.deleteBackward(at: 9)
    #expect(buffer.count == 0)
  }

  @Test func `typing is one step until a pause, a movement or a save`() {
    var buffer = TextBuffer()
    for (at, letter) in "hello".enumerated() { buffer.type(String(letter), at: Double(at) * 0.9) }
    buffer.undo()
    #expect(text(buffer) == "")
    buffer.redo()
    #expect(text(buffer) == "hello")

    buffer = TextBuffer()
    buffer.type("a", at: 0)
    buffer.type("b", at: 1.1)
    buffer.undo()
    #expect(text(buffer) == "a")

    buffer = TextBuffer()
    buffer.type("a", at: 0)
    buffer.move(.left)
    buffer.move(.right)
    buffer.type("b", at: 0.1)
    buffer.undo()
    #expect(text(buffer) == "a")

    buffer = TextBuffer()
    buffer.type("a", at: 0)
    buffer.markSaved()
    buffer.type("b", at: 0.1)
    #expect(buffer.isModified)
    buffer.undo()
    #expect(text(buffer) == "a")
    #expect(!buffer.isModified)
    buffer.undo()
    #expect(buffer.isModified)
    buffer.redo()
    #expect(!buffer.isModified)
  }

  @Test func `deleting is a step of its own kind`() {
    var buffer = buffer("abcdef", caretAt: 3)
    buffer.type("x", at: 0)
    buffer.deleteBackward(at: 0.1)
    buffer.deleteBackward(at: 0.2)
    buffer.deleteForward(at: 0.3)
    buffer.deleteForward(at: 0.4)
    #expect(text(buffer) == "abf")
    var texts: [String] = []
    while buffer.undo() { texts.append(text(buffer)) }
    #expect(texts == ["abdef", "abcxdef", "abcdef"])
    // A new edit forgets what was undone.
    buffer.type("y", at: 9)
    #expect(!buffer.canRedo)
  }

  @Test func `a saved text that is edited after an undo is not the saved one`() {
    var buffer = TextBuffer()
    buffer.type("a", at: 0)
    buffer.markSaved()
    buffer.undo()
    buffer.type("b", at: 5)
    #expect(buffer.isModified)
    buffer.undo()
    #expect(buffer.isModified)
  }

  @Test func `nothing is typed or pasted before a byte order mark`() {
    let mark = "\u{FEFF}"
    var typed = buffer(mark + "one\n")
    typed.type("a", at: 1)
    typed.type("b", at: 1)
    #expect(text(typed) == mark + "abone\n" && typed.caret == 5)
    typed.undo()
    #expect(text(typed) == mark + "one\n" && typed.caret == 0)
    typed.newline(at: 2)
    typed.move(.documentStart)
    typed.paste(Array("p".utf8), at: 3)
    #expect(text(typed) == mark + "p\none\n")
    // Who selects all takes all.
    typed.select(0..<typed.count)
    typed.type("x", at: 4)
    #expect(text(typed) == "x")
    var later = buffer("one \(mark)two", caretAt: 4)
    later.type("x", at: 1)
    #expect(text(later) == "one x\(mark)two")
  }

  @Test func `killing a line takes its rest, then its end`() {
    var buffer = buffer("one\r\ntwo", caretAt: 1)
    #expect(buffer.killLine(at: 0) == Array("ne".utf8))
    #expect(buffer.killLine(at: 9) == Array("\r\n".utf8))
    #expect(text(buffer) == "atwo".replacing("a", with: "o"))
    buffer.move(.documentEnd)
    #expect(buffer.killLine(at: 20) == [])
  }

  @Test func `a paste of a megabyte is one step`() {
    var buffer = buffer("before after", caretAt: 7)
    let line = Array("a line of some length, é and 日本\n".utf8)
    let paste = Array(repeating: line, count: (1 << 20) / line.count + 1).flatMap { $0 }
    buffer.paste(paste, at: 0)
    #expect(buffer.count == paste.count + 12)
    #expect(buffer.caret == 7 + paste.count)
    buffer.type("x", at: 0.1)
    buffer.undo()
    #expect(buffer.count == paste.count + 12)
    buffer.undo()
    #expect(text(buffer) == "before after")
    buffer.redo()
    let isPasted = buffer.bytes == Array("before ".utf8) + paste + Array("after".utf8)
    #expect(isPasted)
  }

  @Test func `a text that is read again keeps line and grapheme, as far as there are such`() {
    var buffer = buffer("one\ntwo e\u{301}x\nthree")
    buffer.move(to: 4 + 4 + 3)
    #expect(buffer.position == (1, 5))
    buffer.reload(Array("first\n日本語日本語\n".utf8))
    #expect(buffer.position == (1, 5))
    #expect(!buffer.canUndo && !buffer.isModified)
    buffer.reload(Array("x".utf8))
    #expect(buffer.position == (0, 1))
    buffer.reload([])
    #expect(buffer.caret == 0)
  }

  @Test func `ten megabytes are edited in place`() {
    let line = Array("some words in a line that is not very long at all\n".utf8)
    let bytes = Array(repeating: line, count: 10_000_000 / line.count).flatMap { $0 }
    var buffer = TextBuffer(bytes)
    let layout = SoftWrap(width: 40)
    var viewport = TextViewport(height: 50)
    var generator = SeededGenerator(seed: 1)
    let time = ContinuousClock().measure {
      for step in 0..<20 {
        buffer.move(to: Int.random(in: 0...buffer.count, using: &generator))
        buffer.type("é", at: Double(step) * 3)
        viewport.reveal(buffer, layout)
        #expect(viewport.rows(buffer, layout).contains { $0.range.contains(buffer.caret - 1) })
      }
    }
    #expect(buffer.count == bytes.count + 40)
    #expect(buffer.lineCount == bytes.count / line.count + 1)
    // A debug build on a busy machine. Copying all at each step would take as long for each alone.
    #expect(time < .seconds(10))
    while buffer.undo() {}
    let isBack = buffer.bytes == bytes
    #expect(isBack)
  }

  @Test(arguments: ["x", "日本", "word "])
  func `a line of megabytes can be edited, walked and shown`(piece: String) {
    let bytes = Array(repeating: Array(piece.utf8), count: 1_000_000 / piece.utf8.count)
      .flatMap { $0 }
    var buffer = TextBuffer(bytes)
    let layout = SoftWrap(width: 80)
    var viewport = TextViewport(height: 40)
    let time = ContinuousClock().measure {
      buffer.move(to: bytes.count / 2)
      for step in 0..<3 {
        buffer.type("e\u{301}", at: Double(step) * 3)
        viewport.reveal(buffer, layout)
        buffer.move(rows: 30, layout)
        viewport.reveal(buffer, layout)
        #expect(viewport.place(of: buffer.caret, buffer, layout) != nil)
      }
    }
    #expect(time < .seconds(20))
    #expect(viewport.rows(buffer, layout).count == 40)
    #expect(buffer.count == bytes.count + 9)
  }
}

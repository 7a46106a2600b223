import Testing
import VersoBrowser
import VersoTestSupport

@Suite struct TextBufferLayoutTests {
  /// Rows as they would be drawn.
  private func drawn(_ text: String, width: Int, tabs: Int = 4) -> [String] {
    let buffer = TextBuffer(Array(text.utf8))
    return TextViewport(height: 1000).rows(buffer, SoftWrap(width: width, tabWidth: tabs)).map {
      row in
      row.glyphs.map { $0.kind == .tab ? String(repeating: ">", count: $0.cells) : $0.text }
        .joined()
    }
  }

  @Test func `rows break after blanks and hyphens, and in words that are too long`() {
    #expect(drawn("one two three", width: 8) == ["one two ", "three"])
    #expect(drawn("one two three", width: 7) == ["one two", " three"])
    #expect(drawn("well-known thing", width: 8) == ["well-", "known ", "thing"])
    #expect(drawn("abcdefghij", width: 4) == ["abcd", "efgh", "ij"])
    #expect(drawn("a bcdefghij", width: 4) == ["a ", "bcde", "fghi", "j"])
    #expect(drawn("a\n\nb\n", width: 4) == ["a", "", "b", ""])
    #expect(drawn("", width: 4) == [""])
  }

  @Test func `a line that fills its last row has one more for the caret`() {
    #expect(drawn("abcd", width: 4) == ["abcd", ""])
    #expect(drawn("abcd\nx", width: 4) == ["abcd", "", "x"])
    let buffer = TextBuffer(Array("abcd\nx".utf8))
    let place = TextViewport(height: 9).place(of: 4, buffer, SoftWrap(width: 4))
    #expect(place?.row == 1 && place?.column == 0)
  }

  @Test func `a wide character is not split, and a full stop does not start a row`() {
    #expect(drawn("日本語", width: 5) == ["日本", "語"])
    #expect(drawn("a日本語", width: 4) == ["a日", "本語", ""])
    #expect(drawn("日本。語", width: 4) == ["日", "本。", "語"])
    #expect(drawn("日", width: 1) == ["日", ""])
  }

  @Test func `marks and joined emoji stay in one cluster`() {
    #expect(drawn("e\u{301}e\u{301}e\u{301}", width: 2) == ["e\u{301}e\u{301}", "e\u{301}"])
    // Of what terminals disagree about, the first code point is drawn, for the whole cluster.
    #expect(drawn("👨‍👩‍👧👨‍👩‍👧", width: 3) == ["👨", "👨"])
    let row = TextBuffer(Array("a👨‍👩‍👧b".utf8)).row(at: 0, SoftWrap(width: 20))
    #expect(row.glyphs.map(\.cells) == [1, 2, 1])
    #expect(row.glyphs.map(\.column) == [0, 1, 3])
  }

  @Test func `tabs go to the next stop and not beyond the row`() {
    #expect(drawn("a\tb", width: 20) == ["a>>>b"])
    #expect(drawn("\t\tb", width: 20, tabs: 8) == [">>>>>>>>>>>>>>>>b"])
    #expect(drawn("abcde\tf", width: 6) == ["abcde>", "f"])
  }

  @Test func `what would not be seen is drawn as a symbol`() {
    #expect(drawn("a\u{0}\u{1B}[31m\u{7F}", width: 20) == ["a␀␛[31m␡"])
    #expect(drawn("a\u{202E}b\u{200B}c", width: 30) == ["a⟨U+202E⟩b⟨U+200B⟩c"])
    #expect(drawn("a\u{202E}b", width: 4) == ["a\u{FFFD}b"])
    #expect(drawn("\u{301}x", width: 20) == ["\u{25CC}\u{301}x"])
    let buffer = TextBuffer([0x61, 0xFF, 0x62])
    let glyphs = buffer.row(at: 0, SoftWrap(width: 20)).glyphs
    #expect(glyphs.map(\.kind) == [.plain, .invalid, .plain])
    // A carriage return within a line is none of its end.
    #expect(drawn("a\rb\r\nc", width: 20) == ["a␍b", "c"])
  }

  @Test(arguments: seeds(isFullRun ? 300 : 20))
  func `positions and places on the screen lead to each other`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let text = awkwardText(Int.random(in: 0...40, using: &generator), &generator)
    var buffer = TextBuffer(Array(text.utf8))
    let layout = SoftWrap(
      width: Int.random(in: 2...30, using: &generator),
      tabWidth: Int.random(in: 1...8, using: &generator))
    let viewport = TextViewport(height: 10_000)
    let rows = viewport.rows(buffer, layout)
    Self.expectTiling(rows, buffer, layout, "seed \(seed)")
    buffer.move(.documentStart)
    var last = (row: -1, column: 0)
    while true {
      let place = viewport.place(of: buffer.caret, buffer, layout)
      guard let place else {
        Issue.record("seed \(seed): no place for \(buffer.caret)")
        return
      }
      #expect(place.column < layout.width, "seed \(seed)")
      #expect((place.row, place.column) > last, "seed \(seed)")
      let back = viewport.offset(row: place.row, column: place.column, buffer, layout)
      #expect(back == buffer.caret, "seed \(seed)")
      last = place
      if buffer.caret == buffer.count { break }
      buffer.move(.right)
    }
    // Any place on the screen is some position, with the caret in its row.
    for _ in 0..<30 {
      let row = Int.random(in: rows.indices, using: &generator)
      let column = Int.random(in: 0..<layout.width, using: &generator)
      let offset = viewport.offset(row: row, column: column, buffer, layout)
      #expect(viewport.place(of: offset, buffer, layout)?.row == row, "seed \(seed)")
    }
  }

  private static func expectTiling(
    _ rows: [WrappedRow], _ buffer: TextBuffer, _ layout: SoftWrap, _ comment: Comment
  ) {
    var covered: [UInt8] = []
    for row in rows {
      #expect(row.cells <= layout.width, comment)
      var (column, offset) = (0, row.range.lowerBound)
      for glyph in row.glyphs {
        #expect(glyph.column == column && glyph.offset == offset, comment)
        #expect(glyph.cells >= 1, comment)
        column += glyph.cells
        offset += glyph.length
      }
      #expect(offset == row.range.upperBound, comment)
      covered += buffer.bytes(in: row.range)
    }
    let lines = (0..<buffer.lineCount).flatMap { buffer.bytes(in: buffer.content(ofLine: $0)) }
    #expect(covered == lines, comment)
    #expect(rows.filter(\.startsLine).count >= buffer.lineCount, comment)
    #expect(rows.filter(\.endsLine).count == buffer.lineCount, comment)
  }

  @Test func `moving by rows returns to its column after shorter rows`() {
    var buffer = TextBuffer(Array("long line\nx\nanother one\n日本語日本語".utf8))
    let layout = SoftWrap(width: 20)
    buffer.move(to: 7)
    buffer.move(rows: 1, layout)
    #expect(buffer.position == (1, 1))
    buffer.move(rows: 1, layout)
    #expect(buffer.position == (2, 7))
    buffer.move(rows: 1, layout)
    // Column 7 is the right half of the fourth character.
    #expect(buffer.position == (3, 3))
    buffer.move(rows: -3, layout, extending: true)
    #expect(buffer.position == (0, 7))
    #expect(buffer.selection != nil)
    buffer.move(rows: -5, layout)
    #expect(buffer.position == (0, 7))
    buffer.move(rows: 50, layout)
    #expect(buffer.position.line == 3)
  }

  @Test func `a row's edges are within the row`() {
    var buffer = TextBuffer(Array("one two three".utf8))
    let layout = SoftWrap(width: 8)
    buffer.moveToRowEdge(layout, atEnd: true)
    #expect(buffer.caret == 7)
    buffer.move(.lineEnd)
    buffer.moveToRowEdge(layout, atEnd: false)
    #expect(buffer.caret == 8)
    buffer.moveToRowEdge(layout, atEnd: true)
    #expect(buffer.caret == 13)
  }

  @Test(arguments: seeds(10)) func `the caret comes into view, and a view that has it stays`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    var buffer = TextBuffer(Array(awkwardText(200, &generator).utf8))
    var viewport = TextViewport(height: 7)
    for _ in 0..<30 {
      let layout = SoftWrap(width: Int.random(in: 2...40, using: &generator))
      buffer.move(to: Int.random(in: 0...buffer.count, using: &generator))
      if generator.chance(3) {
        viewport.scroll(by: Int.random(in: -9...9, using: &generator), buffer, layout)
      }
      viewport.reveal(buffer, layout)
      #expect(viewport.place(of: buffer.caret, buffer, layout) != nil, "seed \(seed)")
      let top = viewport.top
      viewport.reveal(buffer, layout)
      #expect(viewport.top == top, "seed \(seed)")
      #expect(viewport.rows(buffer, layout).count <= 7)
    }
  }

  @Test func `scrolling stops at both ends`() {
    let buffer = TextBuffer(Array((0..<30).map { "line \($0)\n" }.joined().utf8))
    let layout = SoftWrap(width: 20)
    var viewport = TextViewport(height: 10)
    viewport.scroll(by: -3, buffer, layout)
    #expect(viewport.top == 0)
    viewport.scroll(by: 5, buffer, layout)
    #expect(viewport.rows(buffer, layout).first?.line == 5)
    viewport.scroll(by: 500, buffer, layout)
    #expect(viewport.rows(buffer, layout).map(\.line) == [30])
    #expect(viewport.offset(row: 99, column: 0, buffer, layout) == buffer.count)
  }
}

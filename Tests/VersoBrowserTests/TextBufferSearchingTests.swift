import Testing
import VersoBrowser

@Suite struct TextBufferSearchingTests {
  private let buffer = TextBuffer(Array("One two\nTWO ONE\none é e\u{301}\n日本語 日本".utf8))

  private func found(_ text: String) throws -> [Int] {
    let pattern = try #require(TextPattern(text))
    return buffer.matches(pattern, inLines: 0..<buffer.lineCount).map(\.lowerBound)
  }

  @Test func `case counts only where a capital was typed`() throws {
    #expect(try found("one") == [0, 12, 16])
    #expect(try found("One") == [0])
    #expect(try found("ONE") == [12])
  }

  @Test func `graphemes are compared, however they are encoded`() throws {
    let start = "One two\nTWO ONE\none ".utf8.count
    #expect(try found("é") == [start, start + 3])
    #expect(try found("e\u{301}") == [start, start + 3])
    #expect(try found("É") == [])
    #expect(try found("e").filter { $0 >= start } == [])
    #expect(try found("日本") == [start + 7, start + 17])
    #expect(
      TextBuffer(Array("1 \u{212A}".utf8)).match(after: 0, try #require(TextPattern("k"))) != nil)
  }

  @Test func `nothing and line ends are no patterns`() {
    #expect(TextPattern("") == nil)
    #expect(TextPattern("a\nb") == nil)
  }

  @Test func `a search goes on from the other end and says so`() throws {
    let one = try #require(TextPattern("one"))
    let next = try #require(buffer.match(after: 0, one))
    #expect(next.range == 12..<15 && !next.isWrapped)
    let wrapped = try #require(buffer.match(after: 16, one))
    #expect(wrapped.range == 0..<3 && wrapped.isWrapped)
    let last = try #require(buffer.match(before: 16, one))
    #expect(last.range == 12..<15 && !last.isWrapped)
    let around = try #require(buffer.match(before: 0, one))
    #expect(around.range == 16..<19 && around.isWrapped)
    #expect(buffer.match(after: 0, try #require(TextPattern("none"))) == nil)
    #expect(buffer.match(before: 0, try #require(TextPattern("none"))) == nil)
  }

  @Test func `a match on the last byte and bytes that are no text are met`() throws {
    let buffer = TextBuffer([0xFF, 0x61, 0xFF, 0x62, 0x61])
    let a = try #require(TextPattern("a"))
    #expect(buffer.matches(a, inLines: 0..<1) == [1..<2, 4..<5])
  }
}

import Testing
import VersoBrowser

@Suite struct MarkdownOutlineTests {
  @Test func `headings are found with their level, text and line`() {
    let note = Array("# Bread\n\ntext\n\n## Day *one*\n\n```\n# no heading\n```\n".utf8)
    #expect(
      MarkdownOutline(note).headings == [
        .init(level: 1, text: "Bread", line: 1), .init(level: 2, text: "Day one", line: 5),
      ])
  }

  @Test func `a note without headings, an empty one and invalid bytes have none`() {
    #expect(MarkdownOutline([]).headings.isEmpty)
    #expect(MarkdownOutline([0xFF, 0xFE, 0x00]).headings.isEmpty)
  }
}

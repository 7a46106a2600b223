import Testing
import VersoModel
import VersoTestSupport

@Suite struct TextWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("größe", 5), ("日本語", 6), ("e\u{301}", 1), ("😀", 2), ("␛[2J", 4),
    // Wide forms and narrow ones; Hangul as syllables and as conjoining letters.
    ("Ａｶ、", 5), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("葛\u{E0100}", 2), ("\u{20000}", 2),
    // Points and vowels that are drawn on letters, and Thai and Indic ones that stand beside them.
    ("שָׁלוֹם", 4), ("مُحَمَّد", 4), ("ชื่อ", 2), ("กำ", 2), ("ក្រុម", 3), ("कि", 2),
    // Emoji of several: all parts count. The last is newer than some C libraries.
    ("👨\u{200D}👩", 4), ("🇩🇪", 2), ("❤\u{FE0F}", 1), ("\u{1F6DC}", 2),
  ])
  func `columns are those of a terminal`(text: String, columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test func `text is cut between characters, to the columns there are`() {
    #expect(TextWidth.truncated("日本語", to: 6) == "日本語")
    #expect(TextWidth.truncated("日本語", to: 5) == "日本…")
    #expect(TextWidth.truncated("日本語", to: 4) == "日…")
    #expect(TextWidth.truncated("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
    #expect(TextWidth.truncated("abc", to: 0) == "")
    #expect(TextWidth.padded("日本", to: 6) == "日本  ")
    #expect(TextWidth.wrapped("one two three", to: 7) == ["one two", "three"])
  }
}

@Suite struct GlyphTests {
  @Test(
    arguments: [
      ("a", "a", 1), ("ß", "ß", 1), ("語", "語", 2), ("e\u{301}", "e\u{301}", 1),
      ("กำ", "กำ", 2), ("ชื่", "ชื่", 1), ("מָ", "מָ", 1), ("कि", "कि", 2),
      ("ی\u{200C}", "ی\u{200C}", 1), ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", 2),
      // Where terminals disagree, the first code point stands for all.
      ("👨\u{200D}👩\u{200D}👧", "👨", 2), ("👩🏽\u{200D}🔬", "👩", 2), ("👍🏽", "👍", 2),
      ("❤\u{FE0F}", "❤", 1), ("1\u{FE0F}\u{20E3}", "1", 1), ("🇩🇪", "🇩", 1),
      ("\u{1100}\u{1100}", "\u{1100}", 2),
      // Nothing is drawn in no column.
      ("\u{301}", "\u{25CC}\u{301}", 1), ("\n", "␊", 1), ("\r\n", "␍", 1), ("\u{1B}", "␛", 1),
    ] as [(Character, String, Int)])
  func `a character has one form for all terminals`(
    character: Character, drawn: String, columns: Int
  ) {
    let glyph = Glyph(character)
    #expect(Array(glyph.text.utf8) == Array(drawn.utf8))
    #expect(glyph.columns == columns)
  }

  @Test(arguments: seeds(10))
  func `a glyph is as wide as its scalars, and never without a column`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 1...6, using: &generator)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...0x1FFFF, using: &generator))
          }))
      for character in SafeText.text(text) {
        let glyph = Glyph(character)
        #expect(glyph.columns > 0, "seed \(seed): \(character.unicodeScalars.map(\.value))")
        #expect(glyph.columns == TextWidth.columns(glyph.text), "seed \(seed)")
        #expect(glyph.columns <= TextWidth.columns(String(character)) || glyph.columns == 1)
      }
    }
  }
}

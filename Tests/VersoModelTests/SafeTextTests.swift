import Testing
import VersoModel
import VersoTestSupport

@Suite struct SafeTextTests {
  @Test(arguments: [
    ("plain text, ~", "plain text, ~"), ("größe 日本語 😀", "größe 日本語 😀"),
    ("\u{1B}]0;title\u{07}", "␛]0;title␇"), ("\u{1B}[2J", "␛[2J"), ("a\r\nb\tc", "a␍␊b␉c"),
    ("\u{00}\u{1F}\u{7F}", "␀␟␡"), ("\u{9B}31m\u{85}", "⟨U+009B⟩31m⟨U+0085⟩"),
    ("gpj.\u{202E}cod\u{202C}", "gpj.⟨U+202E⟩cod⟨U+202C⟩"),
    ("\u{2066}a\u{2069}\u{200E}\u{200F}\u{61C}", "⟨U+2066⟩a⟨U+2069⟩⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"),
    ("a\u{200B}b\u{200C}c\u{200D}d\u{2060}e", "a⟨U+200B⟩b⟨U+200C⟩c⟨U+200D⟩d⟨U+2060⟩e"),
    ("\u{FEFF}a\u{AD}b", "⟨U+FEFF⟩a⟨U+00AD⟩b"), ("a\u{2028}b\u{2029}", "a⟨U+2028⟩b⟨U+2029⟩"),
    ("\u{E0041}\u{E007F}", "⟨U+E0041⟩⟨U+E007F⟩"), ("\u{FFFF}\u{10FFFF}", "⟨U+FFFF⟩⟨U+10FFFF⟩"),
    ("\u{0378}\u{FFF9}", "⟨U+0378⟩⟨U+FFF9⟩"),
    ("\u{3164}\u{115F}\u{34F}", "⟨U+3164⟩⟨U+115F⟩⟨U+034F⟩"),
    // A nerd font's icon, and marks that are drawn over what is before them.
    ("\u{E0B0} e\u{301}", "\u{E0B0} e\u{301}"),
    // Joiners and selectors where they belong.
    ("👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧"), ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
    ("👩🏽\u{200D}🔬", "👩🏽\u{200D}🔬"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
    ("क्\u{200D}ष क्\u{200C}ष", "क्\u{200D}ष क्\u{200C}ष"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
    ("葛\u{E0100}", "葛\u{E0100}"), ("\u{600}١", "\u{600}١"),
    // And where they do not: hidden doubles, and bytes smuggled behind an emoji.
    ("1\u{200D}2", "1⟨U+200D⟩2"), ("😀\u{200D}a", "😀⟨U+200D⟩a"), ("م\u{200C} ", "م⟨U+200C⟩ "),
    ("👨\u{200D}\u{200D}👩", "👨⟨U+200D⟩⟨U+200D⟩👩"), ("a\u{FE0F}", "a⟨U+FE0F⟩"),
    ("😀\u{FE0F}\u{FE0E}\u{E0101}", "😀\u{FE0F}⟨U+FE0E⟩⟨U+E0101⟩"), ("\u{FE0F}", "⟨U+FE0F⟩"),
  ])
  func `what acts or hides is shown as symbols`(text: String, expected: String) {
    #expect(Array(SafeText.text(text).utf8) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ([0x63, 0xE9], "c\\xE9"), ([0x9B, 0x33], "\\x9B3"), ([0xC3], "\\xC3"),
      ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0xC0, 0x9B], "\\xC0\\x9B"),
      ([0xF4, 0x90, 0x80, 0x80], "\\xF4\\x90\\x80\\x80"), ([0xE2, 0x82, 0x41], "\\xE2\\x82A"),
      ([0xFF, 0xC3, 0xA4, 0xFE], "\\xFFä\\xFE"), ([], ""),
    ] as [([UInt8], String)])
  func `invalid bytes are shown one by one`(bytes: [UInt8], expected: String) {
    #expect(SafeText.text(bytes) == expected)
  }

  @Test func `line feeds and tabs act only where asked for`() {
    #expect(SafeText.text("a\n\tb\r\n", keeping: .text) == "a\n\tb␍\n")
    #expect(SafeText.text("a\n\tb", keeping: .newline) == "a\n␉b")
    #expect(SafeText.text("a\n\tb", keeping: .tab) == "a␊\tb")
  }

  @Test(arguments: seeds(20))
  func `random bytes become valid text without controls, which stays as it is`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let bytes: [UInt8] = (0..<Int.random(in: 0...200, using: &generator)).flatMap { _ in
        if generator.chance(2) { return [UInt8.random(in: 0...255, using: &generator)] }
        let value = UInt32.random(in: 0...0x10FFFF, using: &generator)
        return Unicode.Scalar(value).map { Array(String(Character($0)).utf8) } ?? []
      }
      let safe = SafeText.safe(bytes)
      let text = String(validating: safe, as: UTF8.self)
      #expect(text != nil, "seed \(seed)")
      for scalar in text?.unicodeScalars ?? .init() {
        let category = scalar.properties.generalCategory
        #expect(category != .control && category != .unassigned, "seed \(seed)")
        #expect(!(0x202A...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value))
      }
      #expect(SafeText.safe(safe) == safe, "seed \(seed)")
    }
  }

  @Test func `long text is not copied once a character`() {
    let bytes = Array(String(repeating: "größe\u{1B} ", count: 200_000).utf8)
    let duration = ContinuousClock().measure { _ = SafeText.safe(bytes) }
    // Quadratic work would take minutes.
    #expect(duration < .seconds(20))
  }
}

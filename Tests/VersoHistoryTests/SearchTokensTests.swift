import Testing
import VersoTestSupport

@testable import VersoHistory

@Suite struct SearchTokensTests {
  private func words(_ text: String) -> [String] {
    SearchTokens(Array(text.utf8)).words.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("Café CAFÉ cafe\u{301}", "cafe cafe cafe"),
    ("Straße, ŁÓDŹ; Ærø", "strasse lodz aero"),
    ("İstanbul ısı", "istanbul isi"),
    ("ΆΝΘΡΩΠΟΣ άνθρωπος", "ανθρωποσ ανθρωποσ"),
    ("don't e-mail a_b", "don t e mail a b"),
    ("ＡＢＣ１２", "abc12"),
    ("שָׁלוֹם שלום", "שלום שלום"),
    ("مُحَمَّد محمد", "محمد محمد"),
    ("x\u{200D}y z\u{AD}z", "xy zz"),
    ("3.14 — 2026-11-30", "3 14 2026 11 30"),
    ("हिन्दी", "हिन्दी"),
  ])
  func `words are folded, signs fall away`(text: String, expected: String) {
    #expect(words(text).joined(separator: " ") == expected)
  }

  @Test(arguments: [
    ("日本語", "日本 本語 語"),
    ("日", "日"),
    ("abc日本def", "abc 日本 本 def"),
    ("ที่นี่", "ที่นี่ นี่"),
    ("日、本", "日 本"),
    ("ភាសាខ្មែរ", "ភាសា សាខ្ ខ្មែ មែរ រ"),
  ])
  func `scripts without spaces give each two neighbours and the last letter`(
    text: String, expected: String
  ) {
    #expect(words(text).joined(separator: " ") == expected)
  }

  @Test func `a word of any length is kept as its beginning`() {
    let long = String(repeating: "a", count: 5_000)
    #expect(words(long) == [String(repeating: "a", count: SearchTokens.longest)])
    #expect(SearchQuery([long])?.matches(Array("see \(long)".utf8)) == true)
  }

  @Test(arguments: [
    (["oat", "milk"], "milk of oats", false),
    (["oat", "milk"], "Milk\nand OAT", true),
    (["oat milk"], "oat\nmilk", true),
    (["oat milk"], "milk oat", false),
    (["oat*"], "oats", true),
    (["oat"], "oats", false),
    (["本"], "日本語", true),
    (["語"], "日本語", true),
    (["日語"], "日本語", false),
    (["本語"], "日本語", true),
    (["日本語"], "日本の語", false),
    (["นี่"], "ที่นี่", true),
    (["e-mail"], "an e mail", true),
  ])
  func `a query fits what holds all of its words`(words: [String], text: String, fits: Bool) {
    #expect(SearchQuery(words)?.matches(Array(text.utf8)) == fits)
  }

  @Test func `signs alone are no query`() {
    #expect(SearchQuery(["--", "…"]) == nil)
    #expect(SearchQuery([]) == nil)
  }
}

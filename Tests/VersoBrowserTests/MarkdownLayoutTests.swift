import Testing
import VersoBrowser
import VersoModel
import VersoTestSupport

@Suite struct MarkdownLayoutTests {
  private func rows(_ note: String, width: Int = 40) -> [TextRow] {
    var layout = MarkdownLayout(MarkdownDocument(Array(note.utf8)), width: width)
    return Array(layout.rows(0..<10_000))
  }

  private func drawn(_ note: String, width: Int = 40) -> String {
    rows(note, width: width).map { row in
      var text = row.line.text
      while text.hasSuffix(" ") { text.removeLast() }
      return text + "\n"
    }.joined()
  }

  @Test func `headings are told apart without colour`() {
    #expect(
      drawn("# One\ntext\n\n## Two 日本\n### Three\n") == """
        One
        ═══

        text

        Two 日本
        ────────

        ### Three

        """)
  }

  @Test func `paragraphs are wrapped at spaces, and cut where there are none`() {
    #expect(
      drawn("one two\nthree four five  \nsix", width: 10) == "one two\nthree four\nfive\nsix\n")
    #expect(drawn("abcdefghijklmno x", width: 6) == "abcdef\nghijkl\nmno x\n")
    #expect(drawn("日本語の文章を書く。次", width: 8) == "日本語の\n文章を書\nく。次\n")
    #expect(drawn("日本語文。次", width: 8) == "日本語\n文。次\n")
    #expect(drawn("ab「日本」", width: 6) == "ab「日\n本」\n")
  }

  @Test func `lists have their markers, and what belongs to an item stands below it`() {
    #expect(
      drawn("- one\n- two words and more\n  - inner\n- [ ] todo\n- [x] done\n", width: 14) == """
        • one
        • two words
          and more
          • inner
        ☐ todo
        ☑ done

        """)
    #expect(
      drawn("9. nine\n\n   more\n10. ten\n\n-\n- x\n") == """
        9. nine

           more

        10. ten

        •
        • x

        """)
  }

  @Test func `quotes, code, rules and HTML`() {
    #expect(
      drawn(
        "> quoted *text*\n>\n> - item\n> > deep\n\n```swift\nlet x = 1\n\n  y\tz\n```\n\n---\n\n<div>\n<b>\n</div>\n",
        width: 16)
          == """
          ▏ quoted text
          ▏
          ▏ • item
          ▏
          ▏ ▏ deep

           let x = 1

             y z

          ────────────────

          <div>
          <b>
          </div>

          """)
  }

  @Test func `links show where they lead, unless that is said already`() {
    #expect(drawn("[a note](other%20note.md)") == "a note <other%20note.md>\n")
    #expect(drawn("<https://verso.example>") == "https://verso.example\n")
    #expect(drawn("see https://verso.example now") == "see https://verso.example now\n")
    #expect(drawn("[verso.example](https://verso.example)") == "verso.example\n")
    #expect(drawn("[below](#part)") == "below\n")
    #expect(drawn("![a cat](cat.png) ![](x.png)") == "[image: a cat] <cat.png> [image] <x.png>\n")
  }

  @Test func `emphasis becomes marks`() throws {
    let row = try #require(rows("a *b* **c** ~~d~~ `e` ***f***").first)
    let styles = Dictionary(row.line.spans.map { ($0.text, $0.style) }) { first, _ in first }
    #expect(styles["b"] == Style(.text, .italic))
    #expect(styles["c"] == Style(.text, .bold))
    #expect(styles["d"] == Style(.text, .struck))
    #expect(styles["e"] == Style(.code, on: .code))
    #expect(styles["f"] == Style(.text, [.bold, .italic]))
  }

  @Test func `tables keep their columns`() {
    let table =
      "| Name | Size | Note |\n|:--|--:|:-:|\n| 日本 | 5 | x |\n| é\u{301} | 1000 | long text here |\n"
    #expect(
      drawn(table) == """
        Name │ Size │      Note
        ─────┼──────┼───────────────
        日本 │    5 │       x
        é\u{301}    │ 1000 │ long text here

        """)
    #expect(
      drawn(table, width: 24) == """
        Name │ Size │    Note
        ─────┼──────┼───────────
        日本 │    5 │     x
        é\u{301}    │ 1000 │ long text
             │      │    here

        """)
    #expect(
      drawn(table, width: 12) == """
        Name: 日本
        Size: 5
        Note: x
        ────────────
        Name: é\u{301}
        Size: 1000
        Note: long
        text here

        """)
  }

  @Test func `front matter is no heading`() {
    #expect(drawn("---\ntitle: A\n---\n\n# B\n") == "---\ntitle: A\n---\n\nB\n═\n")
    #expect(rows("---\ntitle: A\n---\n\n# B\n").last?.sourceLine == 5)
    #expect(drawn("---\n\ntext\n\n---\n", width: 5) == "─────\n\ntext\n\n─────\n")
    #expect(drawn("---\n", width: 4) == "────\n")
  }

  @Test func `footnotes stand at the end`() {
    #expect(
      drawn("a[^x] b[^y] c[^x]\n\n[^y]: two\n\n[^x]: one\n")
        == "a[^1] b[^2] c[^1]\n\n[^1]: one\n\n[^2]: two\n")
  }

  @Test func `nothing in a note acts on the terminal`() {
    let note =
      "a\u{1B}[31mb\u{7}\u{202E}c\n\n`\u{9B}x`\n\n```\n\u{1B}]0;t\u{7}\n```\n\n[\u{1B}c](\u{1B}d)\n\n| \u{8} |\n|-|\n"
    for row in rows(note) {
      for scalar in row.line.text.unicodeScalars {
        #expect(scalar.value >= 0x20 && scalar.properties.generalCategory != .control)
        #expect(!(0x202A...0x202E ~= scalar.value))
      }
    }
    #expect(drawn("a\u{0}b").contains("�"))
    var layout = MarkdownLayout(MarkdownDocument([0xFF, 0x61, 0xC3, 0x28]), width: 9)
    #expect(layout.rows(0..<9).map(\.line.text) == ["�a�("])
  }

  @Test func `rows know the lines that they come from`() {
    let note = "# One\n\ntext that is long enough\n\n- a\n- b\n\n```\ncode\n```\n"
    var layout = MarkdownLayout(MarkdownDocument(Array(note.utf8)), width: 12)
    #expect(layout.rows.isEmpty)
    #expect(layout.row(ofSourceLine: 6) == 7)
    #expect(!layout.isComplete)
    #expect(layout.row(ofSourceLine: 7) == 9)
    #expect(layout.row(ofSourceLine: 99) == nil)
    #expect(layout.isComplete)
    #expect(layout.rows.map(\.sourceLine) == [1, 1, 1, 3, 3, 3, 5, 6, 6, 9])
  }

  @Test func `each line of code is known, fenced and indented`() {
    #expect(rows("```\na\n\nb\n```\n").map(\.sourceLine) == [2, 3, 4])
    #expect(rows("x\n\n    a\n    b\n").map(\.sourceLine) == [1, 1, 3, 4])
  }

  @Test(arguments: seeds(isFullRun ? 40 : 6))
  func `no row is wider than there is room`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let openings = [
      "", "# ", "### ", "> ", "- ", "  - ", "10. ", "- [x] ", "    ", "| ", "> > - ", "\t",
    ]
    let pieces = [
      " ", " ", "*", "**", "`", "|", "[a](b)", "\n", "~~", "<i>", "```", "![", "\\", "é", "  \n",
    ]
    for _ in 0..<15 {
      var note = ""
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        note += openings.randomElement(using: &generator) ?? ""
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
          note += manyNames.randomElement(using: &generator) ?? ""
          note += pieces.randomElement(using: &generator) ?? ""
        }
        note += generator.chance(4) ? "\n| a | b |\n|--|:-:|\n| c | 日本 |\n" : "\n"
      }
      for width in [1, 2, 3, 7, 20, 59] {
        for row in rows(note, width: width) {
          #expect(row.line.columns <= width, "seed \(seed), width \(width): \(row.line.text)")
        }
        var plain = PlainTextLayout(Array(note.utf8), width: width)
        while !plain.isComplete { plain.layOutMore() }
        for row in plain.rows { #expect(row.line.columns <= width, "seed \(seed)") }
      }
    }
  }

  @Test func `of a long note only what is looked at is laid out`() {
    let note = Array(
      String(
        repeating: "# Part\n\nSome *text* with words, and [a link](b.md).\n\n- a\n- b\n\n",
        count: 18_000
      ).utf8)
    #expect(note.count > 1_000_000)
    var layout = MarkdownLayout(MarkdownDocument(note), width: 80)
    #expect(layout.rows(0..<60).count == 60)
    #expect(layout.rows.count < 80)
  }

  @Test(arguments: [
    ("> ", 30_000, "x"), ("- ", 2_000, "x"), ("*a **b ", 20_000, ""), ("[", 50_000, ""),
    ("[a](", 20_000, ""), ("`", 50_000, "x"), ("x ", 100_000, ""), ("日", 50_000, ""),
    ("| a |\n|-|\n| b |\n", 5_000, ""), ("<", 50_000, ""), ("![", 50_000, ""),
  ])
  func `hostile notes are shown in bounded time`(part: String, count: Int, end: String) {
    let note = String(repeating: part, count: count) + end
    let duration = ContinuousClock().measure {
      var layout = MarkdownLayout(MarkdownDocument(Array(note.utf8)), width: 80)
      _ = layout.rows(0..<60)
    }
    #expect(duration < .seconds(20))
  }
}

@Suite struct PlainTextLayoutTests {
  @Test func `text keeps its spaces, tabs and empty lines`() {
    let text = "  two\n\n\ttab\tx\r\nlong line that wraps here\n\u{1B}[1m"
    var layout = PlainTextLayout(Array(text.utf8), width: 12)
    let rows = layout.rows(0..<20)
    #expect(
      rows.map(\.line.text) == [
        "  two", "", "    tab x", "long line", "that wraps", "here", "␛[1m",
      ])
    #expect(rows.map(\.sourceLine) == [1, 2, 3, 4, 4, 4, 5])
    #expect(layout.isComplete && layout.countAll() == 7)
  }

  @Test func `an empty text has no rows, and one without an end has all`() {
    var layout = PlainTextLayout([], width: 10)
    #expect(layout.isComplete && layout.rows(0..<5).isEmpty)
    layout = PlainTextLayout([0x0A, 0xFF, 0x62], width: 10)
    #expect(layout.rows(0..<5).map(\.line.text) == ["", "\\xFFb"])
  }
}

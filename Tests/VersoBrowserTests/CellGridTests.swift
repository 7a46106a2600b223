import Testing
import VersoBrowser
import VersoModel
import VersoTestSupport

/// Names as people give them, from many scripts.
let manyNames = [
  "الدروس.md", "قائمة المهام", "مُحَمَّد ٢٠٢٤.md", "שָׁלוֹם עולם.md", "תפריט", "ชื่อไฟล์.md", "น้ำตก กำลังใจ",
  "ឯកសារ.md", "ក្រុមហ៊ុន", "日本語.txt", "読書ノート", "中文笔记.md", "한국어 노트.md", "\u{1112}\u{1161}\u{11AB}글",
  "हिन्दी क्षत्रिय.md", "বাংলা.md", "தமிழ்.md", "👨‍👩‍👧.md", "❤️ love.md", "🇩🇪 Reise.md", "👍🏽.md", "1️⃣.md",
  "e\u{301}te\u{301}.txt", "Ａｂｃ（全角）.md", "a\u{1B}[31mb", "line1\nline2", "می\u{200C}خواهم.md",
  "\u{202E}gpj.exe", "x\u{301}\u{302}\u{303}\u{304}.md", "葛\u{E0100}城.md", "plain name.md", "",
]

/// What a terminal makes of a row's text, by wcwidth.
func columns(_ text: String) -> Int { TextWidth.columns(text) }

@Suite struct CellGridTests {
  @Test(arguments: [
    ("日本語.txt", 8, "日本語.…"), ("日本語.txt", 6, "日本…"), ("日", 1, "…"),
    ("report.txt", 8, "report.…"), ("👨\u{200D}👩\u{200D}👧.md", 4, "👨.…"),
    ("e\u{301}te\u{301}.txt", 5, "e\u{301}te\u{301}.…"), ("a\u{1B}[31mb", 8, "a␛[31mb"),
    ("line1\nline2", 12, "line1␊line2"), ("日本", 4, "日本"), ("日本", 3, "日…"), ("abc", 0, ""),
  ])
  func `names are cut to their columns`(name: String, width: Int, drawn: String) {
    let part = CellRect(x: 1, y: 0, width: width, height: 1)
    var grid = CellGrid(CellSize(width: width + 2, height: 1), filledWith: Cell("."))
    grid.fill(part, with: .blank)
    grid.draw(SafeText.text(name), in: part)
    let row = FrameText.rows(of: grid)[0]
    let padding = String(repeating: " ", count: width - Glyph.columns(drawn))
    #expect(row == ".\(drawn)\(padding).")
    #expect(columns(row) == width + 2)
  }

  @Test func `a wide glyph is never split at an edge`() {
    var grid = CellGrid(width: 5, height: 3)
    grid.draw("日本語", x: 0, y: 0)
    grid.draw("日本語", x: -1, y: 1)
    grid.draw("日本語", x: 0, y: 2, clip: CellRect(x: 1, y: 0, width: 2, height: 3))
    #expect(FrameText.rows(of: grid) == ["日本", " 本語", ""])
    #expect(grid[4, 0] == .blank)
    #expect(grid[1, 1].text == "本")
  }

  @Test func `drawing over half of a wide glyph leaves a blank of the other half`() {
    var grid = CellGrid(width: 6, height: 1)
    grid.draw("日本語", Style(.folder), x: 0, y: 0)
    grid.draw("x", x: 1, y: 0)
    #expect(FrameText.rows(of: grid) == [" x本語"])
    #expect(grid[0, 0].style == Style(.folder))
    grid.draw("y", x: 4, y: 0)
    #expect(FrameText.rows(of: grid) == [" x本y"])
    grid.fill(CellRect(x: 3, y: 0, width: 1, height: 1), with: Cell("#"))
    #expect(FrameText.rows(of: grid) == [" x #y"])
    grid.draw("本", x: 2, y: 0)
    grid.draw("語", x: 1, y: 0)
    #expect(FrameText.rows(of: grid) == [" 語 y"])
  }

  @Test func `marks stay with their letter, and nothing is drawn outside`() {
    var grid = CellGrid(width: 4, height: 2)
    #expect(grid.draw("e\u{301}a\u{308}", x: 1, y: 0) == 3)
    grid.draw("no", x: 0, y: 7)
    grid.draw("no", x: -9, y: 1)
    grid.draw("no", x: 9, y: 1)
    grid.fill(CellRect(x: 3, y: 1, width: 90, height: 90), with: Cell("z"))
    #expect(FrameText.rows(of: grid) == [" e\u{301}a\u{308}", "   z"])
    #expect(grid[1, 0].text == "e\u{301}")
  }

  @Test func `a grid laid over another is cut between glyphs`() {
    var pane = CellGrid(width: 6, height: 1)
    pane.draw("日本語", x: 0, y: 0)
    var grid = CellGrid(CellSize(width: 8, height: 4), filledWith: Cell("."))
    grid.place(pane, x: 5, y: 0)
    grid.place(pane, x: -3, y: 1)
    grid.place(pane, x: 1, y: 2, clip: CellRect(x: 2, y: 0, width: 4, height: 4))
    grid.draw("語", x: 0, y: 3)
    grid.place(CellGrid(width: 1, height: 1), x: 1, y: 3)
    #expect(FrameText.rows(of: grid) == [".....日", " 語.....", ".. 本 ..", "  ......"])
  }

  @Test func `text stands at the side it belongs to, whichever way columns run`() {
    var grid = CellGrid(width: 8, height: 1)
    let part = CellRect(x: 1, y: 0, width: 6, height: 1)
    func drawn(_ alignment: TextAlignment, _ direction: LayoutDirection) -> String {
      grid.fill(CellRect(grid.size), with: Cell("."))
      grid.fill(part, with: .blank)
      grid.draw("日a", in: part, alignment: alignment, direction: direction)
      return FrameText.rows(of: grid)[0]
    }
    #expect(drawn(.leading, .leftToRight) == ".日a   .")
    #expect(drawn(.center, .leftToRight) == ". 日a  .")
    #expect(drawn(.trailing, .leftToRight) == ".   日a.")
    #expect(drawn(.leading, .rightToLeft) == ".   日a.")
    #expect(drawn(.trailing, .rightToLeft) == ".日a   .")
    #expect(LayoutDirection.rightToLeft.mirrored("<") == ">")
    #expect(LayoutDirection.leftToRight.mirrored("<") == "<")
  }

  @Test func `spans are cut as one line`() {
    let line = StyledLine([Span("ab", Style(.folder)), Span("日本"), Span("c")])
    func drawn(_ width: Int, ellipsis: Character = "…") -> String {
      var grid = CellGrid(CellSize(width: 9, height: 1), filledWith: Cell("."))
      grid.draw(line, in: CellRect(x: 0, y: 0, width: width, height: 1), ellipsis: ellipsis)
      return FrameText.rows(of: grid)[0]
    }
    #expect(drawn(7) == "ab日本c..")
    #expect(drawn(6) == "ab日…....")
    #expect(drawn(5) == "ab日…....")
    #expect(drawn(4) == "ab…......")
    #expect(drawn(2) == "a….......")
    #expect(drawn(1, ellipsis: "~") == "~........")
    #expect(line.columns == 7 && line.text == "ab日本c")
  }

  @Test func `restyling takes whole glyphs`() {
    var grid = CellGrid(width: 6, height: 1)
    grid.draw("日本語", x: 0, y: 0)
    grid.restyle(CellRect(x: 3, y: 0, width: 1, height: 1)) { $0.ground = .cursor }
    #expect(
      grid.row(0).map { $0.style.ground == .cursor } == [false, false, true, true, false, false])
    grid.restyle(CellRect(grid.size)) { $0 = $0.dimmed(0.4) }
    #expect(grid[0, 0].style.dim == 4_000)
  }

  @Test(arguments: seeds(20))
  func `whatever is drawn, a row has exactly its columns`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let size = CellSize(
      width: Int.random(in: 1...40, using: &generator),
      height: Int.random(in: 1...6, using: &generator))
    var grid = CellGrid(size)
    for _ in 0..<120 {
      let name = SafeText.text(manyNames.randomElement(using: &generator) ?? "")
      let part = CellRect(
        x: Int.random(in: -5...45, using: &generator), y: Int.random(in: -1...7, using: &generator),
        width: Int.random(in: 0...30, using: &generator),
        height: Int.random(in: 0...3, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: grid.fill(part, with: Cell("x"))
      case 1:
        var other = CellGrid(part.size)
        other.draw(name, in: CellRect(other.size))
        grid.place(other, x: part.x, y: part.y, clip: generator.chance(2) ? CellRect(size) : part)
      case 2: grid.draw(name, x: part.x, y: part.y, clip: generator.chance(2) ? part : nil)
      default:
        grid.draw(
          name, in: part,
          alignment: TextAlignment.allCases.randomElement(using: &generator) ?? .center,
          direction: generator.chance(2) ? .rightToLeft : .leftToRight)
      }
      for y in 0..<size.height {
        let row = grid.row(y)
        #expect(columns(row.map(\.text).joined()) == size.width, "seed \(seed): \(row.map(\.text))")
        for (x, cell) in row.enumerated() where !cell.isContinuation {
          let continued = row.dropFirst(x + 1).prefix { $0.isContinuation }.count
          #expect(columns(cell.text) == 1 + continued, "seed \(seed), column \(x)")
        }
      }
    }
  }

  @Test func `right-to-left names are isolated from the columns around them`() {
    #expect(
      FrameText.isolated("│ שלום עולם.md   │ دروس │ 5")
        == "│ \u{2068}שלום עולם\u{2069}.md   │ \u{2068}دروس\u{2069} │ 5")
    #expect(FrameText.isolated("plain 日本") == "plain 日本")
  }
}

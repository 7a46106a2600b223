import Testing
import Verso
import VersoBrowser
import VersoModel

/// What each gesture of the specification does (section 5.5).
@Suite struct BrowserMouseTests {
  private static func many(_ size: CellSize = .desk, _ keys: String = "j Enter") -> BrowserDesk {
    var files: [String: String] = [:]
    for number in 100..<200 {
      files["f/\(number).md"] = (1...200).map { "line \($0) of \(number)\n\n" }.joined()
    }
    var desk = BrowserDesk(size, files)
    desk.press(keys)
    return desk
  }

  private static func dividers(_ desk: BrowserDesk) -> [Int] {
    desk.rows[5].enumerated().filter { $0.element == "│" }.map(\.offset)
  }

  @Test(arguments: [CellSize.phone, .tablet, .desk])
  func `A31: a click on a row moves the cursor and selects`(size: CellSize) {
    var desk = BrowserDesk(size, BrowserRowTests.notes)
    desk.click(on: "ideas/")
    #expect(desk.model.gotoLog == ["folderSelected ideas"])
    desk.click(on: "todo.md")
    #expect(desk.model.gotoLog == ["folderSelected ideas", "fileSelected ideas/todo.md"])
    #expect(desk.text.contains("milk"))
    if size == .desk { #expect(desk.rows.contains { $0.contains(">•todo.md") }) }
  }

  @Test func `a click in another pane acts in one`() {
    var desk = Self.many(.desk, "j Enter Enter l")
    desk.click(on: "105.md")
    #expect(desk.model.gotoLog.last == "fileSelected f/105.md")
    desk.press("j")
    #expect(desk.status.contains(" 7/100 "))
    // The note gets the keys, and nothing hides.
    desk.click(80, 10)
    #expect(Self.dividers(desk).count == 2)
    desk.press("i")
    #expect(desk.text.contains("EDIT"))
  }

  @Test(arguments: [CellSize.tablet, .desk])
  func `D18 and D19: a covered or displaced note is dimmed, and a click there only dismisses`(
    size: CellSize
  ) {
    var desk = Self.many(size, "j Enter Enter l i")
    let style = desk.model.frame.grid[size.width - 20, 10].style
    if size == .tablet {
      desk.click(on: "[= notes]")
    } else {
      desk.press("Esc S S \\")
    }
    #expect(desk.text.contains("◌"))
    #expect(desk.model.frame.grid[size.width - 20, 10].style != style)
    let log = desk.model.gotoLog
    let cursor = desk.model.frame.cursor
    desk.click(size.width - 20, 10)
    #expect(!desk.text.contains("◌") && desk.model.gotoLog == log)
    #expect(desk.model.frame.cursor != cursor)
  }

  @Test func `3.7 row 11: in a drawer a folder keeps it open, a file closes it`() {
    var desk = Self.many(.desk, "j Enter Enter S S \\")
    #expect(desk.text.contains("◌"))
    desk.click(on: "notes/")
    #expect(desk.text.contains("◌"))
    desk.click(on: " f/")
    desk.click(on: "103.md")
    #expect(
      !desk.text.contains("◌") && desk.text.contains("line 1 of 103"),
      "\(desk.model.gotoLog) \(desk.status)")
  }

  @Test func `the wheel scrolls what is under it, and neither focus nor selection`() {
    var desk = Self.many(.desk, "j Enter Enter h")
    let (cursor, log) = (desk.model.frame.cursor, desk.model.gotoLog)
    #expect(desk.rows[2].contains("100.md"))
    desk.mouse(.wheelDown, 40, 10)
    #expect(desk.rows[2].contains("103.md"))
    desk.mouse(.wheelUp, 40, 10)
    desk.mouse(.wheelUp, 40, 10)
    #expect(desk.rows[2].contains("100.md"))
    #expect(desk.rows[2].contains("line 1 of 100"))
    desk.mouse(.wheelDown, 80, 10)
    #expect(!desk.text.contains("line 1 of 100") && desk.text.contains("line 3 of 100"))
    #expect(desk.model.frame.cursor == cursor && desk.model.gotoLog == log)
  }

  @Test
  func `3.7 rows 13 to 15: a divider is dragged within its limits, kept as a share, and reset`() {
    var desk = Self.many(.desk, "j Enter Enter")
    func drag(_ x: Int, _ end: Int) {
      desk.mouse(.pressed(.left), x, 5)
      desk.mouse(.dragged(.left), end, 5)
      desk.mouse(.released(.left), end, 5)
      // What comes after the button was let go is no drag.
      desk.mouse(.dragged(.left), 2, 5)
    }
    #expect(Self.dividers(desk) == [25, 51])
    drag(25, 10)
    #expect(Self.dividers(desk).first == 16)
    drag(16, 60)
    #expect(Self.dividers(desk).first == 40)
    drag(40, 30)
    #expect(Self.dividers(desk).first == 30)
    desk.resize(120, 38)
    #expect(Self.dividers(desk).first == 36)
    desk.resize(100, 38)
    #expect(Self.dividers(desk).first == 30)
    desk.time += 1
    desk.click(30, 5)
    desk.click(30, 5)
    #expect(Self.dividers(desk) == [25, 51])
  }

  @Test func `two clicks far apart in time are no double click`() {
    var desk = Self.many(.desk, "j Enter Enter")
    desk.mouse(.pressed(.left), 25, 5)
    desk.mouse(.dragged(.left), 30, 5)
    desk.mouse(.released(.left), 30, 5)
    desk.time += 1
    desk.click(30, 5)
    desk.time += 0.41
    desk.click(30, 5)
    #expect(Self.dividers(desk).first == 30)
    desk.time += 0.36
    desk.click(30, 5)
    #expect(Self.dividers(desk).first == 25)
  }

  @Test func `a part of the breadcrumb leads to what it names`() {
    var desk = BrowserDesk(.desk, ["a/b/c.md": "c\n", "a/x.md": "x\n"])
    desk.press("j Enter Enter j Enter")
    desk.press("j k")
    let y = desk.rows.count - 1
    guard let range = desk.status.firstRange(of: " a ") else {
      Issue.record("no breadcrumb: \(desk.status)")
      return
    }
    let x = Glyph.columns(desk.status[..<range.lowerBound]) + 1
    desk.click(x, y)
    #expect(desk.model.gotoLog.last == "folderSelected a", "\(desk.status)")
  }

  @Test func `a menu opens a note and its history by the mouse`() {
    var desk = BrowserDesk(.desk, BrowserRowTests.notes)
    desk.click(on: "ideas/")
    desk.click(on: "todo.md", .right)
    desk.click(on: "Open  ")
    #expect(desk.model.gotoLog.last == "fileSelected ideas/todo.md")
    desk.click(30, 3, .right)
    desk.click(on: "History  ")
    #expect(desk.text.contains("History of todo.md"))
  }
}

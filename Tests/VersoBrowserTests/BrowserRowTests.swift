import Testing
import Verso
import VersoBrowser
import VersoModel

/// Rows of the specification's tables that the browser itself has to show, each by its number.
@Suite struct BrowserRowTests {
  static let notes = [
    "ideas/todo.md": "# Todo\n\nmilk\n", "ideas/later.md": "later\n", "root.md": "root\n",
    "empty/": "",
  ]

  static func desk(_ size: CellSize = .desk) -> BrowserDesk { BrowserDesk(size, notes) }

  @Test(arguments: [CellSize.phone, .tablet, .desk])
  func `A18 and A31: a key on a row selects once, and tells the state it goes to`(size: CellSize) {
    var desk = Self.desk(size)
    desk.press("j j Enter")
    #expect(desk.model.gotoLog == ["folderSelected ideas"])
    desk.press("j Enter")
    #expect(desk.model.gotoLog == ["folderSelected ideas", "fileSelected ideas/todo.md"])
  }

  @Test func `A29: a pane's title has its own row where there is room, else the row above`() {
    let high = BrowserDesk(CellSize(width: 100, height: 12), Self.notes)
    #expect(high.rows[0].contains("notes") && high.rows[1].contains("notes"))
    #expect(high.rows[1].contains("Nothing selected"))
    let low = BrowserDesk(CellSize(width: 100, height: 11), Self.notes)
    #expect(low.rows[0].contains("notes") && low.rows[0].contains("Nothing selected"))
    #expect(low.rows[1].hasPrefix("> notes/"))
    #expect(high.model.frame.grid[2, 1].style.marks.contains(.bold))
  }

  @Test func `A39: at 59 columns there is one pane in every state`() {
    var desk = Self.desk(.phone)
    #expect(!desk.text.contains("│") && desk.text.contains("ideas/"))
    desk.press("j j Enter")
    #expect(!desk.text.contains("│") && desk.text.contains("todo.md"))
    #expect(!desk.text.contains("empty/"))
    desk.press("j Enter")
    #expect(!desk.text.contains("│") && desk.text.contains("milk"))
    #expect(!desk.text.contains("later.md"))
  }

  @Test(arguments: [CellSize.phone, .desk])
  func `A40: an empty vault shows its own row and a hint`(size: CellSize) {
    let desk = BrowserDesk(size)
    #expect(desk.text.contains("> notes/"))
    #expect(desk.text.contains("no folders, press A"))
    #expect(desk.model.gotoLog.isEmpty)
  }

  @Test(arguments: [CellSize.phone, .tablet, .desk])
  func `A41: add a folder, select it, add a file, select it, edit it`(size: CellSize) throws {
    var desk = BrowserDesk(size)
    desk.press("A")
    desk.type("work")
    desk.press("Enter")
    desk.press("Enter")
    #expect(desk.model.gotoLog == ["folderSelected work"])
    desk.press("a")
    desk.type("plan.md")
    desk.press("Enter Enter")
    #expect(desk.model.gotoLog.last == "fileSelected work/plan.md")
    if size != .phone { desk.press("l") }
    desk.press("i")
    desk.type("hello")
    desk.press("Enter")
    desk.type("world")
    desk.press("Esc")
    #expect(desk.disk["work/plan.md"] == .some(Array("hello\nworld".utf8)))
    #expect(desk.text.contains("hello"))
  }

  @Test func `A42: while compact no placeholder is ever seen`() {
    var desk = Self.desk(.phone)
    for keys in ["j j Enter", "h", "j Enter", "h", "k Enter", "-"] {
      desk.press(keys)
      #expect(!desk.text.contains("Nothing selected"))
      #expect(!desk.text.contains("Choose"))
    }
  }

  @Test func `B6: the split takes all rows but those of title and status`() {
    let desk = Self.desk()
    let lines = desk.rows.indices.filter { desk.rows[$0].contains("│") }
    #expect(lines == Array(1...36))
  }

  @Test func `B13, B14 and B15: a hidden sidebar has a button in a row of the detail`() {
    var desk = Self.desk(.tablet)
    desk.press("j j Enter j Enter")
    let row = desk.rows.firstIndex { $0.contains("[= notes]") }
    #expect(row == 1)
    #expect(desk.rows[2].contains("todo.md"))
    desk.click(on: "[= notes]")
    #expect(!desk.text.contains("[= notes]"))
    #expect(desk.text.contains("empty/"))
    desk.press("Esc")
    #expect(desk.text.contains("[= notes]"))
  }

  @Test func `B19: folders and files are lists`() {
    var desk = Self.desk()
    desk.press("j j Enter")
    #expect(desk.rows[2].contains("notes/") && desk.rows[2].contains("later.md"))
    #expect(desk.rows[3].contains("empty/") && desk.rows[3].contains("todo.md"))
  }

  @Test func `B21: the layout says which mode was asked for and what stood in the way`() {
    var desk = BrowserDesk(.tablet, Self.notes) { $0.showsLayout = true }
    desk.press("j j Enter j Enter")
    #expect(desk.rows[0].contains("automatic") && desk.rows[0].contains("oneBeside"))
  }

  @Test func `C1: the primary is titled with the vault's name`() {
    #expect(Self.desk().rows[1].hasPrefix(" notes"))
  }

  @Test func `C2: with several panes the selected row stays marked when the focus leaves`() {
    var desk = Self.desk()
    desk.press("j j Enter")
    #expect(desk.rows[4].hasPrefix(">•ideas/"))
    desk.press("j l")
    #expect(desk.rows[4].hasPrefix(">•ideas/"))
    #expect(desk.rows[3].contains(">•todo.md"))
  }

  @Test func `C4: the editor is titled with the name, and has the time of the note beside it`() {
    var desk = Self.desk()
    desk.press("j j Enter j Enter")
    #expect(desk.rows[1].contains("todo.md"))
    #expect(desk.rows[1].contains("2026-01-01") || desk.rows[1].contains("2025-12-31"))
  }

  @Test func `C5: without an item the detail is as at first, with or without room for labels`() {
    for size in [CellSize.desk, .tablet, .phone, CellSize(width: 20, height: 3)] {
      // No snapshot, no screen and no selection.
      var model = BrowserModel(size)
      #expect(model.frame.grid.size == size)
      _ = model.start()
      for name in ["-", "3", "i", "Ctrl-S"] {
        guard let key = KeyEvent(name: name) else { continue }
        let effects = model.update(.screen(.key(key)), at: 1)
        #expect(!effects.contains { if case .perform = $0 { true } else { false } })
      }
      let text = FrameText.plain(model.frame)
      #expect(text.contains("Nothing selected") == (size.width >= 60), "\(text)")
    }
  }

  @Test func `C26: a selected note is a disabled detail first, then has its title and text`() {
    var model = BrowserModel(.desk)
    _ = model.start()
    let item = Item(path: "a.md", kind: .file, content: nil)
    _ = model.update(.snapshot([item], Catalogue([item])), at: 1)
    var reads: [Int] = []
    func press(_ names: String...) {
      for name in names {
        guard let key = KeyEvent(name: name) else { continue }
        for case .readNote(let ticket, _) in model.update(.screen(.key(key)), at: 1) {
          reads.append(ticket)
        }
      }
    }
    #expect(FrameText.plain(model.frame).contains("Nothing selected"))
    press("Enter", "Enter", "l")
    // Nothing is read yet: there is a title, and nothing to be edited or saved.
    #expect(FrameText.plain(model.frame).contains("a.md"))
    press("Ctrl-S")
    #expect(model.operations == 0)
    #expect(!FrameText.plain(model.frame).contains("EDIT"))
    guard let ticket = reads.last else {
      Issue.record("the note is not read")
      return
    }
    _ = model.update(
      .noteRead(ticket: ticket, "a.md", .content(Array("text\n".utf8), modified: 0), nil), at: 2)
    #expect(FrameText.plain(model.frame).contains("text"))
    press("i")
    #expect(FrameText.plain(model.frame).contains("EDIT"))
    // The file has been made read-only since.
    #expect(!FrameText.plain(model.frame).contains("read-only"))
    let reading = Vault.Reading.content(Array("text\n".utf8), modified: 0, isReadOnly: true)
    _ = model.update(.noteRead(ticket: ticket, "a.md", reading, nil), at: 3)
    #expect(FrameText.plain(model.frame).contains("read-only"))
  }

  @Test func `C6 and C17: one short title leads back, in compact and in medium`() {
    var compact = Self.desk(.phone)
    compact.press("j j Enter")
    #expect(compact.rows[1].hasPrefix("[< notes]"))
    compact.press("j Enter")
    #expect(compact.rows[1].hasPrefix("[< ideas]"))
    compact.click(on: "[< ideas]")
    #expect(compact.text.contains("later.md"))
    compact.click(on: "[< notes]")
    #expect(compact.text.contains("empty/"))
    #expect(compact.model.gotoLog.suffix(2) == ["folderSelected ideas", "noSelection nothing"])
  }

  @Test func `C9: the primary's title has an edit button and an add button`() {
    var desk = Self.desk()
    #expect(desk.rows[1].contains("[Edit][+]"))
    desk.click(on: "[+]")
    #expect(desk.status.contains("New note in notes"))
    desk.press("Esc")
    desk.press("j j")
    desk.click(on: "[Edit]")
    #expect(desk.text.contains("> Open") && desk.text.contains("Rename"))
    desk.press("j j Enter")
    #expect(desk.status.contains("Rename ideas: ideas"))
    desk.press("Esc m d")
    #expect(desk.status.contains("Delete ideas/"))
    desk.press("Esc m")
    #expect(desk.text.contains("Open in $EDITOR"))
    desk.press("Esc")
    #expect(!desk.text.contains("Open in $EDITOR"))
  }

  @Test func `a right click on a row opens its menu, and a click there does it`() {
    var desk = Self.desk()
    desk.press("j j Enter")
    desk.click(on: "todo.md", .right)
    #expect(desk.text.contains("> Open"))
    desk.click(on: "Delete  ")
    #expect(desk.status.contains("Delete todo.md? y/n"))
    desk.press("n")
    // A click beside the menu closes it, and does nothing else.
    desk.click(on: "later.md", .right)
    desk.click(95, 30)
    #expect(!desk.text.contains("> Open") && desk.model.gotoLog == ["folderSelected ideas"])
  }

  @Test(arguments: [CellSize.tablet, .desk])
  func `C11: at launch nothing in the detail can be used`(size: CellSize) {
    var desk = Self.desk(size)
    desk.press("3")
    let before = desk.operations
    for key in ["Ctrl-S", "r", "d", "e", "i", "H"] {
      desk.press(key)
      if key != "H" { #expect(desk.status.contains("nothing selected"), "\(key)") }
    }
    #expect(desk.operations == before)
  }

  @Test(arguments: [CellSize.phone, .tablet, .desk])
  func `C12: what was deleted is off the screen, and its keys do nothing`(size: CellSize) {
    var desk = Self.desk(size)
    desk.press("j j Enter j Enter")
    if size != .phone { desk.press("l") }
    #expect(desk.text.contains("milk"))
    desk.press("d y")
    #expect(desk.disk["ideas/todo.md"] == nil)
    #expect(!desk.text.contains("milk") && !desk.text.contains("• todo.md"))
    #expect(desk.status.contains("todo.md deleted, folder ideas, 1 item"))
    #expect(desk.model.gotoLog.last == "noSelection ideas")
  }

  @Test(arguments: [CellSize.phone, .tablet, .desk])
  func `C13: a note deleted by others leaves list and placeholder, once`(size: CellSize) {
    var desk = Self.desk(size)
    desk.press("j j Enter j Enter")
    let count = desk.model.gotoLog.count
    desk.removeOutside("ideas/todo.md")
    #expect(desk.model.gotoLog.count == count + 1)
    #expect(desk.model.gotoLog.last == "noSelection ideas")
    #expect(desk.text.contains("later.md") && !desk.text.contains("milk"))
    #expect(desk.status.contains("todo.md is gone"))
  }

  @Test func `C18: the buttons are there where nothing is selected`() {
    var desk = Self.desk(.tablet)
    desk.press("j j Enter j Enter")
    desk.removeOutside("ideas/todo.md")
    #expect(desk.text.contains("[= notes]"))
  }

  @Test func `C22: after a deletion the cursor is on the next row, else the one before`() {
    var desk = BrowserDesk(.desk, ["a.md": "", "b.md": "", "c.md": ""])
    desk.press("Enter j")
    desk.removeOutside("b.md")
    #expect(desk.text.contains("> c.md"))
    desk.removeOutside("c.md")
    #expect(desk.text.contains("> a.md"))
  }

  @Test func `C25: nothing selected has a title, and cannot be edited`() {
    var desk = Self.desk()
    desk.press("3")
    #expect(desk.rows[1].contains("Nothing selected"))
    desk.press("i")
    #expect(!desk.text.contains("EDIT"))
  }

  @Test func `C27: selecting in an empty list changes nothing`() {
    var desk = Self.desk()
    desk.press("j Enter")
    let log = desk.model.gotoLog
    #expect(desk.text.contains("no files, press a"))
    desk.press("Enter l")
    #expect(desk.model.gotoLog == log)
  }

  @Test func `D19: a click on the dimmed note closes the drawer and does not reach the note`() {
    var desk = Self.desk(.desk)
    desk.press("j j Enter j Enter S S")
    desk.press("\\")
    #expect(desk.text.contains("empty/"))
    desk.click(80, 10)
    #expect(!desk.text.contains("empty/"))
    #expect(desk.text.contains("milk"))
  }
}

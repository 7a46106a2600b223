import Testing
import Verso
import VersoBrowser
import VersoModel

/// Keys and answers in awkward orders.
@Suite struct BrowserHoldTests {
  @Test func `keys that come before the note is read are for its editor`() {
    var model = BrowserModel(.desk)
    let items = [Item(path: "a.md", kind: .file, content: nil)]
    _ = model.update(.snapshot(items, Catalogue(items)), at: 1)
    var ticket = 0
    for name in ["Enter", "Enter", "l", "i", "x", "y"] {
      guard let key = KeyEvent(name: name) else { continue }
      for case .readNote(let number, _) in model.update(.screen(.key(key)), at: 2) {
        ticket = number
      }
    }
    let reading = Vault.Reading.content(Array("z\n".utf8), modified: 0)
    _ = model.update(.noteRead(ticket: ticket, "a.md", reading, nil), at: 2.1)
    #expect(FrameText.plain(model.frame).contains("xyz"))
  }

  @Test func `what another program wrote while a note was saved is shown, and no conflict`() {
    var desk = BrowserDesk(.desk, ["a.md": "one\n"])
    desk.press("Enter Enter l i")
    desk.type("x")
    let saving = desk.model.update(.screen(.key(KeyEvent(.escape))), at: 200)
    guard
      case .perform(_, let purpose)? = saving.first(where: {
        if case .perform = $0 { true } else { false }
      })
    else {
      Issue.record("nothing is saved")
      return
    }
    desk.writeOutside("a.md", "theirs\n")
    #expect(desk.text.contains("another program"))
    desk.send(.done(purpose, .done(subject: "Edit a.md", DiskBatch(), left: nil)))
    #expect(desk.text.contains("theirs") && !desk.text.contains("another program"))
  }

  @Test func `the mouse selects text in the editor, a double click a word`() throws {
    var desk = BrowserDesk(.desk, ["a.md": "one two three\nfour\n"])
    desk.press("Enter Enter l i")
    let y = try #require(desk.rows.firstIndex { $0.contains("one two three") })
    let start = try #require(desk.rows[y].firstRange(of: "two"))
    let x = Glyph.columns(desk.rows[y][..<start.lowerBound])
    func mouse(_ kind: MouseEvent.Kind, _ x: Int, _ y: Int) {
      desk.send(.screen(.mouse(MouseEvent(kind, at: CellPoint(x: x, y: y)))))
    }
    mouse(.pressed(.left), x, y)
    mouse(.dragged(.left), x + 5, y)
    mouse(.dragged(.left), x + 9, y)
    mouse(.released(.left), x + 9, y)
    mouse(.dragged(.left), x, y + 1)
    desk.press("Alt-C")
    desk.time += 1
    mouse(.pressed(.left), x + 1, y)
    mouse(.released(.left), x + 1, y)
    mouse(.pressed(.left), x + 1, y)
    mouse(.released(.left), x + 1, y)
    desk.press("Alt-C")
    let copied = desk.effects.compactMap { effect -> String? in
      if case .copy(let bytes) = effect { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
    #expect(copied == ["two three", "two"])
  }

  @Test func `answers to old questions are dropped`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "b.md": "b\n"])
    desk.press("Enter Enter")
    let reading = Vault.Reading.content(Array("stale\n".utf8), modified: 0)
    desk.send(.noteRead(ticket: 1, "a.md", reading, nil))
    desk.send(.timeline(ticket: 1, [], isLast: true))
    desk.send(.past(ticket: 1, .nothing))
    desk.send(.found(ticket: 1, [PickerRow("x", .action(.quit))], isLast: true))
    #expect(!desk.text.contains("stale"))
  }

  @Test func `a terminal that is too small says so, and keeps everything`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("Enter Enter l i")
    desk.type("x")
    desk.resize(19, 4)
    #expect(desk.text.contains("needs 20 x 5"))
    desk.resize(100, 38)
    #expect(desk.text.contains("xa"))
  }

  @Test func `a paste of a megabyte is one step, and is undone by one`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("Enter Enter l i")
    let line = String(repeating: "word ", count: 20) + "\n"
    desk.send(.screen(.paste(String(repeating: line, count: 10_000))))
    desk.press("Ctrl-Z Esc")
    #expect(desk.disk["a.md"] == .some(Array("a\n".utf8)))
  }

  @Test func `a storm of sizes ends in the layout of the last one`() {
    var desk = BrowserDesk(.desk, ["f/a.md": "a\n"])
    desk.press("j Enter Enter")
    let rows = desk.rows
    for number in 0..<300 { desk.resize(1 + number * 37 % 190, 1 + number * 13 % 60) }
    desk.resize(5_000, 60)
    #expect(desk.rows[2].contains("a.md"))
    desk.resize(100, 38)
    #expect(desk.rows == rows)
  }

  @Test func `columns run from the right where asked, and arrows act as seen`() {
    var desk = BrowserDesk(.desk, ["f/a.md": "a\n"]) { $0.direction = .rightToLeft }
    #expect(desk.rows[2].hasSuffix("notes/ <"))
    desk.press("j Left")
    #expect(desk.model.gotoLog == ["folderSelected f"])
    desk.press("Right")
    #expect(desk.model.frame.cursor.map { $0.x > 70 } ?? false)
  }

  @Test func `for screen readers there is one pane and no line, however wide it is`() {
    var desk = BrowserDesk(.desk, ["f/a.md": "a\n"]) { $0.isAccessible = true }
    desk.press("j Enter")
    #expect(!desk.text.contains("│") && !desk.text.contains("notes/"))
    #expect(desk.text.contains("a.md"))
  }
}

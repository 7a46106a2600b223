import Testing
import Verso
import VersoBrowser
import VersoModel

/// Transitions of the specification's section 2.3 as the browser shows them, by their numbers, and
/// what the rows of the screen say.
@Suite struct BrowserStateTests {
  private static func many(_ size: CellSize = .desk, _ keys: String) -> BrowserDesk {
    var files: [String: String] = ["g/x.md": "x\n", "root.md": "root\n"]
    for number in 100..<160 { files["f/\(number).md"] = "text of \(number)\n" }
    var desk = BrowserDesk(size, files)
    desk.press(keys)
    return desk
  }

  @Test func `A16 and A20: a folder has the placeholder for its files, also after a loss`() {
    for size in [CellSize.tablet, .desk] {
      var desk = BrowserDesk(size, ["ideas/a.bin": "\u{0}", "empty/": ""])
      desk.press("j Enter")
      #expect(desk.text.contains("Choose a note in empty"))
      desk = BrowserDesk(size, ["ideas/a.bin": "\u{0}"])
      desk.press("j Enter Enter")
      desk.removeOutside("ideas/a.bin")
      #expect(desk.text.contains("Choose a note in ideas"), "\(desk.text)")
    }
  }

  @Test func `A17, D22 and D29: a push slides in 0,3 seconds, and turns around where it is`() {
    var desk = BrowserDesk(.phone, BrowserRowTests.notes) { $0.animates = true }
    desk.press("j j Enter")
    #expect(desk.model.pause(at: desk.time) == 1.0 / 30)
    desk.time += 0.1
    desk.send(.tick)
    // It is on its way: not yet where it will stand.
    #expect(
      desk.text.contains("todo.md") && !desk.rows.contains { $0.hasPrefix("  todo.md") },
      "\(desk.text)")
    desk.time += 0.3
    desk.send(.tick)
    #expect(desk.model.pause(at: desk.time) == nil)
    #expect(!desk.text.contains("empty/"))

    var wide = BrowserDesk(.desk, BrowserRowTests.notes) { $0.animates = true }
    wide.press("j j Enter j Enter")
    wide.time += 1
    wide.send(.tick)
    wide.press("\\")
    wide.time += 0.1
    wide.send(.tick)
    func first() -> Int {
      wide.rows[8].enumerated().first { $0.element == "│" }?.offset ?? -1
    }
    let before = first()
    wide.press("\\")
    #expect(abs(first() - before) <= 2, "\(before) \(first())")
    wide.time += 0.4
    wide.send(.tick)
    #expect(first() == 25)
  }

  @Test func `A21: deleting the open folder here leaves nothing selected`() {
    let desk = Self.many(.desk, "j Enter h d y")
    #expect(desk.model.gotoLog.last == "noSelection nothing")
    #expect(desk.text.contains("Choose a folder") && !desk.text.contains("100.md"))
  }

  @Test func `2: the folder selected again keeps cursor and scroll of its list`() {
    var desk = Self.many(.desk, "j Enter G k k")
    let rows = desk.rows.map { $0.contains("> 157.md") }
    desk.press("h Enter")
    #expect(desk.rows.map { $0.contains("> 157.md") } == rows)
  }

  @Test func `12: a new name is in title and breadcrumb`() {
    var desk = Self.many(.desk, "j Enter Enter r")
    desk.press("Ctrl-W Ctrl-W")
    desk.type("new.md")
    desk.press("Delete Delete Delete Enter")
    #expect(desk.rows[1].contains("new.md"), "\(desk.rows[1])")
    desk.press("Tab")
    #expect(desk.status.contains("f / new.md"))
  }

  @Test func `17: a note that is moved to another folder takes the list there`() {
    var desk = Self.many(.desk, "j Enter Enter")
    let log = desk.model.gotoLog
    desk.moveOutside("f/100.md", "g/100.md")
    #expect(desk.model.gotoLog == log)
    #expect(desk.rows[1].contains(" g ") && desk.rows.contains { $0.contains("•100.md") })
    #expect(desk.text.contains("text of 100") && !desk.text.contains("101.md"))
  }

  @Test func `23: what appears above leaves cursor and scroll on their rows`() {
    var desk = Self.many(.desk, "j Enter G k k")
    let shown = desk.rows.dropFirst(2)
    desk.writeOutside("f/000.md", "new\n")
    #expect(Array(desk.rows.dropFirst(2).dropLast()) == Array(shown.dropLast()))
    #expect(desk.rows.contains { $0.contains("> 157.md") })
  }

  @Test func `27: a note that cannot be read is an error in its pane, not a placeholder`() {
    var desk = Self.many(.desk, "j Enter")
    desk.unreadable = ["f/100.md"]
    desk.press("Enter")
    #expect(desk.text.contains("Cannot be shown") && desk.text.contains("Permission denied"))
    #expect(!desk.text.contains("Nothing selected"))
    #expect(desk.model.gotoLog.last == "fileSelected f/100.md")
  }

  @Test func `28: an open folder that cannot be read says so in its list`() {
    var desk = Self.many(.desk, "")
    desk.unreadable = ["f"]
    desk.press("j Enter")
    #expect(desk.text.contains("permission denied"))
    #expect(desk.model.gotoLog == ["folderSelected f"])
    desk.unreadable = []
    desk.press("h j Enter h k Enter")
    #expect(!desk.text.contains("permission denied") && desk.text.contains("100.md"))
  }

  @Test func `30 and 32: back keeps the list's cursor, and never quits`() {
    var desk = Self.many(.phone, "j Enter G Enter h")
    #expect(desk.model.gotoLog.last == "folderSelected f")
    #expect(desk.rows.contains { $0.contains("> 159.md") })
    desk.press("h h h Backspace")
    #expect(!desk.model.hasQuit && desk.model.gotoLog.last == "noSelection nothing")
    #expect(desk.model.gotoLog.filter { $0 == "noSelection nothing" }.count == 1)
  }

  @Test func `40: a snapshot in place of lost changes says what they would have said`() {
    var desk = Self.many(.desk, "j Enter Enter")
    let log = desk.model.gotoLog
    desk.send(.snapshot(desk.items, Catalogue(desk.items)))
    #expect(desk.model.gotoLog == log && desk.text.contains("text of 100"))
    desk.disk["f/100.md"] = nil
    desk.send(.snapshot(desk.items, Catalogue(desk.items)))
    #expect(desk.model.gotoLog == log + ["noSelection f"])
  }

  @Test func `41: a restored draft is selected, and kept where it cannot be written`() {
    var desk = Self.many(.desk, "")
    let draft = Draft(name: "d", path: "lost.md", bytes: Array("lost\n".utf8), time: 0)
    desk.send(.drafts([draft]))
    desk.trouble = "the disk is full"
    desk.press("U Enter")
    #expect(desk.status.contains("the disk is full"))
    #expect(!desk.effects.contains { if case .dropDraft = $0 { true } else { false } })
    desk.press("U Enter")
    #expect(desk.model.gotoLog.last == "fileSelected lost.md")
    #expect(desk.effects.contains { if case .dropDraft("d") = $0 { true } else { false } })
    #expect(desk.text.contains("lost"))
  }

  @Test func `42: a note that gets a hidden name stays in view until it is deselected`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "b.md": "b\n"])
    desk.press("Enter Enter")
    desk.moveOutside("a.md", ".a.md")
    #expect(desk.rows.contains { $0.contains("•.a.md") })
    desk.press("j Enter")
    #expect(!desk.rows.contains { $0.contains(".a.md") })
  }

  @Test func `43: folders in folders shift the columns, and back shifts them again`() {
    var desk = BrowserDesk(.desk, ["a/b/y.md": "y\n", "a/x.md": "x\n"])
    desk.press("j Enter Enter")
    #expect(desk.model.gotoLog.last == "folderSelected a/b")
    #expect(desk.rows[1].hasPrefix(" a ") && desk.rows[1].contains("│ b"))
    desk.press("h h")
    #expect(desk.model.gotoLog.last == "folderSelected a" && desk.rows[1].hasPrefix(" notes"))
    var phone = BrowserDesk(.phone, ["a/b/y.md": "y\n", "a/x.md": "x\n"])
    phone.press("j Enter Enter h")
    #expect(phone.model.gotoLog.last == "folderSelected a")
    // What is lost below is of the folder above.
    desk.press("l Enter")
    desk.removeOutside("a/b")
    #expect(desk.model.gotoLog.last == "noSelection a", "\(desk.model.gotoLog)")
  }

  @Test func `U13: at the end a text in conflict is a draft, and the disk is theirs`() {
    var desk = Self.many(.desk, "j Enter Enter l i")
    desk.type("x")
    desk.writeOutside("f/100.md", "theirs\n")
    desk.press("Esc Esc q")
    #expect(desk.draftTexts == [Array("xtext of 100\n".utf8)])
    #expect(desk.disk["f/100.md"] == .some(Array("theirs\n".utf8)) && desk.model.hasQuit)
  }

  @Test func `U1: a reload keeps the scroll, and the caret where there is room for it`() {
    let lines = (1...200).map { "line \($0)\n" }
    var desk = BrowserDesk(.desk, ["a.txt": lines.joined()])
    desk.press("Enter Enter l PgDn PgDn")
    let top = desk.rows[2]
    desk.writeOutside("a.txt", (lines.dropLast() + ["last\n"]).joined())
    #expect(desk.rows[2] == top && top.contains("line 7"))
    desk.press("i")
    for _ in 0..<30 { desk.press("PgDn") }
    desk.writeOutside("a.txt", "one\ntwo\n")
    #expect(desk.rows.contains { $0.contains("two") })
    desk.type("X")
    #expect(desk.text.contains("X"))
  }

  // MARK: Rows and cursor

  @Test func `the terminal's cursor stands at the focused row, or at the caret`() {
    var desk = Self.many(.desk, "j Enter j")
    #expect(desk.model.frame.cursor == CellPoint(x: 26, y: 3))
    desk.press("h")
    #expect(desk.model.frame.cursor == CellPoint(x: 0, y: 3))
    desk.press("l l l i Right Right")
    #expect(desk.model.frame.cursor == CellPoint(x: 55, y: 2))
  }

  @Test func `the status row drops what matters least first, and never wraps`() {
    var desk = Self.many(CellSize(width: 200, height: 30), "j Enter f")
    desk.type("1")
    desk.press("Enter Space a")
    desk.type("1new.md")
    desk.press("Enter")
    let order = ["/61", "only “1”", "1 marked", "u: 1", "? help"]
    func places() -> [Int] {
      order.map { part in
        desk.status.firstRange(of: part).map {
          desk.status.distance(from: desk.status.startIndex, to: $0.lowerBound)
        } ?? -1
      }
    }
    #expect(places() == places().sorted() && !places().contains(-1), "\(desk.status)")
    var seen = order.count
    for width in stride(from: 200, through: 20, by: -6) {
      desk.resize(width, 30)
      #expect(Glyph.columns(desk.status) <= width)
      let shown = places().filter { $0 >= 0 }.count
      #expect(shown <= seen && places().prefix(shown).allSatisfy { $0 >= 0 }, "\(desk.status)")
      seen = shown
    }
    #expect(seen < order.count)
  }

  @Test func `the language's direction and words are heeded`() {
    for (locale, isRightToLeft) in [
      ("ar_EG.UTF-8", true), ("he", true), ("de_DE", false), ("C", false),
    ] {
      let language = UserLanguage { $0 == "LANG" ? locale : nil }
      #expect(language.isRightToLeft == isRightToLeft, "\(locale)")
    }
    let first = UserLanguage { ["LC_ALL": "fa_IR", "LANG": "en_US"][$0] }
    #expect(first.isRightToLeft)
    var desk = BrowserDesk(.desk) { $0.language = UserLanguage(code: "ja") }
    #expect(desk.rows[1].contains("選択されていません"))
    desk.press("3 i")
    #expect(!desk.text.contains("EDIT"))
  }

  @Test func `C1: without another name the vault has that of its directory`() {
    #expect(Browse(root: "/home/a/diary").options.vaultName == "diary")
    #expect(Browse(root: "/home/a/x\u{1B}[31m").options.vaultName == "x␛[31m")
  }

  @Test func `B21: the layout says what another arrangement would need`() {
    var desk = BrowserDesk(.tablet, BrowserRowTests.notes) { $0.showsLayout = true }
    desk.press("j j Enter j Enter S \\")
    #expect(desk.rows[0].contains("72"), "\(desk.rows[0])")
  }
}

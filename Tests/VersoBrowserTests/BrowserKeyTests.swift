import Testing
import Verso
import VersoBrowser
import VersoModel

/// What each key of the specification does (sections 5.2 and 5.3).
@Suite struct BrowserKeyTests {
  /// Every key of the specification's tables.
  static let table: [(keys: String, context: Keymap.Context, action: Action)] = [
    ("j", .list, .cursorDown), ("Down", .list, .cursorDown), ("k", .list, .cursorUp),
    ("Up", .list, .cursorUp), ("l", .list, .enter), ("Right", .list, .enter),
    ("Enter", .list, .select), ("h", .list, .back), ("Left", .list, .back),
    ("Backspace", .list, .back), ("Tab", .list, .nextPane), ("Shift-Tab", .list, .previousPane),
    ("1", .list, .firstPane), ("2", .list, .secondPane), ("3", .list, .thirdPane),
    ("g g", .list, .first), ("Home", .list, .first), ("G", .list, .last), ("End", .list, .last),
    ("Ctrl-D", .list, .halfPageDown), ("Ctrl-U", .list, .halfPageUp), ("PgDn", .list, .pageDown),
    ("PgUp", .list, .pageUp), ("/", .list, .search), ("n", .list, .nextMatch),
    ("N", .list, .previousMatch), ("f", .list, .filter), ("Ctrl-P", .list, .findFile),
    (":", .list, .palette), ("a", .list, .newFile), ("A", .list, .newFolder),
    ("F7", .list, .newFolder), ("r", .list, .rename), ("F2", .list, .rename),
    ("d", .list, .delete), ("Delete", .list, .delete), ("Space", .list, .mark),
    ("v", .list, .invertMarks), ("m", .list, .editList), ("y", .list, .copy), ("x", .list, .cut),
    ("p", .list, .paste), ("u", .list, .undo), ("Ctrl-R", .list, .redo),
    (".", .list, .hiddenFiles), ("Comma n", .list, .sortByName), ("Comma m", .list, .sortByTime),
    ("Comma s", .list, .sortBySize), ("e", .list, .editElsewhere), ("Esc", .list, .close),
    ("q", .list, .quit), ("Ctrl-C", .list, .interrupt), ("\\", .list, .sidebar),
    ("Ctrl-B", .list, .sidebar), ("z", .list, .zen), ("Ctrl-W <", .list, .narrower),
    ("Ctrl-W >", .list, .wider), ("Ctrl-W =", .list, .resetWidths), ("S", .list, .nextStyle),
    ("P", .list, .followCursor), ("H", .list, .history), ("T", .list, .nextTheme),
    ("?", .list, .help), ("F1", .list, .help), ("F5", .list, .rescan), ("Ctrl-L", .list, .rescan),
    ("Ctrl-Z", .list, .suspend), ("-", .list, .deselect), ("o", .list, .openElsewhere),
    ("Y", .list, .copyPath), ("Enter", .reader, .edit), ("i", .reader, .edit),
    ("Esc", .reader, .back), ("h", .reader, .back), ("Ctrl-S", .reader, .save),
    ("Esc", .editor, .stopEditing), ("Ctrl-S", .editor, .save), ("Ctrl-Z", .editor, .undoText),
    ("Alt-U", .editor, .undoText), ("Ctrl-Y", .editor, .redoText), ("Up", .editor, .cursorUp),
    ("Down", .editor, .cursorDown), ("Left", .editor, .left), ("Right", .editor, .right),
    ("Home", .editor, .lineStart), ("End", .editor, .lineEnd), ("PgUp", .editor, .pageUp),
    ("PgDn", .editor, .pageDown), ("m", .conflict, .keepMine), ("t", .conflict, .takeTheirs),
    ("d", .conflict, .showDifference), ("g", .conflict, .merge), ("Esc", .conflict, .later),
    ("R", .history, .restoreVersion), ("Enter", .history, .showVersion),
  ]

  @Test func `every key of the specification has its action`() {
    let keymap = Keymap()
    for row in Self.table {
      guard let sequence = KeySequence(name: row.keys) else {
        Issue.record("no key is called \(row.keys)")
        continue
      }
      #expect(keymap.match(sequence.keys, in: row.context) == .action(row.action), "\(row)")
    }
  }

  private static func many(_ keys: String = "j Enter") -> BrowserDesk {
    var files: [String: String] = [:]
    for number in 100..<200 { files["f/\(number).md"] = "text of \(number)\n" }
    var desk = BrowserDesk(.desk, files)
    desk.press(keys)
    return desk
  }

  @Test func `movements go as far as they say`() {
    var desk = Self.many()
    func expect(_ keys: String, _ place: String, _ line: Int = #line) {
      desk.press(keys)
      #expect(desk.status.contains(" \(place)/100 "), "\(keys), line \(line): \(desk.status)")
    }
    expect("G", "100")
    expect("g g", "1")
    expect("End", "100")
    expect("Home", "1")
    // 35 rows of files are seen.
    expect("PgDn", "36")
    expect("PgUp", "1")
    expect("Ctrl-D", "18")
    expect("Ctrl-U", "1")
    expect("j Down k Up", "1")
  }

  @Test func `a search goes on, back, and is cleared`() {
    var desk = Self.many()
    desk.press("/")
    desk.type("19")
    desk.press("Enter")
    // 119, then 190 to 199.
    #expect(desk.status.contains(" 20/100 "))
    desk.press("n")
    #expect(desk.status.contains(" 91/100 "))
    desk.press("N")
    #expect(desk.status.contains(" 20/100 "))
    desk.press("Esc n")
    #expect(desk.status.contains("nothing is searched for"))
  }

  @Test func `Enter selects a note and stays in the list, l goes into it`() {
    var desk = Self.many("j Enter j Enter")
    #expect(desk.model.gotoLog.last == "fileSelected f/101.md")
    desk.press("j")
    #expect(desk.status.contains(" 3/100 "))
    desk.press("l")
    #expect(desk.model.gotoLog.last == "fileSelected f/102.md")
    desk.press("i")
    #expect(desk.text.contains("EDIT"))
    desk.press("Esc Esc j")
    #expect(desk.status.contains(" 4/100 "))
  }

  @Test func `Tab goes round the panes that are seen, numbers show the others`() {
    var desk = Self.many("j Enter Enter")
    func title(_ column: Int) -> Bool {
      // The title of the focused pane stands on its own ground.
      let x = [2, 28, 54][column]
      return desk.model.frame.grid[x, 1].style.ground == .title
    }
    #expect(title(1))
    desk.press("Tab")
    #expect(title(2))
    desk.press("Tab")
    #expect(title(0))
    desk.press("Shift-Tab")
    #expect(title(2))
    desk.press("2")
    #expect(title(1))
    desk.resize(70, 22)
    #expect(desk.text.contains("[= notes]"))
    desk.press("1")
    #expect(desk.rows.contains { $0.contains("f/") } && !desk.text.contains("[= notes]"))
  }

  @Test func `Esc closes one thing at a time, and never deselects`() {
    var desk = Self.many("j Enter Enter")
    desk.press("Space / 1 Enter f")
    desk.type("1")
    desk.press("Enter ?")
    #expect(desk.text.contains("Help"))
    desk.press("Esc")
    #expect(!desk.text.contains("Help") && desk.status.contains("only “1”"))
    desk.press("Esc")
    #expect(!desk.status.contains("only"))
    desk.press("Esc")
    #expect(desk.status.contains("1 marked"))
    desk.press("Esc")
    #expect(!desk.status.contains("marked"))
    let log = desk.model.gotoLog
    desk.press("Esc Esc")
    #expect(desk.model.gotoLog == log && desk.text.contains("text of 100"))
  }

  @Test func `a slash at the end of a new name makes a folder`() {
    var desk = Self.many("a")
    desk.type("sub/")
    desk.press("Enter")
    #expect(desk.disk["sub"] == .some(nil) || desk.disk["f/sub"] == .some(nil))
  }

  @Test func `a new note has the cursor, among others too`() {
    var desk = Self.many("j Enter a")
    desk.type("150a.md")
    desk.press("Enter")
    #expect(desk.rows.contains { $0.contains("> 150a.md") })
  }

  @Test func `marks are inverted, and marked rows have a star`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "b.md": "b\n", "c.md": "c\n"])
    desk.press("Enter Space")
    #expect(desk.rows.contains { $0.contains(" *a.md") } && desk.status.contains("1 marked"))
    desk.press("v")
    #expect(desk.status.contains("2 marked"))
    #expect(!desk.text.contains("*a.md") && desk.text.contains("*c.md"))
  }

  @Test func `redo makes again what undo took back`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "b.md": "b\n"])
    desk.press("Enter d y")
    #expect(desk.disk["a.md"] == nil)
    desk.press("u")
    #expect(desk.disk["a.md"] == .some(Array("a\n".utf8)))
    desk.press("Ctrl-R")
    #expect(desk.disk["a.md"] == nil && !desk.rows.contains { $0.contains("a.md") })
    desk.press("q")
    #expect(desk.model.hasQuit)
  }

  @Test func `rows are sorted by name, time and size`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n", "b.md": "b\n", "c.md": "c\n"])
    desk.facts = [
      "a.md": ItemFacts(modified: 2, size: 1), "b.md": ItemFacts(modified: 3, size: 2),
      "c.md": ItemFacts(modified: 1, size: 3),
    ]
    desk.press("Enter")
    func order() -> String {
      desk.rows.dropFirst(2).compactMap { row in
        ["a.md", "b.md", "c.md"].first { row.contains($0) }?.first.map(String.init)
      }.joined()
    }
    desk.press(", m")
    #expect(order() == "bac")
    desk.press(", s")
    #expect(order() == "cba")
    desk.press(", n")
    #expect(order() == "abc")
  }

  @Test func `widths change by two, and go back`() {
    var desk = Self.many("j Enter Enter h")
    func divider() -> Int? {
      desk.rows[5].firstIndex(of: "│").map {
        desk.rows[5].distance(from: desk.rows[5].startIndex, to: $0)
      }
    }
    #expect(divider() == 25)
    desk.press("Ctrl-W <")
    #expect(divider() == 23)
    desk.press("Ctrl-W > Ctrl-W >")
    #expect(divider() == 27)
    desk.press("Ctrl-W =")
    #expect(divider() == 25)
  }

  @Test func `the sidebar goes and comes, zen shows the note alone and goes back`() {
    var desk = Self.many("j Enter Enter")
    desk.press("\\")
    #expect(desk.text.contains("[= notes]") && desk.text.contains("100.md"))
    desk.press("Ctrl-B")
    #expect(!desk.text.contains("[= notes]"))
    desk.press("z")
    #expect(!desk.text.contains("│") && desk.text.contains("text of 100"))
    desk.press("Ctrl-P")
    desk.type("150")
    desk.press("Enter")
    #expect(!desk.text.contains("│") && desk.text.contains("text of 150"))
    desk.press("z")
    #expect(desk.rows[5].filter { $0 == "│" }.count == 2 && desk.text.contains("text of 150"))
  }

  @Test func `what the cursor rests on is selected only where that is asked for`() {
    var desk = Self.many("j Enter")
    desk.press("j j")
    desk.time += 0.2
    desk.send(.tick)
    #expect(desk.model.gotoLog == ["folderSelected f"])
    // It has rested on a row already.
    desk.press("P")
    #expect(desk.model.gotoLog.last == "fileSelected f/102.md")
    desk.press("j")
    #expect((desk.model.pause(at: desk.time) ?? 9) <= 0.1201)
    desk.send(.tick)
    #expect(desk.model.gotoLog.last == "fileSelected f/102.md")
    desk.time += 0.2
    desk.send(.tick)
    #expect(desk.model.gotoLog.last == "fileSelected f/103.md")
    // Keys still go to the list.
    desk.press("j")
    #expect(desk.status.contains(" 5/100 "))
    desk.press("P")
    desk.time += 0.2
    desk.send(.tick)
    #expect(desk.model.gotoLog.last == "fileSelected f/103.md")
  }

  @Test func `keys of the terminal lead to its effects`() {
    var desk = Self.many("j Enter Enter")
    func effects(_ keys: String) -> [String] {
      let before = desk.effects.count
      desk.press(keys)
      return desk.effects[before...].map { effect in
        switch effect {
        case .rescan: "rescan"
        case .redraw: "redraw"
        case .suspend: "suspend"
        case .theme(let theme): "theme \(theme.name)"
        case .open(let path): "open \(path)"
        case .edit(let path): "edit \(path)"
        case .copy(let bytes): "copy \(String(decoding: bytes, as: UTF8.self))"
        case .bell: "bell"
        default: "other"
        }
      }
    }
    #expect(effects("F5") == ["rescan", "redraw"] && effects("Ctrl-L") == ["rescan", "redraw"])
    #expect(effects("Ctrl-Z") == ["suspend"])
    #expect(effects("T") == ["theme light"])
    #expect(effects("o") == ["open f/100.md"] && effects("e") == ["edit f/100.md"])
    #expect(effects("Y") == ["copy f/100.md"])
    desk.send(.screen(.continued))
    if case .redraw? = desk.effects.last {} else { Issue.record("nothing is drawn anew") }
    desk.press("l i :")
    #expect(desk.text.contains(":text of 100"))
  }

  @Test func `deselecting shows the placeholder for folders again`() {
    let desk = Self.many("j Enter Enter -")
    #expect(desk.model.gotoLog.last == "noSelection nothing")
    #expect(desk.text.contains("Choose a folder") && desk.rows[5].filter { $0 == "│" }.count == 1)
  }

  @Test func `the first Ctrl-C warns, the second quits, and another key in between forgets it`() {
    var desk = Self.many()
    desk.press("Ctrl-C")
    #expect(!desk.model.hasQuit && desk.status.contains("again to quit"))
    desk.press("j Ctrl-C")
    #expect(!desk.model.hasQuit)
    desk.press("Ctrl-C")
    #expect(desk.model.hasQuit)
  }

  @Test func `every action of lists and notes is in the palette`() {
    var desk = Self.many(":")
    var missing: [Action] = []
    for row in Self.table where [.list, .reader].contains(row.context) {
      desk.press("Ctrl-W")
      desk.type(row.action.rawValue)
      if !desk.rows.contains(where: { $0.contains("> \(row.action.rawValue)  ") }) {
        missing.append(row.action)
      }
      for _ in row.action.rawValue { desk.press("Backspace") }
    }
    #expect(missing == [])
  }

  @Test func `keys of the editor move, redo and page`() {
    let text = (1...100).map { "line \($0)\n" }.joined()
    var desk = BrowserDesk(.desk, ["a.txt": text])
    desk.press("Enter Enter l Enter")
    desk.press("End")
    desk.type("X")
    desk.press("Home")
    desk.type("Y")
    #expect(desk.text.contains("Yline 1X"))
    desk.press("Ctrl-Z Ctrl-Z Ctrl-Z")
    #expect(
      !desk.text.contains("X\n")
        && desk.rows.contains { $0.contains("line 1 ") || $0.hasSuffix("line 1") })
    desk.press("Ctrl-Y Ctrl-Y Ctrl-Y")
    #expect(desk.text.contains("Yline 1X"))
    desk.press("PgDn PgDn")
    #expect(!desk.text.contains("Yline 1X") && desk.text.contains("line 60"))
    desk.press("PgUp PgUp")
    #expect(desk.text.contains("Yline 1X"))
  }
}

import Testing
import VersoBrowser
import VersoModel

@Suite struct KeymapTests {
  private func match(
    _ keys: String, _ context: Keymap.Context = .list, _ direction: LayoutDirection = .leftToRight
  ) -> Keymap.Match {
    guard let sequence = KeySequence(name: keys) else { return .none }
    return Keymap().match(sequence.keys, in: context, direction: direction)
  }

  @Test(arguments: [
    ("j", Keymap.Context.list, Action.cursorDown), ("Up", .list, .cursorUp),
    ("Enter", .list, .select),
    ("l", .list, .enter), ("Backspace", .list, .back), ("g g", .list, .first), ("G", .list, .last),
    ("Ctrl-D", .list, .halfPageDown), ("Comma s", .list, .sortBySize),
    ("Ctrl-W =", .list, .resetWidths),
    ("F7", .list, .newFolder), ("Delete", .list, .delete), ("Space", .list, .mark),
    ("\\", .list, .sidebar),
    ("-", .list, .deselect), ("?", .list, .help), ("Ctrl-Z", .list, .suspend),
    ("Esc", .list, .close),
    ("i", .reader, .edit), ("Esc", .reader, .back), ("Esc", .editor, .stopEditing),
    ("Ctrl-Z", .editor, .undoText), ("Alt-U", .editor, .undoText), ("Ctrl-S", .editor, .save),
    ("Tab", .prompt, .complete), ("Esc", .prompt, .cancel), ("R", .history, .restoreVersion),
    ("t", .conflict, .takeTheirs), ("F1", .help, .close), ("F1", .editor, .help),
  ])
  func `keys do what the table says`(keys: String, context: Keymap.Context, action: Action) {
    #expect(match(keys, context) == .action(action))
  }

  @Test func `a key that begins others waits for them`() {
    #expect(match("g") == .partial)
    #expect(match(",") == .partial)
    #expect(match("Ctrl-W") == .partial)
    #expect(match("g x") == Keymap.Match.none)
    #expect(match("Ctrl-W", .editor) == .action(.deleteWord))
  }

  @Test func `arrows act by what is seen, letters by the order of the panes`() {
    #expect(match("Left", .list, .rightToLeft) == .action(.enter))
    #expect(match("Right", .list, .rightToLeft) == .action(.back))
    #expect(match("l", .list, .rightToLeft) == .action(.enter))
    #expect(match("Left", .editor, .rightToLeft) == .action(.left))
  }

  @Test func `no key has two meanings in one place`() {
    #expect(Keymap().clashes == [])
  }

  @Test func `typing always types while editing and in prompts`() {
    for binding in Keymap().bindings
    where binding.contexts.contains(.editor) || binding.contexts.contains(.prompt) {
      for sequence in binding.keys {
        #expect(sequence.keys.allSatisfy { $0.text == nil }, "\(binding.action)")
      }
    }
  }

  @Test func `every action has a key, a name and a description`() {
    let keymap = Keymap()
    for action in Action.allCases {
      let rows = keymap.bindings.filter { $0.action == action }
      #expect(
        !rows.isEmpty && rows.allSatisfy { !$0.keys.isEmpty && !$0.text.isEmpty }, "\(action)")
      #expect(action.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    }
  }

  @Test func `every function of the lists has a key without modifiers`() {
    // Those that programs everywhere have on these keys are found by that, and in the palette.
    let known: Set<Action> = [
      .halfPageDown, .halfPageUp, .redo, .findFile, .suspend, .interrupt,
      .narrower, .wider, .resetWidths, .previousPane, .save,
    ]
    for binding in Keymap().bindings where binding.contexts.contains(.list) {
      let isPlain = binding.keys.contains { $0.keys.allSatisfy { $0.modifiers.isEmpty } }
      #expect(isPlain || known.contains(binding.action), "\(binding.action)")
    }
  }

  @Test func `users have keys of their own`() throws {
    var keymap = Keymap()
    try keymap.read("# mine\n\n  delete = D, Ctrl-W d \nquit =\nsort-by-name = Comma Comma\r\n")
    #expect(keymap.match([KeyEvent(.character("D"))], in: .list) == .action(.delete))
    #expect(keymap.match([KeyEvent(.character("d"))], in: .list) == .none)
    #expect(keymap.match([KeyEvent(.character("q"))], in: .list) == .none)
    let help = KeymapHelp(keymap).lines(for: .list, width: 60).map(\.text)
    #expect(help.contains { $0.contains("D, Ctrl-W d") && $0.contains("delete") })
    #expect(!help.contains { $0.contains("quit; drafts") })
  }

  @Test(arguments: [
    ("delete", "line 1: write ACTION = KEY, KEY"),
    ("\n fly = f", "line 2: there is no action “fly”"),
    ("delete = Hyper-X", "line 1: there is no key “Hyper-X”"),
    ("delete = j", "line 1: j is for cursor-down, and j for delete"),
    ("delete = g", "line 1: gg is for first, and g for delete"),
  ])
  func `a line that is wrong is told`(text: String, message: String) {
    var keymap = Keymap()
    let error = #expect(throws: Keymap.LineError.self) { try keymap.read(text) }
    #expect(error?.description == message)
  }

  @Test func `help is made from the table, and begins where it is asked for`() {
    let lines = KeymapHelp(Keymap()).lines(for: .history, width: 100)
    #expect(lines.first?.text == "History")
    #expect(lines.first?.spans.first?.style == Style(.heading))
    for binding in Keymap().bindings {
      #expect(lines.contains { $0.text.contains(binding.text) }, "\(binding.action)")
    }
    #expect(lines.map(\.text).contains("  gg, Home              first row"))
    for width in [20, 30, 59, 100] {
      for line in KeymapHelp(Keymap()).lines(for: .list, width: width) {
        #expect(line.columns <= width, "\(line.text)")
      }
    }
  }

  @Test func `help is searched by name, key and description`() {
    let help = KeymapHelp(Keymap())
    #expect(
      help.lines(for: .list, matching: "ZEN", width: 60).map(\.text).first == "Folders and files")
    #expect(help.lines(for: .list, matching: "f7", width: 60).count == 2)
    #expect(
      help.lines(for: .list, matching: "xyzzy", width: 60).map(\.text) == [
        "nothing is called “xyzzy”"
      ])
  }

  @Test func `a hint is the first key`() {
    #expect(Keymap().hint(for: .newFolder, in: .list) == "A")
    #expect(Keymap().hint(for: .first, in: .list) == "gg")
    #expect(Keymap().hint(for: .later, in: .list) == nil)
  }
}

@Suite struct ScriptTests {
  @Test func `each step is read`() throws {
    let script = try Script(
      """
      # a walk
      size 80x24
        key j Ctrl-S g g
      type  two words
      paste one\\ntwo\\\\\\e
      click 10 5
      click 10 5 right
      drag 25 3 10 3
      wheel down 4 4
      wait idle
      wait 120ms
      frame after the walk
      write "a b/c.md" text # here
      append c.md x
      mkdir Notes
      touch c.md
      remove Notes
      move c.md "d e.md"
      expect Nothing selected
      expect-not c.md
      log
      suspend
      end
      """)
    let point = CellPoint(x: 10, y: 5)
    let keys = ["j", "Ctrl-S", "g", "g"].compactMap { KeyEvent(name: $0) }
    #expect(
      script.entries.map(\.step) == [
        .size(CellSize(width: 80, height: 24)), .keys(keys), .type(" two words"),
        .paste("one\ntwo\\\u{1B}"), .click(point, .left), .click(point, .right),
        .drag(CellPoint(x: 25, y: 3), CellPoint(x: 10, y: 3)),
        .wheel(.wheelDown, CellPoint(x: 4, y: 4)), .waitUntilIdle, .wait(.milliseconds(120)),
        .frame("after the walk"), .write(path: "a b/c.md", text: "text # here"),
        .append(path: "c.md", text: "x"), .makeFolder("Notes"), .touch("c.md"), .remove("Notes"),
        .move("c.md", "d e.md"), .expect("Nothing selected", isThere: true),
        .expect("c.md", isThere: false), .log, .suspend, .end,
      ])
    #expect(script.entries[1].line == 3)
  }

  @Test(arguments: [
    ("fly", "line 1: there is no step “fly”"),
    ("\n\nsize 80", "line 3: “80” is not a size like 80x24"),
    ("size 0x5", "line 1: “0x5” is not a size like 80x24"), ("key", "line 1: a key is missing"),
    ("key j Blah", "line 1: there is no key “Blah”"), ("click 1", "line 1: a row is missing"),
    ("click 1 x", "line 1: “x” is not a number"),
    ("click 1 2 left 3", "line 1: “click” does not take “3”"),
    ("wait", "line 1: a time, or “idle”, is missing"),
    ("wait 5h", "line 1: “5h” is not a time like 120ms or 2s"),
    ("type a\\q", "line 1: “\\q” stands for nothing"),
    ("remove ../x", "line 1: “../x” is no path within the vault"),
    ("remove /etc", "line 1: “/etc” is no path within the vault"),
    ("move \"a", "line 1: a quote is not closed"),
    ("log all", "line 1: “log” does not take “all”"),
  ])
  func `a line that is wrong is told`(text: String, message: String) {
    let error = #expect(throws: Script.LineError.self) { try Script(text) }
    #expect(error?.description == message)
  }
}

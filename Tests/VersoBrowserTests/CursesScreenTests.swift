import Glibc
import Testing
import VersoBrowser
import VersoModel
import VersoTestSupport

/// One process has one screen, and its signals: these run one by one.
@Suite(.serialized) struct CursesScreenTests {
  private static let size = CellSize(width: 40, height: 6)

  private func screen(
    _ pty: Pty, _ options: CursesScreen.Options = .init(), _ environment: [String: String] = [:]
  ) throws -> CursesScreen {
    let all = ["TERM": "xterm-256color", "COLORTERM": "truecolor"].merging(environment) { $1 }
    return try CursesScreen(options, input: pty.slave, output: pty.slave) { all[$0] }
  }

  private func frame(_ lines: String..., size: CellSize = size) -> Frame {
    var grid = CellGrid(size)
    for (y, line) in lines.enumerated() {
      grid.draw(SafeText.text(line), in: CellRect(x: 0, y: y, width: size.width, height: 1))
    }
    return Frame(grid, cursor: CellPoint(x: 1, y: 1))
  }

  @Test func `the terminal is taken, drawn on, and left as it was found`() throws {
    let pty = try Pty(Self.size)
    #expect(pty.echoes)
    let screen = try screen(pty)
    #expect(screen.size == Self.size && screen.depth == .full && screen.isUTF8)
    #expect(!pty.echoes)
    screen.present(frame("日本語 größe", "two"))
    var picture = Picture(Self.size)
    picture.write(pty.read())
    #expect(picture.text.prefix(3) == ["日本語 größe", "two", ""])
    #expect(picture.modes.isSuperset(of: [1049, 1000, 1002, 1006, 1004, 2004]))
    #expect(!picture.modes.contains(7))
    #expect((picture.x, picture.y) == (1, 1) && picture.isCursorShown)
    #expect(throws: ScreenError.taken) { try self.screen(pty) }
    screen.close()
    screen.close()
    picture.write(pty.read())
    #expect(picture.modes.isDisjoint(with: [1049, 1000, 1002, 1006, 1004, 2004]))
    #expect(picture.modes.contains(7) && picture.isCursorShown)
    #expect(picture.unknown == [])
    #expect(pty.echoes)
    screen.present(frame("late"))
    #expect(pty.read().isEmpty)
  }

  @Test func `only differences are drawn`() throws {
    let pty = try Pty(Self.size)
    let screen = try screen(pty)
    defer { screen.close() }
    screen.present(frame("one", "two", "three"))
    _ = pty.read()
    screen.present(frame("one", "two", "three"))
    #expect(pty.read().isEmpty)
    screen.present(frame("one", "too", "three"))
    let bytes = pty.read()
    #expect(String(decoding: bytes, as: UTF8.self).contains("o"))
    #expect(bytes.count < 60)
    screen.redraw()
    screen.present(frame("one", "too", "three"))
    var picture = Picture(Self.size)
    picture.write(pty.read())
    #expect(picture.text.prefix(3) == ["one", "too", "three"])
  }

  @Test(arguments: seeds(6), ["xterm-256color", "screen-256color", "vt100", "linux"])
  func `what a terminal shows is the frame, whatever was there before`(
    seed: UInt64, terminal: String
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let pty = try Pty(Self.size)
    let screen = try screen(pty, .init(color: true), ["TERM": terminal])
    defer { screen.close() }
    var picture = Picture(Self.size)
    var grid = CellGrid(Self.size)
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let style = Style(
          Style.Label.allCases.randomElement(using: &generator) ?? .text,
          on: Style.Ground.allCases.randomElement(using: &generator) ?? .none,
          dim: generator.chance(4) ? 4_000 : 0)
        grid.draw(
          SafeText.text(manyNames.randomElement(using: &generator) ?? ""), style,
          x: Int.random(in: -3...38, using: &generator), y: Int.random(in: 0...5, using: &generator)
        )
      }
      if generator.chance(8) { screen.theme = screen.theme.next }
      screen.present(Frame(grid))
      picture.write(pty.read())
      var expected = Picture(Self.size)
      let text = FrameText.colored(Frame(grid), theme: screen.theme, depth: screen.depth)
      expected.write(Array(text.replacing("\n", with: "\r\n").utf8))
      #expect(picture.rows == expected.rows, "seed \(seed)")
      #expect(picture.looks == expected.looks, "seed \(seed)")
    }
    #expect(picture.unknown == [])
  }

  @Test func `keys, pasted text and other threads end the wait`() throws {
    let pty = try Pty(Self.size)
    let screen = try screen(pty)
    defer { screen.close() }
    #expect(screen.nextEvent(within: .zero) == nil)
    pty.type("j\u{1B}[200~a\nb\u{1B}[201~\u{1B}[A")
    #expect(screen.nextEvent(within: .seconds(10)) == .key(KeyEvent(.character("j"))))
    #expect(screen.nextEvent(within: .seconds(10)) == .paste("a\nb"))
    #expect(screen.nextEvent(within: .seconds(10)) == .key(KeyEvent(.up)))
    pty.type("\u{1B}")
    #expect(screen.nextEvent(within: nil) == .key(KeyEvent(.escape)))
    screen.waker.wake()
    screen.waker.wake()
    #expect(screen.nextEvent(within: nil) == .woken)
    #expect(screen.nextEvent(within: .zero) == nil)
  }

  @Test func `many sizes in a row become the last one`() throws {
    let pty = try Pty(Self.size)
    let screen = try screen(pty)
    defer { screen.close() }
    screen.present(frame("one"))
    for width in 41...70 {
      pty.resize(CellSize(width: width, height: 9))
      kill(getpid(), SIGWINCH)
    }
    let size = CellSize(width: 70, height: 9)
    #expect(screen.nextEvent(within: .seconds(10)) == .resized(size))
    #expect(screen.size == size)
    while let event = screen.nextEvent(within: .zero) { #expect(event == .resized(size)) }
    // A frame that was made for the old size does no harm.
    _ = pty.read()
    screen.present(frame("one", "two"))
    var picture = Picture(size)
    picture.write(pty.read())
    #expect(picture.text.prefix(2) == ["one", "two"])
  }

  @Test func `five thousand columns are drawn`() throws {
    let size = CellSize(width: 5_000, height: 2)
    let pty = try Pty(size)
    let screen = try screen(pty)
    defer { screen.close() }
    var grid = CellGrid(size)
    grid.draw("end", x: 4_997, y: 1)
    screen.present(Frame(grid))
    var picture = Picture(size)
    picture.write(pty.read())
    #expect(picture.text[1].hasSuffix(" end") && picture.text[1].count == 5_000)
  }

  @Test func `another program has the terminal for a while`() throws {
    let pty = try Pty(Self.size)
    let screen = try screen(pty)
    defer { screen.close() }
    screen.present(frame("one"))
    var picture = Picture(Self.size)
    screen.suspend {
      #expect(pty.echoes)
      picture.write(pty.read())
      #expect(!picture.modes.contains(1049))
      pty.resize(CellSize(width: 30, height: 6))
    }
    #expect(!pty.echoes)
    #expect(screen.nextEvent(within: .zero) == .resized(CellSize(width: 30, height: 6)))
    screen.present(frame("one"))
    picture = Picture(CellSize(width: 30, height: 6))
    picture.write(pty.read())
    #expect(picture.text[0] == "one" && picture.modes.contains(1049))
  }

  @Test func `signals that end the process are events, and what they did before comes back`() throws
  {
    for number in [SIGTERM, SIGHUP, SIGINT] {
      // Whoever runs the tests may have them ignored, as nohup(1) has.
      let before = signal(number, SIG_DFL)
      defer { signal(number, before) }
      let pty = try Pty(Self.size)
      let screen = try screen(pty)
      kill(getpid(), number)
      for _ in 1...2 {
        #expect(screen.nextEvent(within: .seconds(10)) == .ended(.signal(number)))
      }
      screen.close()
    }
    let pty = try Pty(Self.size)
    let screen = try screen(pty)
    kill(getpid(), SIGTSTP)
    #expect(screen.nextEvent(within: .seconds(10)) == .stopRequested)
    kill(getpid(), SIGCONT)
    #expect(screen.nextEvent(within: .seconds(10)) == .continued)
    screen.close()
    var action = sigaction()
    sigaction(SIGWINCH, nil, &action)
    #expect(action.__sigaction_handler.sa_handler == nil)
  }

  @Test func `a signal that was ignored stays ignored`() throws {
    let before = signal(SIGHUP, SIG_IGN)
    defer { signal(SIGHUP, before) }
    let pty = try Pty(Self.size)
    let screen = try screen(pty)
    defer { screen.close() }
    kill(getpid(), SIGHUP)
    screen.waker.wake()
    #expect(screen.nextEvent(within: .seconds(10)) == .woken)
  }

  @Test func `colours and the mouse are left out where they are not wanted`() throws {
    let pty = try Pty(Self.size)
    let screen = try screen(pty, .init(tracksMouse: false), ["NO_COLOR": "1", "LC_ALL": "C"])
    defer { screen.close() }
    #expect(screen.depth == .none && !screen.isUTF8)
    var grid = CellGrid(Self.size)
    grid.draw("日│ö…", Style(.error), x: 0, y: 0)
    screen.present(Frame(grid))
    var picture = Picture(Self.size)
    picture.write(pty.read())
    #expect(picture.text[0] == "??|?~")
    #expect(picture.looks[0][0] == "0;1;7")
    #expect(picture.modes.isDisjoint(with: [1000, 1002, 1006]))
    screen.tracksMouse = true
    picture.write(pty.read())
    #expect(picture.modes.isSuperset(of: [1000, 1002, 1006]))
    screen.copy(Array("a/b c".utf8))
    #expect(String(decoding: pty.read(), as: UTF8.self) == "\u{1B}]52;c;YS9iIGM=\u{7}")
    screen.bell()
    #expect(pty.read() == [7])
  }

  @Test func `a terminal that cannot do it is refused with what to do`() throws {
    let pty = try Pty(Self.size)
    #expect(throws: ScreenError.dumbTerminal("dumb")) {
      try self.screen(pty, .init(), ["TERM": "dumb"])
    }
    #expect(throws: ScreenError.unknownTerminal("nonsense-9")) {
      try self.screen(pty, .init(), ["TERM": "nonsense-9"])
    }
    #expect(throws: ScreenError.unknownTerminal("")) {
      try CursesScreen(input: pty.slave, output: pty.slave) { _ in nil }
    }
    let file = open("/dev/null", O_RDWR)
    defer { close(file) }
    #expect(throws: ScreenError.notTerminal) {
      try CursesScreen(input: file, output: pty.slave) { _ in "xterm" }
    }
    #expect(pty.echoes && pty.read().isEmpty)
    for error in [ScreenError.notTerminal, .dumbTerminal("dumb"), .unknownTerminal(""), .taken] {
      #expect(!error.description.isEmpty && !error.hint.isEmpty)
    }
  }

  @Test(arguments: [SIGTRAP, SIGSEGV, SIGABRT, SIGQUIT])
  func `the terminal is put back when the program crashes`(signal: Int32) async throws {
    let pty = try Pty(Self.size)
    let path = pty.path
    await #expect(processExitsWith: .signal(signal)) {
      [path = path as String, signal = signal as Int32] in
      let terminal = open(path, O_RDWR | O_NOCTTY)
      let screen = try CursesScreen(input: terminal, output: terminal) {
        $0 == "TERM" ? "xterm-256color" : nil
      }
      screen.present(Frame(CellGrid(screen.size)))
      kill(getpid(), signal)
      pause()
    }
    #expect(pty.echoes)
    var picture = Picture(Self.size)
    picture.write(pty.read())
    #expect(picture.modes.isDisjoint(with: [1049, 1000, 1002, 1006, 1004, 2004]))
    #expect(picture.isCursorShown)
  }

  @Test func `the terminal is put back by an exit in the middle of things`() async throws {
    let pty = try Pty(Self.size)
    let path = pty.path
    await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
      let terminal = open(path, O_RDWR | O_NOCTTY)
      let screen = try CursesScreen(input: terminal, output: terminal) {
        $0 == "TERM" ? "xterm-256color" : nil
      }
      screen.present(Frame(CellGrid(screen.size)))
      exit(3)
    }
    #expect(pty.echoes)
    var picture = Picture(Self.size)
    picture.write(pty.read())
    #expect(picture.modes.isDisjoint(with: [1049, 1000, 2004]) && picture.isCursorShown)
  }

  @Test(arguments: [true, false])
  func `a trap and a stack that is used up put it back as well`(isTrap: Bool) async throws {
    let pty = try Pty(Self.size)
    let path = pty.path
    await #expect(processExitsWith: .failure) { [path = path as String, isTrap = isTrap as Bool] in
      let terminal = open(path, O_RDWR | O_NOCTTY)
      let screen = try CursesScreen(input: terminal, output: terminal) {
        $0 == "TERM" ? "xterm-256color" : nil
      }
      precondition(!isTrap || screen.size.width < 0, "a trap")
      print(descend(screen.size.width))
    }
    #expect(pty.echoes)
    var picture = Picture(Self.size)
    picture.write(pty.read())
    #expect(picture.modes.isDisjoint(with: [1049, 1000, 1002, 1006, 1004, 2004]))
    #expect(picture.isCursorShown)
  }

  @Test func `a terminal that is gone ends the wait`() async throws {
    var pty: Pty? = try Pty(Self.size)
    let slave = open(pty?.path ?? "", O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(slave) }
    let screen = try CursesScreen(input: slave, output: slave) { $0 == "TERM" ? "xterm" : nil }
    defer { screen.close() }
    pty = nil
    #expect(screen.nextEvent(within: .seconds(10)) == .ended(.closed))
    screen.present(frame("nobody"))
    #expect(screen.nextEvent(within: .seconds(10)) == .ended(.closed))
  }
}

/// Never comes back.
private func descend(_ depth: Int) -> Int { depth > 0 ? descend(depth + 1) + depth : 0 }

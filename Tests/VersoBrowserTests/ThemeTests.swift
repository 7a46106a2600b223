import Testing
import VersoBrowser

@Suite struct ThemeTests {
  @Test(arguments: [
    (0.0, Color.rgb(0x6F, 0xB1, 0xFF)), (0.4, .rgb(67, 106, 153)), (1.0, .rgb(0, 0, 0)),
  ])
  func `dimming multiplies each channel`(opacity: Double, expected: Color) {
    let look = Theme.dark.look(Style(.folder).dimmed(opacity), .full)
    #expect(look.foreground == expected)
    #expect(look.background == .standard)
  }

  @Test func `a theme for light backgrounds dims towards the light`() {
    let look = Theme.light.look(Style(.text).dimmed(0.5), .full)
    #expect(look.foreground == .rgb(144, 144, 144))
    #expect(Theme.light.look(Style(.text), .full).foreground == .standard)
  }

  @Test func `terminals of few colours dim by the faint mark, with and without colour`() {
    for depth in [ColorDepth.none, .eight, .sixteen] {
      let look = Theme.dark.look(Style(.title).dimmed(0.4), depth)
      #expect(look.marks.contains(.faint) && !look.marks.contains(.bold))
    }
  }

  @Test(arguments: Theme.all.map(\.name))
  func `no colour means none`(name: String) throws {
    let theme = try #require(Theme.named(name))
    for label in Style.Label.allCases {
      for ground in Style.Ground.allCases {
        let look = theme.look(Style(label, on: ground), .none)
        #expect(look.foreground == .standard && look.background == .standard)
      }
    }
  }

  @Test(arguments: Theme.all.map(\.name), ColorDepth.allCases)
  func `the cursor, what is selected and finds can be told apart`(
    name: String, depth: ColorDepth
  ) throws {
    let theme = try #require(Theme.named(name))
    let looks = [Style.Ground.none, .cursor, .cursorUnfocused, .selected, .currentFind].map {
      theme.look(Style(.note, on: $0), depth)
    }
    // High contrast has no pale ground, and marks in place of it.
    #expect(looks[1] != looks[0] && looks[2] != looks[0] && looks[1] != looks[2])
    #expect(looks[3] != looks[0] && looks[4] != looks[0])
  }

  @Test func `errors and removed text are marked without colour as well`() {
    for depth in [ColorDepth.none, .full] {
      for label in [Style.Label.error, .removedWord, .addedWord, .heading] {
        #expect(Theme.mono.look(Style(label), depth) != Theme.mono.look(Style(.text), depth))
      }
    }
  }

  @Test func `colours are as exact as the terminal has them`() {
    #expect(Theme.dark.look(Style(.error), .eight).foreground == .basic(1))
    #expect(Theme.dark.look(Style(.folder), .eight).foreground == .basic(4))
    #expect(Theme.dark.look(Style(.folder), .sixteen).foreground == .basic(12))
    #expect(Theme.dark.look(Style(.folder), .palette).foreground == .indexed(75))
    #expect(Theme.dark.look(Style(.text), .full).foreground == .standard)
  }

  @Test(
    arguments: [
      (nil, 256, [:], ColorDepth.palette), (nil, 8, [:], .eight), (nil, 16, [:], .sixteen),
      (nil, 0, [:], .none), (nil, 256, ["NO_COLOR": "1"], .none),
      (nil, 256, ["NO_COLOR": ""], .palette),
      (nil, 256, ["COLORTERM": "truecolor"], .full), (nil, 8, ["COLORTERM": "24bit"], .full),
      (nil, 0x100_0000, [:], .full), (true, 256, ["NO_COLOR": "1"], .palette),
      (true, 0, [:], .eight),
      (false, 256, ["COLORTERM": "truecolor"], .none),
      (nil, 256, ["COLORTERM": "truecolor", "NO_COLOR": "1"], .none),
    ] as [(Bool?, Int, [String: String], ColorDepth)])
  func `the option wins, then NO_COLOR, then what the terminal has`(
    allowed: Bool?, colors: Int, environment: [String: String], expected: ColorDepth
  ) {
    let depth = ColorDepth(allowed: allowed, terminal: colors) { environment[$0] }
    #expect(depth == expected)
  }

  @Test func `themes follow one another and have names`() {
    #expect(Theme.all.map(\.name) == ["dark", "light", "high-contrast", "mono"])
    #expect(Theme.dark.next.name == "light" && Theme.mono.next.name == "dark")
    #expect(Theme.named("solarized") == nil)
  }

  @Test func `a frame as text carries its looks and ends them on each line`() {
    var grid = CellGrid(width: 6, height: 2)
    grid.draw("日", Style(.error), x: 0, y: 0)
    grid.draw("ab", x: 2, y: 0)
    let frame = Frame(grid)
    #expect(FrameText.plain(frame) == "日ab\n\n")
    #expect(
      FrameText.colored(frame, theme: .dark, depth: .eight)
        == "\u{1B}[0;1;31m日\u{1B}[0mab\n\n")
    #expect(
      FrameText.colored(frame, theme: .dark, depth: .full)
        == "\u{1B}[0;1;38;2;255;122;122m日\u{1B}[0mab\n\n")
    grid.fill(CellRect(x: 5, y: 1, width: 1, height: 1), with: Cell(" ", Style(.text, on: .cursor)))
    #expect(
      FrameText.colored(Frame(grid), theme: .dark, depth: .none)
        == "\u{1B}[0;1;7m日\u{1B}[0mab\n     \u{1B}[0;7m \u{1B}[0m\n")
  }
}

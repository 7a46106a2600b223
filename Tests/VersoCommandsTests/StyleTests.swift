import Testing
import VersoCommands

@Suite struct StyleTests {
  private func allows(
    _ choice: ColorChoice, terminal: Bool = true,
    _ environment: [String: String] = ["TERM": "xterm"]
  ) -> Bool {
    choice.allowsColor(isTerminal: terminal) { environment[$0] }
  }

  @Test func `the option wins, then NO_COLOR, then the terminal`() {
    #expect(allows(.auto))
    #expect(!allows(.auto, terminal: false))
    #expect(!allows(.auto, ["TERM": "xterm", "NO_COLOR": "1"]))
    #expect(allows(.auto, ["TERM": "xterm", "NO_COLOR": ""]))
    #expect(!allows(.auto, ["TERM": "dumb"]))
    #expect(!allows(.auto, [:]))
    #expect(allows(.always, terminal: false, ["NO_COLOR": "1", "TERM": "dumb"]))
    #expect(!allows(.never))
  }

  @Test func `every style is switched off again`() {
    for style in Style.allCases {
      let text = Palette.colored.paint("x", style)
      #expect(text.hasPrefix("\u{1B}[") && text.hasSuffix("mx\u{1B}[m"))
      #expect(Palette.plain.paint("x", style) == "x")
      #expect(Palette.colored.paint("", style) == "")
    }
  }
}

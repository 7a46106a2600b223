import Testing
import VersoBrowser
import VersoTestSupport

@Suite struct InputDecoderTests {
  private func decode(_ text: String, known: [[UInt8]: KeyEvent] = [:]) -> [ScreenEvent] {
    var decoder = InputDecoder(known: known)
    let events = decoder.events(of: Array(text.utf8), at: .zero)
    return events + decoder.events(at: .seconds(10))
  }

  private func key(_ name: String) throws -> ScreenEvent {
    .key(try #require(KeyEvent(name: name), "no key \(name)"))
  }

  @Test(arguments: [
    ("a", "a"), ("A", "A"), ("é", "é"), ("日", "日"), ("👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧"),
    ("\r", "Enter"), ("\n", "Enter"), ("\t", "Tab"), ("\u{7F}", "Backspace"),
    ("\u{8}", "Backspace"),
    (" ", "Space"), ("\u{1B}", "Esc"), ("\u{0}", "Ctrl-Space"), ("\u{10}", "Ctrl-P"),
    ("\u{1A}", "Ctrl-Z"), ("\u{1C}", "Ctrl-\\"), ("\u{1F}", "Ctrl-_"), ("\u{1B}u", "Alt-u"),
    ("\u{1B}[A", "Up"), ("\u{1B}OA", "Up"), ("\u{1B}[1;5A", "Ctrl-Up"),
    ("\u{1B}[1;2B", "Shift-Down"),
    ("\u{1B}[1;8D", "Ctrl-Alt-Shift-Left"), ("\u{1B}[H", "Home"), ("\u{1B}OF", "End"),
    ("\u{1B}[1~", "Home"), ("\u{1B}[4~", "End"), ("\u{1B}[7~", "Home"), ("\u{1B}[8~", "End"),
    ("\u{1B}[2~", "Insert"), ("\u{1B}[3~", "Delete"), ("\u{1B}[3;5~", "Ctrl-Delete"),
    ("\u{1B}[5~", "PgUp"), ("\u{1B}[6~", "PgDn"), ("\u{1B}OP", "F1"), ("\u{1B}[11~", "F1"),
    ("\u{1B}[[A", "F1"), ("\u{1B}[[E", "F5"), ("\u{1B}[15~", "F5"), ("\u{1B}[17~", "F6"),
    ("\u{1B}[18~", "F7"), ("\u{1B}[24~", "F12"), ("\u{1B}[23^", "Ctrl-F11"), ("\u{1B}[25~", "F13"),
    ("\u{1B}[Z", "Shift-Tab"), ("\u{1B}[3$", "Shift-Delete"), ("\u{1B}[a", "Shift-Up"),
    ("\u{1B}Oa", "Ctrl-Up"), ("\u{1B}O5A", "Up"), ("\u{1B}OM", "Enter"), ("\u{1B}Oq", "1"),
    ("\u{1B}\u{1B}[A", "Alt-Up"), ("\u{1B}\r", "Alt-Enter"), ("\u{1B}[97;5u", "Ctrl-A"),
    ("\u{1B}[65;6u", "Ctrl-A"), ("\u{1B}[27;5;13~", "Ctrl-Enter"), ("\u{1B}[13;2u", "Shift-Enter"),
    ("\u{1B}[97:65;2u", "A"),
  ])
  func `what terminals send for keys is those keys`(sent: String, name: String) throws {
    #expect(decode(sent) == [try key(name)])
  }

  @Test(arguments: [
    "\u{1B}[?1;2c", "\u{1B}[>0;276;0c", "\u{1B}[24;80R", "\u{1B}[200;1z", "\u{1B}[999~",
    "\u{1B}[1;2y",
    "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]0;rename a r d\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\",
    "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}^private\u{1B}\\", "\u{1B}Xstart\u{1B}\\", "\u{1B}[?2026;2$y",
    "\u{1B}[<35;10;10M", "\u{1B}[57358u", "\u{1B}[1;1", "\u{1B}O", "\u{1B}[M ", "\u{1B}[ q",
    "\u{1B}[<0;0;0M", "\u{1B}[<99999999999999999999;1;1M", "\u{1B}[12\u{18}",
  ])
  func `unknown sequences never act as keys`(sent: String) {
    #expect(decode(sent).isEmpty)
    // Nor do they when they come a byte at a time.
    var decoder = InputDecoder()
    for byte in sent.utf8 { #expect(decoder.events(of: [byte], at: .zero).isEmpty) }
    #expect(decoder.events(at: .seconds(10)).isEmpty)
    #expect(
      decoder.events(of: Array("j".utf8), at: .seconds(11)) == [.key(KeyEvent(.character("j")))])
  }

  @Test func `focus reports are no keys`() {
    #expect(decode("\u{1B}[I\u{1B}[O") == [.focused(true), .focused(false)])
  }

  @Test func `the terminal's own entry decides first`() throws {
    let own = [Array("\u{1B}[11~".utf8): KeyEvent(.home), Array("\u{1B}A".utf8): KeyEvent(.up)]
    #expect(decode("\u{1B}[11~\u{1B}A", known: own) == [try key("Home"), try key("Up")])
  }

  @Test(arguments: [
    ("\u{1B}[<0;1;1M", MouseEvent(.pressed(.left), at: CellPoint(x: 0, y: 0))),
    ("\u{1B}[<0;4999;77m", MouseEvent(.released(.left), at: CellPoint(x: 4998, y: 76))),
    ("\u{1B}[<2;10;5M", MouseEvent(.pressed(.right), at: CellPoint(x: 9, y: 4))),
    ("\u{1B}[<32;10;5M", MouseEvent(.dragged(.left), at: CellPoint(x: 9, y: 4))),
    ("\u{1B}[<64;1;2M", MouseEvent(.wheelUp, at: CellPoint(x: 0, y: 1))),
    ("\u{1B}[<81;1;2M", MouseEvent(.wheelDown, at: CellPoint(x: 0, y: 1), .control)),
    ("\u{1B}[M !\"", MouseEvent(.pressed(.left), at: CellPoint(x: 0, y: 1))),
  ])
  func `the mouse is where the report says`(sent: String, event: MouseEvent) {
    #expect(decode(sent) == [.mouse(event)])
  }

  @Test func `the escape key is known after its time, and not before`() throws {
    var decoder = InputDecoder()
    #expect(decoder.events(of: [0x1B], at: .milliseconds(100)).isEmpty)
    #expect(decoder.deadline == .milliseconds(125))
    #expect(decoder.events(at: .milliseconds(124)).isEmpty)
    #expect(decoder.events(at: .milliseconds(125)) == [try key("Esc")])
    #expect(decoder.deadline == nil)
    #expect(decoder.events(of: [0x1B, 0x1B], at: .seconds(1)).isEmpty)
    #expect(decoder.events(at: .seconds(2)) == [try key("Esc")])
  }

  @Test func `a sequence that is cut by a slow line is put together again`() throws {
    var decoder = InputDecoder()
    #expect(decoder.events(of: Array("\u{1B}[1".utf8), at: .zero).isEmpty)
    #expect(decoder.events(of: Array(";5".utf8), at: .milliseconds(200)).isEmpty)
    #expect(decoder.events(of: Array("C".utf8), at: .milliseconds(600)) == [try key("Ctrl-Right")])
    // Also where the first byte was taken for the key: A makes a folder.
    #expect(decoder.events(of: [0x1B], at: .seconds(1)).isEmpty)
    #expect(decoder.events(at: .milliseconds(1030)) == [try key("Esc")])
    #expect(decoder.events(of: Array("[A".utf8), at: .milliseconds(1100)) == [try key("Up")])
    // What a person types afterwards is text.
    #expect(decoder.events(of: [0x1B], at: .seconds(2)).isEmpty)
    #expect(decoder.events(at: .milliseconds(2030)) == [try key("Esc")])
    #expect(decoder.events(of: Array("[".utf8), at: .milliseconds(2100)) == [try key("[")])
  }

  @Test func `characters that are cut between reads are whole, and invalid bytes are nothing`()
    throws
  {
    var decoder = InputDecoder()
    var events: [ScreenEvent] = []
    for byte in "aé日😀".utf8 { events += decoder.events(of: [byte], at: .zero) }
    #expect(events == [try key("a"), try key("é"), try key("日"), try key("😀")])
    #expect(
      decoder.events(of: [0xFF, 0x62, 0xC3, 0x63, 0x80, 0xED, 0xA0, 0x80], at: .zero)
        == [try key("b"), try key("c")])
    #expect(decoder.events(of: [0xE6, 0x97], at: .zero).isEmpty)
    #expect(decoder.events(of: [0x1B, 0x5B, 0x41], at: .zero) == [try key("Up")])
  }

  @Test func `pasted text is one event, with keys before and after`() throws {
    let events = decode("a\u{1B}[200~one\r\ntwo\rthree\n\u{1B}[31m\u{1B}[201~b")
    #expect(events == [try key("a"), .paste("one\ntwo\nthree\n\u{1B}[31m"), try key("b")])
    #expect(decode("\u{1B}[200~\u{1B}[201~") == [.paste("")])
  }

  @Test(arguments: [1, 7, 4096, 1 << 21])
  func `a paste of a megabyte comes as one event, however it is cut`(chunk: Int) {
    let text = String(repeating: "größe 日本\u{1B}[20\n", count: 50_000)
    let bytes = Array("\u{1B}[200~\(text)\u{1B}[201~x".utf8)
    var decoder = InputDecoder()
    var events: [ScreenEvent] = []
    let duration = ContinuousClock().measure {
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        let part = Array(bytes[start..<min(start + chunk, bytes.count)])
        events += decoder.events(of: part, at: .zero)
      }
    }
    #expect(events == [.paste(text), .key(KeyEvent(.character("x")))])
    // Quadratic work would take hours.
    #expect(duration < .seconds(20))
  }

  @Test func `a paste whose end is lost is handed over, and does not act as keys`() {
    var decoder = InputDecoder()
    #expect(decoder.events(of: Array("\u{1B}[200~dd".utf8), at: .zero).isEmpty)
    #expect(decoder.events(of: Array("qq".utf8), at: .seconds(4)).isEmpty)
    #expect(decoder.events(at: .seconds(9)) == [.paste("ddqq")])
  }

  @Test(arguments: seeds(20))
  func `the same bytes give the same events, however they are cut`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "\u{1B}", "[", "O", "A", "1;5", "~", "<0;3;4M", "\u{1B}[200~", "\u{1B}[201~", "é", "日", "\r",
      "]0;t\u{7}", "P", "\u{1B}\\", "M", "\u{18}", "x", "$", "I", "[[", "u",
    ].map { Array($0.utf8) }
    for _ in 0..<200 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        bytes += pieces.randomElement(using: &generator) ?? []
        if generator.chance(20) { bytes.append(UInt8.random(in: 0...255, using: &generator)) }
      }
      var (whole, parts) = (InputDecoder(), InputDecoder())
      let expected = whole.events(of: bytes, at: .zero) + whole.events(at: .seconds(60))
      var found: [ScreenEvent] = []
      for byte in bytes { found += parts.events(of: [byte], at: .zero) }
      found += parts.events(at: .seconds(60))
      #expect(Self.joined(found) == Self.joined(expected), "seed \(seed): \(bytes)")
    }
  }

  /// Text without the borders of its events: letters that come one by one are not joined.
  private static func joined(_ events: [ScreenEvent]) -> [String] {
    var result: [String] = []
    for event in events {
      if case .key(let key) = event, let text = key.text {
        result.append(contentsOf: text.unicodeScalars.map { "\($0.value)" })
      } else {
        result.append("\(event)")
      }
    }
    return result
  }
}

@Suite struct KeyEventTests {
  @Test(arguments: [
    "a", "A", "Ctrl-P", "Alt-U", "Ctrl-Alt-X", "Shift-Tab", "Enter", "Esc", "F12", "Space",
    "Ctrl-Space", "PgUp", "Delete", "?", "\\", "-", "é", "Ctrl-\\",
  ])
  func `a key's name names it`(name: String) throws {
    let key = try #require(KeyEvent(name: name))
    #expect(key.description == name)
    #expect(KeyEvent(name: key.description) == key)
  }

  @Test func `other names are understood, and nonsense is not`() {
    #expect(KeyEvent(name: "escape") == KeyEvent(.escape))
    #expect(KeyEvent(name: "ctrl-s") == KeyEvent(.character("s"), .control))
    #expect(KeyEvent(name: "ctrl-pagedown") == KeyEvent(.pageDown, .control))
    #expect(KeyEvent(name: "Ctrl--") == KeyEvent(.character("-"), .control))
    #expect(KeyEvent(name: "") == nil && KeyEvent(name: "Hyper-A") == nil)
    #expect(KeyEvent(name: "F99") == nil && KeyEvent(name: "ab") == nil)
    #expect(KeyEvent(.character("x")).text == "x")
    #expect(KeyEvent(.character("x"), .control).text == nil && KeyEvent(.enter).text == nil)
  }
}

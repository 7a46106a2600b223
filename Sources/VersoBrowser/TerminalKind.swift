import CNcurses

/// What a terminal can do, by its entry in the terminfo database.
///
/// This is what ncurses is used for. Its windows are not: under tmux, screen and xterm-256color they
/// draw no exact colours, they measure text by the locale of the process, and `initscr` installs
/// handlers for signals that are the program's own business. The input is decoded by
/// ``InputDecoder``, for reasons that stand there.
package struct TerminalKind: Hashable, Sendable {
  /// How many colours there are; 0 for a terminal without.
  package let colors: Int
  /// Which marks there are.
  let marks: Style.Marks
  /// Whether what comes after the last column waits there, or nothing can be done about it.
  let size: CellSize
  /// Bytes of capabilities by their short names in terminfo(5), padding left out.
  private let texts: [String: [UInt8]]
  /// The sequences that keys send.
  let keys: [[UInt8]: KeyEvent]

  /// Why a terminal cannot be drawn on.
  package enum Problem: Error, Hashable, Sendable {
    /// There is no terminfo database, or none with this terminal.
    case unknown
    /// Its cursor cannot be placed.
    case dumb
  }

  /// Reads the entry of a terminal.
  ///
  /// ncurses keeps the entry in global state: only one thread may do this at a time.
  ///
  /// - Parameters:
  ///   - name: The value of `TERM`.
  ///   - descriptor: The terminal, which may be asked for its size.
  package init(name: String, descriptor: Int32) throws(Problem) {
    let result = verso_terminal_load(name, descriptor)
    guard result == 0 else { throw result == -3 ? .dumb : .unknown }
    defer { verso_terminal_unload() }
    colors = max(0, Int(verso_terminal_number("colors")))
    size = CellSize(
      width: Int(verso_terminal_number("cols")), height: Int(verso_terminal_number("lines")))
    let names = [
      "cup", "clear", "smcup", "rmcup", "civis", "cnorm", "smkx", "rmkx", "sgr0", "bel", "rmam",
      "smam", "op", "bold", "dim", "sitm", "smul", "rev", "smxx",
    ]
    var texts: [String: [UInt8]] = [:]
    for name in names { texts[name] = Self.text(name) }
    self.texts = texts
    guard texts["cup"] != nil, texts["clear"] != nil, name != "dumb" else { throw .dumb }
    // Colours and marks are sent as ECMA-48 has them; a terminal that resets them in another way
    // would show them as rubbish.
    let isStandard = texts["sgr0"].map { Self.contains($0, "\u{1B}[") } ?? false
    marks = isStandard ? Self.marks(texts) : []
    keys = Self.readKeys()
  }

  /// The bytes of a capability; empty where the terminal has none.
  subscript(_ capability: String) -> [UInt8] { texts[capability] ?? [] }

  /// Places the cursor.
  ///
  /// Nearly all terminals have the form of ECMA-48, which is written without asking the library.
  func appendPlace(x: Int, y: Int, to output: inout [UInt8]) {
    guard self["cup"] == Array("\u{1B}[%i%p1%d;%p2%dH".utf8) else {
      output += expanded("cup", y, x)
      return
    }
    output += Array("\u{1B}[".utf8)
    output.append(decimal: y + 1)
    output.append(UInt8(ascii: ";"))
    output.append(decimal: x + 1)
    output.append(UInt8(ascii: "H"))
  }

  private func expanded(_ capability: String, _ first: Int, _ second: Int) -> [UInt8] {
    let text = self[capability].map { CChar(bitPattern: $0) } + [0]
    guard let result = verso_terminal_expand(text, first, second) else { return [] }
    return Self.bytes(result)
  }

  // MARK: Reading

  private static func text(_ capability: String) -> [UInt8]? {
    verso_terminal_text(capability).map { withoutPadding(bytes($0)) }
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    var (bytes, index) = ([UInt8](), 0)
    while text[index] != 0 {
      bytes.append(UInt8(bitPattern: text[index]))
      index += 1
    }
    return bytes
  }

  /// Leaves out delays such as `$<50/>`, which terminals made of metal needed (terminfo(5)).
  private static func withoutPadding(_ text: [UInt8]) -> [UInt8] {
    var (result, index) = ([UInt8](), 0)
    while index < text.count {
      if text[index] == UInt8(ascii: "$"), index + 1 < text.count,
        text[index + 1] == UInt8(ascii: "<"),
        let end = text[index...].firstIndex(of: UInt8(ascii: ">"))
      {
        index = end + 1
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }

  private static func contains(_ text: [UInt8], _ part: String) -> Bool {
    String(decoding: text, as: UTF8.self).contains(part)
  }

  private static func marks(_ texts: [String: [UInt8]]) -> Style.Marks {
    // Many entries lack italics and faintness that the terminal has, and what has none ignores them.
    var marks: Style.Marks = texts["bold"] == nil ? [] : [.bold, .faint, .italic, .struck]
    if texts["smul"] != nil { marks.insert(.underlined) }
    if texts["rev"] != nil { marks.insert(.reversed) }
    return marks
  }

  private static func readKeys() -> [[UInt8]: KeyEvent] {
    let names: [(String, KeyEvent.Key, KeyEvent.Modifiers)] =
      [
        ("kcuu1", .up, []), ("kcud1", .down, []), ("kcub1", .left, []), ("kcuf1", .right, []),
        ("khome", .home, []), ("kend", .end, []), ("kpp", .pageUp, []), ("knp", .pageDown, []),
        ("kich1", .insert, []), ("kdch1", .delete, []), ("kcbt", .tab, .shift),
        ("kent", .enter, []), ("kUP", .up, .shift), ("kDN", .down, .shift),
        ("kLFT", .left, .shift), ("kRIT", .right, .shift), ("kHOM", .home, .shift),
        ("kEND", .end, .shift), ("kPRV", .pageUp, .shift), ("kNXT", .pageDown, .shift),
        ("kDC", .delete, .shift),
      ] + (1...12).map { ("kf\($0)", .function($0), []) }
    var keys: [[UInt8]: KeyEvent] = [:]
    for (name, key, modifiers) in names {
      // Single bytes are the business of the decoder.
      guard let text = text(name), text.first == 0x1B, text.count > 1 else { continue }
      keys[text] = KeyEvent(key, modifiers)
    }
    return keys
  }
}

extension [UInt8] {
  /// Appends a number that is not negative, in digits.
  mutating func append(decimal number: Int) {
    if number >= 10 { append(decimal: number / 10) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

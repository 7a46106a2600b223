/// The sequences that make a terminal one for a full-screen program, and undo that.
///
/// What the terminfo database has comes from there. It has no standard names for reports of the mouse,
/// of the focus and of pasted text; those sequences are xterm's, which others took over, and which are
/// ignored by terminals that have none.
enum TerminalModes {
  static func enter(_ kind: TerminalKind, mouse: Bool) -> [UInt8] {
    // Nothing may wrap: the last cell would else scroll the screen on some terminals.
    kind["smcup"] + kind["smkx"] + kind["rmam"] + bytes("\u{1B}[?2004h\u{1B}[?1004h")
      + (mouse ? self.mouse(true) : [])
  }

  static func leave(_ kind: TerminalKind) -> [UInt8] {
    mouse(false) + bytes("\u{1B}[?1004l\u{1B}[?2004l") + kind["sgr0"] + kind["smam"]
      + kind["rmkx"] + kind["cnorm"] + (kind["rmcup"].isEmpty ? bytes("\r\n") : kind["rmcup"])
  }

  /// Buttons (1000), moves with a button held (1002), in decimal numbers (1006): the older form ends
  /// at column 223.
  static func mouse(_ isOn: Bool) -> [UInt8] {
    isOn
      ? bytes("\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h")
      : bytes("\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l")
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

/// Events in the order they came in.
struct EventQueue {
  private var events: [ScreenEvent] = []
  private var head = 0

  var isEmpty: Bool { head == events.count }

  mutating func append(_ event: ScreenEvent) { events.append(event) }
  mutating func append(contentsOf new: [ScreenEvent]) { events += new }

  mutating func popFirst() -> ScreenEvent? {
    guard head < events.count else { return nil }
    defer { head += 1 }
    let event = events[head]
    if head == events.count - 1 { (events, head) = ([], -1) }
    return event
  }
}

/// The encoding that OSC 52 wants (RFC 4648).
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        let digit = digits[value >> (18 - 6 * index) & 63]
        result.append(index <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return result
  }
}

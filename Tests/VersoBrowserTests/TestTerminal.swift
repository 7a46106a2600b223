import CLinux
import Glibc
import VersoBrowser
import VersoModel
import VersoTestSupport

/// A terminal for tests: the other end of a pty, and what a person would see of what came out of it.
///
/// It understands what xterm's entry in the terminfo database makes a program send.
struct Picture: Equatable {
  var rows: [[String]]
  /// The last "select graphic rendition" sequence of each cell.
  var looks: [[String]]
  var x = 0
  var y = 0
  var isCursorShown = true
  /// Private modes that are set, such as 1049 for the alternate screen.
  var modes: Set<Int> = []
  /// Sequences that it does not know.
  var unknown: [String] = []

  private var look = "0"
  private var rest: [UInt8] = []

  init(_ size: CellSize) {
    rows = Array(repeating: Array(repeating: " ", count: size.width), count: size.height)
    looks = Array(repeating: Array(repeating: "0", count: size.width), count: size.height)
  }

  /// The rows without the blanks at their ends.
  var text: [String] {
    rows.map { row in
      var text = row.joined()
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
  }

  /// What a person sees: cells and cursor.
  func looksLike(_ other: Picture) -> Bool { rows == other.rows && looks == other.looks }

  mutating func write(_ bytes: [UInt8]) {
    rest += bytes
    var text = ""
    // What is not whole yet waits.
    while let next = String(validating: rest.prefix(while: { $0 != 0x1B }), as: UTF8.self) {
      text = next
      for scalar in text.unicodeScalars { put(scalar) }
      rest.removeFirst(text.utf8.count)
      guard rest.first == 0x1B, let sequence = takeSequence() else { return }
      act(on: sequence)
    }
  }

  private mutating func takeSequence() -> String? {
    guard rest.count >= 2 else { return nil }
    var end = 2
    if rest[1] == UInt8(ascii: "[") {
      while end < rest.count, !(0x40...0x7E ~= rest[end]) { end += 1 }
      guard end < rest.count else { return nil }
      end += 1
    } else if rest[1] == UInt8(ascii: "]") {
      while end < rest.count, rest[end] != 0x07 { end += 1 }
      guard end < rest.count else { return nil }
      end += 1
    } else if rest[1] == UInt8(ascii: "(") {
      guard rest.count >= 3 else { return nil }
      end = 3
    }
    defer { rest.removeFirst(end) }
    return String(decoding: rest[1..<end], as: UTF8.self)
  }

  private mutating func act(on sequence: String) {
    let body = sequence.dropFirst().dropLast()
    let numbers = body.drop { $0 == "?" }.split(separator: ";").compactMap { Int($0) }
    switch (sequence.first, body.first == "?", sequence.last) {
    case ("[", false, "H"):
      y = max(0, (numbers.first ?? 1) - 1)
      x = max(0, (numbers.dropFirst().first ?? 1) - 1)
    case ("[", false, "J"): self = cleared()
    case ("[", false, "m"): look = body.isEmpty ? "0" : String(body)
    case ("[", true, "h"):
      modes.formUnion(numbers)
      if numbers.contains(25) { isCursorShown = true }
    case ("[", true, "l"):
      modes.subtract(numbers)
      if numbers.contains(25) { isCursorShown = false }
    // Titles are saved and put back (t), the keypad and the character set are set, cursors styled.
    // So is the linux console's (c).
    case ("=", _, _), ("[", true, "c"), (">", _, _), ("(", _, _), ("[", _, "t"), ("[", _, "q"),
      ("]", _, _):
      break
    default: unknown.append(sequence)
    }
  }

  private func cleared() -> Picture {
    var picture = self
    for y in rows.indices {
      picture.rows[y] = Array(repeating: " ", count: rows[y].count)
      picture.looks[y] = Array(repeating: "0", count: rows[y].count)
    }
    return picture
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r": x = 0
    case "\n": y += 1
    case "\u{7}", "\u{F}": break
    default:
      let width = TextWidth.columns(scalar)
      guard rows.indices.contains(y) else { return }
      if width == 0 {
        attach(scalar)
      } else {
        // Nothing wraps: the last column is written over.
        x = min(x, rows[y].count - width)
        for column in x..<x + width { clear(column) }
        rows[y][x] = String(Character(scalar))
        if width == 2 { rows[y][x + 1] = "" }
        for column in x..<x + width { looks[y][column] = look }
        x += width
      }
    }
  }

  private mutating func attach(_ scalar: Unicode.Scalar) {
    var column = x - 1
    while column > 0, rows[y][column].isEmpty { column -= 1 }
    guard column >= 0 else { return }
    rows[y][column].unicodeScalars.append(scalar)
  }

  /// Half a wide glyph takes the other half along.
  private mutating func clear(_ column: Int) {
    if rows[y][column].isEmpty { rows[y][column - 1] = " " }
    if column + 1 < rows[y].count, rows[y][column + 1].isEmpty { rows[y][column + 1] = " " }
    rows[y][column] = " "
  }
}

/// A pty, both of whose ends this process has.
final class Pty: Sendable {
  let master: Int32
  let slave: Int32
  let path: String

  init(_ size: CellSize) throws {
    // The calls of posix_openpt(3) are hidden from Swift; these are what they do (ioctl_tty(2)).
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (unlocked, number): (Int32, Int32) = (0, -1)
    let setLock: UInt = 0x4004_5431
    let getNumber: UInt = 0x8004_5430
    guard master >= 0, ioctl(master, setLock, &unlocked) == 0,
      ioctl(master, getNumber, &number) == 0
    else { throw Failure("no pty: errno \(errno)") }
    path = "/dev/pts/\(number)"
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw Failure("open \(path): errno \(errno)") }
    resize(size)
    _ = verso_fcntl(master, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(slave)
    close(master)
  }

  func resize(_ size: CellSize) {
    var window = winsize(
      ws_row: UInt16(size.height), ws_col: UInt16(size.width), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &window)
  }

  /// What came out since this was last asked.
  func read() -> [UInt8] {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(master, &bytes, bytes.count)
      guard count > 0 else { return all }
      all += bytes[..<count]
    }
  }

  func type(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  /// Whether the terminal echoes what is typed: not in raw mode.
  var echoes: Bool {
    // The first fields of the kernel's termios: input, output, control and local flags.
    var settings = [UInt32](repeating: 0, count: 32)
    _ = ioctl(slave, UInt(TCGETS), &settings)
    return settings[3] & UInt32(ECHO) != 0
  }
}

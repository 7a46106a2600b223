import Glibc

/// Why there can be no screen.
package enum ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Standard input or output is no terminal.
  case notTerminal
  /// `TERM` is missing, or names a terminal that the database does not have.
  case unknownTerminal(String)
  /// The cursor of the terminal that `TERM` names cannot be placed.
  case dumbTerminal(String)
  /// Another screen of this process has the terminal.
  case taken
  /// A call failed: what was to be done, and the `errno`.
  case system(String, Int32)

  package var description: String {
    switch self {
    case .notTerminal:
      "the browser needs a terminal for its input and its output"
    case .unknownTerminal(""):
      "TERM is not set, so nothing is known about this terminal"
    case .unknownTerminal(let name):
      "the terminfo database has no terminal “\(name)” (TERM)"
    case .dumbTerminal(let name):
      "a terminal of the kind “\(name)” (TERM) cannot place its cursor"
    case .taken: "this program has a screen on its terminal already"
    case .system(let action, let code): "cannot \(action): \(Self.text(code))"
    }
  }

  /// What a person can do about it.
  package var hint: String {
    switch self {
    case .notTerminal: "run it in a terminal, or print one screen with --dump 80x24"
    case .unknownTerminal: "try TERM=xterm-256color, or install the package ncurses-term"
    case .dumbTerminal: "say TERM=dumb to use it line by line"
    case .taken, .system: "close the other screen, or try again"
    }
  }

  private static func text(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

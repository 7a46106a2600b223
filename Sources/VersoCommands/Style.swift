/// When to use colour: `--color`.
package enum ColorChoice: String, Sendable, CaseIterable {
  case auto
  case always
  case never

  /// Whether to use colour on a stream.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the stream is one.
  ///   - environment: Looks a variable up.
  /// - Returns: What was chosen; where that is `auto`, colour on a terminal that knows it, unless
  ///   `NO_COLOR` is set and not empty.
  package func allowsColor(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      guard isTerminal, environment("NO_COLOR") ?? "" == "" else { return false }
      return environment("TERM").map { $0 != "dumb" && $0 != "" } ?? false
    }
  }
}

/// What a piece of output is; how it looks is for a ``Palette`` to say.
package enum Style: Sendable, CaseIterable {
  case heading
  case path
  case id
  case time
  case added
  case removed
  /// A word within an added or removed line.
  case addedWord
  case removedWord
  case changed
  case match
  /// Less important than what is around it.
  case faint
  case warning
  case error
  case hint
}

/// The looks of all styles: ANSI colours, or none.
package struct Palette: Sendable, Equatable {
  package let isColored: Bool

  package static let plain = Palette(isColored: false)
  package static let colored = Palette(isColored: true)

  /// The parameters of the "select graphic rendition" sequence (console_codes(4)).
  ///
  /// Only the eight basic colours are used, so that the terminal's own theme decides.
  private func parameters(_ style: Style) -> String {
    switch style {
    case .heading: "1"
    case .path: "36"
    case .id: "33"
    case .time: "34"
    case .added: "32"
    case .removed: "31"
    case .addedWord: "1;7;32"
    case .removedWord: "1;7;31"
    case .changed: "33"
    case .match: "1;31"
    case .faint: "2"
    case .warning: "1;33"
    case .error: "1;31"
    case .hint: "36"
    }
  }

  /// `text` in this style; the text itself must be safe already.
  package func paint(_ text: String, _ style: Style) -> String {
    guard isColored, !text.isEmpty else { return text }
    return "\u{1B}[\(parameters(style))m\(text)\u{1B}[m"
  }
}

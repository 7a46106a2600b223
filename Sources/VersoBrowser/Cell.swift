import CNcurses

/// One cell of a screen: what is drawn, and how.
package struct Cell: Hashable, Sendable {
  /// A grapheme; empty for the second half of a wide one.
  package var text: String
  package var style: Style

  /// How a cell looks, in terms that every terminal can approach.
  package struct Style: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let bold = Style(rawValue: 1)
    package static let faint = Style(rawValue: 2)
    package static let underlined = Style(rawValue: 4)
    package static let reversed = Style(rawValue: 8)
  }

  package init(_ text: String, _ style: Style = []) {
    self.text = text
    self.style = style
  }
}

/// What a terminal can do, by its entry in the terminfo database.
package enum TerminalKind {
  /// How many colours the terminal behind a descriptor has; 0 for one without, or an unknown one.
  package static func colors(_ descriptor: Int32) -> Int {
    Int(verso_terminal_colors(descriptor))
  }
}

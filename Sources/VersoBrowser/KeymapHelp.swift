import VersoModel

/// The text of the help overlay, made from the table of keys.
package struct KeymapHelp: Sendable {
  private let keymap: Keymap

  package init(_ keymap: Keymap) { self.keymap = keymap }

  /// The lines of the help.
  ///
  /// - Parameters:
  ///   - context: The place to begin with: where help was asked for.
  ///   - search: Only actions whose keys, name or description contain this, whatever its case.
  ///   - width: Columns there are.
  package func lines(for context: Keymap.Context, matching search: String = "", width: Int)
    -> [StyledLine]
  {
    let others = Keymap.Context.allCases.filter { $0 != context }
    var lines: [StyledLine] = []
    for place in [context] + others {
      let rows = keymap.bindings.filter {
        $0.contexts.contains(place) && !$0.keys.isEmpty && Self.matches($0, search)
      }
      guard !rows.isEmpty else { continue }
      if !lines.isEmpty { lines.append(StyledLine()) }
      lines.append(StyledLine(place.title, Style(.heading)))
      lines += rows.map { Self.line($0, width: width) }
    }
    return lines.isEmpty ? [StyledLine("nothing is called “\(search)”", Style(.hint))] : lines
  }

  private static func matches(_ row: Keymap.Binding, _ search: String) -> Bool {
    guard !search.isEmpty else { return true }
    let wanted = search.lowercased()
    return row.text.lowercased().contains(wanted) || row.action.rawValue.contains(wanted)
      || row.keys.contains { $0.description.lowercased() == wanted }
  }

  private static let keyColumns = 20

  private static func line(_ row: Keymap.Binding, width: Int) -> StyledLine {
    let keys = row.keys.map(\.description).joined(separator: ", ")
    let room = min(keyColumns, max(1, width / 3))
    let text = Glyph.columns(keys) > room && width < 40 ? Glyph.fitted(keys, to: room) : keys
    let padding = String(repeating: " ", count: max(0, room - Glyph.columns(text)))
    return StyledLine([
      Span("  \(text)\(padding)  ", Style(.key)),
      Span(Glyph.fitted(row.text, to: max(0, width - 4 - max(room, Glyph.columns(text))))),
    ])
  }
}

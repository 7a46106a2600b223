extension Layout {
  /// The layout as lines of text, for logs and tests.
  ///
  /// Each column is filled with its initial, `P`, `U` (the supplementary) or `S`; a dimmed one with
  /// `.`, and one that takes no clicks yet is not dimmed with the small initial. Dividers are `|`.
  ///
  /// - Parameter titles: Texts for the first line of columns; cut where they do not fit.
  public func drawn(titles: [Column: String] = [:]) -> [String] {
    var rows = [[Character]](
      repeating: [Character](repeating: " ", count: max(size.width, 0)), count: max(size.height, 0))
    for (column, placement) in columns.sorted(by: Self.drawnBefore) where placement.isVisible {
      fill(&rows, placement.frame, with: glyph(of: column, placement))
      write(titles[column] ?? "", &rows, placement.frame)
    }
    for row in rows.indices {
      for divider in dividers where rows[row].indices.contains(divider.x) {
        rows[row][divider.x] = "|"
      }
    }
    return rows.map { String($0) }
  }

  private static func drawnBefore(
    _ a: (key: Column, value: Placement), _ b: (key: Column, value: Placement)
  ) -> Bool {
    (a.value.z, -a.key.rawValue) < (b.value.z, -b.key.rawValue)
  }

  private func glyph(of column: Column, _ placement: Placement) -> Character {
    guard placement.dim == 0 else { return "." }
    switch column {
    case .primary: return placement.isInteractive ? "P" : "p"
    case .supplementary: return placement.isInteractive ? "U" : "u"
    case .secondary: return placement.isInteractive ? "S" : "s"
    }
  }

  private func fill(_ rows: inout [[Character]], _ frame: CellFrame, with glyph: Character) {
    let cells = (frame.x..<frame.maxX).clamped(to: 0..<max(size.width, 0))
    for row in (frame.y..<frame.maxY).clamped(to: 0..<max(size.height, 0)) {
      for cell in cells { rows[row][cell] = glyph }
    }
  }

  private func write(_ title: String, _ rows: inout [[Character]], _ frame: CellFrame) {
    for (offset, character) in title.prefix(max(frame.width, 0)).enumerated() {
      let x = frame.x + offset
      guard rows.indices.contains(frame.y), rows[frame.y].indices.contains(x) else { continue }
      rows[frame.y][x] = character
    }
  }
}

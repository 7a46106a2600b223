import VersoModel
import VersoSplitView

extension BrowserView {
  mutating func drawDetail() {
    let rect = geometry.content(.secondary)
    guard let note = model.shownNote else { return drawPlaceholder(in: rect) }
    drawBanner(note)
    switch note.content {
    case .loading: break
    case .statement(let lines): draw(lines, in: rect)
    case .failure(let reason):
      draw(
        [StyledLine("Cannot be shown", Style(.error)), StyledLine(reason, Style(.hint))], in: rect)
    case .text where note.isEditing: drawEditor(note, in: rect)
    case .text: drawReader(note, in: rect)
    }
    if model.focus == .secondary, cursor == nil { cursor = CellPoint(x: rect.x, y: rect.y) }
  }

  private mutating func draw(_ lines: [StyledLine], in rect: CellRect) {
    for (row, line) in lines.enumerated() where row < rect.height {
      let part = CellRect(x: rect.x, y: rect.y + row, width: rect.width, height: 1)
      grid.draw(line, in: part, direction: direction, ellipsis: ellipsis)
    }
  }

  // MARK: Nothing

  private mutating func drawPlaceholder(in rect: CellRect) {
    var lines: [StyledLine] = []
    if let folder = model.selected.selectedFolder {
      let name = model.title(of: folder)
      lines.append(StyledLine("Choose a note in \(name)", Style(.placeholder)))
      lines.append(StyledLine("or create one: \(model.key(.newFile))", Style(.hint)))
    } else {
      lines.append(StyledLine("Choose a folder", Style(.placeholder)))
      lines.append(StyledLine("or create one: \(model.key(.newFolder))", Style(.hint)))
    }
    if let draft = model.offeredDraft {
      lines.append(StyledLine())
      lines.append(
        StyledLine(
          "The unsaved text of \(model.shown(draft.path)) was kept: \(model.key(.drafts))",
          Style(.warning)))
    }
    let top = max(0, (rect.height - lines.count) / 2 - 1)
    for (row, line) in lines.enumerated() where top + row < rect.height {
      let part = CellRect(x: rect.x, y: rect.y + top + row, width: rect.width, height: 1)
      grid.draw(line, in: part, alignment: .center, direction: direction, ellipsis: ellipsis)
    }
  }

  // MARK: Reading

  private mutating func drawReader(_ note: NotePane, in rect: CellRect) {
    if note.buffer.count == 0 {
      let text = note.id == nil ? "This note is empty" : "This note is empty: Enter edits it"
      return draw([StyledLine(text, Style(.hint))], in: rect)
    }
    let pattern = model.searchedInNote
    for (row, line) in note.rows.prefix(rect.height).enumerated() {
      let part = CellRect(x: rect.x, y: rect.y + row, width: rect.width, height: 1)
      grid.draw(line.line, in: part, direction: direction, ellipsis: ellipsis)
      if !pattern.isEmpty { markMatches(of: pattern, in: line.line.text, part) }
    }
  }

  private mutating func markMatches(of pattern: String, in text: String, _ part: CellRect) {
    let ignoresCase = pattern == pattern.lowercased()
    let characters = text.map { ignoresCase ? $0.lowercased() : String($0) }
    let wanted = pattern.map { String($0) }
    guard !wanted.isEmpty, characters.count >= wanted.count, direction == .leftToRight else {
      return
    }
    var column = 0
    for (index, character) in text.enumerated() {
      if index + wanted.count <= characters.count,
        Array(characters[index..<index + wanted.count]) == wanted
      {
        let width = text.dropFirst(index).prefix(wanted.count).reduce(0) {
          $0 + Glyph($1).columns
        }
        let match = CellRect(x: part.x + column, y: part.y, width: width, height: 1)
        grid.restyle(match.intersection(part)) { $0.ground = .find }
      }
      column += Glyph(character).columns
    }
  }

  // MARK: Editing

  private mutating func drawEditor(_ note: NotePane, in rect: CellRect) {
    let selection = note.buffer.selection
    for (row, line) in note.editorRows.prefix(rect.height).enumerated() {
      for glyph in line.glyphs {
        let isSelected = selection?.contains(glyph.offset) ?? false
        let label: Style.Label =
          switch glyph.kind {
          case .plain, .tab: .text
          case .control, .invalid: .warning
          }
        let style = Style(label, on: isSelected ? .textSelection : .none)
        let x = rect.x + glyph.column
        if glyph.kind == .tab {
          let blanks = CellRect(x: x, y: rect.y + row, width: glyph.cells, height: 1)
          grid.fill(blanks.intersection(rect), with: Cell(" ", style))
        } else {
          grid.draw(glyph.text, style, x: x, y: rect.y + row, clip: rect)
        }
      }
    }
    let wrap = SoftWrap(width: rect.width)
    if let place = note.viewport.place(of: note.buffer.caret, note.buffer, wrap),
      model.context == .editor
    {
      cursor = CellPoint(
        x: rect.x + min(place.column, max(0, rect.width - 1)), y: rect.y + place.row)
    }
  }

  // MARK: Conflict

  private mutating func drawBanner(_ note: NotePane) {
    let rect = geometry.banner(.secondary).intersection(geometry.body)
    guard !rect.isEmpty else { return }
    let style = Style(.warning, on: .banner)
    grid.fill(rect, with: Cell(" ", style))
    // While keys insert, they choose nothing.
    let start = note.isEditing ? "Esc, then " : ""
    let texts =
      note.isPostponed
      ? [" changed by another program; decide later: saving is refused", " changed: not saved"]
      : [
        " changed by another program: \(start)m mine, t theirs, g both, d difference, Esc later",
        " changed by another program: \(start)m mine t theirs g both d differ",
        " changed: \(start)m mine t theirs g both d differ", " \(start)m mine t theirs g both",
        " \(start)m t g d",
      ]
    let text = texts.first { Glyph.columns($0) <= rect.width } ?? texts[texts.count - 1]
    grid.draw(text, style, in: rect, direction: direction, ellipsis: ellipsis)
  }
}

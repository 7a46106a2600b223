import Verso
import VersoModel
import VersoSplitView

extension BrowserView {
  mutating func drawList(_ pane: ListPane, _ column: Column) {
    let rect = geometry.content(column)
    guard rect.height > 0 else { return }
    if let hint = hint(for: pane, column) {
      return drawHint(hint, in: rect)
    }
    let top = pane.top
    for row in 0..<min(rect.height, max(0, pane.count - top)) {
      guard let item = pane.item(at: top + row) else { break }
      let part = CellRect(x: rect.x, y: rect.y + row, width: rect.width, height: 1)
      draw(item, isCursor: pane.cursor == top + row, column, in: part)
      hits.append(Target(rect: part, hit: .row(column, top + row)))
    }
    // An empty vault has its own row, and needs the hint all the same.
    if column == .primary, model.hasSnapshot, pane.list.count == 1, pane.list.folder.isVault,
      rect.height > 2
    {
      let part = CellRect(x: rect.x, y: rect.y + 2, width: rect.width, height: rect.height - 2)
      drawHint("no folders, press \(model.key(.newFolder))", in: part)
    }
  }

  /// What an empty list says.
  private func hint(for pane: ListPane, _ column: Column) -> String? {
    if pane.building != nil, pane.count == 0 { return "reading…" }
    if !pane.list.isReadable { return "permission denied" }
    guard pane.count == 0 else { return nil }
    if !pane.filter.isEmpty { return "no row has “\(SafeText.text(pane.filter))”" }
    if column == .supplementary, !model.hasSnapshot, model.day == nil { return "" }
    return column == .primary
      ? "no folders, press \(model.key(.newFolder))" : "no files, press \(model.key(.newFile))"
  }

  mutating func drawHint(_ text: String, in rect: CellRect) {
    let lines = TextWidth.wrapped(text, to: max(1, rect.width - 2))
    for (row, line) in lines.enumerated() where row < rect.height {
      let part = CellRect(x: rect.x + 1, y: rect.y + row, width: rect.width - 2, height: 1)
      grid.draw(line, Style(.hint), in: part, direction: direction, ellipsis: ellipsis)
    }
  }

  private mutating func draw(_ item: Item, isCursor: Bool, _ column: Column, in part: CellRect) {
    let isFocused = column == model.focus && model.history == nil
    let isSelected = isSelected(item, column)
    let isMarked = model.marks.contains(item.path)
    let isCopy = !item.isFolder && OpenConflict(item.path) != nil
    let ground: Style.Ground =
      isCursor && isFocused
      ? .cursor
      : isSelected ? .selected : isMarked ? .marked : isCursor ? .cursorUnfocused : .none
    let label: Style.Label =
      isCopy ? .conflictCopy : item.isFolder ? .folder : Self.isNote(item) ? .note : .otherFile
    let style = Style(label, on: ground, isSelected ? .bold : [])
    grid.fill(part.intersection(geometry.body), with: Cell(" ", style))
    // Cursor, selection and marks are told apart without colour too.
    let first: Character = isCursor ? direction.mirrored(">") : " "
    let second: Character = isMarked ? "*" : isCopy ? "!" : isSelected ? bullet : " "
    let marks = direction == .leftToRight ? "\(first)\(second)" : "\(second)\(first)"
    let marksX = direction == .leftToRight ? part.x : part.x + part.width - 2
    grid.draw(marks, style, x: marksX, y: part.y, clip: part)
    let nameX = direction == .leftToRight ? part.x + 2 : part.x
    let room = CellRect(x: nameX, y: part.y, width: max(0, part.width - 2), height: 1)
    drawName(item, style, in: room)
    if isCursor, isFocused { cursor = CellPoint(x: part.x, y: part.y) }
  }

  private var bullet: Character { model.options.isUTF8 ? "•" : "+" }

  private mutating func drawName(_ item: Item, _ style: Style, in room: CellRect) {
    let name = model.title(of: item)
    guard item.isFolder else {
      return grid.draw(name, style, in: room, direction: direction, ellipsis: ellipsis)
    }
    let fitted = Glyph.fitted(name, to: max(1, room.width - 1), ellipsis: ellipsis)
    grid.draw(fitted + "/", style, in: room, direction: direction, ellipsis: ellipsis)
  }

  private func isSelected(_ item: Item, _ column: Column) -> Bool {
    guard let open = model.selected.selectedFolder else { return false }
    if item.isFolder { return column == .primary && item.path == open.path }
    return item.path == model.selected.selectedFile?.path
  }

  private static func isNote(_ item: Item) -> Bool {
    FileContent(name: Array(item.path.name), head: []) == .markdown
  }
}

import Verso
import VersoModel
import VersoSplitView

/// Draws a browser: a pure function of its model.
struct BrowserView {
  struct Target {
    let rect: CellRect
    let hit: BrowserHit
  }

  struct Result {
    let frame: Frame
    let hits: [Target]
  }

  let model: BrowserModel
  let layout: Layout
  let geometry: BrowserGeometry
  var grid: CellGrid
  var hits: [Target] = []
  var cursor: CellPoint?

  init(_ model: BrowserModel) {
    self.model = model
    layout = model.animation?.layout(at: model.now) ?? model.layout
    geometry = BrowserGeometry(model, layout: layout)
    grid = CellGrid(model.size)
  }

  var ellipsis: Character { model.options.isUTF8 ? "…" : "~" }
  var direction: LayoutDirection { model.options.direction }

  func render() -> Result {
    var view = self
    view.draw()
    return Result(frame: Frame(view.grid, cursor: view.cursor), hits: view.hits)
  }

  private mutating func draw() {
    guard layout.mode != .tooSmall else { return drawTooSmall() }
    drawTitleRow()
    let order = layout.columns.filter(\.value.isVisible).sorted {
      ($0.value.z, -$0.key.rawValue) < ($1.value.z, -$1.key.rawValue)
    }
    for (column, placement) in order { draw(column, placement) }
    drawDividers()
    drawStatusRow()
    drawOverlays()
  }

  private mutating func drawTooSmall() {
    grid.draw("needs 20 x 5", Style(.warning), in: CellRect(grid.size), ellipsis: ellipsis)
  }

  // MARK: Panes

  private mutating func draw(_ column: Column, _ placement: Layout.Placement) {
    let pane = geometry.pane(column)
    grid.fill(pane.intersection(geometry.body), with: .blank)
    hits.append(Target(rect: pane, hit: .pane(column)))
    drawToolbar(column)
    drawTitle(column)
    if model.history != nil, hostsHistory(column) {
      drawHistory(column)
    } else if model.offline != nil, model.day == nil {
      drawMissing(column)
    } else {
      switch column {
      case .primary: drawList(model.folders, column)
      case .supplementary: if let files = model.files { drawList(files, column) }
      case .secondary: drawDetail()
      }
    }
    if placement.dim > 0 {
      grid.restyle(pane.intersection(geometry.body)) { $0 = $0.dimmed(placement.dim) }
    }
  }

  private func hostsHistory(_ column: Column) -> Bool {
    if layout.isCollapsed { return column == layout.top }
    return column == .secondary || column == .supplementary
  }

  private mutating func drawMissing(_ column: Column) {
    let rect = geometry.content(column)
    guard column == layout.focusOrder.first || column == .secondary || layout.isCollapsed else {
      return
    }
    let text =
      column == .secondary || layout.isCollapsed
      ? ["The vault is not there", model.offline ?? "", "Nothing is lost: it is looked for again."]
      : []
    for (row, line) in text.enumerated() where row < rect.height {
      let part = CellRect(x: rect.x, y: rect.y + row, width: rect.width, height: 1)
      grid.draw(
        SafeText.text(line), Style(row == 0 ? .error : .hint), in: part, direction: direction,
        ellipsis: ellipsis)
    }
  }

  private mutating func drawDividers() {
    guard !model.options.isAccessible else { return }
    for divider in layout.dividers {
      for y in geometry.body.rows {
        grid.draw(Glyph(model.options.isUTF8 ? "│" : "|"), Style(.divider), x: divider.x, y: y)
      }
    }
  }

  // MARK: Titles

  private mutating func drawToolbar(_ column: Column) {
    let rect = geometry.toolbar(column).intersection(geometry.body)
    guard !rect.isEmpty else { return }
    grid.fill(rect, with: Cell(" ", Style(on: .title)))
    let label = "[= \(shortTitle(.primary))]"
    let part = CellRect(
      x: rect.x, y: rect.y, width: min(rect.width, Glyph.columns(label)), height: 1)
    let place = leading(part, in: rect)
    grid.draw(label, Style(.button, on: .title), in: place, ellipsis: ellipsis)
    hits.append(Target(rect: place, hit: .sidebarButton))
  }

  private mutating func drawTitle(_ column: Column) {
    let isFocused = column == model.focus || layout.isCollapsed
    let ground: Style.Ground = isFocused ? .title : .titleUnfocused
    let style = Style(isFocused ? .title : .titleUnfocused, on: ground, .bold)
    var rect = geometry.title(column)
    if rect.isEmpty {
      // Where panes are low their titles stand in the row above all of them.
      rect = CellRect(x: rect.x, y: 0, width: rect.width, height: 1)
    }
    rect = rect.intersection(CellRect(grid.size))
    guard !rect.isEmpty else { return }
    grid.fill(rect, with: Cell(" ", style))
    // What covers a pane does not cover its title: the mark in it says that the pane is dimmed.
    rect = uncovered(rect, of: column)
    guard !rect.isEmpty else { return }
    var room = rect
    if let label = backLabel(column) { takeButton(label, .back, at: .leading, &room, ground) }
    if hasListButtons(column) {
      takeButton("[+]", .addButton, at: .trailing, &room, ground)
      if column == .primary { takeButton("[Edit]", .editButton, at: .trailing, &room, ground) }
    }
    if let subtitle = subtitle(column), room.width > Glyph.columns(subtitle) + 16 {
      takeText(subtitle, at: .trailing, &room, Style(.faint, on: ground))
    }
    let dimmed = (layout[column]?.dim ?? 0) > 0 ? "◌ " : ""
    grid.draw(
      " \(dimmed)\(title(column))", style, in: room, direction: direction, ellipsis: ellipsis)
  }

  /// The part of a row of a pane that no pane above it takes.
  private func uncovered(_ rect: CellRect, of column: Column) -> CellRect {
    let z = layout[column]?.z ?? 0
    var rect = rect
    let covers = layout.columns.filter { $0.value.isVisible && $0.value.z > z }
      .map { geometry.pane($0.key) }.sorted { $0.x < $1.x }
    for cover in covers {
      // Covers stand at one end, with a divider behind them.
      if cover.x <= rect.x {
        let end = cover.x + cover.width + 1
        rect.width -= max(0, end - rect.x)
        rect.x = max(rect.x, end)
      } else {
        rect.width = min(rect.width, cover.x - 1 - rect.x)
      }
    }
    rect.width = max(0, rect.width)
    return rect
  }

  private func hasListButtons(_ column: Column) -> Bool {
    column != .secondary && model.history == nil && !model.isReadOnly && !model.options.isLinear
      && geometry.pane(column).width >= 18
  }

  private mutating func takeButton(
    _ label: String, _ hit: BrowserHit, at side: TextAlignment, _ room: inout CellRect,
    _ ground: Style.Ground
  ) {
    guard let part = take(Glyph.columns(label), at: side, &room) else { return }
    grid.draw(label, Style(.button, on: ground), in: part, ellipsis: ellipsis)
    hits.append(Target(rect: part, hit: hit))
  }

  private mutating func takeText(
    _ text: String, at side: TextAlignment, _ room: inout CellRect, _ style: Style
  ) {
    guard let part = take(Glyph.columns(text) + 1, at: side, &room) else { return }
    grid.draw(text, style, in: part, ellipsis: ellipsis)
  }

  /// Cuts so many columns off a row; `nil` where too few would be left for a title.
  private func take(
    _ columns: Int, at side: TextAlignment, _ room: inout CellRect
  ) -> CellRect? {
    guard room.width >= columns + 6 else { return nil }
    let isLeft = (side == .leading) == (direction == .leftToRight)
    let x = isLeft ? room.x : room.x + room.width - columns
    if isLeft { room.x += columns }
    room.width -= columns
    return CellRect(x: x, y: room.y, width: columns, height: 1)
  }

  private func leading(_ part: CellRect, in rect: CellRect) -> CellRect {
    guard direction == .rightToLeft else { return part }
    return CellRect(
      x: rect.x + rect.width - part.width, y: part.y, width: part.width, height: part.height)
  }

  // MARK: Words

  /// The pane that a compact view goes back to, by its short title.
  private func backLabel(_ column: Column) -> String? {
    if model.options.isLinear { return nil }
    if let history = model.history, hostsHistory(column) {
      return layout.isCollapsed ? "[< \(history.showsVersion ? "History" : "Back")]" : nil
    }
    guard layout.isCollapsed, column > .primary else { return nil }
    return "[< \(shortTitle(column == .secondary ? .supplementary : .primary))]"
  }

  private func shortTitle(_ column: Column) -> String {
    switch column {
    case .primary: title(of: model.folders.list.folder)
    case .supplementary: model.files.map { title(of: $0.list.folder) } ?? "Files"
    case .secondary: "Note"
    }
  }

  private func title(of item: Item) -> String { model.title(of: item) }

  private func title(_ column: Column) -> String {
    if let history = model.history, hostsHistory(column),
      column == .supplementary
        || layout.isCollapsed || !layout.shows(.supplementary)
    {
      return "History of \(model.shown(history.path))"
    }
    switch column {
    case .primary, .supplementary: return shortTitle(column)
    case .secondary:
      if let history = model.history { return versionTitle(history) }
      if let note = model.note {
        let mark = note.isEditing ? " — EDIT" : note.isRaw ? " — as written" : ""
        return model.shown(note.path) + mark
      }
      return model.preview == nil ? model.options.language.nothingSelected : "Preview"
    }
  }

  private func versionTitle(_ history: HistoryPane) -> String {
    guard let version = history.current else { return "History" }
    return "\(model.shown(version.path)) at \(TimeText.minute(version.time))"
  }

  /// What stands at the end of a pane's title.
  private func subtitle(_ column: Column) -> String? {
    guard column == .secondary, model.history == nil else { return nil }
    if let note = model.note { return note.modified.map { TimeText.minute($0) } }
    return model.preview.map { model.shown($0.path) }
  }
}

import VersoModel
import VersoSplitView

extension BrowserView {
  mutating func drawOverlays() {
    if let comparison = model.comparison { draw(comparison) }
    if model.help != nil { drawHelp() }
    if let picker = model.picker { draw(picker) }
    if let menu = model.menu { draw(menu) }
  }

  /// Draws a frame in the middle; returns what is inside.
  private mutating func drawBox(title: String) -> CellRect {
    let box = geometry.overlay
    let style = Style(.text, on: .overlay)
    grid.fill(box, with: Cell(" ", style))
    var inner = CellRect(x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2)
    if model.options.isAccessible || box.height < 5 {
      inner = CellRect(x: box.x, y: box.y + 1, width: box.width, height: box.height - 1)
    } else {
      drawFrame(box)
    }
    grid.draw(
      " \(title) ", Style(.title, on: .overlay, .bold),
      in: CellRect(x: box.x + 1, y: box.y, width: box.width - 2, height: 1), direction: direction,
      ellipsis: ellipsis)
    return inner
  }

  private mutating func drawFrame(_ box: CellRect) {
    let style = Style(.divider, on: .overlay)
    let lines: [Character] =
      model.options.isUTF8
      ? ["─", "│", "┌", "┐", "└", "┘"] : ["-", "|", "+", "+", "+", "+"]
    let (right, bottom) = (box.x + box.width - 1, box.y + box.height - 1)
    for x in box.x...right {
      grid.draw(Glyph(lines[0]), style, x: x, y: box.y)
      grid.draw(Glyph(lines[0]), style, x: x, y: bottom)
    }
    for y in box.y...bottom {
      grid.draw(Glyph(lines[1]), style, x: box.x, y: y)
      grid.draw(Glyph(lines[1]), style, x: right, y: y)
    }
    for (corner, x, y) in [
      (2, box.x, box.y), (3, right, box.y), (4, box.x, bottom), (5, right, bottom),
    ] { grid.draw(Glyph(lines[corner]), style, x: x, y: y) }
  }

  // MARK: Help

  private mutating func drawHelp() {
    guard let help = model.help else { return }
    let rect = drawBox(
      title: help.isSearching ? "Help: \(help.search)" : "Help   / searches, Esc closes")
    let lines = KeymapHelp(model.options.keymap).lines(
      for: help.context, matching: help.search, width: rect.width)
    let top = min(help.top, max(0, lines.count - rect.height))
    for (row, line) in lines.dropFirst(top).prefix(rect.height).enumerated() {
      let part = CellRect(x: rect.x, y: rect.y + row, width: rect.width, height: 1)
      grid.draw(line.on(.overlay), in: part, direction: direction, ellipsis: ellipsis)
    }
    cursor = CellPoint(x: rect.x, y: rect.y)
  }

  // MARK: Choosing

  private mutating func draw(_ picker: Picker) {
    let rect = drawBox(title: picker.title)
    guard rect.height > 2 else { return }
    let line = CellRect(x: rect.x + 2, y: rect.y, width: rect.width - 2, height: 1)
    grid.draw("> ", Style(.key, on: .overlay), x: rect.x, y: rect.y, clip: rect)
    let count = min(rect.height - 1, geometry.pickerRows)
    for index in 0..<min(count, max(0, picker.rows.count - picker.top)) {
      let row = picker.top + index
      let part = CellRect(x: rect.x, y: rect.y + 1 + index, width: rect.width, height: 1)
      draw(picker.rows[row], isCursor: row == picker.cursor, in: part)
      hits.append(Target(rect: part, hit: .pickerRow(row)))
    }
    if picker.rows.isEmpty { drawState(of: picker, below: line) }
    drawLine(picker.line, in: line, .overlay)
  }

  private mutating func drawState(of picker: Picker, below line: CellRect) {
    let text =
      picker.isSearching
      ? "searching…" : picker.line.count == 0 ? "type to search" : "nothing found"
    let part = CellRect(x: line.x, y: line.y + 1, width: line.width, height: 1)
    grid.draw(text, Style(.hint, on: .overlay), in: part, direction: direction, ellipsis: ellipsis)
  }

  private mutating func draw(_ row: PickerRow, isCursor: Bool, in part: CellRect) {
    let ground: Style.Ground = isCursor ? .cursor : .overlay
    grid.fill(part, with: Cell(" ", Style(on: ground)))
    let line = StyledLine([
      Span(isCursor ? "> " : "  ", Style(.strong, on: ground)),
      Span(row.text, Style(.note, on: ground)), Span("  ", Style(on: ground)),
      Span(row.detail, Style(.faint, on: ground)),
    ])
    grid.draw(line, in: part, direction: direction, ellipsis: ellipsis)
  }

  // MARK: Menu

  private mutating func draw(_ menu: BrowserModel.Menu) {
    let entries = BrowserModel.Menu.entries
    let width = 28
    let x = min(menu.point.x, max(0, grid.size.width - width))
    let y = min(menu.point.y + 1, max(0, grid.size.height - 1 - entries.count))
    for (index, entry) in entries.enumerated() where y + index < grid.size.height - 1 {
      let part = CellRect(x: x, y: y + index, width: width, height: 1)
      let ground: Style.Ground = index == menu.cursor ? .cursor : .overlay
      grid.fill(part, with: Cell(" ", Style(on: ground)))
      grid.draw(
        "\(index == menu.cursor ? ">" : " ") \(entry.label)", Style(.text, on: ground), in: part,
        direction: direction, ellipsis: ellipsis)
      grid.draw(
        model.key(entry.action) + " ", Style(.key, on: ground), in: part, alignment: .trailing,
        direction: direction, ellipsis: ellipsis)
      hits.append(Target(rect: part, hit: .menuRow(index)))
    }
    cursor = CellPoint(x: x, y: y + menu.cursor)
  }
}

extension StyledLine {
  /// The same on another ground.
  fileprivate func on(_ ground: Style.Ground) -> StyledLine {
    StyledLine(spans.map { Span($0.text, $0.style.on(ground)) })
  }
}

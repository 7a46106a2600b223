import VersoModel
import VersoSplitView

extension BrowserView {
  // MARK: The row above

  mutating func drawTitleRow() {
    let rect = CellRect(x: 0, y: 0, width: grid.size.width, height: 1)
    let style = Style(.faint, on: .status)
    grid.fill(rect, with: Cell(" ", style))
    guard geometry.hasTitleRows else { return }
    if let day = model.day {
      let text =
        " \(model.options.vaultName) as it stood on \(TimeText.minute(day.time)) — READ-ONLY, Esc: today"
      grid.fill(rect, with: Cell(" ", Style(.warning, on: .banner)))
      return grid.draw(
        text, Style(.warning, on: .banner, .bold), in: rect, direction: direction,
        ellipsis: ellipsis)
    }
    let text = model.options.showsLayout ? layoutText : model.options.vaultName
    grid.draw(" \(text)", style, in: rect, direction: direction, ellipsis: ellipsis)
    // Reasons need the room.
    if model.options.showsLayout { return }
    let state = model.offline == nil ? saveState : "away"
    grid.draw(
      state + " ", style, in: rect, alignment: .trailing, direction: direction, ellipsis: ellipsis)
  }

  /// How the panes were arranged, and what stood in the way of another arrangement.
  private var layoutText: String {
    let (layout, choice) = Layout.explained(model.split.request)
    let size = "\(layout.size.width)x\(layout.size.height)"
    let name = layout.widthClass.map { "\($0)" } ?? "too small"
    let reasons = choice.description.split(separator: "\n").joined(separator: "; ")
    return "\(size) \(name): \(reasons)"
  }

  /// Whether everything is saved.
  private var saveState: String {
    if model.operations > 0 { return "saving…" }
    guard model.hasSnapshot else { return "reading…" }
    return model.note?.isDirty ?? false ? "unsaved text" : "saved"
  }

  // MARK: The row below

  mutating func drawStatusRow() {
    let rect = CellRect(x: 0, y: grid.size.height - 1, width: grid.size.width, height: 1)
    guard grid.size.height > 1 else { return }
    drawSayings()
    if let prompt = model.prompt { return draw(prompt, in: rect) }
    let style = Style(.status, on: .status)
    grid.fill(rect, with: Cell(" ", style))
    let parts = fitting(statusParts, in: rect.width)
    var room = rect
    let end = parts.joined(separator: "  ") + (parts.isEmpty ? "" : " ")
    let width = Glyph.columns(end)
    let isLeft = direction == .leftToRight
    let endRect = CellRect(
      x: isLeft ? rect.x + rect.width - width : rect.x, y: rect.y, width: width, height: 1)
    grid.draw(end, Style(.faint, on: .status), in: endRect, ellipsis: ellipsis)
    room.width = max(0, room.width - width - 1)
    if !isLeft { room.x += width + 1 }
    if let remark = model.remark {
      grid.draw(
        " " + remark.text, Style(remark.label, on: .status), in: room, direction: direction,
        ellipsis: ellipsis)
    } else if let comparison = model.comparison {
      grid.draw(
        " " + comparison.choices, style, in: room, direction: direction, ellipsis: ellipsis)
    } else {
      drawBreadcrumb(in: room)
    }
  }

  /// What happened, the newest below.
  private mutating func drawSayings() {
    let rect = geometry.sayings
    guard rect.height > 0 else { return }
    grid.fill(rect, with: .blank)
    let texts = model.sayings(after: model.sayingCount - rect.height)
    for (row, text) in texts.enumerated() {
      let part = CellRect(
        x: rect.x, y: rect.y + rect.height - texts.count + row, width: rect.width, height: 1)
      grid.draw(text, Style(.faint), in: part, direction: direction, ellipsis: ellipsis)
    }
  }

  /// From the most to the least important.
  private var statusParts: [String] {
    var parts: [String] = []
    if let comparison = model.comparison {
      let count = comparison.changes.count
      return [
        count == 0 ? "no difference" : "difference \((comparison.change ?? 0) + 1)/\(count)",
        "? help",
      ]
    }
    if let list = model.focusedList, let cursor = list.cursor, model.history == nil {
      parts.append("\(cursor + 1)/\(list.count)")
    } else if let history = model.history, !history.rows.isEmpty {
      parts.append("\(history.cursor + 1)/\(history.rows.count)\(history.isComplete ? "" : "+")")
    }
    if let mark = stateMark { parts.append(mark) }
    if let filter = model.focusedList?.filter, !filter.isEmpty {
      parts.append("only “\(SafeText.text(filter))”")
    }
    if !model.marks.isEmpty { parts.append("\(model.marks.count) marked") }
    if model.undoCount > 0 { parts.append("u: \(model.undoCount)") }
    parts.append(model.note?.isEditing ?? false ? "F1 help" : "? help")
    return parts
  }

  private var stateMark: String? {
    guard let note = model.note else { return model.isReadOnly ? "read-only" : nil }
    if note.isConflicted { return "conflict" }
    if note.saving != nil { return "saving" }
    if note.isDirty { return "modified" }
    return model.isReadOnly || note.isReadOnly || !note.isText ? "read-only" : nil
  }

  /// The parts that have room, the last dropped first.
  private func fitting(_ parts: [String], in width: Int) -> [String] {
    var parts = parts
    while !parts.isEmpty, Glyph.columns(parts.joined(separator: "  ")) > width * 3 / 5 {
      parts.removeLast()
    }
    return parts
  }

  private mutating func drawBreadcrumb(in room: CellRect) {
    var x = room.x + 1
    let style = Style(.status, on: .status)
    let path = model.history?.path ?? model.selected.item?.path ?? .root
    let chain = path.isRoot ? [path] : [.root] + path.ancestors.reversed() + [path]
    guard direction == .leftToRight else {
      let text = chain.map(model.shown).joined(separator: " / ")
      return grid.draw(text, style, in: room, direction: direction, ellipsis: ellipsis)
    }
    for (index, crumb) in chain.enumerated() {
      if index > 0 { x = grid.draw(" / ", Style(.faint, on: .status), x: x, y: room.y, clip: room) }
      let left = room.x + room.width - x
      guard left > 0 else { return }
      let name = Glyph.fitted(model.shown(crumb), to: left, ellipsis: ellipsis)
      let end = grid.draw(name, style, x: x, y: room.y, clip: room)
      hits.append(
        Target(rect: CellRect(x: x, y: room.y, width: end - x, height: 1), hit: .crumb(crumb)))
      x = end
    }
  }

  // MARK: A line that is asked for

  private mutating func draw(_ prompt: Prompt, in rect: CellRect) {
    let style = Style(prompt.problem == nil ? .strong : .warning, on: .status)
    grid.fill(rect, with: Cell(" ", style))
    guard !prompt.kind.isQuestion else {
      grid.draw(" " + prompt.title, style, in: rect, direction: direction, ellipsis: ellipsis)
      cursor = CellPoint(x: min(rect.width - 1, Glyph.columns(prompt.title) + 2), y: rect.y)
      return
    }
    let title = " " + (prompt.problem.map { SafeText.text($0) } ?? prompt.title) + ": "
    let fitted = Glyph.fitted(title, to: max(0, rect.width * 2 / 3), ellipsis: ellipsis)
    let x = grid.draw(fitted, style, x: rect.x, y: rect.y, clip: rect)
    drawLine(prompt.line, in: CellRect(x: x, y: rect.y, width: rect.width - x, height: 1), .status)
  }

  /// Draws a line with its caret in view.
  mutating func drawLine(_ line: TextBuffer, in rect: CellRect, _ ground: Style.Ground) {
    guard rect.width > 1 else { return }
    let text = SafeText.text(line.bytes(in: 0..<line.caret))
    let rest = SafeText.text(line.bytes(in: line.caret..<line.count))
    var before = text[...]
    while Glyph.columns(before) > rect.width - 1 { before = before.dropFirst() }
    let style = Style(.text, on: ground)
    let x = grid.draw(before, style, x: rect.x, y: rect.y, clip: rect)
    grid.draw(rest, style, x: x, y: rect.y, clip: rect)
    cursor = CellPoint(x: min(x, rect.x + rect.width - 1), y: rect.y)
  }
}

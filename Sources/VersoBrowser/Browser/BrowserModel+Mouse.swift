import VersoModel
import VersoSplitView

/// What a click can hit; made with each frame.
enum BrowserHit: Hashable {
  /// A row of a list, counted from the first of all rows.
  case row(Column, Int)
  /// Part of a pane that is no row.
  case pane(Column)
  case sidebarButton
  case back
  case editButton, addButton
  case timelineRow(Int)
  case pickerRow(Int)
  case menuRow(Int)
  /// A part of the breadcrumb, by the path it names.
  case crumb(RelativePath)
}

extension BrowserModel {
  /// Clicks within this many seconds of each other are a double click.
  private static let doubleClick = 0.4

  mutating func take(_ mouse: MouseEvent) {
    switch mouse.kind {
    case .pressed(.left): press(at: mouse.position)
    case .pressed(.right):
      if case .row(let column, let row)? = hit(at: mouse.position) {
        openMenu(at: mouse.position, of: column, row: row)
      }
    case .dragged(.left): drag(to: mouse.position)
    case .released: (dragged, isSelectingText) = (nil, false)
    case .wheelDown: wheel(at: mouse.position, by: 3)
    case .wheelUp: wheel(at: mouse.position, by: -3)
    default: break
    }
  }

  private func hit(at point: CellPoint) -> BrowserHit? {
    BrowserView(self).render().hits.last { $0.rect.contains(point) }?.hit
  }

  private mutating func press(at point: CellPoint) {
    remark = nil
    keys = []
    let isDouble = lastClick.map { $0.point == point && now - $0.time < Self.doubleClick } ?? false
    lastClick = (point, now)
    let target = hit(at: point)
    if let menu {
      self.menu = nil
      if case .menuRow(let row) = target { choose(row, of: menu) }
      return
    }
    if picker != nil {
      guard case .pickerRow(let row) = target else { return picker = nil }
      picker?.cursor = row
      return choose()
    }
    if help != nil { return closeTop() }
    if comparison != nil { return }
    if prompt != nil { cancelPrompt() }
    switch target {
    case .sidebarButton: return presentSidebar()
    case .back: return history != nil ? performInHistory(.back) : goBack()
    case .crumb(let path): return goToCrumb(path)
    case .timelineRow(let row): return clickTimeline(row)
    default: break
    }
    clickPane(at: point, target, isDouble: isDouble)
  }

  private mutating func clickPane(at point: CellPoint, _ target: BrowserHit?, isDouble: Bool) {
    let before = focus
    switch split.click(x: point.x, y: point.y - 1, animated: options.animates) {
    case .dismissed(let transition): run(transition)
    case .divider(let column):
      if isDouble { return run(split.resetWidths(animated: options.animates)) }
      dragged = column
    case .swallowed: break
    case .column(let column):
      if before == .secondary, column != .secondary { leaveEditing() }
      act(on: target, at: point, isDouble: isDouble)
    }
  }

  private mutating func act(on target: BrowserHit?, at point: CellPoint, isDouble: Bool) {
    guard history == nil else { return }
    switch target {
    case .row(let column, let row):
      changeList(column) { $0.moveCursor(to: row) }
      let list = column == .primary ? folders : files
      guard let item = list?.item(at: row) else { return }
      activate(item, enters: false)
      if isCompact == false, !item.isFolder { _ = split.setFocus(column) }
    case .addButton: perform(.newFile)
    case .editButton:
      _ = split.setFocus(.primary)
      openMenu()
    case .pane(.secondary) where note?.isEditing ?? false:
      if isDouble { return selectWord(at: point) }
      placeCaret(at: point)
      isSelectingText = true
    default: break
    }
  }

  private mutating func placeCaret(at point: CellPoint, extending: Bool = false) {
    guard let pane = note else { return }
    let rect = BrowserGeometry(self).content(.secondary)
    let row = min(max(point.y - rect.y, 0), max(0, rect.height - 1))
    let offset = pane.viewport.offset(
      row: row, column: max(0, point.x - rect.x), pane.buffer, SoftWrap(width: rect.width))
    edit { buffer, _ in buffer.move(to: offset, extending: extending) }
  }

  private mutating func selectWord(at point: CellPoint) {
    placeCaret(at: point)
    edit { buffer, _ in
      // From inside a word to its end, and from there to its start.
      buffer.move(.right)
      buffer.move(.wordLeft)
      buffer.move(.wordRight, extending: true)
      guard let range = buffer.selection else { return }
      let blanks = buffer.selectedBytes.reversed().prefix { $0 <= 0x20 }.count
      buffer.select(range.lowerBound..<max(range.lowerBound, range.upperBound - blanks))
    }
  }

  private mutating func drag(to point: CellPoint) {
    if let dragged { return run(split.moveDivider(of: dragged, to: point.x)) }
    if isSelectingText, note?.isEditing ?? false { placeCaret(at: point, extending: true) }
  }

  /// Scrolls what is under the pointer; focus and selection stay.
  private mutating func wheel(at point: CellPoint, by rows: Int) {
    if picker != nil { return picker?.moveCursor(by: rows) ?? () }
    if help != nil { return performInHelp(rows > 0 ? .cursorDown : .cursorUp) }
    if comparison != nil { return comparison?.scroll(by: rows) ?? () }
    switch layout.target(x: point.x, y: point.y - 1) {
    case .column(.secondary) where history != nil:
      scrollVersion(by: rows)
    case .column(.secondary):
      if note?.isEditing ?? false, var pane = note {
        let width = BrowserGeometry(self).content(.secondary).width
        pane.viewport.scroll(by: rows, pane.buffer, SoftWrap(width: width))
        note = pane
      } else {
        scrollNote(by: rows)
      }
    case .column(let column):
      let height = BrowserGeometry(self).content(column).height
      changeList(column) { $0.scroll(by: rows, height: height) }
      scrolled = column
    default: break
    }
  }

  // MARK: Buttons

  private mutating func presentSidebar() {
    run(split.present(animated: options.animates))
    _ = split.setFocus(.primary)
  }

  private mutating func goToCrumb(_ path: RelativePath) {
    guard let item = selection.catalogue[path] else { return }
    activate(item, enters: false)
  }

  private mutating func clickTimeline(_ row: Int) {
    history?.showsVersion = false
    history?.moveCursor(to: row)
    showVersion()
    performInHistory(.showVersion)
  }
}

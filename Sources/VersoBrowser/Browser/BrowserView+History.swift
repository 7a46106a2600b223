import Verso
import VersoModel
import VersoSplitView

extension BrowserView {
  mutating func drawHistory(_ column: Column) {
    guard let history = model.history else { return }
    let timeline = geometry.timeline
    let version = geometry.version
    if isHost(column, of: timeline) { drawTimeline(history, in: timeline) }
    if isHost(column, of: version) {
      if !layout.isCollapsed, !layout.shows(.supplementary), column == .secondary {
        drawSeparator(above: version)
      }
      drawVersion(history, in: version)
    }
  }

  private func isHost(_ column: Column, of rect: CellRect) -> Bool {
    !rect.isEmpty && !rect.intersection(geometry.content(column)).isEmpty
  }

  private mutating func drawSeparator(above rect: CellRect) {
    let line = CellRect(x: rect.x, y: rect.y - 1, width: rect.width, height: 1)
    grid.fill(line, with: Cell(model.options.isUTF8 ? "─" : "-", Style(.divider)))
    if let history = model.history { drawSummary(history, in: line) }
  }

  // MARK: Timeline

  private mutating func drawTimeline(_ history: HistoryPane, in rect: CellRect) {
    if history.rows.isEmpty {
      return drawHint(history.isComplete ? "never saved" : "reading…", in: rect)
    }
    for index in 0..<min(rect.height, history.rows.count - history.top) {
      let row = history.top + index
      let part = CellRect(x: rect.x, y: rect.y + index, width: rect.width, height: 1)
      draw(history.rows[row], isCursor: row == history.cursor, in: part)
      hits.append(Target(rect: part, hit: .timelineRow(row)))
    }
    let end = history.rows.count - history.top
    if !history.isComplete, end < rect.height {
      drawHint(
        "reading…",
        in: CellRect(x: rect.x, y: rect.y + end, width: rect.width, height: 1))
    }
  }

  private mutating func draw(_ row: HistoryPane.Row, isCursor: Bool, in part: CellRect) {
    guard let newest = row.newest, let oldest = row.versions.last?.version else { return }
    let hasKeys = !(model.history?.showsVersion ?? false)
    let ground: Style.Ground = isCursor ? (hasKeys ? .cursor : .cursorUnfocused) : .none
    grid.fill(part.intersection(geometry.body), with: Cell(" ", Style(on: ground)))
    var spans = [Span(isCursor ? "> " : "  ", Style(.strong, on: ground))]
    spans.append(Span(time(oldest, newest, in: part.width) + " ", Style(.time, on: ground)))
    if row.addedWords > 0 { spans.append(Span("+\(row.addedWords) ", Style(.added, on: ground))) }
    if row.removedWords > 0 {
      spans.append(Span("−\(row.removedWords) ", Style(.removed, on: ground)))
    }
    if let bytes = row.grownBytes {
      spans.append(Span("\(bytes < 0 ? "−" : "+")\(bytes.magnitude) B ", Style(.faint, on: ground)))
    }
    if row.versions.count > 1 {
      spans.append(Span("\(row.versions.count) saves ", Style(.faint, on: ground)))
    } else if let word = Self.word(for: newest.kind) {
      spans.append(Span(word + " ", Style(.strong, on: ground)))
    }
    spans.append(Span(SafeText.text(newest.device), Style(.device, on: ground)))
    grid.draw(StyledLine(spans), in: part, direction: direction, ellipsis: ellipsis)
    if isCursor, hasKeys { cursor = CellPoint(x: part.x, y: part.y) }
  }

  /// When versions were made: with little room without the year, unless that is another one.
  private func time(_ oldest: Vault.Version, _ newest: Vault.Version, in width: Int) -> String {
    let full = TimeText.minute(newest.time)
    let latest = model.history?.rows.first?.newest.map { TimeText.day($0.time).prefix(4) }
    let isShort = width < 36 && full.prefix(4) == latest ?? ""
    let first = String(TimeText.minute(oldest.time).dropFirst(isShort ? 5 : 0))
    let last = TimeText.clock(newest.time)
    return oldest.commit == newest.commit || first.hasSuffix(last) || width < 26
      ? first : "\(first)–\(last)"
  }

  private static func word(for kind: PathChange.Kind) -> String? {
    switch kind {
    case .added: "new"
    case .deleted: "deleted"
    case .renamed: "renamed"
    case .modified: nil
    }
  }

  // MARK: A version

  private mutating func drawSummary(_ history: HistoryPane, in line: CellRect) {
    guard let comparison = history.comparison else { return }
    let beside = history.comparesWithNow ? "until today" : "in this version"
    let text = " \(beside): +\(comparison.addedWords) −\(comparison.removedWords) words "
    grid.draw(
      text, Style(.faint),
      in: CellRect(x: line.x + 1, y: line.y, width: max(0, line.width - 1), height: 1),
      direction: direction, ellipsis: ellipsis)
  }

  private mutating func drawVersion(_ history: HistoryPane, in rect: CellRect) {
    if history.showsVersion { cursor = CellPoint(x: rect.x, y: rect.y) }
    switch history.view {
    case nil: return
    case .nothing: drawHint("It did not exist then.", in: rect)
    case .binary(let size):
      drawHint("No text: \(FileContent.text(ofSize: UInt64(size)))", in: rect)
    case .folder(let items):
      for (row, item) in items.dropFirst(history.scroll).prefix(rect.height).enumerated() {
        let part = CellRect(x: rect.x, y: rect.y + row, width: rect.width, height: 1)
        let name = SafeText.text(Array(item.path.name)) + (item.isFolder ? "/" : "")
        grid.draw(
          name, Style(item.isFolder ? .folder : .note), in: part, direction: direction,
          ellipsis: ellipsis)
      }
    case .comparison(_, let comparison): draw(comparison, history, in: rect)
    }
  }

  /// Draws what differs: words struck out, words put in, and a bar beside the marked passage.
  private mutating func draw(
    _ comparison: PastComparison, _ history: HistoryPane, in rect: CellRect
  ) {
    let lines = history.passageLines
    for (index, seen) in history.visible.enumerated() where index < rect.height {
      let row = comparison.rows[seen.row]
      let isMarked = row.oldLine.map { lines?.contains($0) ?? false } ?? false
      let bar: Character = isMarked ? (model.options.isUTF8 ? "▌" : "|") : " "
      let y = rect.y + index
      grid.draw(String(bar), Style(.key), x: rect.x, y: y, clip: rect)
      let part = CellRect(x: rect.x + 2, y: y, width: rect.width - 2, height: 1)
      grid.draw(seen.line, in: part, direction: direction, ellipsis: ellipsis)
    }
  }
}

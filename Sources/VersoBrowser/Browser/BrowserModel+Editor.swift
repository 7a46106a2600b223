import Verso
import VersoModel
import VersoSplitView

/// Editing the note in the detail pane.
extension BrowserModel {
  mutating func startEditing() {
    guard let pane = note else { return say("nothing selected") }
    guard !isReadOnly else { return warn("the past cannot be edited") }
    if case .loading = pane.content {
      wantsEditing = true
      return holdKeys()
    }
    if case .failure(let reason) = pane.content { return warn(reason) }
    guard pane.isText else { return warn("\(shown(pane.path)) is no text") }
    note?.isEditing = true
    // The caret begins where the eye is, unless it is seen already.
    let lines = pane.rows.compactMap(\.sourceLine)
    let line = pane.buffer.position.line + 1
    if let first = lines.first, let last = lines.last, !(first...max(first, last)).contains(line) {
      let offset = pane.buffer.content(ofLine: first - 1).lowerBound
      note?.buffer.move(to: offset)
      note?.viewport.top = offset
    }
    reveal()
    say(
      options.isLinear
        ? "type lines for the end of the note; a single dot ends"
        : "EDIT: Esc leaves, Ctrl-S saves")
  }

  /// Ends editing; what was edited is saved.
  mutating func leaveEditing() {
    guard note?.isEditing ?? false else { return }
    note?.isEditing = false
    note?.buffer.deselect()
    note?.invalidate()
    // What was seen is seen.
    if let pane = note { wantedLine = pane.buffer.line(at: pane.viewport.top) + 1 }
    occur(.left)
  }

  mutating func saveNow() {
    guard let note else { return }
    if note.state == .clean { return say("\(shown(note.path)) is saved already") }
    occur(.saveAsked)
  }

  private var wrap: SoftWrap {
    SoftWrap(width: BrowserGeometry(self).content(.secondary).width)
  }

  mutating func reveal(fills: Bool = false) {
    let size = BrowserGeometry(self).content(.secondary)
    guard var pane = note else { return }
    pane.viewport.height = max(1, size.height)
    if fills { pane.viewport.fill(pane.buffer, SoftWrap(width: size.width)) }
    pane.viewport.reveal(pane.buffer, SoftWrap(width: size.width))
    note = pane
  }

  mutating func edit(_ change: (inout TextBuffer, Double) -> Void) {
    guard var pane = note else { return }
    note = nil
    let before = (pane.buffer.revision, pane.buffer.count)
    change(&pane.buffer, now)
    // Letters that are typed one after the other are one step.
    if pane.buffer.isModified, (pane.buffer.revision, pane.buffer.count) != before {
      pane.lastEdit = now
      if pane.firstUnkeptEdit == nil { pane.firstUnkeptEdit = now }
      hasFailedToKeep = false
    }
    note = pane
    reveal()
  }

  mutating func performInEditor(_ action: Action) {
    let height = BrowserGeometry(self).content(.secondary).height
    let wrap = wrap
    switch action {
    case .stopEditing: leaveEditing()
    case .save: saveNow()
    case .undoText: edit { buffer, _ in _ = buffer.undo() }
    case .redoText: edit { buffer, _ in _ = buffer.redo() }
    case .cursorDown: edit { buffer, _ in buffer.move(rows: 1, wrap) }
    case .cursorUp: edit { buffer, _ in buffer.move(rows: -1, wrap) }
    case .pageDown: edit { buffer, _ in buffer.move(rows: max(1, height - 1), wrap) }
    case .pageUp: edit { buffer, _ in buffer.move(rows: -max(1, height - 1), wrap) }
    case .selectUp: edit { buffer, _ in buffer.move(rows: -1, wrap, extending: true) }
    case .selectDown: edit { buffer, _ in buffer.move(rows: 1, wrap, extending: true) }
    case .search: prompt = Prompt(.searchEditor, "Search")
    case .nextMatch: findInEditor(forward: true)
    case .previousMatch: findInEditor(forward: false)
    case .cut:
      edit { _, _ in }
      cutText()
    case .copy:
      guard let bytes = note?.buffer.selectedBytes, !bytes.isEmpty else { return }
      textClipboard = bytes
      effects.append(.copy(bytes))
    case .paste:
      let bytes = textClipboard
      edit { buffer, time in buffer.paste(bytes, at: time) }
    default: edit { buffer, time in Self.performOnLine(action, &buffer, at: time) }
    }
  }

  private mutating func cutText() {
    var cut: [UInt8] = []
    edit { buffer, time in cut = buffer.cut(at: time) }
    if !cut.isEmpty { textClipboard = cut }
  }

  /// What editors and lines that are asked for have in common.
  static func performOnLine(_ action: Action, _ buffer: inout TextBuffer, at time: Double) {
    switch action {
    case .left: buffer.move(.left)
    case .right: buffer.move(.right)
    case .wordLeft: buffer.move(.wordLeft)
    case .wordRight: buffer.move(.wordRight)
    case .lineStart: buffer.move(.indentation)
    case .lineEnd: buffer.move(.lineEnd)
    case .textStart: buffer.move(.documentStart)
    case .textEnd: buffer.move(.documentEnd)
    case .selectLeft: buffer.move(.left, extending: true)
    case .selectRight: buffer.move(.right, extending: true)
    case .selectAll: buffer.selectAll()
    case .newLine: buffer.newline(at: time)
    case .indent: buffer.type("\t", at: time)
    case .deleteBackward: buffer.deleteBackward(at: time)
    case .deleteForward: buffer.deleteForward(at: time)
    case .deleteWord: buffer.deleteWordBackward(at: time)
    case .deleteToLineEnd: buffer.killLine(at: time)
    case .deleteToLineStart:
      buffer.deselect()
      let start = buffer.content(ofLine: buffer.position.line).lowerBound
      guard start < buffer.caret else { return }
      buffer.move(to: start, extending: true)
      buffer.deleteBackward(at: time)
    default: break
    }
  }

  mutating func findInEditor(forward: Bool, fromCaret: Bool = false) {
    guard let pattern = TextPattern(searchedInNote), let buffer = note?.buffer else { return }
    note?.search = pattern
    let start = max(0, (buffer.selection?.lowerBound ?? buffer.caret) - (fromCaret ? 1 : 0))
    let match =
      forward ? buffer.match(after: start, pattern) : buffer.match(before: start, pattern)
    guard let match else { return say("the note has no “\(SafeText.text(searchedInNote))”") }
    if match.isWrapped { say("search went on from the other end") }
    edit { buffer, _ in buffer.select(match.range) }
  }
}

import Verso
import VersoModel
import VersoSplitView

/// Reading and editing the note in the detail pane.
extension BrowserModel {
  private static let unsaved = UnsavedText()

  // MARK: Reading

  mutating func takeNote(
    _ ticket: Int, _ path: RelativePath, _ reading: Vault.Reading, _ document: MarkdownDocument?
  ) {
    if let wanted = wantedPreview, wanted.ticket == ticket {
      wantedPreview = nil
      var pane = NotePane(id: nil, path: path, ticket: ticket)
      if preview?.path == path { pane.scroll = preview?.scroll ?? 0 }
      Self.fill(&pane, reading, document)
      preview = note == nil ? pane : nil
    } else if var pane = note, pane.ticket == ticket {
      if pane.isText, pane.id != nil, case .content(let bytes, let time) = reading {
        note?.modified = time
        occur(.written(content(of: bytes, in: pane)), bytes, document)
        if let text = note?.revived { revive(text) }
      } else if pane.isDirty {
        pane.content = .text(isMarkdown: true)
        occur(.inaccessible, nil, nil, reason: Self.reason(reading))
      } else {
        Self.fill(&pane, reading, document)
        note = pane
        if let text = pane.revived, pane.isText { revive(text) }
      }
      if wantsEditing {
        wantsEditing = false
        startEditing()
        releaseKeys()
      }
    }
  }

  /// Puts text that was not saved over what was, to be saved or undone.
  private mutating func revive(_ text: [UInt8]) {
    note?.revived = nil
    edit { buffer, time in
      buffer.replace(0..<buffer.count, with: text, at: time)
      buffer.move(.documentStart)
    }
    note?.invalidate()
    say("the unsaved text is back: Ctrl-S saves it")
  }

  /// Reads the selected note again, as it was written or touched.
  mutating func readAgain(_ path: RelativePath) {
    guard note?.path == path else { return }
    let ticket = ticket()
    note?.ticket = ticket
    effects.append(readEffect(ticket, path))
  }

  private func content(of bytes: [UInt8], in note: NotePane) -> UnsavedText.Content {
    // What is being written at this moment is no news.
    if bytes == note.base || bytes == note.saving { return .unchanged }
    return bytes == note.buffer.bytes ? .equalToBuffer : .other
  }

  static func fill(
    _ pane: inout NotePane, _ reading: Vault.Reading, _ document: MarkdownDocument?
  ) {
    let name = Array(pane.path.name)
    switch reading {
    case .content(let bytes, let time):
      pane.modified = time == 0 ? nil : time
      let kind = FileContent(name: name, head: Array(bytes.prefix(FileContent.headLength)))
      if let statement = kind.statement(size: UInt64(bytes.count)) {
        pane.content = .statement(statement)
      } else {
        pane.take(bytes, isMarkdown: kind == .markdown, document: document)
      }
    case .large(let head, let size, let time):
      pane.modified = time
      let kind = FileContent(name: name, head: head)
      let text = [
        StyledLine("Too large to be shown", Style(.strong)),
        StyledLine(FileContent.text(ofSize: size), Style(.faint)),
      ]
      pane.content = .statement(kind.statement(size: size) ?? text)
    case .link(let target):
      pane.content = .statement([
        StyledLine("Symbolic link", Style(.strong)), StyledLine("to " + SafeText.text(target)),
      ])
    default: pane.content = .failure(reason(reading))
    }
  }

  static func reason(_ reading: Vault.Reading) -> String {
    switch reading {
    case .unreadable(let reason): SafeText.text(reason)
    case .large: "it is too large to be shown now; your text is kept as a draft when you leave it"
    case .link: "it is a symbolic link now; your text is kept as a draft when you leave it"
    default: "it is not there any more"
    }
  }

  // MARK: Unsaved text

  /// Something happened to the file or the buffer of the selected note.
  mutating func occur(
    _ occurrence: UnsavedText.Occurrence, _ bytes: [UInt8]? = nil,
    _ document: MarkdownDocument? = nil, reason: String = ""
  ) {
    guard let state = note?.state else { return }
    for step in Self.unsaved.steps(state, occurrence) { carryOut(step, bytes, document, reason) }
  }

  private mutating func carryOut(
    _ step: UnsavedText.Step, _ bytes: [UInt8]?, _ document: MarkdownDocument?, _ reason: String
  ) {
    guard let pane = note else { return }
    switch step {
    case .reload:
      let isMarkdown = if case .text(let isMarkdown) = pane.content { isMarkdown } else { false }
      guard let text = bytes ?? pane.theirs else { return }
      note?.lastEdit = nil
      note?.firstUnkeptEdit = nil
      note?.take(
        text, isMarkdown: isMarkdown, document: document)
      if pane.isEditing { reveal(fills: true) }
    case .markClean:
      if let bytes { note?.base = bytes }
      note?.buffer.markSaved()
      note?.theirs = nil
    case .showConflict:
      note?.theirs = bytes ?? []
      note?.isPostponed = false
      if comparison?.subject == .unsaved, let pane = note { compareUnsaved(pane) }
      warn("\(shown(pane.path)) was changed by another program")
    case .hideConflict: note?.theirs = nil
    case .storeDraft: storeDraft(pane)
    case .commitTheirs: run(.version(pane.path))
    case .save: save(pane)
    case .refuseSave:
      warn("not saved: another program changed the note; m keeps yours, t takes theirs")
    case .showDifference: compareUnsaved(pane)
    case .showError: warn(SafeText.text(reason))
    case .merge: merge(pane)
    case .offerRestore, .offerRestoreElsewhere: offerDraft(pane)
    default: break
    }
  }

  private mutating func save(_ pane: NotePane) {
    let bytes = pane.buffer.bytes
    // The same text is on its way already.
    if pane.saving == bytes, !pane.isConflicted { return }
    note?.saving = bytes
    // Writes are made one after the other, so this one finds what the one before it wrote.
    let expected = pane.isConflicted ? nil : pane.saving ?? pane.base
    run(
      .perform(
        .write(pane.path, bytes, expecting: expected), .save(pane.id, pane.path, bytes)))
  }

  /// Joins both texts in the editor, to be looked at and saved, or undone.
  private mutating func merge(_ pane: NotePane) {
    guard let theirs = pane.theirs else { return }
    let joined = Vault.joined(base: pane.base, mine: pane.buffer.bytes, theirs: theirs)
    edit { buffer, time in
      buffer.replace(0..<buffer.count, with: joined, at: time)
      buffer.move(.documentStart)
    }
    note?.base = theirs
    note?.theirs = nil
    note?.invalidate()
    say("both texts are joined: look at it and save with Ctrl-S")
  }

  private mutating func storeDraft(_ pane: NotePane) {
    keep(pane.buffer.bytes, of: pane.path)
  }

  private mutating func offerDraft(_ pane: NotePane) {
    offeredDraft = Draft(
      name: "", path: pane.path, bytes: pane.buffer.bytes, time: Int64(now))
  }

  /// The note is left, as something else was selected or it is gone.
  mutating func leaveNote(isLost: Bool) {
    occur(isLost ? .deleted : .left)
  }

  /// The program ends.
  mutating func endNote() {
    guard note?.saving == nil || note?.saving != note?.buffer.bytes else { return }
    occur(.ending)
  }

  // MARK: The reader

  mutating func performInReader(_ action: Action) {
    if performConflict(action) || performScrolling(action) { return }
    switch action {
    case .edit: startEditing()
    case .back: goBack()
    case .deselect: deselect()
    case .save: if note == nil { say("nothing selected") } else { saveNow() }
    case .rawText:
      note?.isRaw.toggle()
      note?.scroll = 0
    case .close: closeTop()
    case .search: prompt = Prompt(.search, "Search")
    case .nextMatch: findInReader(forward: true)
    case .previousMatch: findInReader(forward: false)
    default: performOnFiles(action)
    }
  }

  private mutating func performConflict(_ action: Action) -> Bool {
    switch action {
    case .keepMine: occur(.chose(.keepMine))
    case .takeTheirs: occur(.chose(.takeTheirs), note?.theirs)
    case .showDifference: occur(.chose(.showDifference))
    case .merge: occur(.chose(.merge))
    case .later: note?.isPostponed = true
    default: return false
    }
    return true
  }

  private mutating func performScrolling(_ action: Action) -> Bool {
    let height = BrowserGeometry(self).content(.secondary).height
    switch action {
    case .cursorDown: scrollNote(by: 1)
    case .cursorUp: scrollNote(by: -1)
    case .first: scrollNote(by: -Int(Int32.max))
    case .last:
      note?.scrollToEnd(height: height)
      preview?.scrollToEnd(height: height)
    case .halfPageDown: scrollNote(by: height / 2)
    case .halfPageUp: scrollNote(by: -(height / 2))
    case .pageDown: scrollNote(by: height)
    case .pageUp: scrollNote(by: -height)
    default: return false
    }
    return true
  }

  mutating func scrollNote(by rows: Int) {
    if note != nil { note?.scroll(by: rows) } else { preview?.scroll(by: rows) }
  }

  mutating func findInReader(forward: Bool, includingTop: Bool = false) {
    guard !searchedInNote.isEmpty else { return say("nothing is searched for: press /") }
    guard
      let row = note?.find(searchedInNote, forward: forward, includingTop: includingTop)
    else { return say("the note has no “\(SafeText.text(searchedInNote))”") }
    note?.scroll = row
  }

  // MARK: The editor

  private mutating func startEditing() {
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

  private mutating func saveNow() {
    guard let note else { return }
    if note.state == .clean { return say("\(shown(note.path)) is saved already") }
    occur(.saveAsked)
  }

  private var wrap: SoftWrap {
    SoftWrap(width: BrowserGeometry(self).content(.secondary).width)
  }

  private mutating func reveal(fills: Bool = false) {
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

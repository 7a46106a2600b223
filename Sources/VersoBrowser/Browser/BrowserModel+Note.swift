import Verso
import VersoModel
import VersoSplitView

/// Reading the note in the detail pane, and what becomes of its unsaved text.
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
      if pane.isText, pane.id != nil, case .content(let bytes, let time, let isReadOnly) = reading {
        // A version of the past has no time of a file.
        note?.modified = time == 0 ? nil : time
        note?.isReadOnly = isReadOnly
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
    case .content(let bytes, let time, let isReadOnly):
      pane.modified = time == 0 ? nil : time
      pane.isReadOnly = isReadOnly
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
}

import Verso
import VersoModel
import VersoSplitView

/// Lines that are asked for, lists to choose from, and the help.
extension BrowserModel {
  mutating func performInPrompt(_ action: Action) {
    if picker != nil { return performInPicker(action) }
    if help?.isSearching ?? false { return performInHelpSearch(action) }
    guard var shown = prompt else { return }
    switch action {
    case .accept: acceptPrompt()
    case .cancel: cancelPrompt()
    default:
      guard !shown.kind.isQuestion else { return }
      Self.performOnLine(action, &shown.line, at: now)
      prompt = shown
      promptChanged()
    }
  }

  mutating func typeIntoPrompt(_ text: String) {
    if picker != nil {
      picker?.line.type(text, at: now)
      return search()
    }
    if help?.isSearching ?? false {
      help?.search += text
      help?.top = 0
      return
    }
    guard let prompt else { return }
    if prompt.kind.isQuestion {
      if text.lowercased() == "y" {
        acceptPrompt()
      } else if text.lowercased() == "n" {
        cancelPrompt()
      }
      return
    }
    self.prompt?.line.type(text, at: now)
    self.prompt?.problem = nil
    promptChanged()
  }

  /// Searching is done while one types.
  private mutating func promptChanged() {
    guard let prompt else { return }
    switch prompt.kind {
    case .search where focus == .secondary:
      searchedInNote = prompt.text
      if !searchedInNote.isEmpty { findInReader(forward: true, includingTop: true) }
    case .search:
      searched = prompt.text
      if !searched.isEmpty { findInList(forward: true, fromCursor: true) }
    case .searchEditor:
      searchedInNote = prompt.text
      if !searchedInNote.isEmpty { findInEditor(forward: true, fromCaret: true) }
    case .filter: changeList(focus) { $0.setFilter(prompt.text) }
    default: break
    }
  }

  /// Gives a prompt its whole answer.
  mutating func answerPrompt(_ text: String) {
    prompt?.line = TextBuffer(Array(text.utf8))
    prompt?.problem = nil
    promptChanged()
    acceptPrompt()
  }

  /// Searches for something else.
  mutating func setPickerQuery(_ text: String) {
    picker?.line = TextBuffer(Array(text.utf8))
    search()
  }

  private mutating func acceptPrompt() {
    guard let asked = prompt else { return }
    let text = asked.text
    switch asked.kind {
    case .newFile, .newFolder, .rename:
      if let problem = accept(text, for: asked.kind) {
        prompt?.problem = problem
        effects.append(.bell)
        return
      }
    case .confirmDelete(let paths, _):
      prompt = nil
      return delete(paths)
    case .day: return openDay(text)
    case .search, .filter, .searchEditor: break
    }
    prompt = nil
  }

  mutating func cancelPrompt() {
    switch prompt?.kind {
    case .filter: changeList(focus) { $0.setFilter("") }
    case .search where focus != .secondary: searched = ""
    default: break
    }
    prompt = nil
  }

  // MARK: Choosing

  mutating func openPicker(_ kind: Picker.Kind) {
    leaveEditing()
    picker = Picker(kind: kind)
    search()
  }

  private mutating func search() {
    guard var shown = picker else { return }
    shown.cursor = 0
    shown.top = 0
    let query = shown.query
    shown.isFirstAnswer = true
    switch shown.kind {
    case .palette: shown.rows = paletteRows(matching: query)
    case .drafts:
      shown.rows = drafts.map {
        PickerRow(
          SafeText.text($0.path.bytes), detail: TimeText.minute($0.time), .draft($0))
      }
    case .files:
      shown.ticket = ticket()
      shown.isSearching = true
      effects.append(.findFile(ticket: shown.ticket, query, selection.catalogue))
    case .text:
      shown.ticket = ticket()
      if query.count < 2 {
        shown.rows = []
      } else {
        shown.isSearching = true
        effects.append(.findText(ticket: shown.ticket, query, history: true))
      }
    }
    picker = shown
  }

  private func paletteRows(matching query: String) -> [PickerRow] {
    let wanted = query.lowercased()
    var seen: Set<Action> = []
    return options.keymap.bindings.compactMap { binding in
      guard Self.paletteContexts.contains(where: binding.contexts.contains),
        wanted.isEmpty || binding.action.rawValue.contains(wanted)
          || binding.text.lowercased().contains(wanted),
        seen.insert(binding.action).inserted
      else { return nil }
      let keys = binding.keys.first.map { "  (\($0))" } ?? ""
      return PickerRow(
        binding.action.rawValue, detail: binding.text + keys, .action(binding.action))
    }
  }

  private static let paletteContexts: [Keymap.Context] = [.list, .reader]

  private mutating func performInPicker(_ action: Action) {
    switch action {
    case .accept: choose()
    case .cancel: picker = nil
    case .cursorDown: picker?.moveCursor(by: 1)
    case .cursorUp: picker?.moveCursor(by: -1)
    case .complete:
      guard let shown = picker, shown.rows.indices.contains(shown.cursor) else { return }
      let text = shown.rows[shown.cursor].text
      picker?.line.selectAll()
      picker?.line.paste(Array(text.utf8), at: now)
      search()
    default:
      guard var shown = picker else { return }
      let before = shown.query
      Self.performOnLine(action, &shown.line, at: now)
      picker = shown
      if shown.query != before { search() }
    }
  }

  mutating func takeFound(_ ticket: Int, _ rows: [PickerRow], _ isLast: Bool) {
    guard picker?.ticket == ticket else { return }
    if picker?.isFirstAnswer ?? false { picker?.rows = [] }
    picker?.isFirstAnswer = false
    picker?.rows += rows
    if isLast { picker?.isSearching = false }
  }

  mutating func choose() {
    guard let shown = picker, shown.rows.indices.contains(shown.cursor) else {
      return effects.append(.bell)
    }
    picker = nil
    switch shown.rows[shown.cursor].choice {
    case .action(let action): perform(action)
    case .file(let path, let line): go(to: path, line: line)
    case .past(let path, let commit, _): openHistory(of: path, at: commit)
    case .draft(let draft): restore(draft)
    }
  }

  /// Selects a file, wherever it is.
  mutating func go(to path: RelativePath, line: Int? = nil) {
    guard let item = selection.catalogue[path] else { return say("\(shown(path)) is gone") }
    if item.isFolder { return activate(item, enters: true) }
    send(.select(item))
    files?.moveCursor(to: path)
    _ = split.setFocus(.secondary)
    wantedLine = line
  }

  // MARK: Drafts

  mutating func takeDrafts(_ found: [Draft]) {
    drafts = found
    guard !found.isEmpty, !hasSeenDrafts else { return }
    hasSeenDrafts = true
    let count = found.count == 1 ? "1 draft was kept" : "\(found.count) drafts were kept"
    say("\(count): \(key(.drafts)) shows them")
  }

  mutating func restore(_ draft: Draft) {
    if isReadOnly { return warn("the past is read-only; Esc goes back to today") }
    let there = selection.catalogue[draft.path]
    if let there, !there.isFolder {
      // The note has a text: whose is to stay, a person sees and says.
      go(to: draft.path)
      note?.revived = draft.bytes
      if note?.isText ?? false { readAgain(draft.path) }
      return
    }
    var path = draft.path
    if there != nil {
      // A folder has taken its name.
      let item = Item(path: path, kind: .file, content: nil)
      let taken = TakenNames(selection.catalogue.items(in: path.parent))
      path = path.parent.appending(freeName(for: item, besides: taken))
    }
    run(.perform(.create(path, draft.bytes), .restoreDraft(draft, path)))
  }

  /// A draft is a note again: it goes only now that its text is saved.
  mutating func didRestore(_ draft: Draft, at path: RelativePath) {
    offeredDraft = nil
    drafts.removeAll { $0.name == draft.name }
    run(.dropDraft(draft.name))
    go(to: path)
  }

  // MARK: Help

  mutating func performInHelp(_ action: Action) {
    if menu != nil { return performInMenu(action) }
    guard var shown = help else { return }
    let page = max(1, size.height - 6)
    let lines = options.keymap.bindings.count + 20
    switch action {
    case .cursorDown: shown.top += 1
    case .cursorUp: shown.top -= 1
    case .pageDown, .halfPageDown: shown.top += page
    case .pageUp, .halfPageUp: shown.top -= page
    case .first: shown.top = 0
    case .last: shown.top = lines
    case .search: shown.isSearching = true
    case .close, .help: return help = nil
    default: break
    }
    shown.top = min(max(0, shown.top), lines)
    help = shown
  }

  private mutating func performInHelpSearch(_ action: Action) {
    switch action {
    case .deleteBackward: _ = help?.search.popLast()
    case .accept: help?.isSearching = false
    case .cancel:
      help?.isSearching = false
      help?.search = ""
    default: break
    }
  }
}

import Verso
import VersoModel
import VersoSplitView

extension BrowserModel {
  mutating func performInList(_ action: Action) {
    if performMoving(action) || performFinding(action) { return }
    switch action {
    case .select: open(enters: false)
    case .enter: open(enters: true)
    case .back: goBack()
    case .deselect: deselect()
    case .close: closeTop()
    case .editList: openMenu()
    case .mark: mark()
    case .invertMarks: invertMarks()
    case .hiddenFiles: toggleHidden()
    case .sortByName: sort(by: .name)
    case .sortByTime: sort(by: .modified)
    case .sortBySize: sort(by: .size)
    default: performOnFiles(action)
    }
  }

  // MARK: Moving

  private mutating func performMoving(_ action: Action) -> Bool {
    let column = focus
    let height = BrowserGeometry(self).content(column).height
    let last = (focusedList?.count ?? 1) - 1
    switch action {
    case .cursorDown: changeList(column) { $0.moveCursor(by: 1) }
    case .cursorUp: changeList(column) { $0.moveCursor(by: -1) }
    case .first: changeList(column) { $0.moveCursor(to: 0) }
    case .last: changeList(column) { $0.moveCursor(to: last) }
    case .halfPageDown: changeList(column) { $0.moveCursor(by: max(1, height / 2)) }
    case .halfPageUp: changeList(column) { $0.moveCursor(by: -max(1, height / 2)) }
    case .pageDown: changeList(column) { $0.moveCursor(by: max(1, height)) }
    case .pageUp: changeList(column) { $0.moveCursor(by: -max(1, height)) }
    default: return false
    }
    cursorMoved = now
    offeredDraft = nil
    return true
  }

  private mutating func performFinding(_ action: Action) -> Bool {
    switch action {
    case .search: prompt = Prompt(.search, "Search")
    case .nextMatch: findInList(forward: true)
    case .previousMatch: findInList(forward: false)
    case .filter: prompt = Prompt(.filter, "Show only", text: focusedList?.filter ?? "")
    default: return false
    }
    return true
  }

  mutating func findInList(forward: Bool, fromCursor: Bool = false) {
    guard !searched.isEmpty else { return say("nothing is searched for: press /") }
    guard
      let row = focusedList?.match(searched, forward: forward, fromCursor: fromCursor)
    else { return say("no row has “\(SafeText.text(searched))”") }
    changeList(focus) { $0.moveCursor(to: row) }
  }

  // MARK: Selecting

  /// Selects the row under the cursor; a conflict copy opens beside its note.
  mutating func open(enters: Bool) {
    guard let item = focusedList?.cursorItem else { return }
    activate(item, enters: enters)
    if !item.isFolder, let conflict = OpenConflict(item.path), !isReadOnly,
      selection.catalogue[conflict.path] != nil
    {
      compareCopy()
    }
  }

  /// A tap on a row: it is selected, and where `enters` says so, keys go to what it holds.
  mutating func activate(_ item: Item, enters: Bool) {
    let wasSelected = selected.selectedFile?.path == item.path
    changeList(focus) { $0.moveCursor(to: item.path) }
    if item.isFolder { readFolder(item) }
    send(.select(item))
    guard selected.item?.path == item.path else { return say("\(shown(item.path)) is gone") }
    if item.isFolder {
      _ = split.setFocus(.supplementary)
    } else if enters || wasSelected || isCompact {
      _ = split.setFocus(.secondary)
    }
    describeSelection(item)
    if !item.isFolder { announce("note \(shown(item.path))") }
  }

  private mutating func readFolder(_ item: Item) {
    guard !hasSnapshot, day == nil, readFolders.insert(item.path).inserted else { return }
    effects.append(.readFolder(item.path))
  }

  private mutating func describeSelection(_ item: Item) {
    guard item.isFolder, files?.building == nil else { return }
    let count = files?.list.count ?? 0
    // What is in it is being read.
    if count == 0, !hasSnapshot { return say("folder \(title(of: item))") }
    say("folder \(title(of: item)), \(Self.items(count))")
  }

  /// One pane left; with one pane at a time, back.
  mutating func goBack() {
    if isCompact {
      leaveEditing()
      send(.back)
      return announce(selected.item.map { "back in \(title(of: $0))" } ?? "back in the folders")
    }
    let order = layout.focusOrder
    if let at = order.firstIndex(of: focus), at > 0 {
      leaveEditing()
      _ = split.setFocus(order[at - 1])
    } else if focus == .primary,
      let above = folders.list.folder.path.isRoot
        ? nil : Optional(folders.list.folder)
    {
      // In a folder of a folder the columns shift back by one level.
      activate(above, enters: false)
      _ = split.setFocus(.primary)
    }
  }

  mutating func deselect() {
    leaveEditing()
    send(.select(nil))
    say("nothing selected")
  }

  // MARK: Marks and orders

  private mutating func mark() {
    guard let item = focusedList?.cursorItem, !item.isVault else { return }
    if marks.remove(item.path) == nil { marks.insert(item.path) }
    changeList(focus) { $0.moveCursor(by: 1) }
    say(marks.count == 1 ? "1 marked" : "\(marks.count) marked")
  }

  private mutating func invertMarks() {
    guard let list = focusedList else { return }
    for row in 0..<list.count {
      guard let item = list.item(at: row), !item.isVault else { continue }
      if marks.remove(item.path) == nil { marks.insert(item.path) }
    }
    say("\(marks.count) marked")
  }

  private mutating func toggleHidden() {
    settings.showsHidden.toggle()
    let shows = settings.showsHidden
    folders.list.showHidden(shows)
    files?.list.showHidden(shows)
    folders.refresh()
    files?.refresh()
    say(shows ? "hidden files are shown" : "hidden files are not shown")
  }

  private mutating func sort(by order: ItemOrder) {
    settings.order = order
    guard order != .name else {
      folders.list.sort(by: .name)
      files?.list.sort(by: .name)
      folders.refresh()
      files?.refresh()
      return say("sorted by name")
    }
    isSorting = true
    askForFacts()
  }

  /// Asks for what an order needs that is not by name.
  mutating func askForFacts() {
    guard settings.order != .name else { return }
    let ticket = ticket()
    factsTicket = ticket
    effects.append(.readFacts(ticket: ticket, folders.list.items + (files?.list.items ?? [])))
  }

  mutating func takeFacts(_ ticket: Int, _ facts: [RelativePath: ItemFacts]) {
    guard ticket == factsTicket else { return }
    folders.list.sort(by: settings.order, facts: facts)
    files?.list.sort(by: settings.order, facts: facts)
    folders.refresh()
    files?.refresh()
    guard isSorting else { return }
    isSorting = false
    say("sorted by \(settings.order == .size ? "size" : "time")")
  }
}

import Verso
import VersoModel
import VersoSplitView

extension BrowserModel {
  /// Gives the selection an event, and does what that leads to: lists, then names, then the panes.
  mutating func send(_ event: SelectionModel.Event) {
    let outcome = selection.reduce(event)
    var isGone = false
    for notice in outcome.notices {
      switch notice {
      case .updateList(let folder, let edits): updateLists(of: folder.path, edits)
      case .rename(_, let old, let new): follow(old, new)
      case .move(let item, let old, _): follow(old.path.appending(item.path.name), item.path)
      case .modify(let item): readAgain(item.path)
      case .goto(let state, let item):
        gotoLog.append(Self.text(state, item))
        if state == .noSelection { isGone = true }
      }
    }
    syncPanes(isLost: isGone && outcome.selectionLost)
  }

  private static func text(_ state: SelectionState, _ item: Item?) -> String {
    "\(state) \(item.map { SafeText.text($0.path.description) } ?? "nothing")"
  }

  private mutating func updateLists(of folder: RelativePath, _ edits: [ListEdit]) {
    if folders.list.folder.path == folder { folders.apply(edits) }
    if files?.list.folder.path == folder { files?.apply(edits) }
    for edit in edits {
      switch edit {
      case .removed(let item) where !marks.isEmpty:
        if item.isFolder {
          marks = marks.filter { !item.path.contains($0) }
        } else {
          marks.remove(item.path)
        }
      case .renamed(let old, let new) where marks.remove(old.path) != nil: marks.insert(new.path)
      default: break
      }
    }
  }

  /// Lets lists and the note follow the selected item, or a folder above it, to another path.
  private mutating func follow(_ old: RelativePath, _ new: RelativePath) {
    func moved(_ path: RelativePath) -> RelativePath? { path.replacing(prefix: old, with: new) }
    if let path = moved(folders.list.folder.path), !old.isRoot {
      folders.list.follow(.folder(at: path))
    }
    if let list = files?.list, let path = moved(list.folder.path), !old.isRoot {
      files?.list.follow(.folder(at: path))
    }
    followDrafts(old, new)
    if let path = note.flatMap({ moved($0.path) }) { note?.path = path }
    if let path = history.flatMap({ moved($0.path) }) { history?.path = path }
    let isMoved = old.name.elementsEqual(new.name)
    let folder = new.parent.isRoot ? options.vaultName : SafeText.text(new.parent.bytes)
    say("\(shown(old)) is now \(isMoved ? "in \(folder)" : shown(new))")
  }

  // MARK: Panes after a change

  /// Makes lists, note and layout those of the selection.
  private mutating func syncPanes(isLost: Bool) {
    let before = (folders.list.folder.path, files?.list.folder.path)
    syncFolders()
    syncFiles()
    // New lists are in the order that was chosen, too.
    if before != (folders.list.folder.path, files?.list.folder.path) { askForFacts() }
    syncNote(isLost: isLost)
    let deepest: Column =
      selected.selectedFile != nil ? .secondary : files != nil ? .supplementary : .primary
    let wasFocused = focus
    if split.request.deepest != deepest { run(split.setDeepest(deepest)) }
    // What was read or edited is gone: keys go to the list that it came from.
    if wasFocused == .secondary, selected.selectedFile == nil { _ = split.setFocus(restingColumn) }
    if wasFocused == .supplementary, files == nil { _ = split.setFocus(.primary) }
  }

  private mutating func syncFolders() {
    let container = selected.selectedFolder?.containingFolder ?? .vault
    let folder = selected.selectedFolder?.isVault ?? true ? Item.vault : container
    let isOther = folders.list.folder.path != folder.path
    if isOther { folders = makeList(.folders, folder) }
    if let open = selected.selectedFolder {
      folders.list.pin(open.isVault ? nil : open)
      if isOther || focus != .primary || folders.cursorItem == nil {
        folders.moveCursor(to: open.path)
      }
    } else {
      folders.list.pin(nil)
    }
  }

  private mutating func syncFiles() {
    guard let folder = selected.selectedFolder else {
      (files, filesID) = (nil, nil)
      return
    }
    if files == nil || filesID != selection.folderID {
      files = makeList(.files, folder)
      filesID = selection.folderID
      readFolderIfNeeded(folder.path)
      if day == nil { effects.append(.checkAccess(folder.path)) }
      if let file = selected.selectedFile { files?.moveCursor(to: file.path) }
    }
    let file = selected.selectedFile
    files?.list.pin(file)
  }

  private mutating func syncNote(isLost: Bool) {
    if let note, note.id == selection.fileID, note.id != nil {
      if let file = selected.selectedFile { self.note?.path = file.path }
      return
    }
    if note != nil { leaveNote(isLost: isLost) }
    note = nil
    if wantsEditing { dropHeld() }
    wantedLine = nil
    if comparison?.subject == .unsaved { comparison = nil }
    guard let file = selected.selectedFile, let id = selection.fileID else { return }
    offeredDraft = nil
    let ticket = ticket()
    var opened = NotePane(id: id, path: file.path, ticket: ticket)
    if let preview, preview.path == file.path {
      // It was read a moment ago: no blank in between.
      opened.content = preview.content
      opened.buffer = preview.buffer
      opened.base = preview.base
      opened.modified = preview.modified
      opened.isReadOnly = preview.isReadOnly
      opened.scroll = preview.scroll
    }
    preview = nil
    wantedPreview = nil
    note = opened
    effects.append(readEffect(ticket, file.path))
  }

  // MARK: Lists

  /// From so many items on, a list is sorted elsewhere.
  static let largeList = 3_000

  mutating func makeList(_ role: ItemList.Role, _ folder: Item) -> ListPane {
    let catalogue = selection.catalogue
    guard catalogue.count(in: folder.path) > Self.largeList else {
      return ListPane(
        ItemList(
          role, of: folder, in: catalogue, order: settings.order, showsHidden: settings.showsHidden)
      )
    }
    let ticket = ticket()
    var pane = ListPane(ItemList(role, of: folder, in: Catalogue()))
    pane.building = ticket
    effects.append(.buildList(ticket: ticket, role, folder, catalogue, settings))
    return pane
  }

  mutating func take(_ ticket: Int, _ list: ItemList) {
    if folders.building == ticket {
      folders.take(list)
      folders.list.showHidden(settings.showsHidden)
      folders.refresh()
    }
    if files?.building == ticket {
      files?.take(list)
      files?.list.showHidden(settings.showsHidden)
      let file = selected.selectedFile
      files?.list.pin(file)
      files?.refresh()
    }
    askForFacts()
  }

  private mutating func readFolderIfNeeded(_ path: RelativePath) {
    guard !hasSnapshot, day == nil, readFolders.insert(path).inserted else { return }
    effects.append(.readFolder(path))
  }

  mutating func takeAccess(_ path: RelativePath, _ isReadable: Bool) {
    guard day == nil, selection.catalogue.hasFolder(path),
      selection.catalogue.isReadable(path) != isReadable
    else { return }
    send(
      .batch(isReadable ? DiskBatch(readable: [path]) : DiskBatch(unreadable: [path])))
  }

  // MARK: What the vault tells

  mutating func take(_ path: RelativePath, _ items: [Item]) {
    // The watcher knows better by now.
    guard !hasSnapshot else { return }
    let known = Set(selection.catalogue.items(in: path).map(\.path))
    let news = items.filter { !known.contains($0.path) }
    guard selection.catalogue.hasFolder(path), !news.isEmpty else { return }
    if news.count > Self.largeList, path.isRoot, selected == .nothing {
      selection = SelectionModel(Catalogue(news), after: selection)
      _ = selection.reduce(.collapsed(isCompact))
      folders = makeList(.folders, .vault)
    } else {
      send(.batch(DiskBatch(added: news)))
    }
  }

  mutating func take(_ items: [Item], _ catalogue: Catalogue) {
    offline = nil
    hasSnapshot = true
    guard day == nil else { return }
    if selected == .nothing, !selection.isRootMissing {
      if selection.catalogue == catalogue { return }
      // Nothing is selected that could be lost: the model can be made anew, which was done elsewhere.
      let cursor = folders.cursorItem
      selection = SelectionModel(catalogue, after: selection)
      _ = selection.reduce(.collapsed(isCompact))
      let old = folders
      folders = makeList(.folders, .vault)
      // Until the new rows are there, the old ones are better than none.
      if folders.building != nil { folders.list = old.list }
      if let cursor { folders.moveCursor(to: cursor.path) }
    } else {
      send(selection.isRootMissing ? .rootReturned(items) : .rescanned(items))
    }
  }

  mutating func takeChange(_ batch: DiskBatch) {
    guard day == nil else { return }
    let before = selected
    send(.batch(batch))
    if before.item != nil, selected != before { describeLoss(before) }
    if let preview, batch.modified.contains(where: { $0.path == preview.path }) {
      let ticket = ticket()
      wantedPreview = (preview.path, ticket)
      effects.append(.readNote(ticket: ticket, preview.path))
    }
  }

  /// Says in a sentence what another program did to what was selected.
  private mutating func describeLoss(_ before: Selection) {
    guard let old = before.item, selected.item?.path != old.path, selected.selectedFile == nil
    else {
      return
    }
    let count = files?.list.count ?? folders.list.count
    let place = selected.selectedFolder.map { ", folder \(title(of: $0)), \(Self.items(count))" }
    say("\(shown(old.path)) is gone\(place ?? "")", .warning)
  }

  static func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

  // MARK: Names

  func shown(_ path: RelativePath) -> String {
    path.isRoot ? options.vaultName : SafeText.text(Array(path.name))
  }

  func title(of item: Item) -> String {
    if item.isVault { return item.title(vaultName: options.vaultName) }
    let name = SafeText.text(Array(item.path.name))
    return name.isEmpty ? ItemName.untitled : name
  }
}

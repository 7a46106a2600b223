import Verso
import VersoModel
import VersoSplitView

/// Making, renaming, deleting, copying and moving: each one version.
extension BrowserModel {
  /// Asks for something that is answered by ``BrowserMessage/done(_:_:)``.
  mutating func run(_ effect: BrowserEffect) {
    operations += 1
    effects.append(effect)
  }

  mutating func performOnFiles(_ action: Action) {
    switch action {
    case .history: openHistory()
    case .copyPath: copyPath()
    case .compareCopy: compareCopy()
    case .openElsewhere: if let item = changeableTarget() { effects.append(.open(item.path)) }
    default:
      if isReadOnly { return warn("the past is read-only; Esc goes back to today") }
      changeFiles(action)
    }
  }

  private mutating func changeFiles(_ action: Action) {
    switch action {
    case .newFile: askForNew(isFolder: false)
    case .newFolder: askForNew(isFolder: true)
    case .rename: askForName()
    case .delete: askForDeletion()
    case .copy: collect(isCut: false)
    case .cut: collect(isCut: true)
    case .paste: pasteFiles()
    case .undo: run(.undo)
    case .redo: run(.redo)
    case .editElsewhere: editElsewhere()
    default: effects.append(.bell)
    }
  }

  /// The item that is to be changed; says so where there is none.
  private mutating func changeableTarget() -> Item? {
    guard let item = target else {
      say("nothing selected")
      return nil
    }
    return item
  }

  /// Marked items, or else the one under the cursor.
  private var targets: [Item] {
    guard marks.isEmpty || focus == .secondary else {
      return marks.sorted().compactMap { selection.catalogue[$0] }
    }
    return target.map { [$0] } ?? []
  }

  // MARK: New names

  /// The folder that a new item goes to: the open one, unless keys go to the list of folders.
  private func folderForNew(isFolder: Bool) -> RelativePath {
    if focus == .primary, isFolder || selected.selectedFolder == nil {
      return folders.list.folder.path
    }
    return selected.selectedFolder?.path ?? .root
  }

  private mutating func askForNew(isFolder: Bool) {
    let folder = folderForNew(isFolder: isFolder)
    let place = folder.isRoot ? options.vaultName : SafeText.text(folder.bytes)
    prompt =
      isFolder
      ? Prompt(.newFolder(folder), "New folder in \(place)")
      : Prompt(.newFile(folder), "New note in \(place)")
  }

  private mutating func askForName() {
    guard let item = changeableTarget() else { return }
    guard !item.isVault else { return warn(ItemError.isVault.description) }
    let name = item.name
    let stem = item.isFolder ? nil : name.lastIndex(of: ".").map { name[..<$0].utf8.count }
    let caret = stem.flatMap { $0 > 0 ? $0 : nil }
    prompt = Prompt(.rename(item), "Rename \(shown(item.path))", text: name, caret: caret)
  }

  /// Makes or renames what a line was typed for; `false` where it cannot be.
  mutating func accept(_ typed: String, for kind: Prompt.Kind) -> String? {
    do throws(ItemName.Problem) {
      switch kind {
      case .newFile(let folder): return try create(ItemName.New(typed), in: folder)
      case .newFolder(let folder):
        let name = typed.hasSuffix("/") ? typed : typed + "/"
        return try create(ItemName.New(name), in: folder)
      case .rename(let item):
        let path = item.path.parent.appending(try ItemName.bytes(typed))
        if path == item.path { return nil }
        guard selection.catalogue[item.path] != nil else { return "\(shown(item.path)) is gone" }
        if selection.catalogue[path] != nil { return ItemError.exists(path).description }
        run(.perform(.move([.init(item.path, path)]), .move))
      default: break
      }
      return nil
    } catch { return ItemError.badName(error).description }
  }

  private mutating func create(_ new: ItemName.New, in folder: RelativePath) -> String? {
    let item = Item(path: folder.appending(new.name), kind: new.kind, content: nil)
    if selection.catalogue[item.path] != nil { return ItemError.exists(item.path).description }
    run(.perform(item.isFolder ? .makeFolder(item.path) : .create(item.path, []), .create(item)))
    // What is typed next is meant for the new row.
    holdKeys()
    return nil
  }

  // MARK: Deleting

  private mutating func askForDeletion() {
    let items = targets.filter { !$0.isVault }
    guard let first = items.first else {
      return target?.isVault ?? false
        ? warn(ItemError.isVault.description) : say("nothing selected")
    }
    let paths = items.map(\.path)
    let unsaved = note.map { note in
      note.state != .clean && paths.contains { $0.contains(note.path) }
    }
    let name =
      items.count == 1 ? shown(first.path) + (first.isFolder ? "/" : "") : "\(items.count) items"
    let warning = unsaved ?? false ? "; its unsaved text is kept as a draft" : ""
    prompt = Prompt(
      .confirmDelete(paths, unsaved: unsaved ?? false), "Delete \(name)\(warning)? y/n, u undoes")
  }

  mutating func delete(_ paths: [RelativePath]) {
    deletedText = nil
    if let pane = note, paths.contains(where: { $0.contains(pane.path) }) {
      note?.isEditing = false
      if pane.state != .clean {
        keep(pane.buffer.bytes, of: pane.path)
        deletedText = (pane.path, pane.buffer.bytes)
      }
    }
    run(.perform(.delete(paths), .delete(paths)))
  }

  // MARK: Copying and moving

  private mutating func collect(isCut: Bool) {
    let items = targets.filter { !$0.isVault }
    guard !items.isEmpty else { return say("nothing selected") }
    (clipboard, clipboardIsCut) = (items.map(\.path), isCut)
    let count = items.count == 1 ? shown(items[0].path) : "\(items.count) items"
    say("\(count) \(isCut ? "cut" : "copied"): p pastes")
  }

  private mutating func pasteFiles() {
    guard !clipboard.isEmpty else { return say("nothing was copied or cut") }
    let folder = folderForPaste
    var moves: [VaultOperation.Move] = []
    var taken = TakenNames(selection.catalogue.items(in: folder))
    for path in clipboard {
      if path.contains(folder) { return warn("\(shown(path)) cannot go into itself") }
      if clipboardIsCut, path.parent == folder { continue }
      guard let item = selection.catalogue[path] else { continue }
      let target = folder.appending(freeName(for: item, besides: taken))
      taken.insert(Array(target.name))
      moves.append(.init(path, target))
    }
    guard !moves.isEmpty else { return say("it is there already") }
    run(.perform(clipboardIsCut ? .move(moves) : .copy(moves), clipboardIsCut ? .move : .copy))
    if clipboardIsCut { clipboard = [] }
    marks = []
  }

  private var folderForPaste: RelativePath {
    if focus == .primary, let item = folders.cursorItem, item.isFolder { return item.path }
    return selected.selectedFolder?.path ?? .root
  }

  /// The names of a folder, for who asks for many new ones.
  struct TakenNames {
    private(set) var exact: Set<[UInt8]> = []
    private(set) var lowercased: Set<String> = []

    init(_ items: [Item]) { for item in items { insert(Array(item.path.name)) } }

    mutating func insert(_ name: [UInt8]) {
      exact.insert(name)
      lowercased.insert(String(decoding: name, as: UTF8.self).lowercased())
    }
  }

  func freeName(for item: Item, besides taken: TakenNames) -> [UInt8] {
    let name = Array(item.path.name)
    guard taken.exact.contains(name) else { return name }
    let dot =
      item.isFolder ? nil : name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil }
    let stem = String(decoding: name[..<(dot ?? name.count)], as: UTF8.self)
    let suffix = String(decoding: name[(dot ?? name.count)...], as: UTF8.self)
    return Array(ItemName.free(stem, suffix: suffix, besides: taken.lowercased).utf8)
  }

  // MARK: Elsewhere

  private mutating func copyPath() {
    guard let item = changeableTarget() else { return }
    effects.append(.copy(item.path.bytes))
    say("copied: \(SafeText.text(item.path.bytes))")
  }

  private mutating func editElsewhere() {
    guard let item = changeableTarget() else { return }
    guard !item.isFolder else { return say("\(shown(item.path)) is a folder") }
    leaveEditing()
    effects.append(.edit(item.path))
  }

  mutating func takeReturn(_ problem: String?) {
    if let problem { warn(SafeText.text(problem)) }
    if let note { readAgain(note.path) }
  }

  // MARK: Results

  mutating func takeResult(_ purpose: OperationPurpose, _ result: OperationResult) {
    operations -= 1
    switch result {
    case .failed(let reason, let isRefusal):
      takeFailure(of: purpose, SafeText.text(reason), isRefusal)
    case .done(let subject, let batch, let left):
      take(batch, after: purpose)
      describe(purpose, subject, batch)
      if let left { warn(SafeText.text(left)) }
    }
    guard case .create = purpose else { return }
    // What was typed for a row that is not there would meet another one.
    if case .failed = result { return dropHeld() }
    if !wantsEditing { releaseKeys() }
  }

  private mutating func take(_ batch: DiskBatch, after purpose: OperationPurpose) {
    if case .save(_, let path, let bytes) = purpose { dropDrafts(of: path, saved: bytes) }
    guard day == nil else { return }
    switch purpose {
    case .create(let item):
      send(.batch(batch))
      showCreated(item)
    case .delete(let paths): takeDeletion(paths.filter { batch.removed.contains($0) })
    case .undo, .redo:
      send(.undone(batch))
      if let file = selected.selectedFile { files?.moveCursor(to: file.path) }
      reviveText(batch)
    case .save(let id, _, let bytes): takeSave(id, bytes)
    case .restoreDraft(let draft, let path):
      send(.batch(batch))
      didRestore(draft, at: path)
    default:
      if batch.isEmpty { return }
      send(.batch(batch))
      // What was pasted is where one goes on.
      let last = batch.added.last?.path ?? batch.renamed.last?.new
      if purpose == .copy || purpose == .move, focus != .secondary, let last {
        changeList(focus) { $0.moveCursor(to: last) }
      }
    }
  }

  /// A deletion that is taken back brings the text back, too, that was not saved then.
  private mutating func reviveText(_ batch: DiskBatch) {
    guard let (path, bytes) = deletedText, batch.added.contains(where: { $0.path == path }) else {
      return
    }
    deletedText = nil
    if note?.path == path { note?.revived = bytes }
  }

  private mutating func showCreated(_ item: Item) {
    // A folder that was made beside the folders has its row there, others in the open folder.
    folders.moveCursor(to: item.path)
    files?.moveCursor(to: item.path)
    if focus == .secondary { return }
    if files?.list.row(of: item.path) != nil {
      _ = split.setFocus(.supplementary)
    } else if folders.list.row(of: item.path) != nil {
      _ = split.setFocus(.primary)
    }
    // A hidden name has no row: the keys stay where they were.
  }

  private mutating func takeDeletion(_ paths: [RelativePath]) {
    if let text = deletedText, !paths.contains(where: { $0.contains(text.path) }) {
      deletedText = nil
    }
    for path in paths {
      let item = selection.catalogue[path] ?? Item(path: path, kind: .file, content: nil)
      let isLost = selected.isLost(byDeleting: path)
      send(.removed(item))
      if isLost { send(.deleted(parentFolder: item.containingFolder)) }
    }
    marks = []
  }

  private mutating func takeSave(_ id: SelectionID?, _ bytes: [UInt8]) {
    hasFailedToKeep = false
    guard note?.id == id else { return }
    if note?.saving == bytes { note?.saving = nil }
    note?.base = bytes
    note?.modified = nil
    if note?.buffer.bytes == bytes {
      note?.buffer.markSaved()
      // What another program wrote while this was saved is the newer text.
      note?.theirs = nil
    }
    if let note { readAgain(note.path) }
  }

  private static let unsaved = ", without a version: Verso does not save it (verso status says why)"

  private mutating func describe(
    _ purpose: OperationPurpose, _ subject: String?, _ batch: DiskBatch
  ) {
    let text = subject.map { SafeText.text($0) }
    switch purpose {
    case .create(let item) where item.isFolder:
      say("\(shown(item.path)) made; it is saved once it holds a note")
    case .delete(let paths) where !paths.allSatisfy(batch.removed.contains):
      let rest = paths.filter { !batch.removed.contains($0) }
      let name = rest.count == 1 ? shown(rest[0]) : "\(rest.count) items"
      warn("\(name) not deleted: what Verso does not save stays (ignored, too large, unreadable)")
    case .create, .copy, .move:
      say(text ?? (batch.isEmpty ? "nothing was done" : "done") + Self.unsaved)
    case .delete(let paths):
      let count = files?.list.count ?? folders.list.count
      let name = paths.count == 1 ? shown(paths[0]) : "\(paths.count) items"
      let place =
        selected.selectedFolder.map { ", folder \(title(of: $0)), \(Self.items(count))" } ?? ""
      say("\(name) deleted\(place)")
    case .version, .forget: break
    case .draft(let path, let bytes): didKeep(bytes, of: path)
    default: if let text { say(text) } else { say("nothing had changed") }
    }
    switch purpose {
    case .undo: undoCount = max(0, undoCount - 1)
    case .version, .draft, .forget: break
    default: if subject != nil { undoCount += 1 }
    }
    switch purpose {
    case .restore, .undo, .redo: afterRestore()
    default: break
    }
  }

  private mutating func takeFailure(
    of purpose: OperationPurpose, _ reason: String, _ isRefusal: Bool
  ) {
    warn(reason)
    switch purpose {
    case .save(let id, let path, let bytes):
      let isOpen = note?.id == id
      if isOpen, note?.saving == bytes { note?.saving = nil }
      if isQuitting || !isOpen {
        // Nobody will save it later: it is kept beside the notes.
        keep(bytes, of: path)
        say("\(reason): the text of \(shown(path)) is kept as a draft", .warning)
      } else if isRefusal {
        readAgain(path)
      }
    case .draft(let path, let bytes): didFailToKeep(bytes, of: path, reason)
    default: break
    }
  }
}

import Testing
import Verso
import VersoBrowser
import VersoModel

/// A browser with a disk that is only thought of: effects are done at once, other programs' changes
/// are told as the watcher tells them.
struct BrowserDesk {
  var model: BrowserModel
  /// Files by path; a folder is what has an entry of `nil`.
  var disk: [RelativePath: [UInt8]?] = [:]
  var time = 100.0
  /// Everything that was asked for, in order.
  var effects: [BrowserEffect] = []
  /// Why the next operation fails.
  var trouble: String?
  /// Why drafts cannot be kept.
  var draftTrouble: String?
  /// Operations that were carried out.
  var operations: [VaultOperation] = []
  /// What each operation did, and the disk before it.
  private var done: [Step] = []
  private var undone: [Step] = []
  /// What cannot be read.
  var unreadable: Set<RelativePath> = []
  var facts: [RelativePath: ItemFacts] = [:]
  /// The drafts that there are.
  private(set) var drafts: [Draft] = []

  private struct Step {
    let batch: DiskBatch
    let before: [RelativePath: [UInt8]?]
    let after: [RelativePath: [UInt8]?]
  }
  var draftTexts: [[UInt8]] = []
  /// Conflicts that were ended.
  var resolved: [(copy: RelativePath, choice: ConflictChoice)] = []

  /// - Parameter files: Texts by path; a slash ends the path of an empty folder.
  init(
    _ size: CellSize, _ files: [String: String] = [:],
    options: (inout BrowserModel.Options) -> Void = { _ in }
  ) {
    var settings = BrowserModel.Options()
    settings.vaultName = "notes"
    options(&settings)
    model = BrowserModel(size, options: settings)
    for (name, text) in files {
      let isFolder = name.hasSuffix("/")
      guard let path = RelativePath(isFolder ? String(name.dropLast()) : name) else { continue }
      for folder in sequence(first: path.parent, next: { $0.isRoot ? nil : $0.parent })
      where !folder.isRoot {
        disk[folder] = .some(nil)
      }
      disk[path] = .some(isFolder ? nil : Array(text.utf8))
    }
    carryOut(model.start())
    send(.snapshot(items, Catalogue(items)))
  }

  var items: [Item] {
    disk.keys.sorted().map { path in
      let isFile = disk[path].map { $0 != nil } ?? false
      return Item(path: path, kind: isFile ? .file : .folder, content: nil)
    }
  }

  /// What is to be seen, row by row.
  var rows: [String] { FrameText.rows(of: model.frame.grid) }
  var text: String { rows.joined(separator: "\n") }
  var status: String { rows.last ?? "" }

  // MARK: Doing

  mutating func send(_ message: BrowserMessage) {
    time += 0.01
    carryOut(model.update(message, at: time))
  }

  /// Presses keys by their names, such as `j Enter Ctrl-S`.
  mutating func press(_ names: String) {
    for name in names.split(separator: " ") {
      guard let key = KeyEvent(name: name) else {
        Issue.record("no key is called \(name)")
        return
      }
      send(.screen(.key(key)))
    }
  }

  mutating func type(_ text: String) {
    for character in text { send(.screen(.key(KeyEvent(.character(character))))) }
  }

  mutating func click(_ x: Int, _ y: Int, _ button: MouseEvent.Button = .left) {
    send(.screen(.mouse(MouseEvent(.pressed(button), at: CellPoint(x: x, y: y)))))
    send(.screen(.mouse(MouseEvent(.released(button), at: CellPoint(x: x, y: y)))))
  }

  mutating func mouse(_ kind: MouseEvent.Kind, _ x: Int, _ y: Int) {
    send(.screen(.mouse(MouseEvent(kind, at: CellPoint(x: x, y: y)))))
  }

  /// Clicks on the first place where a text is to be seen.
  mutating func click(on text: String, _ button: MouseEvent.Button = .left) {
    for (y, row) in rows.enumerated() {
      if let range = row.firstRange(of: text) {
        return click(Glyph.columns(row[..<range.lowerBound]), y, button)
      }
    }
    Issue.record("nothing says \(text):\n\(self.text)")
  }

  mutating func resize(_ width: Int, _ height: Int) {
    send(.screen(.resized(CellSize(width: width, height: height))))
  }

  // MARK: Other programs

  mutating func writeOutside(_ path: RelativePath, _ text: String) {
    let isNew = disk[path] == nil
    disk[path] = .some(Array(text.utf8))
    let item = Item(path: path, kind: .file, content: nil)
    send(.changed(isNew ? DiskBatch(added: [item]) : DiskBatch(modified: [item])))
  }

  mutating func removeOutside(_ path: RelativePath) {
    disk = disk.filter { !path.contains($0.key) }
    send(.changed(DiskBatch(removed: [path])))
  }

  mutating func moveOutside(_ old: RelativePath, _ new: RelativePath) {
    move(old, new)
    send(.changed(DiskBatch(renamed: [.init(old, new)])))
  }

  // MARK: The disk

  private mutating func move(_ old: RelativePath, _ new: RelativePath) {
    for (path, content) in disk where old.contains(path) {
      disk[path] = nil
      if let target = path.replacing(prefix: old, with: new) { disk[target] = .some(content) }
    }
  }

  private mutating func carryOut(_ new: [BrowserEffect]) {
    for effect in new {
      effects.append(effect)
      if let answer = answer(effect) { send(answer) }
    }
  }

  private mutating func answer(_ effect: BrowserEffect) -> BrowserMessage? {
    switch effect {
    case .readFolder(let path):
      return .folderRead(path, items.filter { $0.path.parent == path })
    case .buildList(let ticket, let role, let folder, let catalogue, let settings):
      return .listBuilt(
        ticket: ticket,
        ItemList(
          role, of: folder, in: catalogue, order: settings.order, showsHidden: settings.showsHidden)
      )
    case .readNote(let ticket, let path):
      return .noteRead(ticket: ticket, path, reading(path), nil)
    case .perform(let operation, let purpose): return .done(purpose, perform(operation))
    case .undo: return .done(.undo, undo())
    case .redo: return .done(.redo, redo())
    case .readFacts(let ticket, _): return .facts(ticket: ticket, facts)
    case .checkAccess(let path): return .access(path, isReadable: !unreadable.contains(path))
    case .readDrafts: return .drafts(drafts)
    case .storeDraft(let path, let bytes):
      if let draftTrouble {
        return .done(.draft(path, bytes), .failed(draftTrouble, isRefusal: false))
      }
      draftTexts.append(bytes)
      drafts.append(
        Draft(name: "\(draftTexts.count)", path: path, bytes: bytes, time: 1_767_225_600))
      effects.append(.readDrafts)
      send(.drafts(drafts))
      return .done(.draft(path, bytes), .done(subject: nil, DiskBatch(), left: nil))
    case .compare(let ticket, let path, let copy):
      return compared(ticket, text(of: path), text(of: copy))
    case .compareTexts(let ticket, let mine, let theirs):
      return compared(ticket, mine, theirs)
    case .resolve(let copy, let choice):
      resolved.append((copy, choice))
      disk[copy] = nil
      return .done(.resolve, didIt(DiskBatch(removed: [copy])))
    case .version: return .done(.version, .done(subject: nil, DiskBatch(), left: nil))
    case .dropDraft(let name):
      drafts.removeAll { $0.name == name }
      send(.drafts(drafts))
      return .done(.forget, .done(subject: nil, DiskBatch(), left: nil))
    case .findFile(let ticket, let query, let catalogue):
      return .found(ticket: ticket, FuzzyFinder(query).best(20, in: catalogue), isLast: true)
    default: return nil
    }
  }

  private func compared(_ ticket: Int, _ left: [UInt8], _ right: [UInt8]) -> BrowserMessage? {
    do throws(VersoError) {
      return .compared(ticket: ticket, try SideBySide(left: left, right: right))
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  private func text(of path: RelativePath) -> [UInt8] { disk[path].flatMap { $0 } ?? [] }

  private func reading(_ path: RelativePath) -> Vault.Reading {
    if unreadable.contains(path) { return .unreadable("Permission denied") }
    guard let entry = disk[path], let bytes = entry else { return .vanished }
    return .content(bytes, modified: 1_767_225_600)
  }

  private mutating func undo() -> OperationResult {
    guard let step = done.last else {
      return .failed("there is nothing to undo", isRefusal: false)
    }
    guard disk == step.after else { return .failed("changed since", isRefusal: true) }
    done.removeLast()
    disk = step.before
    undone.append(step)
    return .done(subject: "Undo", inverse(of: step.batch), left: nil)
  }

  private mutating func redo() -> OperationResult {
    guard let step = undone.last else {
      return .failed("there is nothing to redo", isRefusal: false)
    }
    guard disk == step.before else { return .failed("changed since", isRefusal: true) }
    undone.removeLast()
    disk = step.after
    done.append(step)
    return .done(subject: "Redo", step.batch, left: nil)
  }

  private func inverse(of batch: DiskBatch) -> DiskBatch {
    let back = items.filter { item in batch.removed.contains { $0.contains(item.path) } }
    return DiskBatch(
      removed: batch.added.map(\.path), added: back,
      renamed: batch.renamed.map { .init($0.new, $0.old) }, modified: batch.modified)
  }

  private mutating func perform(_ operation: VaultOperation) -> OperationResult {
    if let reason = trouble {
      trouble = nil
      return .failed(reason, isRefusal: false)
    }
    operations.append(operation)
    let before = disk
    let result = carryOut(operation)
    if case .done(_, let batch, _) = result {
      done.append(Step(batch: batch, before: before, after: disk))
      undone = []
    }
    return result
  }

  private mutating func carryOut(_ operation: VaultOperation) -> OperationResult {
    switch operation {
    case .create(let path, let bytes):
      disk[path] = .some(bytes)
      return didIt(DiskBatch(added: [Item(path: path, kind: .file, content: nil)]))
    case .makeFolder(let path):
      disk[path] = .some(nil)
      return didIt(DiskBatch(added: [Item(path: path, kind: .folder, content: nil)]))
    case .move(let moves):
      guard moves.allSatisfy({ disk[$0.from] != nil }) else {
        return .failed("it is not there", isRefusal: false)
      }
      for move in moves { self.move(move.from, move.to) }
      return didIt(DiskBatch(renamed: moves.map { .init($0.from, $0.to) }))
    case .copy(let copies):
      for copy in copies { disk[copy.to] = disk[copy.from] }
      return didIt(
        DiskBatch(added: copies.map { Item(path: $0.to, kind: .file, content: nil) }))
    case .delete(let paths):
      disk = disk.filter { entry in !paths.contains { $0.contains(entry.key) } }
      return didIt(DiskBatch(removed: paths))
    case .write(let path, let bytes, let expected):
      if let expected, disk[path] != .some(.some(expected)) {
        return .failed("\(path) was changed by another program", isRefusal: true)
      }
      if disk[path] == .some(nil) { return .failed("\(path) is a folder", isRefusal: false) }
      disk[path] = .some(bytes)
      return didIt(DiskBatch(modified: [Item(path: path, kind: .file, content: nil)]))
    }
  }

  private func didIt(_ batch: DiskBatch) -> OperationResult {
    .done(subject: "done", batch, left: nil)
  }
}

extension CellSize {
  static let phone = CellSize(width: 59, height: 22)
  static let tablet = CellSize(width: 70, height: 22)
  static let desk = CellSize(width: 100, height: 38)
}

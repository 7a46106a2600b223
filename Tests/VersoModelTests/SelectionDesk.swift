import VersoModel

/// A coordinator over a small vault, with a delegate that writes down what it is told and keeps stacks
/// and lists as a front end would.
final class SelectionDesk: StateCoordinatorDelegate {
  static let paths = ["F/", "F/x.md", "F/y.md", "F/D/", "F/D/deep.md", "G/", "G/z.md", "root.md"]

  let coordinator: StateCoordinator
  /// What was told since the last look.
  private var heard: [String] = []
  private(set) var stacks = PaneStacks()
  /// The value of `selectionLost` at each call.
  private(set) var lostFlags: [Bool] = []

  init(_ paths: [String] = paths) {
    coordinator = StateCoordinator(Catalogue(paths.map(item)))
    coordinator.delegate = self
  }

  func goto(_ next: SelectionState, item: Item?) {
    heard.append("goto \(next) \(item.map { $0.isVault ? "vault" : "\($0.path)" } ?? "nil")")
    lostFlags.append(coordinator.selectionLost)
    stacks.goto(next, item)
  }

  func didRename(_ item: Item, from old: RelativePath, to new: RelativePath) {
    heard.append("rename \(old) \(new)")
  }

  func didMove(_ item: Item, from old: Item, to new: Item) {
    heard.append("move \(item.path) \(old.path) \(new.path)")
  }

  func didModify(_ item: Item) { heard.append("modify \(item.path)") }

  func didUpdateList(_ folder: Item, edits: [ListEdit]) {
    lostFlags.append(coordinator.selectionLost)
    heard.append("list \(folder.path) " + edits.map(text).joined(separator: ","))
  }

  private func text(_ edit: ListEdit) -> String {
    switch edit {
    case .removed(let item): "-\(item.path.nameText)"
    case .added(let item): "+\(item.path.nameText)"
    case .renamed(let old, let new): "\(old.path.nameText)>\(new.path.nameText)"
    case .modified(let item): "~\(item.path.nameText)"
    case .unreadable: "unreadable"
    case .readable: "readable"
    }
  }

  /// What an event tells the delegate.
  func told(_ event: SelectionModel.Event) -> [String] {
    heard = []
    coordinator.handle(event)
    return take()
  }

  /// The same without the edits of lists.
  func gotos(_ event: SelectionModel.Event) -> [String] {
    told(event).filter { !$0.hasPrefix("list") }
  }

  /// What was told since the last look.
  func take() -> [String] {
    defer { heard = [] }
    return heard
  }

  @discardableResult func select(_ path: String) -> [String] { told(.select(item(path))) }

  var model: SelectionModel { coordinator.model }

  /// The state in the notation of the tables.
  var state: String {
    let selection = coordinator.selection
    let place = selection.item.map { $0.isVault ? "vault" : "\($0.path)" } ?? "nil"
    return "\(selection.state)(\(place))"
  }
}

/// The item of a path; a slash at its end makes a folder, `/` alone is the vault.
func item(_ path: String) -> Item {
  if path == "/" { return .vault }
  let isFolder = path.hasSuffix("/")
  let path = RelativePath(isFolder ? String(path.dropLast()) : path) ?? .root
  return Item(path: path, kind: isFolder ? .folder : .file, content: nil)
}

extension RelativePath {
  fileprivate var nameText: String { String(decoding: name, as: UTF8.self) }
}

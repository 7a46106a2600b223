import VersoSplitView

/// A nested split view with panes that are told apart by their titles.
final class NestedScene {
  let folders = BasicPane("Folders")
  let nested: NestedSplit
  /// All events of the root, in order.
  private(set) var events: [SplitEvent] = []
  private(set) var transitions: [NavigationStack.Transition] = []

  init(_ width: Int? = nil) {
    nested = NestedSplit(
      folders: folders,
      folderPlaceholder: { BasicPane("choose a folder", isPlaceholder: true) },
      filePlaceholder: { BasicPane("choose a file", isPlaceholder: true) })
    nested.root.observer = { [unowned self] in events.append($0) }
    nested.primaryStack.observer = { [unowned self] in transitions.append($0) }
    if let width { resize(width) }
  }

  func resize(_ width: Int) { nested.resize(to: CellSize(width: width, height: 38)) }

  /// Selects nothing, a folder, or a file of it.
  func select(folder: BasicPane? = nil, file: BasicPane? = nil) {
    guard let folder else { return nested.showNothing(keepsFolder: false) }
    nested.showFiles(folder)
    if let file { nested.showFile(file) }
  }

  func forget() { (events, transitions) = ([], []) }

  /// The titles of the panes of the primary stack, from the bottom.
  var stackTitles: [String] { nested.primaryStack.panes.map(\.title) }

  /// The title of what stands in the innermost secondary.
  var detailTitle: String { (nested.inner ?? nested.root).secondary.title }

  var visibleTitles: [String] {
    nested.root.placedPanes().filter(\.isVisible).map(\.pane.title)
  }

  /// Whether a split view is the root or the inner one.
  func owns(_ split: SplitView) -> Bool { split === nested.root || split === nested.inner }
}

/// The three states of the selection.
public enum SelectionState: Int, Sendable, CaseIterable {
  /// No file and no folder is selected; a folder may still be open, its file having gone away.
  case noSelection
  /// A folder is selected, and no file.
  case folderSelected
  /// A file is selected.
  case fileSelected
}

/// What is selected: a state and the item that it concerns, in the pairs that there are.
public struct Selection: Hashable, Sendable {
  /// The state.
  public let state: SelectionState
  /// The selected folder or file; with ``SelectionState/noSelection`` the folder that stays open, or
  /// `nil`.
  public let item: Item?

  private init(_ state: SelectionState, _ item: Item?) {
    self.state = state
    self.item = item
  }

  /// Nothing at all, as at launch.
  public static let nothing = Selection(.noSelection, nil)

  /// No selection in a folder that stays open; without one the same as ``nothing``.
  ///
  /// - Precondition: `folder` is a folder.
  public static func nothing(in folder: Item?) -> Selection {
    precondition(folder?.isFolder ?? true)
    return Selection(.noSelection, folder)
  }

  /// That item: its kind decides the state.
  public static func selected(_ item: Item) -> Selection {
    Selection(item.isFolder ? .folderSelected : .fileSelected, item)
  }

  /// The folder whose list is open: the item, if it is a folder, else the folder that holds it.
  public var selectedFolder: Item? { item.flatMap { $0.isFolder ? $0 : $0.containingFolder } }

  /// The selected file.
  public var selectedFile: Item? { state == .fileSelected ? item : nil }

  /// The selected item; `nil` where only a folder is open.
  public var selectedItem: Item? { state == .noSelection ? nil : item }

  /// How many views a stack holds that shows one view at a time: folders, files, note.
  public var depth: Int { state == .fileSelected ? 3 : item == nil ? 1 : 2 }

  /// Whether a deletion of `path` takes the selected file, the selected folder or one above it away.
  public func isLost(byDeleting path: RelativePath) -> Bool {
    !path.isRoot && (item.map { path.contains($0.path) } ?? false)
  }
}

/// The identity of a selected item: it stays the same while the item is renamed, moved or rewritten,
/// and is never given to another one.
///
/// One who keeps an editor for a file, or a list for a folder, keeps it as long as this is equal.
public struct SelectionID: Hashable, Sendable {
  let number: Int
}

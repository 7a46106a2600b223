/// What the stacks of a nested split view hold, as values: which pane stands where, without a layout.
///
/// With more than one view at a time there are a stack of folders, an inner split with a stack of files,
/// and a detail side; collapsed, one stack holds all of them, and no placeholder.
public struct PaneStacks: Hashable, Sendable {
  /// A view of the split.
  public enum Pane: Hashable, Sendable {
    /// The folders beside or above the selected one; of the vault the list of folders.
    case folders(Item)
    /// What a folder holds.
    case files(Item)
    /// The editor of a file.
    case editor(Item)
    /// "Choose or create a folder".
    case folderPlaceholder
    /// "Choose or create a file".
    case filePlaceholder

    /// Whether it only says that nothing is selected.
    public var isPlaceholder: Bool { self == .folderPlaceholder || self == .filePlaceholder }
  }

  /// The root split's stack, the list of folders at its bottom.
  public private(set) var primary: [Pane]
  /// The inner split's stack; `nil` where there is no inner split.
  public private(set) var inner: [Pane]?
  /// The detail side; `nil` when collapsed.
  public private(set) var secondary: Pane?

  /// The part of the width that the list of folders takes.
  public var primaryFraction: Double { inner == nil ? 1.0 / 3 : 0.25 }

  /// Whether one view is shown at a time.
  public var isCollapsed: Bool { secondary == nil }

  /// The view on top of the only stack of a collapsed view; otherwise the detail side.
  public var top: Pane? { secondary ?? primary.last }

  /// As at launch: the list of folders, and beside it the placeholder.
  public init(isCollapsed: Bool = false) {
    primary = [.folders(.vault)]
    secondary = isCollapsed ? nil : .folderPlaceholder
  }

  /// The stacks that show a selection.
  public init(_ selection: Selection, isCollapsed: Bool) {
    self.init(isCollapsed: isCollapsed)
    if let folder = selection.selectedFolder {
      show(folder)
      if let file = selection.selectedFile { show(file) }
    }
  }

  /// Does what a delegate does when the coordinator goes to a state.
  ///
  /// A pair that says nothing (a folder state without a folder, a file state without a file) does
  /// nothing. `noSelection` with a file counts as its folder's.
  public mutating func goto(_ next: SelectionState, _ item: Item?) {
    switch (next, item) {
    case (.folderSelected, let folder?) where folder.isFolder: show(folder)
    case (.fileSelected, let file?) where !file.isFolder:
      if let folder = file.containingFolder, !shows(folder) { show(folder) }
      show(file)
    case (.noSelection, nil): self = PaneStacks(isCollapsed: isCollapsed)
    case (.noSelection, let item?):
      if let folder = item.isFolder ? item : item.containingFolder { show(folder) }
    default: break
    }
  }

  /// The stacks with one view at a time: folders, files if there are any, the editor if there is one.
  ///
  /// - Parameter top: Where the delegate wants another view on top than the last; views above it are
  ///   left out. One that is not in the stack is not used.
  public func collapsed(top: Pane? = nil) -> PaneStacks {
    if isCollapsed { return self }
    var stacks = self
    stacks.primary += inner ?? []
    if let secondary, !secondary.isPlaceholder { stacks.primary.append(secondary) }
    if let top, let at = stacks.primary.lastIndex(of: top) {
      stacks.primary.removeSubrange((at + 1)...)
    }
    stacks.inner = nil
    stacks.secondary = nil
    return stacks
  }

  /// The stacks with more than one view at a time: the one stack is taken apart by its depth.
  public func expanded() -> PaneStacks {
    guard isCollapsed else { return self }
    var stacks = self
    stacks.primary = [primary[0]]
    stacks.inner = primary.count > 1 ? [primary[1]] : nil
    stacks.secondary =
      primary.count > 2 ? primary[2] : primary.count > 1 ? .filePlaceholder : .folderPlaceholder
    return stacks
  }

  private func shows(_ folder: Item) -> Bool {
    (inner ?? primary).contains(.files(.folder(at: folder.path)))
  }

  /// A folder's list replaces what was there; for a folder in a folder all columns shift by one.
  private mutating func show(_ item: Item) {
    if item.isFolder {
      primary = [.folders(item.containingFolder ?? .vault)]
      let list = Pane.files(.folder(at: item.path))
      if isCollapsed {
        primary.append(list)
      } else {
        inner = [list]
        secondary = .filePlaceholder
      }
    } else if isCollapsed {
      primary.removeSubrange(min(2, primary.count)...)
      primary.append(.editor(item))
    } else {
      secondary = .editor(item)
    }
  }
}

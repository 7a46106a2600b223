/// The selection state machine: what is selected in a vault's listing, as a pure reducer.
///
/// An event goes in; the model changes, and what a front end has to be told comes out, in the order in
/// which it is to be told: edits of lists, then renames, moves and contents, then at most one
/// ``Notice/goto(_:_:)``.
public struct SelectionModel: Sendable {
  /// What the disk, the user or the window did.
  public enum Event: Hashable, Sendable {
    /// The user selects an item; `nil` deselects everything. An item that is not in the catalogue is
    /// not selected: its row is stale.
    case select(Item?)
    /// The user goes back. With more than one view at a time that is a matter of focus, not of state.
    case back
    /// The disk changed, by others or by this program; what is known already is told again harmlessly.
    case batch(DiskBatch)
    /// Everything was looked at again, because events were lost.
    case rescanned([Item])
    /// This program has removed an item; the selection is told apart, by ``deleted(parentFolder:)``.
    case removed(Item)
    /// The selected item, or a folder above it, was deleted: unconditional, as the caller has checked.
    case deleted(parentFolder: Item?)
    /// An undo or a redo was made on disk, which did this.
    case undone(DiskBatch)
    /// A kept draft became this file again.
    case draftRestored(Item)
    /// The vault's directory is not there.
    case rootVanished
    /// The vault's directory is there again and holds this.
    case rootReturned([Item])
    /// One view at a time, or more.
    case collapsed(Bool)
  }

  /// What a front end is told.
  public enum Notice: Hashable, Sendable {
    /// The list of a folder, by the path that it had before the batch, has changed.
    case updateList(Item, [ListEdit])
    /// The selected item or a folder above it has another name; the item is the one after.
    case rename(Item, from: RelativePath, to: RelativePath)
    /// The selected item or a folder above it is in another folder.
    case move(Item, from: Item, to: Item)
    /// The selected file's content, or whether it can be read, may differ.
    case modify(Item)
    /// The selection changes, or is confirmed.
    case goto(SelectionState, Item?)
  }

  /// What one event leads to.
  public struct Outcome: Hashable, Sendable {
    /// In the order in which they are to be told.
    public internal(set) var notices: [Notice] = []
    /// Whether the edits of lists took the selected item away.
    public internal(set) var selectionLost = false
  }

  /// A file whose deletion ended the selection, and nothing was selected since.
  struct Lost: Hashable, Sendable {
    var path: RelativePath
    let id: SelectionID
  }

  /// What is selected.
  public internal(set) var selection = Selection.nothing
  /// What there is to select.
  public internal(set) var catalogue: Catalogue
  /// The identity of the open folder: a front end keeps its list while this stays.
  public internal(set) var folderID: SelectionID?
  /// The identity of the selected file: a front end keeps its editor while this stays.
  public internal(set) var fileID: SelectionID?
  /// Whether one view is shown at a time.
  public internal(set) var isCollapsed = false
  /// Whether the vault's directory is away.
  public internal(set) var isRootMissing = false
  var lost: Lost?
  private var lastNumber = 0

  /// With nothing selected, as at launch.
  public init(_ catalogue: Catalogue = Catalogue()) { self.catalogue = catalogue }

  /// With nothing selected, after another model: no identity of that one is given again.
  public init(_ catalogue: Catalogue, after other: SelectionModel) {
    self.catalogue = catalogue
    lastNumber = other.lastNumber
  }

  /// The identity of the selected file or folder; `nil` with ``SelectionState/noSelection``.
  public var selectedID: SelectionID? {
    switch selection.state {
    case .noSelection: nil
    case .folderSelected: folderID
    case .fileSelected: fileID
    }
  }

  /// Takes one event.
  public mutating func reduce(_ event: Event) -> Outcome {
    switch event {
    case .select(let item): select(item)
    case .back: back()
    case .batch(let batch): apply(batch)
    case .rescanned(let items): rescan(items)
    case .removed(let item): remove(item)
    case .deleted(let parent): delete(parent)
    case .undone(let batch): undo(batch)
    case .draftRestored(let item): restore(item)
    case .rootVanished: vanish()
    case .rootReturned(let items): appear(items)
    case .collapsed(let isCollapsed): collapse(isCollapsed)
    }
  }

  private mutating func select(_ item: Item?) -> Outcome {
    if let item, catalogue[item.path]?.isFolder != item.isFolder || isRootMissing {
      return Outcome()
    }
    lost = nil
    let old = selection
    selection = item.map(Selection.selected) ?? .nothing
    // An item that is selected again, or whose folder stays open, is the same to the front end.
    renewIdentities(
      keepingFolder: old.selectedFolder?.path == selection.selectedFolder?.path,
      keepingFile: old.selectedFile?.path == selection.selectedFile?.path)
    return Outcome(notices: [goto])
  }

  private mutating func back() -> Outcome {
    guard isCollapsed else { return Outcome() }
    switch selection.state {
    case .fileSelected: return select(selection.selectedFolder)
    case .folderSelected, .noSelection:
      guard let folder = selection.item else { return Outcome() }
      return select(folder.containingFolder)
    }
  }

  private mutating func remove(_ item: Item) -> Outcome {
    guard catalogue[item.path] != nil, !item.isVault else { return Outcome() }
    catalogue.apply(DiskBatch(removed: [item.path]))
    let holder = Item.folder(at: item.path.parent)
    return Outcome(notices: [.updateList(holder, [.removed(item)])])
  }

  private mutating func delete(_ parent: Item?) -> Outcome {
    leave(for: parent)
    return Outcome(notices: [goto], selectionLost: true)
  }

  private mutating func undo(_ batch: DiskBatch) -> Outcome {
    let (candidate, id) = (lost?.path, lost?.id)
    var outcome = apply(batch)
    if let candidate, let id, lost?.path == candidate, !outcome.selectionLost,
      let file = catalogue[candidate], !file.isFolder
    {
      lost = nil
      selection = .selected(file)
      fileID = id
      outcome.notices.append(goto)
    }
    return outcome
  }

  private mutating func restore(_ item: Item) -> Outcome {
    var outcome = apply(DiskBatch(added: [item]))
    // What the addition did to the selection is overtaken by the new one.
    outcome.notices.removeAll { if case .goto = $0 { true } else { false } }
    outcome.notices += select(item).notices
    return outcome
  }

  private mutating func collapse(_ isCollapsed: Bool) -> Outcome {
    self.isCollapsed = isCollapsed
    return Outcome()
  }
}

extension SelectionModel {
  /// The notice of the present selection.
  var goto: Notice { .goto(selection.state, selection.item) }

  /// Ends the selection, with `folder` open.
  mutating func leave(for folder: Item?) {
    let old = selection
    selection = .nothing(in: folder)
    let keepsFolder = old.selectedFolder?.path == folder?.path
    lost = nil
    if let file = old.selectedFile, let id = fileID, keepsFolder {
      lost = Lost(path: file.path, id: id)
    }
    renewIdentities(keepingFolder: keepsFolder, keepingFile: false)
  }

  mutating func renewIdentities(keepingFolder: Bool, keepingFile: Bool) {
    if selection.selectedFolder == nil {
      folderID = nil
    } else if !keepingFolder || folderID == nil {
      folderID = makeID()
    }
    if selection.selectedFile == nil {
      fileID = nil
    } else if !keepingFile || fileID == nil {
      fileID = makeID()
    }
  }

  private mutating func makeID() -> SelectionID {
    lastNumber += 1
    return SelectionID(number: lastNumber)
  }
}

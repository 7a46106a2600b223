/// A front end that follows a ``StateCoordinator``.
///
/// In one batch the calls come in this order: edits of lists, then renames, moves and contents, then at
/// most one `goto`.
public protocol StateCoordinatorDelegate: AnyObject {
  /// The selection is now that, or is selected again: once for each transition.
  ///
  /// - Parameters:
  ///   - next: The state that begins.
  ///   - item: The folder or the file; with ``SelectionState/noSelection`` the folder that stays open,
  ///     or `nil`.
  func goto(_ next: SelectionState, item: Item?)
  /// The selected item, or a folder above it, has another name. There is no `goto`: editor and list
  /// stay what they are.
  func didRename(_ item: Item, from old: RelativePath, to new: RelativePath)
  /// The selected item, or a folder above it, went from one folder to another.
  func didMove(_ item: Item, from old: Item, to new: Item)
  /// The selected file was written, or became unreadable or readable.
  func didModify(_ item: Item)
  /// The list of `folder`, which has the path of before the batch, has changed.
  func didUpdateList(_ folder: Item, edits: [ListEdit])
}

extension StateCoordinatorDelegate {
  public func didRename(_ item: Item, from old: RelativePath, to new: RelativePath) {}
  public func didMove(_ item: Item, from old: Item, to new: Item) {}
  public func didModify(_ item: Item) {}
  public func didUpdateList(_ folder: Item, edits: [ListEdit]) {}
}

/// Keeps the selection of a vault's split view, and tells a delegate what becomes of it.
///
/// A thin shell around ``SelectionModel``, which decides. It belongs to one thread or actor.
public final class StateCoordinator {
  /// A step of what the coordinator and the lists do, for logs and tests.
  public enum Step: Hashable, Sendable {
    case rowActivated
    case didSelect
    case parentRead
    case deleted
    case didDelete
    case stateChanged
    case goto(SelectionState, Item?)
    case keyStored
  }

  /// Who is told.
  public weak var delegate: (any StateCoordinatorDelegate)?
  /// Told of each step, if set.
  public var log: ((Step) -> Void)?
  /// The present state.
  public private(set) var model: SelectionModel
  /// The identity of the selected item, kept once the delegate has it; `nil` at launch.
  public private(set) var selectedID: SelectionID?
  /// Whether the batch that is being told has taken the selected item away.
  public private(set) var selectionLost = false

  /// With nothing selected.
  public init(_ catalogue: Catalogue = Catalogue()) { model = SelectionModel(catalogue) }

  /// What is selected.
  public var selection: Selection { model.selection }
  /// The folder whose list is open.
  public var selectedFolder: Item? { model.selection.selectedFolder }

  /// Selects an item; `nil` deselects.
  public func didSelectFile(_ item: Item?) {
    log?(.didSelect)
    handle(.select(item))
  }

  /// Ends the selection because the selected item, or a folder above it, was deleted.
  ///
  /// Unconditional: whoever calls has checked ``Selection/isLost(byDeleting:)``.
  ///
  /// - Parameter parentFolder: The folder that stays open; `nil` where a folder at the top was deleted.
  public func didDeleteFile(parentFolder: Item?) {
    log?(.didDelete)
    handle(.deleted(parentFolder: parentFolder))
  }

  /// Takes any event.
  public func handle(_ event: SelectionModel.Event) {
    let before = model.selection
    let outcome = model.reduce(event)
    selectionLost = outcome.selectionLost
    if model.selection != before { log?(.stateChanged) }
    outcome.notices.forEach(tell)
    selectionLost = false
    guard selectedID != model.selectedID else { return }
    selectedID = model.selectedID
    log?(.keyStored)
  }

  private func tell(_ notice: SelectionModel.Notice) {
    switch notice {
    case .updateList(let folder, let edits): delegate?.didUpdateList(folder, edits: edits)
    case .rename(let item, let old, let new): delegate?.didRename(item, from: old, to: new)
    case .move(let item, let old, let new): delegate?.didMove(item, from: old, to: new)
    case .modify(let item): delegate?.didModify(item)
    case .goto(let next, let item):
      log?(.goto(next, item))
      delegate?.goto(next, item: item)
    }
  }
}

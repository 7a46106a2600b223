/// One change of the list of a folder.
///
/// The edits of one batch are made together: first everything that goes, by its old name, then
/// everything that comes, so that two notes that were exchanged are two renames.
public enum ListEdit: Hashable, Sendable {
  /// An item is gone from the folder.
  case removed(Item)
  /// An item has come into the folder.
  case added(Item)
  /// An item of the folder has another name.
  case renamed(from: Item, to: Item)
  /// The content of an item may differ.
  case modified(Item)
  /// The folder itself can no longer be read.
  case unreadable
  /// The folder itself can be read again.
  case readable
}

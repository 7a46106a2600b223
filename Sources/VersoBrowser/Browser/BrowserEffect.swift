package import Verso
package import VersoModel

/// Something that the browser's model wants done: by the disk, the vault or the terminal.
///
/// What is read is answered with its ticket; an answer whose ticket is no longer the newest of its kind
/// is dropped.
package enum BrowserEffect: Sendable {
  // Reading.
  case readFolder(RelativePath)
  case buildList(ticket: Int, ItemList.Role, Item, Catalogue, ListSettings)
  case readNote(ticket: Int, RelativePath)
  /// Finds out whether a folder can be listed.
  case checkAccess(RelativePath)
  case readFacts(ticket: Int, [Item])
  case timeline(ticket: Int, RelativePath)
  /// A version beside today's state (`nil`) or another version.
  case past(ticket: Int, RelativePath, ObjectID, beside: ObjectID?)
  case day(ticket: Int, String)
  case pastNote(ticket: Int, RelativePath, ObjectID)
  /// A note beside a conflict copy of it.
  case compare(ticket: Int, RelativePath, copy: RelativePath)
  /// What a person has beside what another program has made of a note.
  case compareTexts(ticket: Int, [UInt8], with: [UInt8])
  case findFile(ticket: Int, String, Catalogue)
  case findText(ticket: Int, String, history: Bool)
  case readDrafts
  // Changing, one after the other.
  case perform(VaultOperation, OperationPurpose)
  case undo
  case redo
  case restore(RelativePath, ObjectID, lines: ClosedRange<Int>?)
  /// Ends the conflict that a copy is part of.
  case resolve(RelativePath, ConflictChoice)
  /// Makes a version of what is on the disk at a path.
  case version(RelativePath)
  case storeDraft(RelativePath, [UInt8])
  case dropDraft(String)
  case rescan
  // The terminal.
  case bell
  case copy([UInt8])
  case redraw
  case suspend
  case theme(Theme)
  /// Opens a file in `$EDITOR`, which gets the terminal meanwhile.
  case edit(RelativePath)
  /// Opens a file with the desktop.
  case open(RelativePath)
  case quit
}

/// How lists are sorted and what is in them.
package struct ListSettings: Hashable, Sendable {
  package var order = ItemOrder.name
  package var showsHidden = false

  package init() {}
}

package import VersoModel

/// One change of what a directory holds, as the events of a moment add up to.
///
/// The changes of a moment belong together. Whoever keeps a copy of the tree takes out what was
/// removed and what was renamed, by their old paths, folders after what they hold, and then puts in
/// what was added and what was renamed, by their new paths, folders before what they hold: so two files that were exchanged are two
/// renames, and a note moved into a new folder is a rename.
package enum LiveChange: Hashable, Sendable {
  /// The path, and everything below it that was not renamed, is gone. An old path.
  case removed(RelativePath)
  /// A new path.
  case addedFolder(RelativePath)
  /// A file or a link. A new path.
  case added(RelativePath, Item.Kind)
  /// The same file or folder has another path.
  case renamed(from: RelativePath, to: RelativePath)
  /// Its content, or whether it is executable, may differ. A new path.
  case modified(RelativePath)
}

package import VersoModel

/// One change of what a directory holds, as the events of a moment add up to.
package enum LiveChange: Hashable, Sendable {
  /// The path, and everything below it, is gone.
  case removed(RelativePath)
  case addedFolder(RelativePath)
  /// A file or a link.
  case added(RelativePath, Item.Kind)
  /// The same file or folder has another path.
  case renamed(from: RelativePath, to: RelativePath)
  /// Its content, or whether it is executable, may differ.
  case modified(RelativePath)

  /// Edits of lists come first, then renames, then what leaves lists as they are.
  var rank: Int {
    switch self {
    case .removed: 0
    case .addedFolder, .added: 1
    case .renamed: 2
    case .modified: 3
    }
  }
}

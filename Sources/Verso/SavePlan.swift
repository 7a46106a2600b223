import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// What a save would change, before anything but objects is written.
struct SavePlan {
  /// A tracked file as the disk has it now.
  struct Entry {
    let kind: Item.Kind
    let id: ObjectID
    /// The 40 bytes of stat fields for git's index.
    let fields: [UInt8]
  }

  /// Changes of the tree, sorted by path; `nil` removes.
  var tree: [(path: RelativePath, entry: Entry?)] = []
  /// Changes of the index, sorted by path; `nil` removes.
  var index: [(path: RelativePath, entry: Entry?)] = []
  /// What the tree changes mean, for people.
  var changes: [PathChange] = []
  /// Renames that git's similarity would not see.
  var trailers: [SaveRequest.Trailer] = []
  var skipped: [Skipped] = []
  var held: [RelativePath] = []
  /// Whether the accepted deletions needed a person's word.
  var acceptedMassDeletion = 0

  var isEmpty: Bool { tree.isEmpty && index.isEmpty }
}

import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// What a save would change, before anything but objects is written.
struct SavePlan {
  /// A tracked file as the disk has it now.
  typealias Entry = StatEntry

  /// The change of one path.
  struct Step {
    let path: RelativePath
    /// What is to be there; `nil` removes.
    let entry: Entry?
    /// Whether the new tree differs there.
    var isInTree = true
    /// Whether the new index differs there.
    var isInIndex = true
  }

  /// Sorted by path.
  var steps: [Step] = []
  /// What the tree changes mean, for people.
  var changes: [PathChange] = []
  /// Renames that git's similarity would not see.
  var trailers: [SaveRequest.Trailer] = []
  var skipped: [Skipped] = []
  var held: [RelativePath] = []
  /// Pending notes that were renamed: an edit of the version that they are, and not of the branch's.
  var followed: [SavePlanner.Rename] = []
  /// Whether the accepted deletions needed a person's word.
  var acceptedMassDeletion = 0

  var changesIndex: Bool { steps.contains(where: \.isInIndex) }
}

package import VersoModel

/// A version that had to give way, kept as a file of its own beside the note.
package struct MergeConflict: Hashable, Sendable {
  /// The note.
  package let path: RelativePath
  /// Where the other version is now.
  package let copy: RelativePath
  /// Where it was written.
  package let device: String
  /// When, in seconds since 1970.
  package let time: Int64
}

/// What somebody should know about a merge.
package enum MergeWarning: Hashable, Sendable {
  /// Both sides changed a nested repository; one of its commits was taken.
  case nestedRepository(RelativePath)
  /// Names that some file systems do not tell apart; one side had them already.
  case twins([RelativePath])
}

/// What a merge of two commits makes, before anything is written.
struct PairPlan {
  /// On top of the first one's tree.
  var tree: LayeredTree
  /// Where files of the first commit are in `tree`, if elsewhere.
  var firstMoves: [RelativePath: RelativePath] = [:]
  var secondMoves: [RelativePath: RelativePath] = [:]
  var conflicts: [MergeConflict] = []
  var warnings: [MergeWarning] = []
}

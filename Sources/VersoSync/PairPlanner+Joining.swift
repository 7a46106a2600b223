import VersoGit
import VersoModel

extension PairPlanner {
  /// Of two histories that share nothing, which side has an earlier version of the other's file.
  ///
  /// A device that joins with last month's copy of the notes has nothing of its own there: its bytes
  /// are simply older. `nil` where neither is, and wherever there is a common base.
  func older(
    _ x: MergeEntry, _ y: MergeEntry, at path: RelativePath
  ) throws(GitError) -> Side? {
    guard divergence.bases.isEmpty else { return nil }
    if try isVersion(x.id, of: path, in: divergence.theirs) { return .first }
    if try isVersion(y.id, of: path, in: divergence.mine) { return .second }
    return nil
  }

  private func isVersion(
    _ blob: ObjectID, of path: RelativePath, in commits: [ObjectID]
  ) throws(GitError) -> Bool {
    for id in commits {
      if try reader.file(at: path, in: reader.node(id).tree)?.id == blob { return true }
    }
    return false
  }

  /// How the attributes of the merged tree want a text merged; `nil` for as a whole.
  func textStyle(of path: RelativePath) throws(GitError) -> TextMerge.Style? {
    .plain
  }
}

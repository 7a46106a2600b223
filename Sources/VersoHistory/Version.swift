package import VersoGit
package import VersoModel

/// One saved state of one path.
package struct Version: Hashable, Sendable {
  /// The commit that made it.
  package let commit: ObjectID
  /// Seconds since 1970 by the committer's clock.
  package let time: Int64
  /// Minutes east of UTC.
  package let timeZone: Int
  /// Where it was made.
  package let device: String
  /// The first paragraph of the commit's message, in one line.
  package let subject: String
  /// The path's name at that time.
  package let path: RelativePath
  package let kind: FileChange.Kind
  /// What stands there since: a file, or a folder with its tree; `nil` where it is gone.
  package let content: PathFinder.Found?
  /// What stood there before: for a rename, under the old name.
  package let before: PathFinder.Found?
  /// 0 for the life that the path has now, or had last; 1 for the one before that ended in a
  /// deletion, and so on.
  package let life: Int

  init(
    _ card: VersionCard, path: RelativePath, kind: FileChange.Kind,
    content: PathFinder.Found?, before: PathFinder.Found?, life: Int
  ) {
    commit = card.commit
    time = card.time
    timeZone = card.timeZone
    device = card.device
    subject = card.subject
    self.path = path
    self.kind = kind
    self.content = content
    self.before = before
    self.life = life
  }
}

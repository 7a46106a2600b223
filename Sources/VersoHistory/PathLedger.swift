import VersoGit
import VersoModel

/// What a walk through the versions of a path asks of history: git's trees answer, or an index.
protocol PathLedger: AnyObject {
  /// The commits that a walk down from `commit`, that one included, comes to next at which something
  /// may have happened to the path.
  func landings(
    of path: RelativePath, from commit: ObjectID
  ) throws -> [(commit: ObjectID, time: Int64)]

  /// What a landing has at the path, and how its parents compare.
  func standing(of path: RelativePath, at commit: ObjectID) throws -> Standing

  /// What a commit has at the path.
  func content(of path: RelativePath, at commit: ObjectID) throws -> PathFinder.Found?

  /// The old name of what the commit has at the path and that parent has not; where the parent has
  /// something there (`isKnown`), only a trailer can tell that another took its place.
  func source(
    of path: RelativePath, at commit: ObjectID, side: Int, isFolder: Bool, isKnown: Bool
  ) throws -> RelativePath?

  /// The new name of what the first parent has at the path and the commit has not.
  func destination(
    of path: RelativePath, at commit: ObjectID, isFolder: Bool
  ) throws -> RelativePath?

  /// What people are told of a commit.
  func card(of commit: ObjectID) throws -> VersionCard

  /// The walk has passed a commit.
  func forget(_ commit: ObjectID)
}

/// What stands at a path at one commit, and at its parents.
struct Standing {
  enum Other {
    case same
    case different
    case absent
  }

  let content: PathFinder.Found?
  let parents: [(commit: ObjectID, other: Other)]
}

/// What people are told of a commit.
struct VersionCard {
  let commit: ObjectID
  let time: Int64
  let timeZone: Int
  let device: String
  let subject: String
}

import VersoGit
import VersoModel

/// What a walk through the versions of a path asks of history: git's trees answer, or an index.
///
/// Commits are known by numbers that only mean something to the ledger that gave them.
protocol PathLedger: AnyObject {
  /// The number of a commit.
  func number(of commit: ObjectID) throws -> Int64

  /// The commits that a walk down from `commit`, that one included, comes to next at which something
  /// may have happened to the path.
  func landings(
    of path: RelativePath, from commit: Int64
  ) throws -> [(commit: Int64, time: Int64)]

  /// What a landing has at the path, and how its parents compare.
  func standing(of path: RelativePath, at commit: Int64) throws -> Standing

  /// What a commit has at the path.
  func content(of path: RelativePath, at commit: Int64) throws -> PathFinder.Found?

  /// The old name of what the commit has at the path and that parent has not; where the parent has
  /// something there (`isKnown`), only a trailer can tell that another took its place.
  func source(
    of path: RelativePath, at commit: Int64, side: Int, isFolder: Bool, isKnown: Bool
  ) throws -> RelativePath?

  /// The new name of what the first parent has at the path and the commit has not.
  func destination(
    of path: RelativePath, at commit: Int64, isFolder: Bool
  ) throws -> RelativePath?

  /// What people are told of a commit.
  func card(of commit: Int64) throws -> VersionCard

  /// The walk has passed a commit.
  func forget(_ commit: Int64)
}

/// What stands at a path at one commit, and at its parents.
struct Standing {
  enum Other {
    case same
    case different
    case absent
  }

  let content: PathFinder.Found?
  let parents: [(commit: Int64, other: Other)]
}

/// What people are told of a commit.
struct VersionCard {
  let commit: ObjectID
  let time: Int64
  let timeZone: Int
  let device: String
  let subject: String
}

import VersoGit
import VersoModel

/// Where something came from, or went to, in one commit.
struct RenameOrigin {
  let parent: ObjectID
  let child: ObjectID
  let hints: [RenameHint]

  /// The old name of what is new at `path`; `nil` where it came from nowhere.
  func source(
    of path: RelativePath, isFolder: Bool, in repository: Repository
  ) throws(GitError) -> RelativePath? {
    if let hinted = try hintedSource(of: path, in: repository) { return hinted }
    let entries = try TreeDifference.between(parent, child, in: repository)
    let pairs = try Renames.find(in: entries, hints: hints, around: path, of: repository)
    guard isFolder else { return pairs.first { $0.new == path }?.old }
    return try folder(of: path, pairs.map { ($0.new, $0.old) }, goneFrom: child, repository)
  }

  /// The new name of what is gone from `path`; `nil` where it was simply deleted.
  func destination(
    of path: RelativePath, isFolder: Bool, in repository: Repository
  ) throws(GitError) -> RelativePath? {
    let entries = try TreeDifference.between(parent, child, in: repository)
    let pairs = try Renames.find(in: entries, hints: hints, around: path, of: repository)
    guard isFolder else { return pairs.first { $0.old == path }?.new }
    return try folder(of: path, pairs.map { ($0.old, $0.new) }, goneFrom: parent, repository)
  }

  /// What a trailer names as the old name of `path`, if the trees bear it out: the old name in the
  /// parent and not in the child, the new one in the child.
  func hintedSource(
    of path: RelativePath, in repository: Repository
  ) throws(GitError) -> RelativePath? {
    for hint in hints {
      for reading in hint.readings where reading.new == path {
        if try exists(reading.old, in: parent, repository),
          try !exists(reading.old, in: child, repository)
        {
          return reading.old
        }
      }
    }
    return nil
  }

  private func exists(
    _ path: RelativePath, in tree: ObjectID, _ repository: Repository
  ) throws(GitError) -> Bool {
    var finder = PathFinder(path)
    return try finder.find(in: tree, of: repository) != nil
  }

  /// The folder that most files of `path` have on the other side under the same name below it.
  ///
  /// It must be wholly on the other side: a folder that is still there has not moved.
  private func folder(
    of path: RelativePath, _ pairs: [(here: RelativePath, there: RelativePath)],
    goneFrom tree: ObjectID, _ repository: Repository
  ) throws(GitError) -> RelativePath? {
    let best = FolderVotes(pairs).winner(for: path)
    guard let best, try !exists(best, in: tree, repository) else { return nil }
    return best
  }
}

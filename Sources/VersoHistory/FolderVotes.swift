import VersoModel

/// Which folder became which, by the files of theirs that moved under the same name below.
struct FolderVotes {
  private var votes: [RelativePath: [RelativePath: Int]] = [:]

  /// Counts the files that are `here` and were, or will be, `there`.
  init(_ pairs: [(here: RelativePath, there: RelativePath)]) {
    for (here, there) in pairs {
      var (near, far) = (here.parent, there.parent)
      var (tail, other) = (here.name, there.name)
      while tail.elementsEqual(other), !near.isRoot, !far.isRoot {
        votes[near, default: [:]][far, default: 0] += 1
        (tail, other) = (near.name, far.name)
        (near, far) = (near.parent, far.parent)
      }
    }
  }

  /// Each folder with the other one that most files speak for; among equals the last by name.
  var winners: [(path: RelativePath, other: RelativePath)] {
    votes.compactMap { path, counts in
      counts.max { a, b in (a.value, b.key) < (b.value, a.key) }.map { (path, $0.key) }
    }
  }

  func winner(for path: RelativePath) -> RelativePath? {
    votes[path]?.max { a, b in (a.value, b.key) < (b.value, a.key) }?.key
  }
}

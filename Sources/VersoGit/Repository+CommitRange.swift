import CGit2
package import VersoModel

/// What lies between two commits.
extension Repository {
  /// How many commits only the first of two has, and how many only the second.
  package func aheadBehind(
    _ ours: ObjectID, _ theirs: ObjectID
  ) throws(GitError) -> (ahead: Int, behind: Int) {
    var (a, b) = (git_oid(ours), git_oid(theirs))
    var (ahead, behind) = (0, 0)
    try GitError.check(
      git_graph_ahead_behind(&ahead, &behind, handle.pointer, &a, &b), "git_graph_ahead_behind")
    return (ahead, behind)
  }

  /// The commits that lead to one and not to another, newest first as far as clocks tell.
  package func commits(
    in commit: ObjectID, notIn other: ObjectID?
  ) throws(GitError) -> [ObjectID] {
    let walk = try Handle("git_revwalk_new", free: git_revwalk_free) {
      git_revwalk_new(&$0, handle.pointer)
    }
    var name = git_oid(commit)
    try GitError.check(git_revwalk_push(walk.pointer, &name), "git_revwalk_push")
    if let other {
      var hidden = git_oid(other)
      try GitError.check(git_revwalk_hide(walk.pointer, &hidden), "git_revwalk_hide")
    }
    var found: [ObjectID] = []
    var next = git_oid()
    while true {
      let status = git_revwalk_next(&next, walk.pointer)
      if status == GIT_ITEROVER.rawValue { return found }
      try GitError.check(status, "git_revwalk_next")
      found.append(ObjectID(next))
    }
  }
}

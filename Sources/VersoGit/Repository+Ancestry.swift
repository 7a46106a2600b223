import CGit2
import Glibc
package import VersoModel

extension Repository {
  /// Whether a commit is another one, or in its history.
  ///
  /// In a shallow clone the history ends where it was cut.
  package func isAncestor(_ old: ObjectID, of new: ObjectID) throws(GitError) -> Bool {
    if old == new { return true }
    var (ancestor, descendant) = (git_oid(old), git_oid(new))
    let status = git_graph_descendant_of(handle.pointer, &descendant, &ancestor)
    // libgit2 1.5 does not know where a shallow clone ends and misses what lies behind.
    if status == GIT_ENOTFOUND.rawValue, try contains(old), try contains(new) {
      let roots = try shallowRoots()
      if !roots.isEmpty { return try isAncestor(old, of: new, before: roots) }
    }
    try GitError.check(status, "git_graph_descendant_of")
    return status == 1
  }

  private func isAncestor(
    _ old: ObjectID, of new: ObjectID, before roots: Set<ObjectID>
  ) throws(GitError) -> Bool {
    var (seen, queue): (Set<ObjectID>, [ObjectID]) = ([new], [new])
    while let next = queue.popLast() {
      if next == old { return true }
      if roots.contains(next) { continue }
      for parent in try commit(next).parents where seen.insert(parent).inserted {
        queue.append(parent)
      }
    }
    return false
  }

  /// Makes a reference that is no branch name an object, whatever it named before.
  ///
  /// For references of our own, which nothing else writes.
  package func point(_ reference: String, to id: ObjectID) throws(GitError) {
    precondition(reference.hasPrefix("refs/verso/"), "branches move by ReferenceUpdate")
    try pastDeadLock(of: reference) { () throws(GitError) in
      var made: OpaquePointer?
      var target = git_oid(id)
      let status = git_reference_create(&made, handle.pointer, reference, &target, 1, nil)
      git_reference_free(made)
      try GitError.check(status, "git_reference_create")
    }
  }

  /// How often a reference of ours that another process is writing is tried again, 20 ms apart.
  private static let lockAttempts = 100

  /// Writes a reference of ours, also where a process was killed while it wrote it.
  ///
  /// Nothing but Verso writes these, for a moment each: a lock file that is there for two seconds has
  /// nobody who would take it away.
  private func pastDeadLock(
    of reference: String, _ write: () throws(GitError) -> Void
  ) throws(GitError) {
    for _ in 0..<Self.lockAttempts {
      do throws(GitError) { return try write() } catch {
        guard error.code == .locked else { throw error }
        usleep(20_000)
      }
    }
    unlink("\(commonDirectory)/\(reference).lock")
    try write()
  }

  /// Removes a reference of ours; one that is not there is no error.
  package func remove(_ reference: String) throws(GitError) {
    precondition(reference.hasPrefix("refs/verso/"), "branches are the user's")
    try pastDeadLock(of: reference) { () throws(GitError) in
      try GitError.check(git_reference_remove(handle.pointer, reference), "git_reference_remove")
    }
  }

  /// The full names of the references of ours below a folder, such as `refs/verso/drafts`.
  package func references(below folder: String) throws(GitError) -> [String] {
    var iterator: OpaquePointer?
    try GitError.check(
      git_reference_iterator_glob_new(&iterator, handle.pointer, "\(folder)/*"),
      "git_reference_iterator_glob_new")
    defer { git_reference_iterator_free(iterator) }
    var names: [String] = []
    var found: UnsafePointer<CChar>?
    while git_reference_next_name(&found, iterator) == 0 {
      if let found { names.append(String(cString: found)) }
    }
    return names
  }
}

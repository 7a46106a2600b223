package import VersoGit
package import VersoModel

/// Tells a remote that has moved on from one that was rewritten.
///
/// A rewritten remote (somebody forced a push, or put an old copy of the repository in its place) no
/// longer has commits that this device has seen there. To merge would bring back what was taken out on
/// purpose, to take it over would lose what was lost by mistake: a person has to say which.
package enum RewriteGuard {
  /// What a remote's tip is to the last one that was taken over.
  package enum Verdict: Hashable, Sendable {
    /// The first tip ever seen there.
    case first
    case unchanged
    /// The last one is in its history.
    case forward
    /// The last one is not in its history.
    case rewritten(from: ObjectID, to: ObjectID)
    /// The branch is no longer there, or the repository is new and empty.
    case gone(ObjectID)
    /// There was none, and there is none.
    case nothing
  }

  /// Compares two tips.
  ///
  /// - Parameter isAncestor: Whether the first commit is in the history of the second.
  package static func verdict<E: Error>(
    seen: ObjectID?, tip: ObjectID?, isAncestor: (ObjectID, ObjectID) throws(E) -> Bool
  ) throws(E) -> Verdict {
    switch (seen, tip) {
    case (nil, nil): return .nothing
    case (nil, _?): return .first
    case (let seen?, nil): return .gone(seen)
    case (let seen?, let tip?):
      if seen == tip { return .unchanged }
      return try isAncestor(seen, tip) ? .forward : .rewritten(from: seen, to: tip)
    }
  }
}

extension Repository {
  /// Compares what was fetched with the last tip that was taken over (``RemoteReferences/seen``).
  package func rewriteVerdict(
    _ references: RemoteReferences, tip: ObjectID?
  ) throws(GitError) -> RewriteGuard.Verdict {
    let seen = try id(ofReference: references.seen)
    return try RewriteGuard.verdict(seen: seen, tip: tip) { (old, new) throws(GitError) in
      try isAncestor(old, of: new)
    }
  }

  /// Notes that a tip of the remote was merged, or that ours was pushed.
  ///
  /// - Precondition: The vault lock is held.
  package func takeOver(_ tip: ObjectID, _ references: RemoteReferences) throws(GitError) {
    try point(references.seen, to: tip)
  }

  /// Keeps both tips of a rewrite from being collected, each under a name of its own.
  ///
  /// - Returns: The two references.
  package func keep(
    from old: ObjectID, to new: ObjectID, _ references: RemoteReferences
  ) throws(GitError) -> (old: String, new: String) {
    let names = (old: "\(references.rewritten)/\(old)", new: "\(references.rewritten)/\(new)")
    try point(names.old, to: old)
    try point(names.new, to: new)
    return names
  }
}

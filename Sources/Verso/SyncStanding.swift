import VersoDisk
import VersoGit
package import VersoModel
import VersoSync

/// How a vault stands to the other devices, as far as it is known without asking the remote.
package struct SyncStanding: Sendable {
  /// Versions that the remote lacks; `nil` without a remote, or before the first sync.
  package var ahead: Int?
  /// Versions of others that were fetched and are not joined yet.
  package var behind: Int?
  /// Why the branch of HEAD is not synchronised; `nil` where it is.
  package var otherBranch: String?
  package var conflicts: [OpenConflict] = []
  /// Files that other devices deleted, suspiciously many at once, and that are still here.
  package var kept: [RelativePath] = []
  /// Files whose newer version is not written yet.
  package var pending: [RelativePath] = []

  /// Whether a person should look.
  package var needsLook: Bool {
    !conflicts.isEmpty || !kept.isEmpty || !pending.isEmpty || otherBranch != nil
  }
}

extension Engine {
  /// How the vault stands to the other devices.
  package func syncStanding() throws(VersoError) -> SyncStanding {
    var standing = SyncStanding()
    standing.conflicts = try openConflicts()
    standing.kept = try keptFiles().keys.sorted()
    standing.pending = try readPending().keys.sorted()
    guard let remote = settings.remote else { return standing }
    do throws(GitError) {
      guard case .branch(let reference, let head) = try repository.head() else { return standing }
      let current = Self.shortName(ofBranch: reference)
      let branch = settings.branch ?? current
      if branch != current {
        standing.otherBranch = "\(current) is not synchronised, \(branch) is"
        return standing
      }
      let references = RemoteReferences(remote: remote, branch: branch)
      guard let head, let seen = try repository.id(ofReference: references.seen) else {
        return standing
      }
      let counts = try repository.aheadBehind(head, seen)
      standing.ahead = counts.ahead
      let fetched = try repository.id(ofReference: references.fetched) ?? seen
      standing.behind = try repository.aheadBehind(head, fetched).behind
    } catch { throw VersoError(error, "compare \(root) with what \(remote) had") }
    return standing
  }

  /// The kept files that still are what they were: not saved again, and not gone.
  func keptFiles() throws(VersoError) -> [RelativePath: Journal.Content] {
    let kept = try readKept()
    if kept.isEmpty { return kept }
    let table = try openIndex()?.table ?? .empty
    return kept.filter { path, _ in table.row(of: path) == nil && isOnDisk(path) }
  }

  /// Whether a file is only here because others deleted it with suspiciously many.
  package func isKept(_ path: RelativePath) throws(VersoError) -> Bool {
    try keptFiles()[path] != nil
  }

  /// Lets saves take files up again that were kept.
  func takeBackKept(_ paths: [RelativePath]) throws(VersoError) {
    var kept = try readKept()
    if kept.isEmpty { return }
    for path in paths { kept[path] = nil }
    try writeKept(kept)
  }
}

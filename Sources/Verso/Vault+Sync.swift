public import VersoModel

extension Vault {
  /// What an exchange with other devices did.
  public struct Sync: Hashable, Sendable {
    /// The commit that the remote has now; `nil` where it has none, or where no remote is set.
    public let commit: ObjectID?
    /// How many versions came.
    public let received: Int
    /// How many versions went.
    public let sent: Int
    /// Files that were written or removed, sorted by path.
    public let written: [RelativePath]
    /// Conflict copies that were made.
    public let conflicts: [Conflict]
    /// Files that other devices deleted, suspiciously many at once: they stay until a person agrees.
    public let held: [RelativePath]
    /// Files that are to be written once they are left alone.
    public let pending: [RelativePath]

    init(_ outcome: SyncOutcome) {
      commit = outcome.tip
      received = outcome.fetched?.versions ?? 0
      sent = outcome.pushed?.versions ?? 0
      written = outcome.written.sorted()
      conflicts = outcome.conflicts.map(Vault.Conflict.init)
      held = outcome.held
      pending = outcome.pending.map(\.path)
    }
  }

  /// A note that two devices changed in ways that could not be joined.
  public struct Conflict: Hashable, Sendable {
    /// The note, which holds one of the two versions.
    public let path: RelativePath
    /// The file beside it that holds the other.
    public let copy: RelativePath
    /// The device whose version the copy is.
    public let device: String
    /// When that was saved, in seconds since 1970.
    public let time: Int64

    init(_ conflict: Verso.Conflict) {
      path = conflict.path
      copy = conflict.copy
      device = conflict.device
      time = conflict.time
    }
  }
}

public import VersoModel

/// What happens in a vault that is watched: the elements of ``Vault/watch(settle:)``.
public enum VaultEvent: Sendable {
  /// What the directory holds at this moment.
  ///
  /// The first element of every stream; and again, in place of single changes, where the reader was
  /// slower than the disk or events were lost on the way.
  case snapshot(Snapshot)
  /// What the directory holds has changed. Not saved yet.
  case changed(Changes)
  /// A version was made.
  case saved(Vault.Save)
  /// Versions came from other devices, or went to them.
  case synced(Vault.Sync)
  /// The remote cannot be reached, or something else keeps devices apart; saving goes on.
  case unsynced(VersoError)
  /// Saving waits for something: a merge that is open, a full disk, the end of a pause.
  case waiting(VersoError)
  /// Saving goes on after it waited.
  case resumed
  /// The directory is not there, and nothing is saved until it is again; why.
  case offline(String)
  /// The directory is there again.
  case online
  /// Changes are found by looking now and then; why, and what to do.
  case limited(String)
  /// The watching has ended with an error; the last element.
  case failed(VersoError)

  /// Everything a directory holds, ignored files left out.
  public struct Snapshot: Hashable, Sendable {
    /// Folders and files, each folder before what it holds, in byte order. Contents are not known.
    public let items: [Item]
  }

  /// What one batch of events adds up to.
  ///
  /// To be applied so: everything in `removed`, and the old paths of `renamed`, are taken out, with all
  /// below them, folders after what they hold; then everything in `added`, and the new paths of
  /// `renamed`, are put in, folders before what they hold. Two notes that were exchanged are two renames.
  public struct Changes: Hashable, Sendable {
    /// Each with all that was below it.
    public internal(set) var removed: [RelativePath] = []
    public internal(set) var added: [Item] = []
    public internal(set) var renamed: [Rename] = []
    /// Files whose content, or execute bit, may have changed.
    public internal(set) var modified: [RelativePath] = []
  }

  /// The same file or folder under another path.
  public struct Rename: Hashable, Sendable {
    public let old: RelativePath
    public let new: RelativePath
  }
}

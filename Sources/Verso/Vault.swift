import Dispatch
import VersoDisk
import VersoGit
import VersoHistory
import VersoWatch
public import VersoModel

/// A vault, for programs that embed Verso: a directory of notes that is an ordinary git repository
/// and writes its own history.
///
/// An actor on a queue of its own: what blocks (the disk, git) blocks that queue, never Swift's
/// cooperative pool. Values come back, no handles.
public actor Vault {
  private let queue: VaultQueue
  let engine: Engine

  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// The root directory, absolute, links resolved.
  public nonisolated let root: String

  private var watching: VaultWatch?

  private init(_ engine: sending Engine, queue: VaultQueue) {
    root = engine.root
    self.engine = engine
    self.queue = queue
  }

  /// Opens the vault at or above a path.
  ///
  /// - Throws: ``VersoError/Code/noVault`` where there is none, ``VersoError/Code/refused`` where
  ///   the repository is one that Verso must not touch.
  public static func open(at path: String) async throws(VersoError) -> Vault {
    Vault(try Engine.open(above: path), queue: VaultQueue())
  }

  /// Makes a directory a vault and opens it; what it holds becomes the first version.
  ///
  /// A directory that is a vault already is opened, and what changed is saved.
  ///
  /// - Throws: ``VersoError/Code/refused`` for places that nobody should version, and for more than
  ///   200,000 files or 2 GiB, which a person should be asked about.
  public static func create(at path: String) async throws(VersoError) -> Vault {
    let made = try Initialiser(directory: path) { _ in nil }.run()
    return try await open(at: made.root)
  }

  /// What a save did.
  public struct Save: Hashable, Sendable {
    /// The commit; `nil` where nothing had changed.
    public let commit: ObjectID?
    /// Its subject, such as `Edit ideas/todo.md`.
    public let subject: String?
    /// What it changed, sorted by path.
    public let changes: [PathChange]
    /// Paths that are left alone, each with a sentence that says why.
    public let skipped: [RelativePath]
    /// Deletions that wait for a person, as there are suspiciously many.
    public let held: [RelativePath]

    init(_ outcome: SaveOutcome) {
      commit = outcome.commit
      subject = outcome.subject
      changes = outcome.changes
      skipped = outcome.skipped.map(\.path)
      held = outcome.held
    }
  }

  /// Saves what changed as one commit; none where nothing did.
  ///
  /// Looks again after 300 ms at what changed within the last second, for at most 5 s.
  ///
  /// - Parameters:
  ///   - paths: Only these and what lies below them; `nil` for everything.
  ///   - message: The subject, in place of one made from the changes.
  /// - Throws: ``VersoError/Code/locked``, ``VersoError/Code/refused``, ``VersoError/Code/failed``.
  ///   Paths that cannot be read, and deletions that are held, are no errors: see ``Save``.
  @discardableResult
  public func save(
    _ paths: [RelativePath]? = nil, message: String? = nil
  ) throws(VersoError) -> Save {
    var request = SaveRequest(paths: paths)
    request.message = message
    return Save(try engine.save(request))
  }

  /// Saves paths that the caller knows to have come to rest, without looking twice.
  @discardableResult
  public func saveSettled(_ paths: [RelativePath]) throws(VersoError) -> Save {
    var request = SaveRequest(paths: paths)
    request.settles = false
    return Save(try engine.save(request))
  }

  /// Saves, takes in what other devices have saved, and gives them what they lack.
  ///
  /// In a vault without a remote it is a save. Nobody is asked for a passphrase or a password.
  ///
  /// - Parameter timeout: For all of it; `nil` for as long as it makes progress.
  /// - Throws: ``VersoError/Code/unreachable`` where the remote cannot be reached, or refuses;
  ///   ``VersoError/Code/refused`` where its history was rewritten; what ``save(_:message:)`` throws.
  @discardableResult
  public func sync(timeout: Duration? = nil) throws(VersoError) -> Sync {
    var request = SyncRequest()
    request.timeout = timeout.map { length in
      Double(length.components.seconds) + Double(length.components.attoseconds) / 1e18
    }
    return Sync(try engine.sync(request) { saving throws(VersoError) in try engine.save(saving) })
  }

  // MARK: Watching

  /// Saves each change once it has settled, and tells what happens, for as long as somebody reads the
  /// events.
  ///
  /// Readers share one watcher, on a thread of its own; the first decides how it settles. Every stream
  /// begins with a snapshot. Other programs may work in the vault, `verso` and git included.
  ///
  /// - Parameter settle: How long nothing may happen before a version is made; 30 s after the first
  ///   change of a burst one is made all the same, of what has come to rest.
  /// - Returns: The events; dropping the stream ends the watching once nobody else reads.
  public func watch(settle: Duration = .seconds(2)) -> VaultEvents {
    var rules = Reconciler.Rules()
    let (seconds, attoseconds) = settle.components
    rules.settle = Double(seconds) + Double(attoseconds) / 1e18
    return listen(rules, saves: true)
  }

  /// Tells what happens without making a version of anything.
  package func watchWithoutSaving() -> VaultEvents { listen(Reconciler.Rules(), saves: false) }

  private func listen(_ rules: Reconciler.Rules, saves: Bool) -> VaultEvents {
    if let watching, !watching.isOver { return watching.listen() }
    let made = VaultWatch.start(root: root, rules: rules, saves: saves)
    watching = made
    return made.listen()
  }

  /// Has the watcher take in everything that happened on the disk before this call.
  ///
  /// Its events say what there was.
  package func passBarrier() -> Barrier { watching?.passBarrier() ?? .unanswered }

  /// What a watcher says when it was asked to take in everything.
  package enum Barrier: Sendable {
    /// There is none, or it has not begun.
    case unanswered
    /// Some of it is not told yet, such as a deletion that may be half of a rename, or not saved.
    case restless
    /// All is told and saved.
    case quiet
  }

  /// Ends the watching after what has settled is saved; the streams end.
  public func stopWatching() {
    watching?.stop()
    watching = nil
  }

  // MARK: Looking

  /// What has not been saved yet, sorted by path.
  public func unsavedChanges() throws(VersoError) -> [PathChange] {
    try engine.status().changes
  }

  /// The tree of the last version; an empty one before the first.
  public func tree() throws(VersoError) -> Tree { try engine.headTree() }

  /// The bytes of a note as last saved; `nil` where the last version has no such note.
  public func content(of path: RelativePath) throws(VersoError) -> [UInt8]? {
    try engine.headContent(of: path)
  }

  /// One saved state of a path.
  public struct Version: Hashable, Sendable {
    /// The commit that made it.
    public let commit: ObjectID
    /// Seconds since 1970, by the clock of the device that made it.
    public let time: Int64
    /// The device that made it.
    public let device: String
    /// The first line of its description.
    public let subject: String
    /// The path's name at that time.
    public let path: RelativePath
    /// What happened to it.
    public let kind: PathChange.Kind

    package init(
      commit: ObjectID, time: Int64, device: String, subject: String, path: RelativePath,
      kind: PathChange.Kind
    ) {
      (self.commit, self.time, self.device) = (commit, time, device)
      (self.subject, self.path, self.kind) = (subject, path, kind)
    }
  }

  /// The versions of a note or folder, newest first, followed through renames; also of one that is
  /// deleted now. Empty for a path that never was.
  ///
  /// - Parameters:
  ///   - path: Of a note or a folder.
  ///   - limit: How many at most.
  public func versions(
    of path: RelativePath, limit: Int = 100
  ) throws(VersoError) -> [Version] {
    try engine.versions(of: path, limit: limit)
  }

  /// Brings a path back as it was after a commit: saves what is there, writes, saves again.
  ///
  /// - Returns: The save of what was brought back.
  /// - Throws: ``VersoError/Code/usage`` where the commit does not have it.
  @discardableResult
  public func restore(
    _ path: RelativePath, from commit: ObjectID
  ) throws(VersoError) -> Save {
    var request = RestoreRequest(path: path)
    request.place = try engine.place(of: path, at: commit)
    return Save(try engine.restore(request).save)
  }

  /// Takes back the last restore of this device.
  ///
  /// - Throws: ``VersoError/Code/usage`` where there is none, ``VersoError/Code/refused`` where a
  ///   path has changed since.
  @discardableResult
  public func undo() throws(VersoError) -> Save {
    Save(try engine.undo(redoing: false, isDryRun: false, wait: 10).save)
  }
}

/// The serial queue that a vault's work runs on (`DispatchSerialQueue` is not there on Linux).
private final class VaultQueue: SerialExecutor {
  private let queue = DispatchQueue(label: "verso.vault")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

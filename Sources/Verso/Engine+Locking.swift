import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// A vault that nobody else works in for now.
struct HeldVault: ~Copyable {
  let lock: VaultLock
  /// Verso's own folder in the git directory.
  let own: Descriptor
}

extension Engine {
  /// Takes the vault's lock for one operation.
  ///
  /// - Parameter wait: Seconds to wait for another process.
  func lockVault(wait: Double) throws(VersoError) -> HeldVault {
    let own = try ownFolder()
    do throws(VaultLockError) {
      let lock = try VaultLock.acquire(
        in: own.number, wait: wait, command: Self.command, store: store)
      return HeldVault(lock: lock, own: own)
    } catch {
      switch error.reason {
      case .held:
        throw VersoError(.locked, "\(error)", hint: "nothing was changed in \(root)")
      case .disk(let error): throw VersoError(error)
      case .unsupported: throw VersoError(.failed, "\(error)")
      }
    }
  }

  /// This process by the words it was called with, for messages of others.
  private static var command: String {
    CommandLine.arguments.prefix(2).enumerated().map { number, word in
      number == 0 ? String(word.split(separator: "/").last ?? "verso") : word
    }.joined(separator: " ")
  }

  /// Finishes or takes back what an earlier process was killed in.
  func recover(_ lock: borrowing HeldVault) throws(VersoError) {
    do throws(DiskError) { try recoverLocks() } catch { throw VersoError(error) }
    try finishJournal(lock)
  }

  /// Removes the locks and drafts that a killed process of ours left.
  ///
  /// - Precondition: The vault lock is held.
  func recoverLocks() throws(DiskError) {
    try Initialiser.clearDraft(in: rootFolder.number, store)
    try ConfigurationEdit.recover(gitDirectory: gitFolder.number, store: store)
    try IndexLock.recover(gitDirectory: gitFolder.number, store: store)
    try CollectionLock.recover(
      gitDirectory: gitFolder.number, commonDirectory: commonFolder.number, store: store)
    try ReferenceUpdate.recover(
      gitDirectory: gitFolder.number, commonDirectory: commonFolder.number, store: store)
    try store.unlinking(
      Array("\(OwnFile.folder)/\(OwnFile.index)".utf8), in: gitFolder.number)
    try Maintenance.removeDeadTemporaries(objects: objectsFolder.number, store: store)
  }

  /// Stops where the root is not the one that the history belongs to.
  ///
  /// - Parameter records: Whether to remember what is there now for the next run.
  func checkRoot(records: Bool = true) throws(VersoError) {
    let identity: RootIdentity
    do throws(DiskError) {
      // Through the path, not the descriptor: a mount on top or a new folder shows only there.
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      identity = try self.identity(of: folder.number)
      let opened = try store.status(of: rootFolder.number)
      let there = try store.status(of: folder.number)
      guard opened.inode == there.inode, opened.device == there.device else {
        throw DiskError(code: ESTALE, operation: "recognise the root", path: Array(root.utf8))
      }
    } catch {
      throw VersoError(
        .refused, "\(root) is not where it was (\(error.reason)), so nothing is saved",
        hint: "mount the disk or put the folder back, then save again; nothing was lost")
    }
    let record = try readOwnSurely(OwnFile.root)
    if let record, let earlier = RootIdentity(encoded: record),
      let mismatch = identity.mismatch(with: earlier, since: .earlierRun)
    {
      throw VersoError(.refused, "\(root): \(mismatch)", hint: "nothing was saved")
    }
    if records, record != identity.encoded {
      try writeOwn(identity.encoded, OwnFile.root)
    }
  }

  /// Keeps `git gc` from deleting what is written and not yet part of history; held until the
  /// branch is moved.
  ///
  /// - Precondition: The vault lock is held.
  func keepObjects(wait: Double) throws(VersoError) -> CollectionLock {
    let expiry = setting("gc.pruneExpire")
    do throws(LockError) {
      return try CollectionLock.take(
        gitDirectory: gitFolder.number, commonDirectory: commonFolder.number, store: store,
        prunesNow: expiry == "now" || expiry == "all", wait: wait)
    } catch { throw VersoError(storing: error) }
  }

  // MARK: Children

  /// Adds a version to the history index, and packs loose objects when there are many; never while a
  /// lock is held.
  ///
  /// Looking costs a few milliseconds, so one save in sixteen looks: which, its id says.
  func maintain(after commit: ObjectID?) {
    guard let commit else { return }
    keepHistoryIndex()
    guard commit.bytes[0] & 15 == 0 else { return }
    _ = Maintenance(
      gitDirectory: repository.gitDirectory, objects: objectsFolder.number, store: store,
      runner: Programs()
    ).runIfNeeded()
  }
}

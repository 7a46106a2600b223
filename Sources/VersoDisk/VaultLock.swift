import Glibc
import VersoModel

/// Why a vault could not be locked.
package struct VaultLockError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// Another process works in the vault; who, where it says so.
    case held(by: VaultLock.Holder?)
    /// The file system of the git directory has no locks (`ENOLCK`, `ENOSYS`, `EOPNOTSUPP`).
    case unsupported(DiskError)
    /// The lock file could not be opened.
    case disk(DiskError)
  }

  package let reason: Reason

  package init(reason: Reason) { self.reason = reason }

  package var description: String {
    switch reason {
    case .held(let holder?):
      "another verso works in this vault: \(holder.command) (process \(holder.process)). "
        + "Try again when it has ended"
    case .held(nil): "another verso works in this vault. Try again when it has ended"
    case .unsupported(let error):
      "the file system of the git directory has no locks (\(error.reason)). "
        + "Keep the git directory on a local disk"
    case .disk(let error): error.description
    }
  }
}

/// The right to work in a vault, for one operation.
///
/// It is a kernel lock (flock(2)), which goes with the process that holds it: nothing is left behind
/// that a person would have to delete. The file stays, and says who holds the lock for messages only.
///
/// A killed holder's lock lasts as long as a child that it had forked and that has not yet run another
/// program: the descriptor closes on exec.
package struct VaultLock: ~Copyable {
  /// Who holds a lock, by its own words.
  package struct Holder: Hashable, Sendable {
    package let process: Int32
    /// What it was called with, such as "verso save".
    package let command: String

    package init(process: Int32, command: String) {
      self.process = process
      self.command = command
    }
  }

  /// The name of the lock file in Verso's folder of the git directory.
  package static let fileName = Array("lock".utf8)

  private let file: Descriptor
  private let store: any FileStore

  private init(file: consuming Descriptor, store: any FileStore) {
    self.file = file
    self.store = store
  }

  deinit {
    // Still under the lock, so that nobody reads of a holder that has gone. Only words: no harm
    // where it fails.
    _ = store.truncate(file.number, 0)
    // Not left to the close: a child that is forked just now has the descriptor until it execs.
    _ = store.unlock(file.number)
  }

  /// Takes the lock, waiting for another process to let it go.
  ///
  /// - Parameters:
  ///   - folder: Verso's folder in the git directory, open.
  ///   - wait: Seconds to wait at most; 0 tries once.
  ///   - command: What to tell others that find the vault locked.
  ///   - store: By which to lock.
  /// - Returns: The lock, held until it is dropped.
  /// - Throws: ``VaultLockError``.
  package static func acquire(
    in folder: Int32, wait: Double, command: String, store: any FileStore
  ) throws(VaultLockError) -> VaultLock {
    let deadline = MonotonicTime.now() + wait
    var pause = 0.002
    while true {
      let file = try open(in: folder, store)
      if try lock(file.number, store), try isCurrent(file.number, in: folder, store) {
        sign(file.number, command, store)
        return VaultLock(file: file, store: store)
      }
      if MonotonicTime.now() >= deadline {
        throw VaultLockError(reason: .held(by: holder(in: folder, store)))
      }
      MonotonicTime.pause(min(pause, max(0.001, deadline - MonotonicTime.now())))
      pause = min(pause * 1.5, 0.1)
    }
  }

  private static func open(
    in folder: Int32, _ store: any FileStore
  ) throws(VaultLockError) -> Descriptor {
    do throws(DiskError) {
      return try store.opening(
        fileName, in: folder, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
    } catch { throw VaultLockError(reason: .disk(error)) }
  }

  private static func lock(
    _ file: Int32, _ store: any FileStore
  ) throws(VaultLockError) -> Bool {
    var result: Int32
    repeat { result = store.tryLock(file) } while result == -EINTR
    if result >= 0 { return true }
    if result == -EAGAIN { return false }
    let error = store.failure(-result, "lock", fileName, of: file)
    switch -result {
    case ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL: throw VaultLockError(reason: .unsupported(error))
    default: throw VaultLockError(reason: .disk(error))
    }
  }

  /// Whether the locked file still bears the name: Verso's folder may be deleted at any time, and a
  /// lock on a file without a name keeps nobody out.
  private static func isCurrent(
    _ file: Int32, in folder: Int32, _ store: any FileStore
  ) throws(VaultLockError) -> Bool {
    do throws(DiskError) {
      let locked = try store.status(of: file)
      guard let named = try store.status(of: fileName, in: folder) else { return false }
      return named.inode == locked.inode && named.device == locked.device
    } catch { throw VaultLockError(reason: .disk(error)) }
  }

  private static func sign(_ file: Int32, _ command: String, _ store: any FileStore) {
    // Words for messages: a full disk must not keep anybody from working.
    _ = store.truncate(file, 0)
    _ = Array("\(getpid())\n\(command)\n".utf8).withUnsafeBytes { bytes in
      bytes.baseAddress.map { store.pwrite(file, $0, bytes.count, 0) }
    }
  }

  private static func holder(in folder: Int32, _ store: any FileStore) -> Holder? {
    do throws(DiskError) {
      guard let bytes = try store.readFile(fileName, in: folder) else { return nil }
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      guard lines.count == 2, let process = Int32(String(decoding: lines[0], as: UTF8.self))
      else { return nil }
      return Holder(process: process, command: String(decoding: lines[1], as: UTF8.self))
    } catch { return nil }
  }
}

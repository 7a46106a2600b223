import Glibc
package import VersoDisk

/// git's own lock on the index, `index.lock`, held by us.
///
/// While it is held, no git command writes the index or commits from it. It is released by
/// ``release()``, or when dropped, and only if the file there still is ours: a user who removed it
/// by hand, and the git that then took it, are left alone.
package struct IndexLock: ~Copyable {
  private let gitDirectory: Int32
  private let store: any FileStore
  private let token: LockToken
  private var isHeld = true

  static let path = Array("index.lock".utf8)
  private static let draft = Array("verso/index.lock.new".utf8)

  private init(gitDirectory: Int32, store: any FileStore, token: LockToken) {
    (self.gitDirectory, self.store, self.token) = (gitDirectory, store, token)
  }

  /// Takes the lock, waiting while somebody else has it.
  ///
  /// Tries again after 10 ms, then after pauses that double up to 200 ms. It takes no dead lock
  /// away: ``recover(gitDirectory:store:)`` does, once, at the start.
  ///
  /// - Precondition: The vault lock is held, and no other ``IndexLock`` of this git directory.
  /// - Parameters:
  ///   - gitDirectory: The git directory, open. It has to stay open as long as the lock is held.
  ///   - wait: The longest wait in seconds; 0 means one attempt.
  /// - Throws: ``LockError/held(path:age:)`` when the time is over.
  package static func take(
    gitDirectory: Int32, store: any FileStore, wait: Double
  ) throws(LockError) -> IndexLock {
    do throws(DiskError) {
      let token = try LockToken(gitDirectory: gitDirectory, store: store)
      var patience = Patience(seconds: wait)
      repeat {
        if try attempt(gitDirectory, store, token) == .taken {
          return IndexLock(gitDirectory: gitDirectory, store: store, token: token)
        }
      } while patience.wait()
      throw DiskError(code: EEXIST, operation: "lock", path: path)
    } catch  where error.code == EEXIST && error.operation == "lock" {
      throw try held(gitDirectory, store)
    } catch {
      throw .disk(error)
    }
  }

  private static func held(
    _ gitDirectory: Int32, _ store: any FileStore
  ) throws(LockError) -> LockError {
    do throws(DiskError) {
      return .held(
        path: store.fullPath(path, in: gitDirectory),
        age: try store.age(of: path, in: gitDirectory))
    } catch {
      throw .disk(error)
    }
  }

  private static func attempt(
    _ gitDirectory: Int32, _ store: any FileStore, _ token: LockToken
  ) throws(DiskError) -> LockAttempt {
    let linked = try store.lockByLink(
      path, in: gitDirectory, to: LockToken.path, in: gitDirectory)
    guard linked == .unsupported else { return linked }
    return try store.lockByContent(
      path, in: gitDirectory, content: token.text, draft: draft, in: gitDirectory)
  }

  /// Whether the file there still is ours: `false` after somebody removed it by hand.
  package func isStillHeld() throws(DiskError) -> Bool {
    try token.owns(Self.path, in: gitDirectory, store: store)
  }

  /// Lets go. A lock file that is gone, or somebody else's by now, is no error.
  ///
  /// - Throws: ``DiskError``; the lock file then is still there, and
  ///   ``recover(gitDirectory:store:)`` removes it later.
  package consuming func release() throws(DiskError) {
    isHeld = false
    try Self.remove(gitDirectory, store, token)
  }

  deinit {
    guard isHeld else { return }
    // A deinit cannot report; what stays behind is ours by proof, and recover removes it.
    do throws(DiskError) { try Self.remove(gitDirectory, store, token) } catch {}
  }

  /// Removes the lock that a killed process of ours left.
  ///
  /// The vault lock says that no process of ours is at work, so an `index.lock` that is the token's
  /// own inode (or, without hard links, has its content) belongs to nobody alive. Everything else
  /// is left.
  ///
  /// - Precondition: The vault lock is held, and no ``IndexLock``.
  /// - Returns: Whether there was one.
  @discardableResult
  package static func recover(
    gitDirectory: Int32, store: any FileStore
  ) throws(DiskError) -> Bool {
    guard let token = try LockToken.existing(gitDirectory: gitDirectory, store: store) else {
      return false
    }
    return try remove(gitDirectory, store, token)
  }

  @discardableResult
  private static func remove(
    _ gitDirectory: Int32, _ store: any FileStore, _ token: LockToken
  ) throws(DiskError) -> Bool {
    guard try token.owns(path, in: gitDirectory, store: store) else { return false }
    return try store.unlinking(path, in: gitDirectory)
  }
}

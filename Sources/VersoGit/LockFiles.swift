import Glibc
import VersoDisk
import VersoModel

/// Small files and lock files, as ``IndexLock`` and ``ReferenceUpdate`` need them.
extension FileStore {
  /// Writes a file that is a new inode; one that has the name is unlinked first.
  ///
  /// Never truncated in place: an old inode may by now have a second name that means something.
  ///
  /// - Parameter syncs: Whether it is durable on return; a lock need not outlive the machine.
  func writeFresh(
    _ bytes: [UInt8], to path: [UInt8], in directory: Int32, mode: UInt32, syncs: Bool = true
  ) throws(DiskError) {
    try unlinking(path, in: directory)
    let file = try opening(
      path, in: directory, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    try writingAll(bytes, to: file.number, path: path)
    if syncs { try syncing(file.number, path: path) }
  }

  /// Makes the names in a folder durable.
  func syncFolder(_ path: [UInt8], in directory: Int32) throws(DiskError) {
    let folder = try opening(path, in: directory, flags: O_RDONLY | O_DIRECTORY)
    try syncing(folder.number, path: path)
  }

  /// Seconds since a file was last written; 0 where it is gone.
  func age(of path: [UInt8], in directory: Int32) throws(DiskError) -> Double {
    guard let status = try status(of: path, in: directory) else { return 0 }
    return max(0, Timestamp.now().timeInterval(since: status.modified))
  }
}

/// How an attempt to make a lock file ended.
enum LockAttempt: Hashable {
  case taken
  /// A file of that name is there.
  case held
  /// The file system cannot do it this way.
  case unsupported
}

extension FileStore {
  /// Makes `lock` a second name of `file`: in one step, complete, and provably ours.
  func lockByLink(
    _ lock: [UInt8], in folder: Int32, to file: [UInt8], in other: Int32
  ) throws(DiskError) -> LockAttempt {
    do throws(DiskError) {
      try linking(file, in: other, to: lock, in: folder)
      return .taken
    } catch {
      switch error.code {
      case EEXIST: return .held
      // FAT and some FUSE and network file systems have no hard links (link(2)).
      case EPERM, EOPNOTSUPP, ENOTSUP, EMLINK, ENOSYS, EXDEV: return .unsupported
      default: throw error
      }
    }
  }

  /// Makes `lock` a file with that content, where there are no hard links.
  ///
  /// A finished file is moved into place if the file system can do that without replacing;
  /// otherwise the lock is made empty and then written. A kill exactly between those two leaves an
  /// empty lock, which nobody can prove to be ours: it has to be removed by hand.
  func lockByContent(
    _ lock: [UInt8], in folder: Int32, content: [UInt8], draft: [UInt8], in other: Int32
  ) throws(DiskError) -> LockAttempt {
    try writeFresh(content, to: draft, in: other, mode: 0o666)
    do throws(DiskError) {
      try renaming(draft, in: other, to: lock, in: folder, flags: 1)
      return .taken
    } catch {
      try unlinking(draft, in: other)
      switch error.code {
      case EEXIST: return .held
      case EINVAL, ENOSYS, EXDEV, EPERM, EOPNOTSUPP, ENOTSUP: break
      default: throw error
      }
    }
    do throws(DiskError) {
      let file = try opening(
        lock, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      do throws(DiskError) {
        try writingAll(content, to: file.number, path: lock)
        try syncing(file.number, path: lock)
      } catch {
        try unlinking(lock, in: folder)
        throw error
      }
      return .taken
    } catch  where error.code == EEXIST {
      return .held
    }
  }
}

/// A wait with a limit: pauses of 10 ms that double up to 200 ms.
struct Patience {
  private let end: Double
  private var pause = 0.010

  /// - Parameter seconds: The longest wait in all; 0 means one attempt.
  init(seconds: Double) { end = MonotonicTime.now() + seconds }

  /// Pauses once; `false`, at once, where the time is over.
  mutating func wait() -> Bool {
    let left = end - MonotonicTime.now()
    guard left > 0 else { return false }
    MonotonicTime.pause(min(pause, left))
    pause = min(pause * 2, 0.2)
    return true
  }

}

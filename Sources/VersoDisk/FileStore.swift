package import CLinux
import Glibc
import VersoModel

/// The system calls by which Verso touches a disk, so that tests can make any of them fail.
///
/// Conventions are the kernel's: a result of zero or more is success, a negative one the negated
/// `errno`. Nothing here retries or throws; `FileStore+Operations.swift` does.
package protocol FileStore: Sendable {
  /// `openat(2)`; `O_CLOEXEC` is added.
  func open(_ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32)
    -> Int32
  /// `openat2(2)` that stays below `directory` and follows no link in any component.
  func openBeneath(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32
  ) -> Int32
  func close(_ descriptor: Int32)
  func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int
  func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int
  func pwrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int) -> Int
  func fsync(_ descriptor: Int32) -> Int32
  /// `syncfs(2)`: everything of the descriptor's file system.
  func syncFileSystem(_ descriptor: Int32) -> Int32
  func truncate(_ descriptor: Int32, _ size: Int) -> Int32
  /// `statx(2)` with `AT_SYMLINK_NOFOLLOW`; an empty path means the descriptor itself.
  func status(_ directory: Int32, _ path: UnsafePointer<CChar>, _ result: inout verso_stat) -> Int32
  func readLink(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer,
    _ count: Int
  ) -> Int
  /// `getdents64(2)`.
  func entries(_ directory: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int
  /// `renameat2(2)`; flags: 1 no replace, 2 exchange.
  func rename(
    _ from: Int32, _ old: UnsafePointer<CChar>, _ to: Int32, _ new: UnsafePointer<CChar>,
    _ flags: UInt32
  ) -> Int32
  func link(
    _ from: Int32, _ old: UnsafePointer<CChar>, _ to: Int32, _ new: UnsafePointer<CChar>
  ) -> Int32
  func symlink(_ target: UnsafePointer<CChar>, _ directory: Int32, _ path: UnsafePointer<CChar>)
    -> Int32
  /// `unlinkat(2)`; `folder` adds `AT_REMOVEDIR`.
  func unlink(_ directory: Int32, _ path: UnsafePointer<CChar>, folder: Bool) -> Int32
  func makeFolder(_ directory: Int32, _ path: UnsafePointer<CChar>, _ mode: UInt32) -> Int32
  func setMode(_ descriptor: Int32, _ mode: UInt32) -> Int32
  func setOwner(_ descriptor: Int32, _ owner: UInt32, _ group: UInt32) -> Int32
  /// Sets the modification time; the access time stays. An empty path means the descriptor itself.
  func setModified(_ directory: Int32, _ path: UnsafePointer<CChar>, _ time: Timestamp) -> Int32
  /// `fcntl(F_SETLEASE)`.
  func setLease(_ descriptor: Int32, _ type: Int32) -> Int32

  /// `flistxattr(2)`: names, each ended by a NUL.
  func listAttributes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int
  /// `fgetxattr(2)`.
  func attribute(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer?,
    _ count: Int
  ) -> Int
  /// `fsetxattr(2)`, whether the attribute is there or not.
  func setAttribute(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int
  ) -> Int32
  /// `fremovexattr(2)`.
  func removeAttribute(_ descriptor: Int32, _ name: UnsafePointer<CChar>) -> Int32
  /// `linkat(2)` of what a descriptor is, also of a file without a name (`O_TMPFILE`).
  func linkDescriptor(_ descriptor: Int32, _ to: Int32, _ new: UnsafePointer<CChar>) -> Int32
  /// `fchownat(2)` with `AT_SYMLINK_NOFOLLOW`.
  func setLinkOwner(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ owner: UInt32, _ group: UInt32
  ) -> Int32
  /// `flock(2)`, exclusive, without waiting.
  func tryLock(_ descriptor: Int32) -> Int32
  /// `flock(2)`, `LOCK_UN`.
  func unlock(_ descriptor: Int32) -> Int32
  /// `fstatfs(2)`: `f_type` and `f_fsid`.
  func fileSystem(_ descriptor: Int32, _ type: inout UInt64, _ identity: inout UInt64) -> Int32
}

/// The kernel.
package struct SystemFileStore: FileStore {
  package init() {}

  private func result(_ value: Int32) -> Int32 { value < 0 ? -errno : value }
  private func result(_ value: Int) -> Int { value < 0 ? -Int(errno) : value }

  package func open(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32
  ) -> Int32 { result(Glibc.openat(directory, path, flags | O_CLOEXEC, mode)) }

  package func openBeneath(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32
  ) -> Int32 { verso_open_beneath(directory, path, flags | O_CLOEXEC, mode) }

  package func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  package func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    result(Glibc.read(descriptor, buffer, count))
  }
  package func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    result(Glibc.write(descriptor, buffer, count))
  }
  package func pwrite(
    _ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int
  ) -> Int { result(Glibc.pwrite(descriptor, buffer, count, off_t(offset))) }

  package func fsync(_ descriptor: Int32) -> Int32 { result(Glibc.fsync(descriptor)) }
  package func syncFileSystem(_ descriptor: Int32) -> Int32 { verso_syncfs(descriptor) }
  package func truncate(_ descriptor: Int32, _ size: Int) -> Int32 {
    result(Glibc.ftruncate(descriptor, off_t(size)))
  }

  package func status(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ result: inout verso_stat
  ) -> Int32 {
    let flags = path.pointee == 0 ? verso_at_empty_path | AT_SYMLINK_NOFOLLOW : AT_SYMLINK_NOFOLLOW
    return verso_statx(directory, path, flags, &result)
  }

  package func readLink(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer,
    _ count: Int
  ) -> Int {
    result(
      Glibc.readlinkat(directory, path, buffer.assumingMemoryBound(to: CChar.self), count))
  }

  package func entries(
    _ directory: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int
  ) -> Int { verso_getdents(directory, buffer, count) }

  package func rename(
    _ from: Int32, _ old: UnsafePointer<CChar>, _ to: Int32, _ new: UnsafePointer<CChar>,
    _ flags: UInt32
  ) -> Int32 {
    if flags == 0 { return result(Glibc.renameat(from, old, to, new)) }
    return verso_renameat2(from, old, to, new, flags)
  }

  package func link(
    _ from: Int32, _ old: UnsafePointer<CChar>, _ to: Int32, _ new: UnsafePointer<CChar>
  ) -> Int32 { result(Glibc.linkat(from, old, to, new, 0)) }

  package func symlink(
    _ target: UnsafePointer<CChar>, _ directory: Int32, _ path: UnsafePointer<CChar>
  ) -> Int32 { result(Glibc.symlinkat(target, directory, path)) }

  package func unlink(
    _ directory: Int32, _ path: UnsafePointer<CChar>, folder: Bool
  ) -> Int32 { result(Glibc.unlinkat(directory, path, folder ? AT_REMOVEDIR : 0)) }

  package func makeFolder(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ mode: UInt32
  ) -> Int32 { result(Glibc.mkdirat(directory, path, mode)) }

  package func setMode(_ descriptor: Int32, _ mode: UInt32) -> Int32 {
    result(Glibc.fchmod(descriptor, mode))
  }
  package func setOwner(_ descriptor: Int32, _ owner: UInt32, _ group: UInt32) -> Int32 {
    result(Glibc.fchown(descriptor, owner, group))
  }

  package func setModified(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ time: Timestamp
  ) -> Int32 {
    let omit = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)  // UTIME_OMIT, a macro with a cast
    let times = [
      omit, timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)),
    ]
    if path.pointee == 0 { return result(Glibc.futimens(directory, times)) }
    return result(Glibc.utimensat(directory, path, times, AT_SYMLINK_NOFOLLOW))
  }

  package func setLease(_ descriptor: Int32, _ type: Int32) -> Int32 {
    verso_set_lease(descriptor, type)
  }
}

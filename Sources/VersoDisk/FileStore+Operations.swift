import CLinux
import Glibc
package import VersoModel

/// The calls of ``FileStore`` with names as bytes, interruptions retried and failures thrown.
extension FileStore {
  /// Opens `path` below `directory`.
  ///
  /// - Parameter path: Bytes for the kernel, relative to `directory`; may have several components.
  /// - Throws: ``DiskError``; `EMFILE` and `ENFILE` are thrown too, and nothing is retried but
  ///   `EINTR`.
  package func opening(
    _ path: [UInt8], in directory: Int32, flags: Int32, mode: UInt32 = 0o666
  ) throws(DiskError) -> Descriptor {
    let result = RelativePath.withCString(path) { name in
      retrying { open(directory, name, flags, mode) }
    }
    if result < 0 { throw failure(-result, "open", path, in: directory) }
    return Descriptor(number: result, store: self)
  }

  /// Opens `path` below `root` without following a link in any component and without leaving it.
  ///
  /// Where the kernel has no `openat2(2)` (before 5.6, or a sandbox), each component is opened in
  /// turn with `O_NOFOLLOW`.
  ///
  /// - Throws: ``DiskError``; `ELOOP` or `ENOTDIR` where a component is a link.
  package func openingBeneath(
    _ path: RelativePath, root: Int32, flags: Int32, mode: UInt32 = 0o666
  ) throws(DiskError) -> Descriptor {
    let name = path.isRoot ? [UInt8(ascii: ".")] : path.bytes
    let result = RelativePath.withCString(name) { name in
      // EAGAIN: something was renamed while the kernel walked; openat2(2) asks to try again.
      var result = retrying { openBeneath(root, name, flags | O_NOFOLLOW, mode) }
      for _ in 0..<64 where result == -EAGAIN {
        result = retrying { openBeneath(root, name, flags | O_NOFOLLOW, mode) }
      }
      return result
    }
    if result >= 0 { return Descriptor(number: result, store: self) }
    guard result == -ENOSYS || result == -EPERM else {
      throw DiskError(code: -result, operation: "open", path: path)
    }
    return try openingByComponents(path, root: root, flags: flags, mode: mode)
  }

  private func openingByComponents(
    _ path: RelativePath, root: Int32, flags: Int32, mode: UInt32
  ) throws(DiskError) -> Descriptor {
    if path.isRoot { return try opening([UInt8(ascii: ".")], in: root, flags: flags) }
    var folder = try opening([UInt8(ascii: ".")], in: root, flags: verso_o_path | O_DIRECTORY)
    for part in path.components.dropLast() {
      folder = try opening(
        Array(part), in: folder.number, flags: verso_o_path | O_DIRECTORY | O_NOFOLLOW)
    }
    return try opening(
      Array(path.name), in: folder.number, flags: flags | O_NOFOLLOW, mode: mode)
  }

  /// What is at `path` below `directory`, links not followed; `nil` where nothing is.
  ///
  /// - Throws: ``DiskError`` for anything but absence: a read error is never an absence.
  package func status(
    of path: [UInt8], in directory: Int32
  ) throws(DiskError) -> FileStatus? {
    var raw = verso_stat()
    let result = RelativePath.withCString(path) { name in
      retrying { status(directory, name, &raw) }
    }
    if result == -ENOENT || result == -ENOTDIR { return nil }
    if result < 0 { throw failure(-result, "look at", path, in: directory) }
    return FileStatus(raw)
  }

  /// What an open descriptor is.
  package func status(of descriptor: Int32) throws(DiskError) -> FileStatus {
    guard let status = try status(of: [], in: descriptor) else {
      throw DiskError(code: ENOENT, operation: "look at", path: [])
    }
    return status
  }

  /// Reads a descriptor to its end from where it stands.
  ///
  /// - Parameter expected: The size to make room for; more is read where there is more.
  package func readingAll(
    _ descriptor: Int32, expected: Int, path: [UInt8]
  ) throws(DiskError) -> [UInt8] {
    var bytes: [UInt8] = []
    var failure: DiskError?
    var room = expected + 1
    while failure == nil {
      let start = bytes.count
      let wanted = room
      let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        while count < wanted {
          let got = retryingLong { read(descriptor, base + count, wanted - count) }
          if got < 0 { failure = self.failure(Int32(-got), "read", path, of: descriptor) }
          if got <= 0 { break }
          count += got
        }
      }
      if start == 0 { bytes = chunk } else { bytes += chunk }
      if chunk.count < wanted { break }
      room = max(65536, bytes.count / 2)
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all of `bytes` where the descriptor stands.
  package func writingAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: [UInt8]
  ) throws(DiskError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = retryingLong {
        write(descriptor, base + done, min(bytes.count - done, 1 << 30))
      }
      if count < 0 { throw failure(Int32(-count), "write", path, of: descriptor) }
      done += count
    }
  }

  /// Writes all of `bytes` where the descriptor stands.
  package func writingAll(
    _ bytes: [UInt8], to descriptor: Int32, path: [UInt8]
  ) throws(DiskError) {
    var failure: DiskError?
    bytes.withUnsafeBytes { buffer in
      do throws(DiskError) {
        try writingAll(buffer, to: descriptor, path: path)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// ``syncing(_:path:)`` for everything that was written to a folder's file system: one call for many
  /// files.
  package func syncingFileSystem(of folder: Int32) throws(DiskError) {
    let result = retrying { syncFileSystem(folder) }
    if result < 0, result != -EINVAL, result != -EROFS {
      throw failure(-result, "make durable", [UInt8](), of: folder)
    }
  }

  /// Makes what was written to `descriptor` durable.
  package func syncing(_ descriptor: Int32, path: [UInt8]) throws(DiskError) {
    let result = retrying { fsync(descriptor) }
    // EINVAL, EROFS: the descriptor's file system has nothing to synchronise (fsync(2)).
    if result < 0, result != -EINVAL, result != -EROFS {
      throw failure(-result, "make durable", path, of: descriptor)
    }
  }

  /// Makes several files or folders durable, at the same time: the file system's journal then
  /// commits them together, where one after the other costs a commit each.
  ///
  /// - Throws: The first failure of any; the others may be durable or not.
  package func syncing(
    _ files: [(descriptor: Int32, path: [UInt8])]
  ) throws(DiskError) {
    guard files.count > 1 else {
      if let file = files.first { try syncing(file.descriptor, path: file.path) }
      return
    }
    let failures = WorkQueue<DiskError>([])
    let queue = WorkQueue(Array(files.indices))
    Threads.run(min(files.count, 8)) { _ in
      queue.run { number in
        do throws(DiskError) {
          try syncing(files[number].descriptor, path: files[number].path)
        } catch { failures.add([error]) }
      }
    }
    var failure: DiskError?
    failures.run { failure = $0 }
    if let failure { throw failure }
  }

  /// `renameat2(2)`.
  ///
  /// - Parameter flags: 0, 1 (fail where `new` exists), or 2 (exchange the two).
  package func renaming(
    _ old: [UInt8], in from: Int32, to new: [UInt8], in to: Int32, flags: UInt32 = 0
  ) throws(DiskError) {
    let result = RelativePath.withCString(old) { old in
      RelativePath.withCString(new) { new in retrying { rename(from, old, to, new, flags) } }
    }
    if result < 0 { throw failure(-result, "rename onto", new, in: to) }
  }

  /// Makes a second name for a file.
  package func linking(
    _ old: [UInt8], in from: Int32, to new: [UInt8], in to: Int32
  ) throws(DiskError) {
    let result = RelativePath.withCString(old) { old in
      RelativePath.withCString(new) { new in retrying { link(from, old, to, new) } }
    }
    if result < 0 { throw failure(-result, "link", new, in: to) }
  }

  /// Removes a name, or an empty folder. What is not there is no error.
  ///
  /// - Returns: Whether something was removed.
  @discardableResult
  package func unlinking(
    _ path: [UInt8], in directory: Int32, folder: Bool = false
  ) throws(DiskError) -> Bool {
    let result = RelativePath.withCString(path) { name in
      retrying { unlink(directory, name, folder: folder) }
    }
    if result == -ENOENT { return false }
    if result < 0 { throw failure(-result, "remove", path, in: directory) }
    return true
  }

  /// Makes a folder. One that is there already is no error.
  ///
  /// - Returns: Whether it was made now.
  @discardableResult
  package func makingFolder(
    _ path: [UInt8], in directory: Int32, mode: UInt32 = 0o777
  ) throws(DiskError) -> Bool {
    let result = RelativePath.withCString(path) { name in
      retrying { makeFolder(directory, name, mode) }
    }
    if result == -EEXIST { return false }
    if result < 0 { throw failure(-result, "make the folder", path, in: directory) }
    return true
  }

  /// The target of a symbolic link.
  package func readingLink(_ path: [UInt8], in directory: Int32) throws(DiskError) -> [UInt8] {
    var failure: DiskError?
    let target = [UInt8](unsafeUninitializedCapacity: 4097) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      let got = RelativePath.withCString(path) { name in
        retryingLong { readLink(directory, name, base, 4097) }
      }
      if got < 0 { failure = DiskError(code: Int32(-got), operation: "read", path: path) }
      count = max(0, got)
    }
    if let failure { throw failure }
    return target
  }

  private func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result != -EINTR { return result }
    }
  }

  private func retryingLong(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result != -Int(EINTR) { return result }
    }
  }
}

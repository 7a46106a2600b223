import CLinux
import Glibc
package import VersoModel

/// Whether anybody can still write to a file through a descriptor or a mapping.
package enum Writers: Hashable, Sendable {
  /// No descriptor is open for writing and no writable shared mapping exists.
  case none
  /// Somebody has it open for writing, or mapped so.
  case some
  /// The kernel does not say: the file belongs to another user, or its file system has no leases.
  /// Then only two equal stats some time apart (1 s) speak for a file that has come to rest.
  case unknown
}

extension FileStore {
  /// Asks the kernel who can write to the file behind a descriptor that is open for reading.
  ///
  /// A read lease is refused while a writer exists (fcntl(2), F_SETLEASE). It is given back at
  /// once: a program that opens the file for writing waits for as long as the lease is held.
  package func writers(of descriptor: Int32) -> Writers {
    let result = setLease(descriptor, F_RDLCK)
    if result >= 0 {
      _ = setLease(descriptor, F_UNLCK)
      return .none
    }
    // EACCES, EPERM: not the owner and no CAP_LEASE. EINVAL, ENOTSUP: no leases on this file
    // system. Any other failure says as little.
    return result == -EAGAIN ? .some : .unknown
  }
}

/// Why a file was not read.
package struct ReadRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// It changed while it was read; look again later.
    case changed
    /// A program has it open for writing.
    case hasWriter
    /// It is larger than the limit; the size in bytes.
    case tooLarge(UInt64)
    /// Nothing is there now, or a file or a link stands where a folder should.
    case vanished
    /// A folder, or a FIFO, socket or device, which is never opened.
    case notAFile(FileStatus.Kind)
    /// Looking or reading failed. Never take this for an absence.
    case unreadable(DiskError)
  }

  package let path: RelativePath
  package let reason: Reason

  package init(path: RelativePath, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  package var description: String {
    switch reason {
    case .changed: "\(path) changed while it was read; it will be looked at again"
    case .hasWriter: "\(path) is open for writing in another program; close it there"
    case .tooLarge(let size): "\(path) is too large (\(size) bytes); see verso.maxFileSize"
    case .vanished: "\(path) is not there any more"
    case .notAFile(.folder): "\(path) is a folder"
    case .notAFile: "\(path) is neither a file nor a link; it is left alone"
    case .unreadable(let error): error.description
    }
  }
}

/// Reads files of the user's so that what is returned was at one moment the whole content.
///
/// `fstat` → read → `fstat` on one descriptor, between two questions after writers. Nothing but
/// regular files is opened, no link is followed in any component, and the root is not left.
package struct ConsistentRead: Sendable {
  /// What was read, and the status that held from before the read until after it.
  package struct Content: Sendable {
    /// The bytes of the file, or the target of the link.
    package let bytes: [UInt8]
    package let status: FileStatus
    /// Who could write when the read ended; `none` for a link.
    package let writers: Writers
  }

  /// What to do about a file that somebody has open for writing.
  package enum WriterRule: Sendable { case refuse, ignore }

  /// An open folder; the caller keeps it open.
  package let root: Int32
  /// Bytes; larger files are refused.
  package let sizeLimit: UInt64
  let store: any FileStore

  /// Makes a reader of the files below `root`.
  package init(root: Int32, sizeLimit: UInt64 = .max, store: any FileStore) {
    self.root = root
    self.sizeLimit = sizeLimit
    self.store = store
  }

  /// The whole content of a file or link.
  ///
  /// - Parameters:
  ///   - path: Of a file or a link.
  ///   - seen: What a look at the path said a moment ago, where the caller has it: saves one call.
  ///   - rule: With `refuse`, a file that somebody may still be writing is not returned.
  ///     ``Writers/unknown`` is returned, not refused.
  /// - Returns: The bytes and the status that they belong to.
  /// - Throws: ``ReadRefusal``. A child that is forked has a copy of every descriptor until it runs
  ///   another program, so a writer may be seen for a moment where there is none: ask again.
  package func content(
    of path: RelativePath, seen: FileStatus? = nil, writers rule: WriterRule = .refuse
  ) throws(ReadRefusal) -> Content {
    if try look(at: path, seen: seen) == .link { return try link(path) }
    let descriptor = try opened(path)
    let (before, _) = try begin(descriptor.number, path, rule)
    let bytes = try read(descriptor.number, size: Int(before.size), path)
    let writers = try finish(descriptor.number, path, rule, before: before)
    return Content(bytes: bytes, status: before, writers: writers)
  }

  /// Opens a regular file for `body` to read piece by piece.
  ///
  /// What `body` made of the bytes is worthless where this throws: the file changed meanwhile.
  ///
  /// - Returns: The result of `body` and the status that held from before it until after it.
  /// - Throws: ``ReadRefusal``, or what `body` throws.
  package func withOpenFile<R>(
    _ path: RelativePath, seen: FileStatus? = nil, writers rule: WriterRule = .refuse,
    _ body: (borrowing Descriptor, FileStatus) throws -> R
  ) throws -> (result: R, status: FileStatus) {
    if try look(at: path, seen: seen) == .link {
      throw ReadRefusal(path: path, reason: .notAFile(.link))
    }
    let descriptor = try opened(path)
    let (before, _) = try begin(descriptor.number, path, rule)
    let result = try body(descriptor, before)
    _ = try finish(descriptor.number, path, rule, before: before)
    return (result, before)
  }

  /// Whether a file or a link is there.
  ///
  /// A FIFO is refused here because even a non-blocking open of it is seen by a program that waits at
  /// its other end, and opening a device may do anything.
  private func look(
    at path: RelativePath, seen: FileStatus?
  ) throws(ReadRefusal) -> FileStatus.Kind {
    var found = seen
    if found == nil {
      do throws(DiskError) {
        found = try store.status(of: path.bytes, in: root)
      } catch { throw refusal(path, error) }
    }
    guard let found else { throw ReadRefusal(path: path, reason: .vanished) }
    guard found.kind == .file || found.kind == .link else {
      throw ReadRefusal(path: path, reason: .notAFile(found.kind))
    }
    return found.kind
  }

  private func opened(_ path: RelativePath) throws(ReadRefusal) -> Descriptor {
    do throws(DiskError) {
      // O_NONBLOCK: what was a file a moment ago may be a FIFO now.
      return try store.openingBeneath(
        path, root: root, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
    } catch { throw refusal(path, error) }
  }

  /// The status before a read, of a regular file within the limit.
  func begin(
    _ descriptor: Int32, _ path: RelativePath, _ rule: WriterRule
  ) throws(ReadRefusal) -> (FileStatus, Writers) {
    let before = try status(descriptor, path)
    guard before.kind == .file else {
      throw ReadRefusal(path: path, reason: .notAFile(before.kind))
    }
    guard before.size <= sizeLimit else {
      throw ReadRefusal(path: path, reason: .tooLarge(before.size))
    }
    return (before, try ask(descriptor, path, rule))
  }

  /// Checks after a read that nothing moved since `before`.
  func finish(
    _ descriptor: Int32, _ path: RelativePath, _ rule: WriterRule, before: FileStatus
  ) throws(ReadRefusal) -> Writers {
    let writers = try ask(descriptor, path, rule)
    // After the question, so that what a writer did before it closed shows in the status.
    guard try status(descriptor, path).isUnchanged(since: before) else {
      throw ReadRefusal(path: path, reason: .changed)
    }
    return writers
  }

  private func ask(
    _ descriptor: Int32, _ path: RelativePath, _ rule: WriterRule
  ) throws(ReadRefusal) -> Writers {
    let writers = store.writers(of: descriptor)
    if writers == .some, rule == .refuse { throw ReadRefusal(path: path, reason: .hasWriter) }
    return writers
  }

  private func status(_ descriptor: Int32, _ path: RelativePath) throws(ReadRefusal) -> FileStatus {
    do throws(DiskError) { return try store.status(of: descriptor) } catch {
      throw ReadRefusal(path: path, reason: .unreadable(error))
    }
  }

  /// Exactly `size` bytes: a file that grows while it is read is not followed to its end.
  func read(
    _ descriptor: Int32, size: Int, _ path: RelativePath
  ) throws(ReadRefusal) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      while count <= size {
        let got = store.read(descriptor, base + count, size + 1 - count)
        if got == -Int(EINTR) { continue }
        if got < 0 { failure = Int32(-got) }
        if got <= 0 { break }
        count += got
      }
    }
    if failure != 0 {
      let error = DiskError(code: failure, operation: "read", path: path)
      throw ReadRefusal(path: path, reason: .unreadable(error))
    }
    if bytes.count != size { throw ReadRefusal(path: path, reason: .changed) }
    return bytes
  }

  private func link(_ path: RelativePath) throws(ReadRefusal) -> Content {
    do throws(DiskError) {
      if path.parent.isRoot { return try link(path, in: root) }
      let folder = try store.openingBeneath(
        path.parent, root: root, flags: verso_o_path | O_DIRECTORY)
      return try link(path, in: folder.number)
    } catch {
      // EINVAL: what is there now is no link (readlink(2)).
      if error.code == EINVAL { throw ReadRefusal(path: path, reason: .changed) }
      throw refusal(path, error)
    }
  }

  private func link(_ path: RelativePath, in folder: Int32) throws(DiskError) -> Content {
    let name = Array(path.name)
    let absent = DiskError(code: ENOENT, operation: "look at", path: path)
    guard let before = try store.status(of: name, in: folder) else { throw absent }
    let target = try store.readingLink(name, in: folder)
    guard let after = try store.status(of: name, in: folder) else { throw absent }
    guard before.kind == .link, after.isUnchanged(since: before) else {
      throw DiskError(code: EINVAL, operation: "read", path: path)
    }
    return Content(bytes: target, status: before, writers: .none)
  }

  private func refusal(_ path: RelativePath, _ error: DiskError) -> ReadRefusal {
    switch error.code {
    case ENOENT, ENOTDIR: ReadRefusal(path: path, reason: .vanished)
    case ELOOP: ReadRefusal(path: path, reason: .changed)
    case ENXIO: ReadRefusal(path: path, reason: .notAFile(.special))
    // Another program holds a write lease, and a non-blocking open does not wait for it.
    case EAGAIN: ReadRefusal(path: path, reason: .hasWriter)
    default: ReadRefusal(path: path, reason: .unreadable(error))
    }
  }
}

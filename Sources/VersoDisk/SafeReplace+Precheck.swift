import Glibc
import VersoModel

extension SafeReplace {
  /// What is at the target; `nil` where nothing is.
  func present(_ target: borrowing Target) throws(ReplaceRefusal) -> FileStatus? {
    do throws(DiskError) {
      return try store.status(of: target.name, in: target.folder.number)
    } catch { throw refusal(target.path, error) }
  }

  /// A regular file that is the expected one, open for reading.
  struct FoundFile: ~Copyable {
    let descriptor: Descriptor
    let status: FileStatus
  }

  /// Looks, before anything is touched, whether the expected content is there.
  func precheck(
    _ target: borrowing Target, known: KnownContent
  ) throws(ReplaceRefusal) -> FileStatus {
    if known.kind == .link { return try precheckLink(target, known: known) }
    return try precheckFile(target, known: known).status
  }

  /// ``precheck(_:known:)`` for a file.
  func precheckFile(
    _ target: borrowing Target, known: KnownContent
  ) throws(ReplaceRefusal) -> FoundFile {
    let path = target.path
    let changed = ReplaceRefusal(path: path, reason: .changed)
    // A look before the open: a FIFO or a device is never opened.
    guard try expected(target, known).kind == .file else { throw changed }
    let folder = target.folder.number
    let name = target.name
    let file: Descriptor
    do throws(DiskError) {
      file = try store.opening(
        name, in: folder, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
    } catch {
      // ELOOP, ENXIO: a link or a socket since the look.
      throw error.code == ELOOP || error.code == ENXIO ? changed : refusal(path, error)
    }
    try awaitWriters(file.number, path)
    let status = try calling(path) { () throws(DiskError) in try store.status(of: file.number) }
    guard status.itemKind == known.kind else { throw changed }
    let isSeen = known.status.map { status.isUnchanged(since: $0) } ?? false
    if !isSeen, try !known.matches(bytes(file.number, status, path)) { throw changed }
    return FoundFile(descriptor: file, status: status)
  }

  private func expected(
    _ target: borrowing Target, _ known: KnownContent
  ) throws(ReplaceRefusal) -> FileStatus {
    guard let seen = try present(target) else {
      throw ReplaceRefusal(path: target.path, reason: .vanished)
    }
    if seen.itemKind == known.kind { return seen }
    throw ReplaceRefusal(path: target.path, reason: .changed)
  }

  /// ``precheck(_:known:)`` for a link.
  func precheckLink(
    _ target: borrowing Target, known: KnownContent
  ) throws(ReplaceRefusal) -> FileStatus {
    let seen = try expected(target, known)
    let folder = target.folder.number
    let name = target.name
    let bytes: [UInt8]
    do throws(DiskError) { bytes = try store.readingLink(name, in: folder) } catch {
      // EINVAL: no link since the look.
      if error.code == EINVAL { throw ReplaceRefusal(path: target.path, reason: .changed) }
      throw refusal(target.path, error)
    }
    guard known.matches(bytes) else { throw ReplaceRefusal(path: target.path, reason: .changed) }
    return seen
  }

  private func bytes(
    _ file: Int32, _ status: FileStatus, _ path: RelativePath
  ) throws(ReplaceRefusal) -> [UInt8] {
    guard status.size <= limits.size else {
      throw refusal(path, DiskError(code: EFBIG, operation: "read", path: path))
    }
    let reader = ConsistentRead(root: root, store: store)
    do throws(ReadRefusal) {
      return try reader.read(file, size: Int(status.size), path)
    } catch {
      if case .unreadable(let error) = error.reason { throw refusal(path, error) }
      throw ReplaceRefusal(path: path, reason: .changed)
    }
  }

  /// Gives a program that is writing just now the time to finish.
  private func awaitWriters(_ file: Int32, _ path: RelativePath) throws(ReplaceRefusal) {
    let deadline = MonotonicTime.now() + limits.patience
    var pause = 0.0005
    while store.writers(of: file) == .some {
      if MonotonicTime.now() >= deadline {
        if limits.refusesWriters { throw ReplaceRefusal(path: path, reason: .hasWriter) }
        return
      }
      MonotonicTime.pause(pause)
      pause = min(pause * 2, 0.05)
    }
  }
}

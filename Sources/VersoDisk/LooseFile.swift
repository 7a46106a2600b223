import Glibc
import VersoModel

/// Small files of our own, such as a journal: whole or not there at all.
extension FileStore {
  /// Replaces a file by a temporary one and a rename.
  ///
  /// A kill may leave a file whose name starts with `name` and ends in `.tmp`; it is never read and
  /// may be removed while nobody writes.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - name: One component.
  ///   - folder: Open.
  ///   - mode: Permissions; the umask takes away from them.
  ///   - sync: Whether content and name are durable on return.
  /// - Throws: ``DiskError``; the old content is then still there, unless it was the folder that could
  ///   not be made durable.
  package func writeFileAtomically(
    _ bytes: [UInt8], _ name: [UInt8], in folder: Int32, mode: UInt32 = 0o600, sync: Bool
  ) throws(DiskError) {
    let temporary = try writeTemporary(bytes, name, in: folder, mode: mode, sync: sync)
    do throws(DiskError) {
      try renaming(temporary, in: folder, to: name, in: folder)
    } catch {
      drop(temporary, in: folder)
      throw error
    }
    guard sync else { return }
    let open = try opening([UInt8(ascii: ".")], in: folder, flags: O_RDONLY | O_DIRECTORY)
    try syncing(open.number, path: name)
  }

  private func writeTemporary(
    _ bytes: [UInt8], _ name: [UInt8], in folder: Int32, mode: UInt32, sync: Bool
  ) throws(DiskError) -> [UInt8] {
    // A name of its own for each attempt: two writers never share a file.
    let time = MonotonicTime.now().bitPattern
    let temporary = name + Array(".\(getpid()).\(String(time, radix: 36)).tmp".utf8)
    let file = try opening(
      temporary, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do throws(DiskError) {
      try writingAll(bytes, to: file.number, path: name)
      if sync { try syncing(file.number, path: name) }
    } catch {
      drop(temporary, in: folder)
      throw error
    }
    return temporary
  }

  private func drop(_ name: [UInt8], in folder: Int32) {
    // The failure that led here is the one to report.
    _ = RelativePath.withCString(name) { unlink(folder, $0, folder: false) }
  }

  /// The bytes of a file; `nil` where there is none.
  ///
  /// - Throws: ``DiskError``; `ELOOP` for a link, which is not followed.
  package func readFile(_ name: [UInt8], in folder: Int32) throws(DiskError) -> [UInt8]? {
    do throws(DiskError) {
      let file = try opening(name, in: folder, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      let size = try status(of: file.number).size
      return try readingAll(file.number, expected: Int(min(size, 1 << 26)), path: name)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }
}

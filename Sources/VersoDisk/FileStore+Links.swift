import Glibc
import VersoModel

extension FileStore {
  /// Makes a symbolic link.
  ///
  /// - Throws: ``DiskError``; `EEXIST` where something is there.
  package func makingLink(
    to target: [UInt8], _ path: [UInt8], in directory: Int32
  ) throws(DiskError) {
    // A C string ends at its first NUL: the link would point somewhere else.
    if target.contains(0) {
      throw DiskError(code: EINVAL, operation: "make the link", path: path)
    }
    let result = RelativePath.withCString(target) { target in
      RelativePath.withCString(path) { symlink(target, directory, $0) }
    }
    if result < 0 { throw DiskError(code: -result, operation: "make the link", path: path) }
  }

  /// Sets the modification time; an empty path means the descriptor itself.
  package func settingModified(
    _ time: Timestamp, of path: [UInt8], in directory: Int32
  ) throws(DiskError) {
    let result = RelativePath.withCString(path) { setModified(directory, $0, time) }
    if result < 0 { throw DiskError(code: -result, operation: "set the time of", path: path) }
  }

  /// Moves a file or link to a name that must be free.
  ///
  /// Where the file system has no `RENAME_NOREPLACE`, by a second name and the removal of the first
  /// (`link(2)` never replaces); a first name that cannot be removed then stays. A folder is renamed
  /// plainly there, which can replace nothing but an empty folder.
  ///
  /// - Throws: ``DiskError``; `EEXIST` where something is there.
  package func moving(
    _ old: [UInt8], in from: Int32, to new: [UInt8], in to: Int32
  ) throws(DiskError) {
    do throws(DiskError) {
      return try renaming(old, in: from, to: new, in: to, flags: 1)
    } catch {
      guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.code) else { throw error }
    }
    if try status(of: old, in: from)?.kind == .folder {
      return try renaming(old, in: from, to: new, in: to)
    }
    try linking(old, in: from, to: new, in: to)
    // Not an error: the file is at its new name, and that is what was asked for.
    _ = RelativePath.withCString(old) { unlink(from, $0, folder: false) }
  }
}

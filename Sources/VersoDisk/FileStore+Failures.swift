import Glibc

/// Failed calls in words that say where: a path below a folder that only a descriptor names means
/// nothing to people.
extension FileStore {
  /// The error for a call on `path` below an open folder.
  ///
  /// Where the disk is at fault it names the whole path. What callers expect and handle, such as an
  /// absence, is not worth finding that out.
  package func failure(
    _ code: Int32, _ operation: String, _ path: [UInt8], in directory: Int32
  ) -> DiskError {
    let isExpected =
      switch code {
      case ENOSPC, EDQUOT, EIO, EROFS, EACCES, EPERM, EMFILE, ENFILE, ENOMEM, ENAMETOOLONG: false
      default: true
      }
    let place = isExpected ? path : fullPath(path, in: directory)
    return DiskError(code: code, operation: operation, path: place)
  }

  /// The error for a call on an open file that was opened as `path`.
  package func failure(
    _ code: Int32, _ operation: String, _ path: [UInt8], of descriptor: Int32
  ) -> DiskError {
    let error = failure(code, operation, [], in: descriptor)
    let slash = UInt8(ascii: "/")
    let found = error.path.split(separator: slash)
    let given = path.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
    // A temporary name that begins with the final one says where, too; any other file does not.
    if let name = given.last, found.last?.starts(with: name) != true {
      let place =
        !error.path.isEmpty && isFolder(descriptor) ? error.path + [slash] + name : path
      return DiskError(code: code, operation: operation, path: place)
    }
    return error
  }

  /// Whether a call was on the folder of what it was for: names are made durable there.
  private func isFolder(_ descriptor: Int32) -> Bool {
    do throws(DiskError) { return try status(of: descriptor).kind == .folder } catch {
      return false  // The failure that led here is the one to tell.
    }
  }

  /// Where `path` below an open folder is, for messages; an empty path means the folder itself.
  package func fullPath(_ path: [UInt8], in directory: Int32) -> [UInt8] {
    if path.first == UInt8(ascii: "/") || directory == AT_FDCWD { return path }
    do throws(DiskError) {
      let base = try readingLink(Array("/proc/self/fd/\(directory)".utf8), in: AT_FDCWD)
      return path.isEmpty ? base : base + [UInt8(ascii: "/")] + path
    } catch {
      return path  // No /proc: the name alone still says which file is meant.
    }
  }
}

import Glibc
import VersoDisk
import VersoModel

/// Where a vault is: its root, found from a path inside it.
package struct VaultLocation: Hashable, Sendable {
  /// The root, absolute, links resolved, without a trailing slash (but `/` itself).
  package let root: String

  /// Finds the nearest directory at or above `start` that is the work tree of a repository.
  ///
  /// - Parameter start: A path as the kernel takes it; need not exist, then its nearest existing
  ///   parent counts.
  /// - Returns: `nil` where nothing above is a repository.
  package init?(above start: String) {
    var folder = Self.existing(start)
    while true {
      if Self.isRepository(folder) {
        root = folder
        return
      }
      if folder == "/" { return nil }
      folder = Self.parent(of: folder)
    }
  }

  /// The nearest existing folder at or above `path`, as an absolute path without links.
  package static func existing(_ path: String) -> String {
    var candidate = path.isEmpty ? "." : path
    while true {
      if let real = realpath(candidate, nil) {
        defer { free(real) }
        let text = String(cString: real)
        return isFolder(text) ? text : parent(of: text)
      }
      if candidate == "/" || candidate == "." { return "/" }
      candidate = parent(of: candidate)
    }
  }

  /// The path without its last component: `.` for a bare name.
  package static func parent(of path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == RelativePath.slash { bytes.removeLast() }
    guard let cut = bytes.lastIndex(of: RelativePath.slash) else { return "." }
    return cut == 0 ? "/" : String(decoding: bytes[..<cut], as: UTF8.self)
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func isRepository(_ folder: String) -> Bool {
    var status = stat()
    let path = folder == "/" ? "/.git" : folder + "/.git"
    guard lstat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT == S_IFREG { return true }
    return access(path + "/HEAD", F_OK) == 0
  }
}

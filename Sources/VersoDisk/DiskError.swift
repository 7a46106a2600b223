import Glibc
package import VersoModel

/// A system call that failed, on a path: programs branch on ``code``, people read ``description``.
package struct DiskError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno` of the failure.
  package let code: Int32
  /// What was attempted, as a verb with its preposition: "read", "rename onto".
  package let operation: String
  /// Where; bytes as the file system has them.
  package let path: [UInt8]

  package init(code: Int32, operation: String, path: [UInt8]) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// The operation where the content of a user's file could not be read.
  package static let reading = "read the content of"

  package init(code: Int32, operation: String, path: RelativePath) {
    self.init(code: code, operation: operation, path: path.isRoot ? [0x2E] : path.bytes)
  }

  /// The reason in the C library's words, such as "No space left on device".
  package var reason: String {
    var buffer = [CChar](repeating: 0, count: 256)
    // Swift sees the POSIX form of strerror_r(3), which fills the buffer and returns a status.
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package var description: String {
    "cannot \(operation) \(String(decoding: path, as: UTF8.self)): \(reason)"
  }

  /// The same with the root's own path where it is about the root, which is `.` to a vault and nothing
  /// to people.
  package func naming(root: String) -> DiskError {
    path == [0x2E] ? DiskError(code: code, operation: operation, path: Array(root.utf8)) : self
  }

  /// Whether the path is simply not there (`ENOENT`, `ENOTDIR`).
  package var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}

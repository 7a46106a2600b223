package import VersoDisk

/// Why git's index cannot be read or written: programs branch on ``code``, people read
/// ``description``.
package struct IndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; kinds may be added, so always keep a default branch.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file breaks the rules of gitformat-index(5).
    package static let damaged = Code(rawValue: "damaged")
    /// The file or the change is sound, but not one that this writer understands.
    package static let unsupported = Code(rawValue: "unsupported")
    /// A system call failed; ``IndexError/cause`` says which.
    package static let disk = Code(rawValue: "disk")
    /// libgit2 failed to rewrite the index.
    package static let library = Code(rawValue: "library")
  }

  package let code: Code
  package let reason: String
  package let cause: DiskError?

  package init(code: Code, reason: String, cause: DiskError? = nil) {
    self.code = code
    self.reason = reason
    self.cause = cause
  }

  package static func damaged(_ reason: String) -> IndexError {
    IndexError(code: .damaged, reason: reason)
  }

  package static func unsupported(_ reason: String) -> IndexError {
    IndexError(code: .unsupported, reason: reason)
  }

  package static func disk(_ cause: DiskError) -> IndexError {
    IndexError(code: .disk, reason: cause.description, cause: cause)
  }

  package var description: String {
    switch code {
    case .damaged:
      "the index is damaged: \(reason) (verso doctor --fix makes a new one; no file is touched)"
    case .unsupported: "the index cannot be changed here: \(reason)"
    case .library: "the index cannot be rewritten: \(reason)"
    default: reason
    }
  }
}

/// Runs `body` with its disk errors turned into index errors.
func mappingDiskErrors<R>(_ body: () throws(DiskError) -> R) throws(IndexError) -> R {
  do { return try body() } catch { throw .disk(error) }
}

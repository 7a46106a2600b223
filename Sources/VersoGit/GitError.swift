import CGit2

/// A failure reported by libgit2: programs branch on ``code``, people read ``description``.
package struct GitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; kinds may be added, so always keep a default branch.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Anything without a code of its own (`GIT_ERROR`).
    package static let generic = Code(rawValue: GIT_ERROR.rawValue)
    /// Nothing has that name or id (`GIT_ENOTFOUND`).
    package static let notFound = Code(rawValue: GIT_ENOTFOUND.rawValue)
    /// An abbreviated id names several objects (`GIT_EAMBIGUOUS`).
    package static let ambiguous = Code(rawValue: GIT_EAMBIGUOUS.rawValue)
    /// Another process holds one of the repository's lock files (`GIT_ELOCKED`).
    package static let locked = Code(rawValue: GIT_ELOCKED.rawValue)
    /// A reference is no longer what it was (`GIT_EMODIFIED`).
    package static let modified = Code(rawValue: GIT_EMODIFIED.rawValue)
    /// The branch that HEAD names has no commit yet (`GIT_EUNBORNBRANCH`).
    package static let unborn = Code(rawValue: GIT_EUNBORNBRANCH.rawValue)
    /// The repository belongs to another user (`GIT_EOWNER`).
    package static let foreignOwner = Code(rawValue: GIT_EOWNER.rawValue)
    /// A name or value that git does not allow (`GIT_EINVALIDSPEC`).
    package static let invalid = Code(rawValue: GIT_EINVALIDSPEC.rawValue)
  }

  package let code: Code
  /// The function that failed; for logs, not for people.
  package let function: String
  package let message: String

  package init(code: Code, function: String, message: String) {
    self.code = code
    self.function = function
    self.message = message
  }

  package var description: String { message }

  /// Throws if `status` is negative; call it before any `await`, as the message is per thread.
  @discardableResult
  static func check(_ status: Int32, _ function: StaticString) throws(GitError) -> Int32 {
    guard status < 0 else { return status }
    let text = git_error_last().map { String(cString: $0.pointee.message) } ?? "unknown failure"
    git_error_clear()
    throw GitError(code: Code(rawValue: status), function: "\(function)", message: text)
  }
}

package import VersoModel

/// A path whose content cannot be converted here.
///
/// The caller leaves that path alone, in the history and on disk, and names it; the content must
/// never be taken unconverted instead: a large file or a secret would end up in the history, or a
/// pointer in the place of a picture.
package struct ContentFilterError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The git program is needed and not installed.
    case noGit
    /// The attribute names a filter that this machine knows nothing of.
    case notConfigured
    /// The filter's program is not installed.
    case missingProgram
    /// The filter, or git, reported a failure.
    case failed
    /// The filter did not end in time and was killed.
    case timedOut
    /// The attributes or the configuration cannot be read.
    case unreadable
  }

  package let reason: Reason
  /// The name in `filter=NAME`, or the attribute that asks for the conversion; empty where that could
  /// not be found out.
  package let filter: String
  package let path: RelativePath
  /// The words of the program that failed; empty where none ran.
  package let detail: String

  package init(reason: Reason, filter: String, path: RelativePath, detail: String) {
    self.reason = reason
    self.filter = filter
    self.path = path
    self.detail = detail
  }

  /// Makes a failure to read attributes or configuration one of a path.
  static func reporting<R, E: Error & CustomStringConvertible>(
    _ path: RelativePath, _ body: () throws(E) -> R
  ) throws(ContentFilterError) -> R {
    do throws(E) {
      return try body()
    } catch {
      throw ContentFilterError(
        reason: .unreadable, filter: "", path: path, detail: error.description)
    }
  }

  package var description: String {
    let name = String(decoding: path.bytes, as: UTF8.self)
    let problem =
      switch reason {
      case .noGit: "converting it (\(filter)) needs git, which is not installed"
      case .notConfigured: "its filter \"\(filter)\" is not set up on this machine"
      case .missingProgram: "the program of its filter \"\(filter)\" is not installed"
      case .failed: "its filter \"\(filter)\" failed"
      case .timedOut: "its filter \"\(filter)\" did not end in time"
      case .unreadable: "attributes cannot be read"
      }
    let reason = problem + (detail.isEmpty ? "" : " (\(detail))")
    return path.isRoot
      ? "no content can be converted: \(reason)" : "\(name) is left alone: \(reason)"
  }

  /// What to do about it.
  package var hint: String {
    switch (reason, filter) {
    case (.noGit, _): "install git"
    case (.unreadable, _): "look at .gitattributes, \"git config core.autocrlf\" and \"core.eol\""
    case (.failed, _), (.timedOut, _):
      "run \"git hash-object --path=FILE FILE\" to see the filter at work"
    case (_, "lfs"): "install git-lfs, then run \"git lfs install\""
    case (_, let name) where name.hasPrefix("git-crypt"):
      "install git-crypt, then run \"git-crypt unlock\""
    case (_, "crypt"): "install transcrypt, then run \"transcrypt\" in the repository"
    case (_, "annex"): "install git-annex, then run \"git annex init\""
    case (.notConfigured, let name):
      "set filter.\(name).clean and filter.\(name).smudge, or take the attribute out"
    case (.missingProgram, let name):
      "install what \"git config filter.\(name).clean\" and \"filter.\(name).smudge\" name"
    }
  }
}

import VersoGit
import VersoTestSupport

extension Repository {
  /// Sets a key by git itself; `nil` removes it.
  func set(_ key: String, to value: String?) throws {
    let git = ["git", "--git-dir=\(gitDirectory)", "config"]
    if let value {
      try run(git + [key, value])
    } else {
      try run(git + ["--unset-all", key])
    }
  }
}

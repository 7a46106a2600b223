import CGit2

/// git's configuration as it stood at one moment: every file that git reads, in its order.
package struct Configuration: ~Copyable {
  private let handle: Handle

  init(of repository: Repository) throws(GitError) {
    handle = try Handle("git_repository_config_snapshot", free: git_config_free) {
      git_repository_config_snapshot(&$0, repository.handle.pointer)
    }
  }

  /// The last value of a key; `nil` where no file sets it.
  package func string(_ key: String) throws(GitError) -> String? {
    var text: UnsafePointer<CChar>?
    let status = git_config_get_string(&text, handle.pointer, key)
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try GitError.check(status, "git_config_get_string")
    return text.map { String(cString: $0) }
  }

  /// A boolean as git reads one; `nil` where no file sets it.
  ///
  /// - Throws: ``GitError`` for a value that is no boolean.
  package func boolean(_ key: String) throws(GitError) -> Bool? {
    guard let text = try string(key) else { return nil }
    var value: Int32 = 0
    try Self.check(git_config_parse_bool(&value, text), key, text, "true or false")
    return value != 0
  }

  /// A number with git's suffixes `k`, `m`, `g`; `nil` where no file sets it.
  package func number(_ key: String) throws(GitError) -> Int64? {
    guard let text = try string(key) else { return nil }
    var value: Int64 = 0
    try Self.check(git_config_parse_int64(&value, text), key, text, "a number, as 100m is one")
    return value
  }

  /// Names the key of a value that is none of its kind: libgit2 tells the value alone.
  private static func check(
    _ status: Int32, _ key: String, _ text: String, _ kind: String
  ) throws(GitError) {
    if status >= 0 { return }
    throw GitError(
      code: .invalid, function: "git_config_parse",
      message: "the setting \(key) is '\(text)' and must be \(kind): git config \(key) VALUE")
  }

  /// A path with git's leading `~/` expanded; `nil` where no file sets it.
  package func path(_ key: String) throws(GitError) -> String? {
    guard try string(key) != nil else { return nil }
    var buffer = git_buf()
    defer { git_buf_dispose(&buffer) }
    try GitError.check(
      git_config_get_path(&buffer, handle.pointer, key), "git_config_get_path")
    return buffer.ptr.map { String(cString: $0) }
  }

  /// Whether any key starts with `prefix`, as `verso.` does.
  package func hasSection(_ name: String) throws(GitError) -> Bool {
    var iterator: OpaquePointer?
    try GitError.check(
      git_config_iterator_glob_new(&iterator, handle.pointer, "^\(name)\\."),
      "git_config_iterator_glob_new")
    defer { git_config_iterator_free(iterator) }
    var entry: UnsafeMutablePointer<git_config_entry>?
    return git_config_next(&entry, iterator) == 0
  }
}

extension Repository {
  /// The configuration as it is now.
  package func configuration() throws(GitError) -> Configuration {
    try Configuration(of: self)
  }

  /// What the user's own git has under way, in words; `nil` where nothing is.
  package var operationInProgress: String? {
    let state = git_repository_state(handle.pointer)
    switch UInt32(bitPattern: state) {
    case GIT_REPOSITORY_STATE_NONE.rawValue: return nil
    case GIT_REPOSITORY_STATE_MERGE.rawValue: return "merge"
    case GIT_REPOSITORY_STATE_REVERT.rawValue, GIT_REPOSITORY_STATE_REVERT_SEQUENCE.rawValue:
      return "revert"
    case GIT_REPOSITORY_STATE_CHERRYPICK.rawValue,
      GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE.rawValue:
      return "cherry-pick"
    case GIT_REPOSITORY_STATE_BISECT.rawValue: return "bisect"
    case GIT_REPOSITORY_STATE_APPLY_MAILBOX.rawValue: return "am"
    default: return "rebase"
    }
  }
}

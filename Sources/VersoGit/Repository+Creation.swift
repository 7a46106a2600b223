import CGit2
import Glibc

extension Repository {
  /// Makes an empty repository that nobody else can read (mode 0700).
  ///
  /// - Parameters:
  ///   - workTree: Where its files are; exists.
  ///   - gitDirectory: Where the repository is, with a `.git` file in the work tree that says so;
  ///     `nil` for `.git` itself.
  package static func create(workTree: String, gitDirectory: String?) throws(GitError) {
    precondition(library > 0, "libgit2 did not start")
    var options = git_repository_init_options()
    git_repository_init_options_init(
      &options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION))
    options.flags = GIT_REPOSITORY_INIT_MKDIR.rawValue | GIT_REPOSITORY_INIT_MKPATH.rawValue
    options.mode = 0o700
    let path = gitDirectory ?? workTree
    if gitDirectory != nil {
      options.flags |= GIT_REPOSITORY_INIT_NO_DOTGIT_DIR.rawValue
    }
    let status = workTree.withCString { workTree in
      initialBranch().withCString { branch in
        options.workdir_path = gitDirectory == nil ? nil : workTree
        options.initial_head = branch
        var made: OpaquePointer?
        defer { git_repository_free(made) }
        let status = git_repository_init_ext(&made, path, &options)
        if status >= 0, let folder = git_repository_path(made) { chmod(folder, 0o700) }
        return status
      }
    }
    try GitError.check(status, "git_repository_init_ext")
  }

  /// `init.defaultBranch`, else `main`.
  private static func initialBranch() -> String {
    var config: OpaquePointer?
    guard git_config_open_default(&config) == 0 else { return "main" }
    defer { git_config_free(config) }
    var buffer = git_buf()
    defer { git_buf_dispose(&buffer) }
    guard git_config_get_string_buf(&buffer, config, "init.defaultBranch") == 0,
      let text = buffer.ptr
    else { return "main" }
    let name = String(cString: text)
    var isValid: Int32 = 0
    git_reference_name_is_valid(&isValid, "refs/heads/\(name)")
    return isValid == 1 ? name : "main"
  }

  /// The names of the remotes that are configured.
  package func remoteNames() throws(GitError) -> [String] {
    var names = git_strarray()
    try GitError.check(git_remote_list(&names, handle.pointer), "git_remote_list")
    defer { git_strarray_dispose(&names) }
    return (0..<names.count).compactMap { number in
      names.strings[number].map { String(cString: $0) }
    }
  }
}

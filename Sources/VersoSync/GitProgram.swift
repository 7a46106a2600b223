import Glibc
import VersoGit

/// The `git` program, told to change nothing but what it is asked to.
struct GitProgram: Sendable {
  let gitDirectory: String
  let workTree: String?
  let surroundings: Surroundings
  let settings: GitSettings
  /// Whether Git LFS has put itself before each push.
  let usesLargeFileHook: Bool

  /// Seconds for what asks nobody.
  private static let localLimit = 20.0

  init(
    gitDirectory: String, workTree: String?, surroundings: Surroundings
  ) throws(ExchangeError) {
    self.gitDirectory = gitDirectory
    self.workTree = workTree
    self.surroundings = surroundings
    settings = try Self.readSettings(gitDirectory, surroundings)
    usesLargeFileHook = Self.hasLargeFileHook(
      settings, gitDirectory, workTree, home: surroundings["HOME"])
  }

  /// Where git runs: relative addresses start at the work tree.
  var directory: String { workTree ?? gitDirectory }

  private static func readSettings(
    _ gitDirectory: String, _ surroundings: Surroundings
  ) throws(ExchangeError) -> GitSettings {
    let program = Subprocess(
      "git", ["--git-dir=\(gitDirectory)", "config", "--null", "--list"],
      environment: surroundings.quietGit, timeLimit: localLimit)
    let result: Subprocess.Result
    do throws(SubprocessError) { result = try program.run() } catch { throw missing(error) }
    guard result.succeeded else {
      throw ExchangeError(
        .other, "git cannot read its settings", detail: RemoteWords.lastLines(of: result.errorText))
    }
    return GitSettings(listing: result.output)
  }

  static func missing(_ error: SubprocessError) -> ExchangeError {
    guard error.reason == .missing else {
      return ExchangeError(.other, "git does not start: \(error.detail)")
    }
    return ExchangeError(
      .noGit, "there is no git program here, which talks to remotes; install it (apt install git)")
  }

  /// Git LFS pushes its files from a hook: without it a remote would get only the pointers.
  private static func hasLargeFileHook(
    _ settings: GitSettings, _ gitDirectory: String, _ workTree: String?, home: String?
  ) -> Bool {
    guard settings.hasKey(startingWith: "filter.lfs.") else { return false }
    var folder = settings["core.hookspath"] ?? "\(gitDirectory)/hooks"
    if folder.hasPrefix("~/") { folder = (home ?? "") + folder.dropFirst() }
    if !folder.hasPrefix("/") { folder = "\(workTree ?? gitDirectory)/\(folder)" }
    let file = open("\(folder)/pre-push", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("git lfs") || text.contains("git-lfs")
  }

  // MARK: A command

  /// Options before the command's name (git(1)), none of them a secret.
  func options(keepsHooks: Bool, mayAsk: Bool) -> [String] {
    var values = [
      "gc.auto=0", "maintenance.auto=false", "core.fsmonitor=false", "submodule.recurse=false",
      "fetch.writeCommitGraph=false", "push.followTags=false", "protocol.ext.allow=never",
      "color.ui=false", "color.remote=false", "advice.detachedHead=false",
    ]
    if !keepsHooks { values.append("core.hooksPath=/dev/null") }
    if !mayAsk { values.append("credential.interactive=false") }
    return ["--git-dir=\(gitDirectory)"] + values.flatMap { ["-c", $0] }
  }

  /// The variables of a command that talks to `side`.
  func environment(
    for side: RemoteSide, shellCommand: String?, mayAsk: Bool, stall: Double
  ) -> [String: String?] {
    var result = surroundings.quietGit
    result["SSH_ASKPASS_REQUIRE"] = .some(nil)
    if mayAsk {
      result["GIT_TERMINAL_PROMPT"] = nil
    } else {
      // Empty and not unset: else core.askPass would be next (git-config(1)).
      for (name, value) in ["GIT_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"] {
        result[name] = value
      }
      result["SSH_ASKPASS"] = .some(nil)
      result["GCM_INTERACTIVE"] = "never"
    }
    if let shellCommand {
      result["GIT_SSH_COMMAND"] = shellCommand
    }
    if let allowed = surroundings["GIT_ALLOW_PROTOCOL"] {
      let ours: Set<Substring> = ["file", "ssh", "git", "http", "https"]
      result["GIT_ALLOW_PROTOCOL"] = allowed.split(separator: ":").filter(ours.contains)
        .joined(separator: ":")
    }
    var pairs = side.settings
    if settings["http.lowspeedtime"] == nil, settings["http.lowspeedlimit"] == nil {
      pairs += [("http.lowSpeedLimit", "1"), ("http.lowSpeedTime", "\(max(1, Int(stall)))")]
    }
    // After those that the user has in the environment already (git-config(1)).
    let first = surroundings["GIT_CONFIG_COUNT"].flatMap { Int($0) } ?? 0
    for (index, pair) in pairs.enumerated() {
      result["GIT_CONFIG_KEY_\(first + index)"] = pair.key
      result["GIT_CONFIG_VALUE_\(first + index)"] = pair.value
    }
    result["GIT_CONFIG_COUNT"] = "\(first + pairs.count)"
    for (name, value) in side.secretVariables { result[name] = value }
    return result
  }
}

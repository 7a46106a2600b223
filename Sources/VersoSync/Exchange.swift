import Glibc
import VersoGit
package import VersoModel

/// How long an exchange may take, in seconds.
package struct ExchangeLimits: Hashable, Sendable {
  /// Until the other machine answers.
  package var connect: Double
  /// Without any progress.
  package var stall: Double
  /// One call as a whole; `nil` for no limit.
  package var total: Double?

  package init(connect: Double = 30, stall: Double = 60, total: Double? = nil) {
    (self.connect, self.stall, self.total) = (connect, stall, total)
  }
}

/// Whether ssh and git may ask for what they lack.
package enum Prompting: Hashable, Sendable {
  case never
  /// On the terminal, if this process is in its foreground; nobody is asked otherwise.
  case terminal
}

/// What a remote has.
package struct RemoteTips: Hashable, Sendable {
  /// The tip of the branch that is synced; `nil` where there is no such branch.
  package let branch: ObjectID?
  /// The branch that HEAD names there; `nil` where HEAD leads nowhere.
  package let defaultBranch: String?
  /// All branches.
  package let heads: [String: ObjectID]
  /// Whether there is no reference at all.
  package let isEmpty: Bool
}

/// What a fetch brought.
package struct Fetched: Hashable, Sendable {
  /// The tip as it was known before; `nil` at the first time.
  package let before: ObjectID?
  /// The tip now; `nil` where the remote has no such branch, be it empty or not.
  package let after: ObjectID?

  package init(before: ObjectID?, after: ObjectID?) {
    (self.before, self.after) = (before, after)
  }
}

/// What became of a push.
package enum PushOutcome: Hashable, Sendable {
  case pushed
  case upToDate
  /// Somebody else was faster: fetch, merge and try again.
  case raced
}

/// Talks to one branch of one remote through the `git` program.
///
/// Everything that the user has set up for git counts: ssh's configuration, agent and jump hosts,
/// `GIT_SSH_COMMAND`, `core.sshCommand`, credential helpers, proxies, `url.*.insteadOf`. Nothing is
/// ever forced on a remote. Client-side hooks do not run, as saves run none; the one exception is
/// Git LFS's own `pre-push`, without which its files would not get there.
///
/// Calls block until they are done; each takes at most ``ExchangeLimits/total``.
package struct Exchange: Sendable {
  /// The address that is fetched from, without credentials: for people.
  package var address: String { source.address.text }
  /// The folder that is fetched from, as it was given; `nil` where it is on another machine.
  package var localPath: String? {
    if case .path(let path) = source.address.transport { path } else { nil }
  }
  /// The references that belong to this remote and branch.
  package let references: RemoteReferences
  /// May be changed between calls.
  package var limits: ExchangeLimits
  package var prompting: Prompting
  /// Asked ten times a second; true ends the call with ``ExchangeError/Reason/interrupted(signal:)``.
  package var isCancelled: (@Sendable () -> Bool)?

  let branch: String
  let git: GitProgram
  let source: RemoteSide
  let destination: RemoteSide
  let progress: (@Sendable (String) -> Void)?

  /// Reads git's settings and looks at the address; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - gitDirectory: Absolute.
  ///   - workTree: Absolute; where relative addresses start.
  ///   - remote: The name of a remote, or an address.
  ///   - branch: Without `refs/heads/`.
  ///   - shared: Where connections of OpenSSH may be kept open; `nil` for none.
  ///   - environment: Set for git and ssh beside what this process has; `nil` removes a variable.
  ///   - progress: Called from the calling thread with the line that git shows last.
  /// - Throws: ``ExchangeError/Reason/badAddress``, ``ExchangeError/Reason/unknownRemote``,
  ///   ``ExchangeError/Reason/noGit``.
  package init(
    gitDirectory: String, workTree: String?, remote: String, branch: String,
    limits: ExchangeLimits = ExchangeLimits(), prompting: Prompting = .never,
    shared: SharedConnection? = nil, environment: [String: String?] = [:],
    progress: (@Sendable (String) -> Void)? = nil,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) throws(ExchangeError) {
    try BranchName.check(branch)
    try RemoteAddress.check(remote, "name or address")
    let git = try GitProgram(
      gitDirectory: gitDirectory, workTree: workTree,
      surroundings: Surroundings(changes: environment))
    source = try RemoteSide(remote, .fetch, git: git, shared: shared)
    destination =
      try RemoteSide.isOne(remote, git.settings)
      ? source : RemoteSide(remote, .push, git: git, shared: shared)
    references = RemoteReferences(remote: remote, branch: branch)
    self.git = git
    self.branch = branch
    self.limits = limits
    self.prompting = prompting
    self.progress = progress
    self.isCancelled = isCancelled
  }

  // MARK: Reading

  /// Asks what the remote has, without fetching anything.
  package func tips() throws(ExchangeError) -> RemoteTips {
    let output = try perform(["ls-remote", "--symref"], source).output
    return try parseTips(output)
  }

  /// Asks for the tip of the branch alone: less to send than ``tips()``, for asking often.
  ///
  /// - Returns: `nil` where the remote has no such branch.
  package func tip() throws(ExchangeError) -> ObjectID? {
    let reference = "refs/heads/\(branch)"
    let output = try perform(["ls-remote", "--heads"], source, [reference]).output
    return try parseTips(output).branch
  }

  private func parseTips(_ output: [UInt8]) throws(ExchangeError) -> RemoteTips {
    var heads: [String: ObjectID] = [:]
    var (head, isEmpty): (String?, Bool) = (nil, true)
    let prefix = "refs/heads/"
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1)
      guard parts.count == 2 else { continue }
      let name = String(decoding: parts[1], as: UTF8.self)
      if parts[0].starts(with: "ref: ".utf8) {
        let target = String(decoding: parts[0].dropFirst(5), as: UTF8.self)
        if name == "HEAD", target.hasPrefix(prefix) {
          head = String(target.dropFirst(prefix.count))
        }
        continue
      }
      isEmpty = false
      guard let id = ObjectID(hex: parts[0]) else {
        throw failure(.foreignFormat, at: source)
      }
      if name.hasPrefix(prefix) { heads[String(name.dropFirst(prefix.count))] = id }
    }
    return RemoteTips(
      branch: heads[branch], defaultBranch: head, heads: heads, isEmpty: isEmpty)
  }

  /// Fetches the branch into ``RemoteReferences/fetched``, whatever that was before.
  ///
  /// The remote-tracking branch of a named remote follows, as with `git fetch`. Whether the remote was
  /// rewritten is for ``RewriteGuard`` to say.
  package func fetch() throws(ExchangeError) -> Fetched {
    let before = try known()
    let options = [
      "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-prune",
      "--no-auto-maintenance", "--progress",
    ]
    let refspec = "+refs/heads/\(branch):\(references.fetched)"
    do throws(ExchangeError) {
      _ = try perform(["fetch"] + options, source, [refspec])
    } catch {
      let text = error.detail.joined(separator: "\n").lowercased()
      // git 2.39 remote.c; older ones begin it with a capital.
      if text.contains("couldn't find remote ref") { return Fetched(before: before, after: nil) }
      // Somebody holds the lock of the remote-tracking branch, which nothing here depends on.
      guard text.contains("cannot lock ref") || text.contains("unable to update local ref") else {
        throw error
      }
      removeDeadLock()
      _ = try perform(["fetch", "--refmap="] + options, source, [refspec])
    }
    return Fetched(before: before, after: try known())
  }

  /// Seconds after which nobody holds a lock of a reference any more.
  private static let lockAge = 60

  /// Removes the lock that a fetch left which was killed, or lost its power.
  ///
  /// Nothing but a fetch of ours writes ``RemoteReferences/fetched``, and git holds such a lock for a
  /// moment only, when all has come.
  private func removeDeadLock() {
    let lock = "\(git.gitDirectory)/\(references.fetched).lock"
    var status = stat()
    if lstat(lock, &status) == 0, time(nil) - status.st_mtim.tv_sec > Self.lockAge { unlink(lock) }
  }

  /// What was fetched last.
  private func known() throws(ExchangeError) -> ObjectID? {
    do throws(GitError) {
      return try Repository(at: git.gitDirectory).id(ofReference: references.fetched)
    } catch {
      throw ExchangeError(.other, "the repository cannot be read: \(error.message)")
    }
  }

  // MARK: Writing

  /// Pushes a commit to the branch; the remote takes it only if nothing there is lost by it.
  ///
  /// - Throws: What refused it, with the words of the remote's hook in ``ExchangeError/detail``.
  ///   That the branch has moved on is no error.
  package func push(_ commit: ObjectID) throws(ExchangeError) -> PushOutcome {
    var options = ["--porcelain", "--progress", "--no-follow-tags", "--recurse-submodules=no"]
    if !git.usesLargeFileHook { options.append("--no-verify") }
    let refspec = "\(commit.hex):refs/heads/\(branch)"
    let run = try attempt(["push"] + options, destination, [refspec])
    let lines = String(decoding: run.result.output, as: UTF8.self).split(separator: "\n")
    // FLAG TAB FROM:TO TAB SUMMARY (REASON), git-push(1).
    let row = lines.first { $0.contains(":refs/heads/\(branch)\t") }
    if run.isClean, let row {
      return row.hasPrefix("=") ? .upToDate : .pushed
    }
    if let row, row.hasPrefix("!"), run.interference == nil {
      return try refused(String(row), run)
    }
    throw error(of: run, at: destination, isPush: true)
  }

  /// Reads why the remote did not take a reference.
  private func refused(_ row: String, _ run: Attendance.Result) throws(ExchangeError) -> PushOutcome
  {
    let why = row.lowercased()
    let text = run.result.errorText
    let said = RemoteWords.refusals.first { why.contains($0.words) }
    switch said?.meaning {
    case .failure(.rejectedByHook):
      // Services say it by a hook; a person's own hook has its own words.
      let known = RemoteWords.reason(in: text)
      let isService = known == .protectedBranch || known == .tooLarge
      throw failure(isService ? known ?? .rejectedByHook : .rejectedByHook, at: destination, text)
    case .failure(let reason): throw failure(reason, at: destination, text)
    case .raced:
      // "failed to update ref" is said for every kind of trouble with the reference's file.
      let known = RemoteWords.reason(in: text)
      if known == .readOnly || known == .remoteDiskFull {
        throw failure(known ?? .other, at: destination, text)
      }
      return .raced
    case nil: throw error(of: run, at: destination, row: row, isPush: true)
    }
  }
}

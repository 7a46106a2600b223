import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// What must be true before anything is written; each refusal one plain sentence.
enum Preflight {
  /// Why libgit2 would not open a repository, in words that say what to do.
  static func explain(_ error: GitError, opening root: String) -> VersoError {
    let message = error.message
    if error.code == .foreignOwner || message.contains("safe.directory") {
      return foreignOwner(root)
    }
    if let range = message.firstRange(of: "extensions.") {
      let name = message[range.upperBound...].prefix { $0.isLetter || $0.isNumber }
      return VersoError(
        .refused, "\(root) uses git's extension \(name), which Verso cannot handle yet",
        hint: "nothing was changed; git itself works on it")
    }
    if message.contains("unsupported repository version") {
      return VersoError(
        .refused, "\(root) has a repository format newer than Verso can handle",
        hint: "nothing was changed; git itself works on it")
    }
    if error.code == .notFound {
      return VersoError(
        .noVault, "\(root) is not a git repository: \(message)", hint: "run: verso init \(root)")
    }
    return VersoError(error, "open \(root)")
  }

  private static func foreignOwner(_ root: String) -> VersoError {
    var status = stat()
    let owner =
      stat(root, &status) == 0 ? Host.user(status.st_uid)?.name ?? "#\(status.st_uid)" : "?"
    if geteuid() == 0 {
      return VersoError(
        .refused, "\(root) belongs to \(owner), and root would shut them out",
        hint: "run: sudo -u \(owner) verso …")
    }
    return VersoError(
      .refused, "\(root) belongs to \(owner), not to you, and git does not trust it",
      hint: "run as \(owner), or: git config --global --add safe.directory \(root)")
  }

  /// Stops root on somebody else's directory: files it writes would shut the owner out.
  static func checkOwner(of root: Int32, path: String, store: any FileStore) throws(VersoError) {
    guard geteuid() == 0 else { return }
    let status: FileStatus
    do throws(DiskError) { status = try store.status(of: root) } catch { throw VersoError(error) }
    guard status.owner != 0 else { return }
    let name = Host.user(status.owner)?.name ?? "#\(status.owner)"
    throw VersoError(
      .refused, "\(path) belongs to \(name), and root would shut them out",
      hint: "run: sudo -u \(name) verso …")
  }

  /// What the user's own git has open, and everything else that forbids a commit now.
  static func checkState(_ engine: Engine) throws(VersoError) {
    let repository = engine.repository
    if let operation = repository.operationInProgress {
      throw VersoError(
        .refused, "a \(operation) is open in \(engine.root), so nothing is saved",
        hint: "finish or abort the \(operation) with git, then save again")
    }
    let head: Repository.Head
    do throws(GitError) { head = try repository.head() } catch {
      throw VersoError(error, "read HEAD of \(engine.root)")
    }
    if case .detached(let id) = head {
      throw VersoError(
        .refused, "HEAD is detached at \(id.short), so a save would belong to no branch",
        hint: "run: git -C \(engine.root) switch BRANCH")
    }
    if engine.isCommitMessageOpen {
      throw VersoError(
        .refused, "a commit message is being written in \(engine.root), so nothing is saved",
        hint: "finish or abort that git commit; an abandoned one counts for ten minutes at most")
    }
  }

  /// What ``checkState(_:)`` and the check of the root refuse, as one word.
  static func word(_ engine: Engine) -> String {
    if let operation = engine.repository.operationInProgress { return operation }
    do throws(GitError) {
      if case .detached = try engine.repository.head() { return "head" }
    } catch { return "head" }
    return engine.isCommitMessageOpen ? "commit" : "root"
  }

  /// What the index holds that a save cannot carry on.
  static func check(_ index: IndexFile?, root: String) throws(VersoError) {
    guard let index else { return }
    if let path = index.unmergedPaths.first {
      throw VersoError(
        .refused, "\(path) has unresolved conflict stages in git's index, so nothing is saved",
        hint: "resolve it with git add, then save again")
    }
    for obstacle in index.obstacles where obstacle != .skipWorktree {
      throw VersoError(
        .refused, "git's index of \(root) cannot be kept true: \(obstacle)",
        hint: "nothing was changed")
    }
  }
}

extension Engine {
  /// Whether a `git commit` waits in its editor: its message file is newer than the last line of
  /// HEAD's log, and not older than ten minutes.
  var isCommitMessageOpen: Bool {
    do throws(DiskError) {
      let message = try store.status(of: Array("COMMIT_EDITMSG".utf8), in: gitFolder.number)
      guard let message else { return false }
      let age = now().timeInterval(since: message.modified)
      guard age < 600 else { return false }
      let log = try store.status(of: Array("logs/HEAD".utf8), in: gitFolder.number)
      guard let log else { return false }
      return message.modified > log.modified
    } catch {
      return false
    }
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// Ties a vault to a remote: the one that other devices share.
package struct RemoteSetup: Sendable {
  /// The name of a remote that is there, or an address.
  package var remote: String
  /// Whether the remote repository is made where it is missing.
  package var creates = false
  /// Whether there must be a repository with versions, as for a clone.
  package var isClone = false
  package var mayPrompt = false
  package var wait: Double = 10
  package var progress: (@Sendable (String) -> Void)?

  package init(remote: String) { self.remote = remote }

  /// What is about to be exchanged, for people.
  package struct Announcement: Sendable {
    /// The address, without credentials.
    package var address: String
    package var branch: String
    /// Files of the last version here.
    package var files: Int
    /// Whether the remote has versions already.
    package var isJoining: Bool
  }

  /// Sets the remote up, so that the next sync uses it.
  ///
  /// The branch is the one that the remote's HEAD names, where it has versions: a branch here that was
  /// never shared takes its name.
  ///
  /// - Throws: ``VersoError/Code/unreachable``; ``VersoError/Code/refused`` where the branch here has
  ///   another name and belongs to another remote.
  package func run(_ engine: Engine) throws(VersoError) -> Announcement {
    let (name, isNew) = try self.name(engine)
    var branch = try engine.syncedBranch(isChecked: false)
    var request = SyncRequest()
    request.mayPrompt = mayPrompt
    request.progress = progress
    let exchange = try engine.exchange(with: isNew ? remote : name, branch: branch, request)
    if let path = exchange.localPath, (path + "/").hasPrefix(engine.root + "/") {
      throw VersoError(
        .refused, "the remote \(path) would lie in the vault, and be saved into itself",
        hint: "choose a place outside \(engine.root)")
    }
    if creates {
      try engine.talking { () throws(ExchangeError) in try exchange.createRepository() }
    }
    let tips = try engine.talking { () throws(ExchangeError) in try exchange.tips() }
    let lock = try engine.lockVault(wait: wait)
    try engine.recover(lock)
    if tips.branch == nil, let theirs = tips.defaultBranch, tips.heads[theirs] != nil {
      try rename(branch, to: theirs, engine)
      branch = theirs
    }
    var values = [(key: "verso.remote", value: name), (key: "verso.branch", value: branch)]
    if isNew {
      values.append((key: "remote.\(name).url", value: remote))
      values.append(
        (key: "remote.\(name).fetch", value: "+refs/heads/*:refs/remotes/\(name)/*"))
    }
    do {
      try engine.configurationEdit.set(
        values, removing: [Settings.unfinishedCloneKey], wait: wait)
    } catch {
      throw VersoError(storing: error)
    }
    _ = consume lock
    return Announcement(
      address: exchange.address, branch: branch,
      files: try engine.openIndex()?.table.rows.count ?? 0,
      isJoining: tips.heads[branch] != nil)
  }

  /// The name of the remote, and whether it is to be made.
  private func name(_ engine: Engine) throws(VersoError) -> (name: String, isNew: Bool) {
    let known = try engine.remotes()
    if known.contains(remote) { return (remote, false) }
    do throws(GitError) {
      for name in known where try engine.repository.setting("remote.\(name).url") == remote {
        return (name, false)
      }
    } catch { throw VersoError(error, "read the remotes of \(engine.root)") }
    for name in ["origin", "verso"] + (2...99).map({ "verso\($0)" }) where !known.contains(name) {
      return (name, true)
    }
    throw VersoError(.failed, "\(engine.root) has too many remotes", hint: "git remote remove some")
  }

  private func rename(
    _ branch: String, to name: String, _ engine: Engine
  ) throws(VersoError) {
    let isShared: Bool
    do throws(GitError) {
      isShared = try engine.repository.setting("branch.\(branch).remote") != nil
    } catch { throw VersoError(error, "read the configuration of \(engine.root)") }
    if isShared || engine.settings.branch != nil && engine.settings.branch != name {
      throw VersoError(
        .refused, "the remote's branch is \(name), and this repository's is \(branch)",
        hint: "run: git -C \(engine.root) branch -m \(branch) \(name), then try again")
    }
    try engine.nameBranch(name, from: branch)
  }
}

extension Engine {
  /// Gives the branch of HEAD another name, with git's own program, which knows all that follows it.
  func nameBranch(_ name: String, from old: String) throws(VersoError) {
    if old == name { return }
    var words = ["-C", root, "branch", "-m", old, name]
    do throws(GitError) {
      // git 2.39 renames no branch without commits.
      if try repository.headCommit() == nil {
        words = ["-C", root, "symbolic-ref", "HEAD", "refs/heads/\(name)"]
      }
    } catch { throw VersoError(error, "read HEAD of \(root)") }
    let outcome = Programs().run(
      ProgramRequest(arguments: ["git"] + words, environment: .quietGit, limit: 30))
    guard outcome.succeeded else {
      throw VersoError(
        .failed, "the branch \(old) cannot be called \(name): \(outcome.reason)",
        hint: "run: git -C \(root) branch -m \(old) \(name)")
    }
  }
}

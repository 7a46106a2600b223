import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// What the engine asks of a remote, and what it remembers of it.
extension Engine {
  /// Prepares to talk to a remote about a branch.
  func exchange(
    with remote: String, branch: String, _ request: SyncRequest
  ) throws(VersoError) -> Exchange {
    try talking { () throws(ExchangeError) in
      try Exchange(
        gitDirectory: repository.gitDirectory, workTree: root, remote: remote, branch: branch,
        limits: ExchangeLimits(total: request.timeout),
        prompting: request.mayPrompt ? .terminal : .never,
        shared: sharedConnection,
        progress: request.progress)
    }
  }

  /// Where ssh may keep its connection for the next time; `nil` where there is no place of this
  /// user's alone.
  private var sharedConnection: SharedConnection? {
    do throws(VersoError) {
      return SharedConnection(
        folder: try ControlSocket.makeFolder(
          root: root, { getenv($0).map { String(cString: $0) } }, store: store))
    } catch { return nil }
  }

  /// Says what an exchange failed of in the words of this layer.
  func talking<Result>(
    _ body: () throws(ExchangeError) -> Result
  ) throws(VersoError) -> Result {
    do throws(ExchangeError) { return try body() } catch { throw VersoError(error) }
  }

  // MARK: What was seen there

  /// Notes a tip that was fetched, and stops where the remote's history was rewritten.
  ///
  /// - Returns: How many versions lead to it that are not here.
  func noteTip(
    _ fetched: Fetched, _ exchange: Exchange, _ outcome: inout SyncOutcome
  ) throws(VersoError) -> Int {
    outcome.tip = fetched.after
    let verdict: RewriteGuard.Verdict
    do throws(GitError) {
      verdict = try repository.rewriteVerdict(exchange.references, tip: fetched.after)
    } catch { throw VersoError(error, "read what the remote had") }
    switch verdict {
    case .first, .unchanged, .forward, .nothing: break
    case .rewritten(let old, let new):
      try refuseRewrite(from: old, to: new, exchange, outcome.branch)
    case .gone(let old): try refuseLoss(of: old, exchange, outcome.branch)
    }
    guard let tip = fetched.after else { return 0 }
    let news = try unknownVersions(in: tip)
    if news == 0 { return 0 }
    outcome.fetched = SyncOutcome.Transfer(
      from: outcome.fetched?.from ?? fetched.before, to: tip,
      versions: (outcome.fetched?.versions ?? 0) + news)
    return news
  }

  private func unknownVersions(in tip: ObjectID) throws(VersoError) -> Int {
    do throws(GitError) {
      guard let head = try repository.headCommit() else {
        return try repository.commits(in: tip, notIn: nil).count
      }
      if try repository.isAncestor(tip, of: head) { return 0 }
      return try repository.aheadBehind(head, tip).behind
    } catch { throw VersoError(error, "read the history of \(root)") }
  }

  private func refuseRewrite(
    from old: ObjectID, to new: ObjectID, _ exchange: Exchange, _ branch: String
  ) throws(VersoError) {
    let names: (old: String, new: String)
    do throws(GitError) {
      names = try repository.keep(from: old, to: new, exchange.references)
    } catch {
      throw VersoError(error, "keep what the remote had")
    }
    throw VersoError(
      .refused,
      "\(exchange.address) no longer has versions that were seen there: its history was rewritten, "
        + "so nothing was joined; both are kept, as \(names.old) and \(names.new)",
      hint: "to join with what is there now: git -C \(root) update-ref \(exchange.references.seen) "
        + "\(new.hex); to put back what was there: git -C \(root) push --force "
        + "\(exchange.address) \(old.hex):refs/heads/\(branch)")
  }

  /// A branch that is gone is made anew only where the whole repository is new.
  private func refuseLoss(
    of old: ObjectID, _ exchange: Exchange, _ branch: String
  ) throws(VersoError) {
    let tips = try talking { () throws(ExchangeError) in try exchange.tips() }
    if tips.isEmpty { return }
    throw VersoError(
      .refused,
      "\(exchange.address) has no branch \(branch) any more, so nothing was sent",
      hint: "to make it again: git -C \(root) push \(exchange.address) "
        + "\(old.hex):refs/heads/\(branch)")
  }

  /// Remembers that the remote has a commit: a later tip without it is a rewrite.
  func rememberTip(_ tip: ObjectID, _ exchange: Exchange) throws(VersoError) {
    do throws(GitError) { try repository.takeOver(tip, exchange.references) } catch {
      throw VersoError(error, "note what the remote has")
    }
  }

  // MARK: For a watcher

  enum RemoteAnswer: Hashable {
    /// There is no remote, or asking it would cost a new connection.
    case unasked
    /// The tip of the branch as the remote has it now; `nil` for none.
    case tip(ObjectID?)
  }

  /// Asks the remote for its tip where that costs no new connection.
  func askOpenConnection() throws(VersoError) -> RemoteAnswer {
    guard let remote = settings.remote else { return .unasked }
    let exchange = try exchange(with: remote, branch: syncedBranch(), SyncRequest())
    guard exchange.isConnected else { return .unasked }
    return .tip(try talking { () throws(ExchangeError) in try exchange.tip() })
  }

  /// The remote as a folder of this machine; `nil` where it is elsewhere.
  var remotePath: String? {
    guard let remote = settings.remote else { return nil }
    do throws(GitError) {
      let address = try repository.setting("remote.\(remote).url") ?? remote
      return Self.localPath(address, below: root)
    } catch { return nil }
  }

  private static func localPath(_ address: String, below root: String) -> String? {
    do throws(ExchangeError) {
      guard case .path(let path) = try RemoteAddress(address).transport else { return nil }
      return path.hasPrefix("/") ? path : "\(root)/\(path)"
    } catch { return nil }
  }
}

extension VersoError {
  /// What kept an exchange with a remote from being done.
  init(_ error: ExchangeError) {
    let code: Code =
      switch error.reason {
      case .badAddress, .unknownRemote, .localDiskFull, .occupied: .failed
      case .interrupted(signal: SIGINT): .interrupted
      default: .unreachable
      }
    let isRefusal = [.rejectedByHook, .protectedBranch, .tooLarge, .other].contains(error.reason)
    self.init(
      code, error.message + (isRefusal ? Self.words(of: error) : ""),
      hint: error.byHand.map { "everything local is saved; run once by hand: \($0)" })
  }

  /// What the remote said, three lines at most: a hook's own words say what no sentence of ours can.
  private static func words(of error: ExchangeError) -> String {
    let mark = "remote: "
    let remote = error.detail.filter { $0.hasPrefix(mark) }.map { $0.dropFirst(mark.count) }
    // What git adds to every refusal says nothing.
    let own = error.detail.last { !$0.hasPrefix("error: failed to push some refs") }
    let said = remote.isEmpty ? own ?? "" : remote.suffix(3).joined(separator: "; ")
    return said.isEmpty ? "" : ": \(said)"
  }
}

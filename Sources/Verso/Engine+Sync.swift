import VersoDisk
import VersoGit
import VersoModel
import VersoSync

extension Engine {
  /// How often a push that others were faster than is tried again.
  static let pushAttempts = 8

  /// Saves, takes in what other devices have saved, and gives them what they lack.
  ///
  /// With no remote it is a save. Everything local is saved whatever becomes of the rest.
  ///
  /// - Parameter save: Saves everything; another process may do it, which knows what changed.
  /// - Throws: ``VersoError/Code/unreachable`` where the remote cannot be reached or refuses;
  ///   ``VersoError/Code/refused`` where its history was rewritten; what a save throws.
  package func sync(
    _ request: SyncRequest, saving save: (SaveRequest) throws(VersoError) -> SaveOutcome
  ) throws(VersoError) -> SyncOutcome {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    var outcome = SyncOutcome()
    var saving = SaveRequest()
    saving.wait = request.wait
    saving.isDryRun = request.isDryRun
    saving.allowsMassDeletion = request.allowsMassDeletion
    outcome.save = try save(saving)
    guard let remote = settings.remote else {
      if !request.isDryRun { try recordSync(.success(at: now().seconds)) }
      return outcome
    }
    outcome.remote = remote
    do throws(VersoError) {
      try exchange(with: remote, request, &outcome)
      if !request.isDryRun { try recordSync(.success(at: now().seconds)) }
    } catch {
      try recordSync(.failure(.init(error), at: now().seconds, after: lastSync))
      throw error
    }
    return outcome
  }

  /// The branch that is synchronised, without `refs/heads/`.
  ///
  /// - Parameter isChecked: Whether another branch than `verso.branch` is refused.
  func syncedBranch(isChecked: Bool = true) throws(VersoError) -> String {
    let head: Repository.Head
    do throws(GitError) { head = try repository.head() } catch {
      throw VersoError(error, "read HEAD of \(root)")
    }
    guard case .branch(let reference, _) = head else {
      try Preflight.checkState(self)
      throw VersoError(.refused, "HEAD of \(root) names no branch")
    }
    let current = Self.shortName(ofBranch: reference)
    guard let branch = settings.branch, branch != current, isChecked else { return current }
    throw VersoError(
      .refused, "HEAD of \(root) is on \(current), and only \(branch) is synchronised",
      hint: "run: git -C \(root) switch \(branch), or: git config verso.branch \(current)")
  }

  private func exchange(
    with remote: String, _ request: SyncRequest, _ outcome: inout SyncOutcome
  ) throws(VersoError) {
    let branch = try syncedBranch()
    outcome.branch = branch
    let end = request.timeout.map { MonotonicTime.now() + $0 }
    var exchange = try self.exchange(with: remote, branch: branch, request)
    var pause = 0.05
    for attempt in 0..<Self.pushAttempts {
      exchange.limits.total = end.map { max(0.1, $0 - MonotonicTime.now()) }
      let fetched = try talking { () throws(ExchangeError) in try exchange.fetch() }
      let news = try noteTip(fetched, exchange, &outcome)
      if request.isDryRun { return }
      // What is kept until a person agrees goes now, whether or not there is news.
      if let tip = fetched.after, news > 0 || request.allowsMassDeletion {
        try takeIn(tip, remote, request, &outcome)
      }
      if let tip = fetched.after { try rememberTip(tip, exchange) }
      exchange.limits.total = end.map { max(0.1, $0 - MonotonicTime.now()) }
      if try give(over: fetched.after, exchange, &outcome) { return }
      if attempt == Self.pushAttempts - 1 { break }
      // Devices that were beaten by the same push must not meet again.
      MonotonicTime.pause(pause * Double.random(in: 0.5...1.5))
      pause = min(pause * 2, 2)
    }
    throw VersoError(
      .unreachable, "other devices kept pushing to \(remote) while this one tried",
      hint: "everything local is saved; the next sync tries again")
  }

  /// Joins the remote's tip with what is here.
  private func takeIn(
    _ tip: ObjectID, _ remote: String, _ request: SyncRequest, _ outcome: inout SyncOutcome
  ) throws(VersoError) {
    // Asked while nothing is held: who answers may be waiting for the lock itself.
    let restless = request.restless?() ?? []
    request.joining?(true)
    defer { request.joining?(false) }
    let lock = try lockVault(wait: request.wait)
    try recover(lock)
    // What was saved a moment ago may be old news.
    var saving = SaveRequest()
    saving.wait = request.wait
    // What somebody is typing is joined all the same; others wait for the lock.
    saving.settleLimit = 2.5 * Settling.interval
    let saved = try saveLocked(saving, lock) { restless }
    if saved.commit != nil { outcome.save = saved }
    let moving = restless.union(saved.left)
    let join = try join(
      tip, from: remote, allowsMassDeletion: request.allowsMassDeletion, leaving: moving,
      wait: request.wait, lock)
    if request.allowsMassDeletion { try dropKept(lock, wait: request.wait) }
    saveReconverted(after: join.written, leaving: moving, wait: request.wait, lock)
    outcome.joins.append(join)
    _ = consume lock
    maintain(after: join.commit)
  }

  /// Pushes what the remote lacks.
  ///
  /// - Returns: `false` where others were faster.
  private func give(
    over tip: ObjectID?, _ exchange: Exchange, _ outcome: inout SyncOutcome
  ) throws(VersoError) -> Bool {
    let head: ObjectID?
    var count = 0
    do throws(GitError) {
      head = try repository.headCommit()
      guard let head, head != tip else { return true }
      if let tip {
        // A branch of the user's own making that does not hold the remote's: nothing is forced.
        guard try repository.isAncestor(tip, of: head) else { return false }
        count = try repository.aheadBehind(head, tip).ahead
      } else {
        count = try repository.commits(in: head, notIn: nil).count
      }
    } catch { throw VersoError(error, "read the history of \(root)") }
    guard let head else { return true }
    let result = try talking { () throws(ExchangeError) in try exchange.push(head) }
    if case .raced = result { return false }
    try rememberTip(head, exchange)
    outcome.tip = head
    outcome.pushed = SyncOutcome.Transfer(
      from: outcome.pushed?.from ?? tip, to: head, versions: (outcome.pushed?.versions ?? 0) + count
    )
    return true
  }

  // MARK: Kept files

  /// Removes the files that other devices deleted and that a person has now agreed to lose.
  func dropKept(_ lock: borrowing HeldVault, wait: Double) throws(VersoError) {
    let kept = try readKept()
    if kept.isEmpty { return }
    let ground = try Ground(self)
    guard let head = ground.commit else { return }
    let trees = TreeLookup(repository)
    var disk: [RelativePath: Advance.Known] = [:]
    for (path, content) in kept {
      let isBack = try ground.tree.flatMap { tree throws(VersoError) in
        try file(at: path, in: tree, trees)
      }
      if isBack == nil { disk[path] = Advance.Known(content: content, base: head) }
    }
    let hold = try keepObjects(wait: wait)
    defer { withExtendedLifetime(hold) {} }
    let advance = try Advance(
      self, from: ground, to: head, subject: "remove what other devices deleted", knowing: disk)
    if try advance.run(wait: wait) { try writeKept([:]) }
  }
}

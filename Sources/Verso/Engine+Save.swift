import Glibc
import VersoDisk
import VersoGit
import VersoModel

extension Engine {
  /// How often a save starts over when somebody else moves HEAD or the index under it.
  static let attempts = 10

  /// From so many changed files on, objects go into one pack instead of a file each.
  static let packThreshold = 500

  /// Saves what changed as one commit; none where nothing did.
  ///
  /// - Parameter restless: Asked after the look at the disk: paths that are left for another time,
  ///   with what lies below them, as the caller knows that their changes are not over.
  /// - Throws: ``VersoError``; nothing that was on disk or in history is lost by any of them.
  package func save(
    _ request: SaveRequest, leaving restless: () -> Set<RelativePath> = { [] }
  ) throws(VersoError) -> SaveOutcome {
    try changing(wait: request.wait) { lock throws(VersoError) in
      let outcome = try saveLocked(request, lock, leaving: restless)
      return (outcome, outcome.commit)
    }
  }

  /// The same while the vault's lock is held.
  func saveLocked(
    _ request: SaveRequest, _ lock: borrowing HeldVault,
    leaving restless: () -> Set<RelativePath> = { [] }
  ) throws(VersoError) -> SaveOutcome {
    for attempt in 0..<Self.attempts {
      if let outcome = try trySave(request, lock, restless) { return outcome }
      // Somebody's git is busy here; it gets more time with every round.
      MonotonicTime.pause(0.02 * Double(attempt + 1))
    }
    throw VersoError(
      .locked, "another git process keeps changing \(root) while it is saved",
      hint: "nothing was lost; save again when it has finished")
  }

  /// One attempt; `nil` where HEAD or the index were changed by somebody meanwhile.
  private func trySave(
    _ request: SaveRequest, _ lock: borrowing HeldVault, _ restless: () -> Set<RelativePath>
  ) throws(VersoError) -> SaveOutcome? {
    try Preflight.checkState(self)
    try checkRoot()
    if settings.keepsEmptyFolders, !request.isDryRun { try keepEmptyFolders(request) }
    let ground = try Ground(self)
    var seen = try look(request, table: ground.index?.table ?? .empty)
    let restless = restless()
    seen.leave(restless)
    let moving = restless.union(seen.moving)
    // What the disk has in another version than the branch is no edit of the branch's.
    let pending = try pendingFiles(for: request, leaving: moving)
    seen.leave(pending.paths)
    seen.leave(above: pending.paths)
    if request.isDryRun { return try dryOutcome(request, on: ground, seen, pending) }
    let hold = try keepObjects(wait: request.wait)
    let (plan, objects) = try plan(request, on: ground, &seen, pending)
    var outcome = SaveOutcome(plan, branch: ground.branch)
    outcome.newlySkipped = try remember(plan, request: request)
    let edit = try editTree(plan, on: ground, writer: objects)
    // A first version of nothing would say nothing.
    let isChanged = edit.root != ground.tree ?? .emptyTree
    var commit: ObjectID?
    if isChanged {
      let text = message(for: plan, request)
      let (id, notes) = try writeCommit(
        tree: edit.root, parent: ground.commit, message: text, writer: objects)
      commit = id
      outcome.unsigned = notes.unsigned
      let news = try rememberSaid(notes)
      outcome.isUnsignedNews = news.contains(.unsigned)
      if news.contains(.identity) { outcome.madeUpIdentity = notes.madeUpIdentity }
      outcome.subject = text.title
    } else {
      outcome.changes = []
    }
    try finish(objects)
    if commit != nil || plan.changesIndex {
      let isDone = try publish(
        commit, subject: outcome.subject ?? "", plan: plan, folders: edit.folders, on: ground,
        wait: request.wait)
      guard isDone else { return nil }
    }
    _ = consume hold
    stateBeforeSave = GitState(head: ground.commit, index: ground.indexStatus)
    if commit == nil, !plan.changesIndex { stateAfterSave = stateBeforeSave }
    outcome.commit = commit
    if request.paths == nil { writeFolderCache(seen) }
    if try hasPending() {
      try addPending(to: &outcome, request, leaving: moving, following: plan.followed, lock)
    }
    return outcome
  }

  /// Tries what an earlier join could not write.
  private func addPending(
    to outcome: inout SaveOutcome, _ request: SaveRequest, leaving moving: Set<RelativePath>,
    following renames: [SavePlanner.Rename], _ lock: borrowing HeldVault
  ) throws(VersoError) {
    guard let taken = try takeUp(request, leaving: moving, following: renames, lock) else { return }
    saveReconverted(after: taken.written, leaving: moving, wait: request.wait, lock)
    guard let last = taken.edits.last else { return }
    outcome.commit = taken.commit
    do throws(GitError) {
      let text = try repository.commit(last).message
      outcome.subject = outcome.subject ?? text.split(separator: "\n").first.map(String.init)
    } catch { throw VersoError(error, "read \(last.short)") }
  }

  private func dryOutcome(
    _ request: SaveRequest, on ground: Ground, _ seen: consuming Settling, _ pending: PendingFiles
  ) throws(VersoError) -> SaveOutcome {
    var (plan, _) = try plan(request, on: ground, &seen, pending)
    plan.changes += plan.followed.map { PathChange(.renamed, $0.new, from: $0.old) }
    var outcome = SaveOutcome(plan, branch: ground.branch)
    outcome.subject = plan.changes.isEmpty ? nil : message(for: plan, request).title
    return outcome
  }

  // MARK: What there is

  /// What a save starts from, read at one moment and checked again under git's lock.
  struct Ground {
    /// When it was read: nothing on disk was read for this operation before.
    let began: Timestamp
    let branchReference: String
    let commit: ObjectID?
    let tree: ObjectID?
    let index: IndexFile?
    let indexStatus: FileStatus?

    var branch: String { Engine.shortName(ofBranch: branchReference) }

    init(_ engine: Engine) throws(VersoError) {
      began = engine.now()
      do throws(GitError) {
        guard case .branch(let name, let id) = try engine.repository.head() else {
          throw GitError(code: .generic, function: "head", message: "HEAD is detached")
        }
        branchReference = name
        commit = id
        tree = try id.map { id throws(GitError) in try engine.repository.commit(id).tree }
      } catch { throw VersoError(error, "read HEAD of \(engine.root)") }
      indexStatus = try engine.indexStatus()
      index = try engine.openIndex()
      try Preflight.check(index, root: engine.root)
    }
  }

  /// A branch's name without `refs/heads/`, as people know it.
  static func shortName(ofBranch reference: String) -> String {
    let folder = "refs/heads/"
    return reference.hasPrefix(folder) ? String(reference.dropFirst(folder.count)) : reference
  }

  func indexStatus() throws(VersoError) -> FileStatus? {
    do throws(DiskError) {
      return try store.status(of: Array("index".utf8), in: gitFolder.number)
    } catch { throw VersoError(error) }
  }

  /// git's index; a damaged one is reported with what mends it: `verso doctor --fix`.
  func openIndex() throws(VersoError) -> IndexFile? {
    do throws(IndexError) {
      return try IndexFile.open(directory: repository.gitDirectory, store: store)
    } catch {
      throw VersoError(
        .failed, "cannot read git's index of \(root): \(error)",
        hint: "run: verso doctor --fix \(root)")
    }
  }

  /// Whether nobody has moved HEAD or the index since `ground` was read.
  func isCurrent(_ ground: Ground) throws(VersoError) -> Bool {
    let status = try indexStatus()
    switch (status, ground.indexStatus) {
    case (nil, nil): break
    case (let a?, let b?): if !a.isUnchanged(since: b) { return false }
    default: return false
    }
    do throws(GitError) {
      guard case .branch(let name, let id) = try repository.head() else { return false }
      return name == ground.branchReference && id == ground.commit
    } catch { throw VersoError(error, "read HEAD of \(root)") }
  }

  // MARK: The plan

  /// Stores what was seen to have changed as objects; nothing refers to them yet.
  func plan(
    _ request: SaveRequest, on ground: Ground, _ seen: inout Settling,
    _ pending: PendingFiles = PendingFiles()
  ) throws(VersoError) -> (plan: SavePlan, writer: any ObjectWriter) {
    let candidates = seen.takeCandidates()
    let writer = try objectWriter(count: candidates.count, isDryRun: request.isDryRun)
    let contents = ContentReader(
      engine: self, table: ground.index?.table ?? .empty, writer: writer,
      filter: try contentFilter(), openFiles: request.openFiles)
    let planner = try SavePlanner(
      engine: self, request: request, base: ground.tree, index: ground.index,
      contents: contents, listed: readHeld(), pending: pending)
    return (try planner.plan(for: seen, candidates: candidates), writer)
  }

  /// Scans, as often as it takes for things to stand still.
  func look(_ request: SaveRequest, table: StatTable) throws(VersoError) -> Settling {
    let options = try scanOptions()
    let scan = Scan(root: rootFolder.number, table: table, options: options.options, store: store)
    do throws(DiskError) {
      if let paths = request.paths {
        return try Settling(repeats: request.settles, limit: request.settleLimit) {
          () throws(DiskError) in
          try scan.only(paths)
        }
      }
      let cache = readFolderCache(key: options.key)
      return try Settling(repeats: request.settles, limit: request.settleLimit) {
        () throws(DiskError) in
        try scan.all(cache: cache)
      }
    } catch { throw VersoError(error.naming(root: root)) }
  }

  /// Puts a file into each empty folder: git has no other way to hold one.
  private func keepEmptyFolders(_ request: SaveRequest) throws(VersoError) {
    let table = try openIndex()?.table ?? .empty
    let scan = Scan(
      root: rootFolder.number, table: table, options: try scanOptions().options, store: store)
    do throws(DiskError) {
      let all = FolderCache(key: 0)
      let seen =
        if let paths = request.paths { try scan.only(paths) } else { try scan.all(cache: all) }
      for path in seen.emptyFolders {
        let folder = try store.openingBeneath(
          path, root: rootFolder.number, flags: O_RDONLY | O_DIRECTORY)
        _ = try store.opening(
          Array(".gitkeep".utf8), in: folder.number, flags: O_WRONLY | O_CREAT | O_EXCL,
          mode: 0o644)
      }
    } catch {
      // It was removed or filled meanwhile.
      if error.isAbsence || error.code == EEXIST { return }
      throw VersoError(error)
    }
  }

  func message(for plan: SavePlan, _ request: SaveRequest) -> SaveMessage {
    var message =
      request.message.map {
        SaveMessage(plan.changes, device: settings.device, subject: $0)
      } ?? SaveMessage(plan.changes, device: settings.device)
    for trailer in request.trailers + plan.trailers { message.add(trailer.key, trailer.value) }
    if plan.acceptedMassDeletion > 0 {
      message.add("Verso-Mass-Delete", "\(plan.acceptedMassDeletion)")
    }
    return message
  }

  /// Remembers what was named, so that only news gets exit code 3.
  private func remember(
    _ plan: SavePlan, request: SaveRequest
  ) throws(VersoError) -> [Skipped] {
    let known = readNamed()
    let news = plan.skipped.filter { !known.contains(Named($0)) }
    let kept = request.paths == nil ? [] : known.filter { !request.covers($0.path) }
    let now = Set(plan.skipped.map(Named.init)).union(kept)
    if now != known { try writeNamed(now) }
    let listed = readHeld()
    // A save of some paths has seen nothing of the others.
    let held = Set(plan.held).union(listed.filter { !request.covers($0) })
    if held != listed { try writeHeld(held.sorted()) }
    return news
  }
}

extension SaveOutcome {
  init(commit: ObjectID?, branch: String) {
    self.commit = commit
    self.branch = branch
  }

  init(_ plan: SavePlan, branch: String) {
    changes = plan.changes
    skipped = plan.skipped
    held = plan.held
    self.branch = branch
  }
}

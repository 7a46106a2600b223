import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// Takes the work tree, git's index and the branch from one commit to another, around whatever a user
/// does to the files meanwhile.
///
/// Every file is replaced safely, against what it is known to hold. One that holds something else was
/// edited: the edit becomes a commit on the version that it was made to, is merged into the goal, and
/// the files are taken on to that. The branch moves last, under git's own lock, which is held from the
/// first file on. What cannot be written now (another program has it open, it cannot be read) is left
/// as it is and remembered as pending, with the version that it is: so that what is saved of it later
/// is an edit of that version, and takes nothing back.
final class Advance {
  /// What the disk holds at a path, where that is not what the branch's commit has.
  struct Known {
    /// `nil` for nothing.
    let content: Journal.Content?
    /// The commit that has it; `nil` for none.
    let base: ObjectID?
  }

  /// What a user made of a file.
  struct Edit {
    let path: RelativePath
    /// `nil` where it was removed.
    let content: Journal.Content?
    /// The commit whose version was edited.
    let base: ObjectID?
    /// Its name in the staging folder, where it is not at its path but in a file that was taken out.
    var name: [UInt8]?
    /// How it came to its path, where it had another one in `base`.
    var rename: SavePlanner.Rename?
  }

  struct Outcome {
    /// Where the branch is.
    var commit: ObjectID
    var written: Set<RelativePath> = []
    /// What a user did meanwhile, as commits.
    var edits: [ObjectID] = []
    /// What was left for later, and why.
    var pending: [(path: RelativePath, error: VersoError)] = []
    /// Conflicts of such edits.
    var conflicts: [MergeConflict] = []
  }

  /// How often the files are taken on to what has become of the goal, before what still changes is
  /// left for later.
  static let rounds = 5

  let engine: Engine
  /// The branch before.
  let ground: Engine.Ground
  var target: ObjectID
  /// What the target has otherwise than the branch had, once that was asked for.
  private var known: (target: ObjectID, changes: [TreeDifference.Entry])?
  var disk: [RelativePath: Known]
  /// What was known to be otherwise on disk at the start.
  let wasKnown: Set<RelativePath>
  let kept: Set<RelativePath>
  let restless: Set<RelativePath>
  let subject: String
  let filter: ContentFilter
  let writer: any ObjectWriter
  /// Who may read what comes, decided while the files are there that it was.
  private var masks: ModeMasks
  var statuses: [RelativePath: FileStatus] = [:]
  var failures: [RelativePath: VersoError] = [:]
  /// Files that were taken out and hold an edit, with the commit that has it.
  var taken: [(settlement: Settlement, replace: SafeReplace, commit: ObjectID?)] = []
  var outcome: Outcome
  /// The time of the version that each path gets, in seconds since 1970.
  let times: [RelativePath: Int64]

  /// Prepares it.
  ///
  /// - Parameters:
  ///   - changes: How `target` differs from `ground`, where that is known.
  ///   - disk: What is known to be on disk in place of what `ground` has.
  ///   - kept: Files that stay on disk although the goal has them no more.
  ///   - restless: Paths that are being edited, with what lies below them: pending at once.
  ///   - left: The steps of an earlier process that was killed.
  init(
    _ engine: Engine, from ground: Engine.Ground, to target: ObjectID,
    by changes: [TreeDifference.Entry]? = nil, subject: String,
    knowing disk: [RelativePath: Known] = [:], keeping kept: Set<RelativePath> = [],
    leaving restless: Set<RelativePath> = [], times: [RelativePath: Int64] = [:],
    after left: [Journal.Step] = []
  ) throws(VersoError) {
    self.engine = engine
    self.ground = ground
    self.target = target
    known = changes.map { (target, $0) }
    self.subject = subject
    self.disk = disk
    wasKnown = Set(disk.keys)
    self.kept = kept
    self.restless = restless
    self.times = times
    masks = ModeMasks(engine, knowing: left)
    filter = try engine.contentFilter()
    writer = try engine.objectWriter(count: 1)
    outcome = Outcome(commit: target)
  }

  /// Does it.
  ///
  /// - Parameter collect: Gives edits that came to light before, once git's lock is held.
  /// - Returns: `false` where somebody moved the branch or changed the index before anything was done.
  /// - Precondition: The vault's lock is held, and the objects are kept from `git gc`.
  func run(
    wait: Double, collecting collect: (Advance) throws(VersoError) -> [Edit] = { _ in [] }
  ) throws(VersoError) -> Bool {
    try engine.retryingLock(wait: wait) { () throws(VersoError) in
      do {
        let lock = try IndexLock.take(
          gitDirectory: engine.gitFolder.number, store: engine.store, wait: 0)
        try Preflight.checkState(engine)
        try engine.checkRoot()
        guard try engine.isCurrent(ground) else { return false }
        try integrate(try collect(self))
        try takeFilesOn()
        try placeRepositories()
        try publish()
        try lock.release()
        try engine.removeOwn(OwnFile.journal)
        try dropTaken()
        return true
      } catch let error as ReferenceUpdate.Failure where error.isModified {
        // The journal says what is on disk: the next start goes on from the branch as it is then.
        throw VersoError(
          .failed, "somebody moved the branch of \(engine.root) while versions were joined",
          hint: "nothing was lost; sync again")
      } catch { throw VersoError(indexLock: error) }
    }
  }

  // MARK: Files

  func takeFilesOn() throws(VersoError) {
    for _ in 0..<Self.rounds {
      failures = [:]
      let steps = try masks.masking(
        steps().filter { !restless.covers($0.path) }, gone: changes().filter { $0.new == nil })
      if steps.isEmpty { return }
      let bases = disk.filter { path, known in known.base != nil && known.base != ground.commit }
        .compactMapValues(\.base)
      let journal = Journal(
        subject: subject, trailers: [], steps: steps,
        goal: .commit(target, from: ground.commit), bases: bases, kept: kept,
        branch: ground.branchReference)
      try engine.writeOwn(journal.encoded, OwnFile.journal, sync: true)
      let edits = try write(journal)
      if edits.isEmpty { return }
      try integrate(edits)
    }
  }

  /// How the target differs from where the branch was.
  private func changes() throws(VersoError) -> [TreeDifference.Entry] {
    if let known, known.target == target { return known.changes }
    let changes = try engine.difference(ground.tree, engine.tree(of: target))
    known = (target, changes)
    return changes
  }

  /// What has to be done to the disk, as far as is known.
  func steps() throws(VersoError) -> [Journal.Step] {
    var steps: [Journal.Step] = []
    var seen = Set<RelativePath>()
    let goal = try engine.tree(of: target)
    for change in try changes() {
      seen.insert(change.path)
      let old = disk[change.path].map(\.content) ?? change.old.flatMap { Journal.Content($0) }
      append(change.path, old, change.new, to: &steps)
    }
    for (path, known) in disk where !seen.contains(path) {
      let new = try engine.file(at: path, in: goal)
      // A deletion that is held here: the file comes back only where others have changed it.
      if known.content == nil, known.base == ground.commit, let tree = ground.tree,
        let old = try engine.file(at: path, in: tree), old == new
      {
        continue
      }
      append(path, known.content, new, to: &steps)
    }
    return steps.sorted { $0.path < $1.path }
  }

  func append(
    _ path: RelativePath, _ old: Journal.Content?, _ found: PathFinder.Found?,
    to steps: inout [Journal.Step]
  ) {
    let new = found.flatMap { Journal.Content($0) }
    // A nested repository is its own business; a kept file is its user's.
    if old == new || found?.mode == Item.Kind.repository.rawValue { return }
    if new == nil, kept.contains(path) { return }
    steps.append(Journal.Step(path: path, old: old, new: new, modified: times[path]))
  }

  func write(_ journal: Journal) throws(VersoError) -> [Edit] {
    let staging = try engine.openStaging()
    var limits = SafeReplace.Limits()
    // What a program writes into a file that is its no more would have to be found and merged: it is
    // let finish instead, for as long as it takes.
    limits.refusesWriters = true
    limits.patience = 0.2
    limits.writers = 2
    limits.grace = engine.grace
    let replace = engine.safeReplace(for: journal, in: staging.number, limits: limits)
    let done = try engine.write(journal, replace, filter)
    let written = Set(done.written)
    for step in journal.steps where written.contains(step.path) {
      disk[step.path] = Known(content: step.new, base: target)
      statuses[step.path] = done.statuses[step.path]
      outcome.written.insert(step.path)
    }
    for left in done.left { failures[left.path] = left.error }
    var edits = try settle(done.displaced, replace) { base(of: $0, in: journal) }
    edits += try readChanged(done, of: journal)
    return edits
  }

  /// Gives nested repositories (submodules) their empty folders, as git does: one without a folder would
  /// count as deleted. What is in a folder stays there.
  func placeRepositories() throws {
    let repository = Item.Kind.repository.rawValue
    let changes = try changes().filter {
      $0.new?.mode == repository || $0.old?.mode == repository
    }
    if changes.isEmpty { return }
    let staging = try engine.openStaging()
    let replace = SafeReplace(
      root: engine.rootFolder.number, staging: staging.number, operation: Array("none".utf8),
      store: engine.store)
    for change in changes {
      do throws(ReplaceRefusal) {
        if change.new?.mode == repository {
          _ = try replace.makeFolders(for: change.path.appending(Array("x".utf8)))
        } else {
          do throws(DiskError) { try replace.removeEmptyFolder(change.path) } catch {
            // It holds a clone, or is gone: either is its owner's doing.
          }
        }
      } catch { failures[change.path] = VersoError(error) }
    }
  }

  /// The commit whose version a step's `old` is.
  ///
  /// What stands where a folder of files should be that were left for later was made when there were none
  /// of them: on the branch as it is now it would delete them.
  func base(of path: RelativePath, in journal: Journal) -> ObjectID? {
    if let base = journal.bases[path] { return base }
    if disk[path] == nil, let blocked = wasKnown.filter({ path.contains($0) }).min() {
      return disk[blocked]?.base
    }
    return ground.commit
  }

  // MARK: The branch

  func publish() throws {
    let steps = try steps()
    outcome.commit = target
    try engine.finish(writer)
    var pending = try engine.readPending().filter { disk[$0.key] == nil }
    for step in steps {
      pending[step.path] = disk[step.path].map(\.base) ?? ground.commit
      let error =
        failures[step.path]
        ?? VersoError(.failed, "\(step.path) does not stop changing; it is taken on later")
      outcome.pending.append((step.path, error))
    }
    let left = Set(steps.map(\.path))
    let plan = try plan(leaving: left)
    if target == ground.commit, plan.steps.isEmpty {
      return try engine.writePending(pending, beside: target)
    }
    let edit = try engine.editTree(plan, on: ground, writer: writer)
    let folders = try edit.root == engine.tree(of: target) ? edit.folders : nil
    if plan.changesIndex { try engine.writeIndex(plan, folders: folders, ground: ground) }
    try engine.writePending(pending, beside: target)
    try engine.rememberKept(kept, from: ground.tree)
    if target != ground.commit {
      try engine.moveBranch(
        ground.branchReference, to: target, from: ground.commit, subject: subject, wait: 2)
    }
    engine.stateAfterSave = GitState(head: target, index: try engine.indexStatus())
  }

  /// What git's index must have.
  func plan(leaving left: Set<RelativePath>) throws(VersoError) -> SavePlan {
    var plan = SavePlan()
    var seen = Set<RelativePath>()
    func add(_ path: RelativePath, _ found: PathFinder.Found?) {
      guard seen.insert(path).inserted else { return }
      var entry: StatEntry?
      if let found {
        entry = StatEntry(mode: found.mode, id: found.id)
        if let kind = Item.Kind(rawValue: found.mode), let status = statuses[path],
          !left.contains(path), disk[path]?.content == Journal.Content(kind: kind, id: found.id)
        {
          entry = StatEntry(of: status, kind: kind, id: found.id)
        }
      }
      plan.steps.append(SavePlan.Step(path: path, entry: entry))
    }
    for change in try changes() { add(change.path, change.new) }
    let goal = try engine.tree(of: target)
    for path in statuses.keys where !left.contains(path) && !seen.contains(path) {
      add(path, try engine.file(at: path, in: goal))
    }
    plan.steps.sort { $0.path < $1.path }
    return plan
  }
}

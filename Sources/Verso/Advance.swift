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
  private(set) var target: ObjectID
  private var disk: [RelativePath: Known]
  private let kept: Set<RelativePath>
  private let restless: Set<RelativePath>
  private let subject: String
  private let filter: ContentFilter
  private let writer: any ObjectWriter
  private var statuses: [RelativePath: FileStatus] = [:]
  private var failures: [RelativePath: VersoError] = [:]
  /// Files that were taken out and hold an edit, with the commit that has it.
  private var taken: [(settlement: Settlement, replace: SafeReplace, commit: ObjectID?)] = []
  private(set) var outcome: Outcome
  /// The time of the version that each path gets, in seconds since 1970.
  private let times: [RelativePath: Int64]

  /// Prepares it.
  ///
  /// - Parameters:
  ///   - disk: What is known to be on disk in place of what `ground` has.
  ///   - kept: Files that stay on disk although the goal has them no more.
  ///   - restless: Paths that are being edited, with what lies below them: pending at once.
  init(
    _ engine: Engine, from ground: Engine.Ground, to target: ObjectID, subject: String,
    knowing disk: [RelativePath: Known] = [:], keeping kept: Set<RelativePath> = [],
    leaving restless: Set<RelativePath> = [], times: [RelativePath: Int64] = [:]
  ) throws(VersoError) {
    self.engine = engine
    self.ground = ground
    self.target = target
    self.subject = subject
    self.disk = disk
    self.kept = kept
    self.restless = restless
    self.times = times
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

  private func takeFilesOn() throws(VersoError) {
    for _ in 0..<Self.rounds {
      failures = [:]
      let steps = try steps().filter { !restless.covers($0.path) }
      if steps.isEmpty { return }
      let bases = disk.filter { path, known in known.base != nil && known.base != ground.commit }
        .compactMapValues(\.base)
      let journal = Journal(
        subject: subject, trailers: [], steps: steps,
        goal: .commit(target, from: ground.commit), bases: bases, kept: kept)
      try engine.writeOwn(journal.encoded, OwnFile.journal, sync: true)
      let edits = try write(journal)
      if edits.isEmpty { return }
      try integrate(edits)
    }
  }

  /// What has to be done to the disk, as far as is known.
  private func steps() throws(VersoError) -> [Journal.Step] {
    var steps: [Journal.Step] = []
    var seen = Set<RelativePath>()
    for change in try engine.difference(ground.tree, tree(of: target)) {
      seen.insert(change.path)
      let old = disk[change.path].map(\.content) ?? change.old.flatMap { Journal.Content($0) }
      append(change.path, old, change.new, to: &steps)
    }
    for (path, known) in disk where !seen.contains(path) {
      let new = try content(at: path, in: target)
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

  private func append(
    _ path: RelativePath, _ old: Journal.Content?, _ found: PathFinder.Found?,
    to steps: inout [Journal.Step]
  ) {
    let new = found.flatMap { Journal.Content($0) }
    // A nested repository is its own business; a kept file is its user's.
    if old == new || found?.mode == Item.Kind.repository.rawValue { return }
    if new == nil, kept.contains(path) { return }
    steps.append(Journal.Step(path: path, old: old, new: new, modified: times[path]))
  }

  private func write(_ journal: Journal) throws(VersoError) -> [Edit] {
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
  private func placeRepositories() throws {
    let repository = Item.Kind.repository.rawValue
    let changes = try engine.difference(ground.tree, tree(of: target)).filter {
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
  private func base(of path: RelativePath, in journal: Journal) -> ObjectID? {
    journal.bases[path] ?? ground.commit
  }

  // MARK: Edits

  /// Waits for writers of what was taken out, and reads what they wrote.
  ///
  /// - Parameter base: Gives the commit that has what was known of a file.
  func settle(
    _ displaced: [Displaced], _ replace: SafeReplace, base baseOf: (RelativePath) -> ObjectID?
  ) throws(VersoError) -> [Edit] {
    var edits: [Edit] = []
    for settlement in replace.settle(displaced) {
      let path = settlement.displaced.path
      let name = settlement.displaced.name
      let base = baseOf(path)
      switch settlement.result {
      case .dropped: try engine.forget(name)
      case .putBack:
        // It was to be removed, and is at its path again.
        try engine.forget(name)
        disk[path] = Known(content: try engine.content(at: path, of: base), base: base)
        failures[path] = VersoError(
          .failed, "\(path) is open in another program, so it is removed later")
      case .edited(let found), .inUse(let found?):
        let content = try store(found, at: path, tracked: nil)
        edits.append(Edit(path: path, content: content, base: base, name: name))
        // It stays until the branch has what is in it: a kill before that must find it.
        try engine.remember(name, of: path, base: base)
        taken.append((settlement, replace, base))
      case .inUse(nil), .kept:
        try engine.remember(name, of: path, base: base)
      }
    }
    return edits
  }

  /// Drops the files that were taken out, now that the branch has what is in them; what has been
  /// written into them since is for another time.
  private func dropTaken() throws(VersoError) {
    for (settlement, replace, commit) in taken {
      let name = settlement.displaced.name
      if case .dropped = replace.release(settlement).result {
        try engine.forget(name)
      } else {
        try engine.remember(name, of: settlement.displaced.path, base: commit)
      }
    }
  }

  /// What users made of the files that were not what they were known to be.
  private func readChanged(
    _ done: Engine.WriteOutcome, of journal: Journal
  ) throws(VersoError) -> [Edit] {
    var edits: [Edit] = []
    // An editor that renames the old file away before it writes the new one has not deleted it.
    for path in done.changed where try isMissing(path) {
      MonotonicTime.pause(Settling.interval)
      break
    }
    for path in done.changed.union(done.obstacles).sorted() {
      let old = journal.steps.first { $0.path == path }?.old
      if old == nil, try engine.isIgnored(path) {
        failures[path] = VersoError(
          .failed, "\(path) came from another device, and is ignored here: it was left as it is",
          hint: "move it away, or take it out of .gitignore; then sync again")
        continue
      }
      do throws(VersoError) {
        edits += try read(path, tracked: old?.id, base: base(of: path, in: journal))
      } catch { failures[path] = error }
    }
    return edits
  }

  private func isMissing(_ path: RelativePath) throws(VersoError) -> Bool {
    do throws(DiskError) {
      return try engine.store.status(of: path.bytes, in: engine.rootFolder.number) == nil
    } catch { return error.isAbsence }
  }

  /// The file at a path, or all that is below a folder, as edits.
  private func read(
    _ path: RelativePath, tracked: ObjectID?, base: ObjectID?
  ) throws(VersoError) -> [Edit] {
    let reader = ConsistentRead(
      root: engine.rootFolder.number, sizeLimit: engine.settings.maxFileSize, store: engine.store)
    let content: ConsistentRead.Content
    do throws(ReadRefusal) { content = try reader.content(of: path) } catch {
      switch error.reason {
      case .vanished: return [Edit(path: path, content: nil, base: base)]
      case .notAFile(.folder):
        var edits = [Edit(path: path, content: nil, base: base)]
        for below in try engine.files(below: path) where below != path {
          edits += try read(below, tracked: nil, base: base)
        }
        return edits
      default: throw VersoError(error)
      }
    }
    guard let found = FoundContent(content) else { return [] }
    let stored = try store(found, at: path, tracked: tracked)
    return [Edit(path: path, content: stored, base: base)]
  }

  private func store(
    _ found: FoundContent, at path: RelativePath, tracked: ObjectID?
  ) throws(VersoError) -> Journal.Content {
    do {
      let id = try engine.store(found, at: path, tracked: tracked, filter, writer)
      return Journal.Content(kind: found.kind, id: id)
    } catch let error as ContentFilterError {
      throw VersoError(.failed, error.description, hint: error.hint)
    } catch { throw VersoError(storing: error) }
  }

  /// Makes commits of edits and merges them into the goal.
  private func integrate(_ edits: [Edit]) throws(VersoError) {
    var rest = edits
    while let first = rest.first {
      // One path may have been edited twice, in a file that was taken out and in its place.
      var (batch, later): ([RelativePath: Edit], [Edit]) = ([:], [])
      for edit in rest {
        if edit.base == first.base, batch[edit.path] == nil {
          batch[edit.path] = edit
        } else {
          later.append(edit)
        }
      }
      rest = later
      let made = try commit(batch.values.sorted { $0.path < $1.path }, on: first.base)
      for edit in batch.values { note(edit, as: made) }
      guard let made, made != first.base else { continue }
      outcome.edits.append(made)
      // An object can be read only when it has its name.
      try engine.finish(writer)
      do {
        let merger = try Merger(repository: engine.repository, writer: writer, published: nil)
        switch try merger.merge(ours: target, theirs: made) {
        case .upToDate: break
        case .fastForward: target = made
        case .published(let id): target = id
        case .merged(let merge):
          target = merge.commit
          outcome.conflicts += merge.conflicts
        }
      } catch { throw VersoError(storing: error) }
      try engine.finish(writer)
    }
    outcome.commit = target
  }

  private func note(_ edit: Edit, as commit: ObjectID?) {
    guard let name = edit.name else {
      disk[edit.path] = Known(content: edit.content, base: commit ?? edit.base)
      return
    }
    for index in taken.indices where taken[index].settlement.displaced.name == name {
      taken[index].commit = commit
    }
  }

  /// The commit of some edits on the version that they were made to; that itself where they say
  /// nothing new.
  ///
  /// - Precondition: `edits` is sorted by path, each path once.
  private func commit(_ edits: [Edit], on base: ObjectID?) throws(VersoError) -> ObjectID? {
    do {
      let old = try base.map { try engine.repository.commit($0).tree }
      let tree = try TreeEditor(
        edits.map {
          TreeEditor.Edit(
            path: $0.path, mode: $0.content?.kind.rawValue ?? 0, id: $0.content?.id ?? .zero)
        }, repository: engine.repository, writer: writer
      ).apply(to: old)
      if tree.root == old ?? .emptyTree { return base }
      var changes: [PathChange] = []
      for edit in edits {
        let was = try old.flatMap { try engine.repository.entry(at: edit.path, in: $0) }
        if was == nil, edit.content == nil { continue }
        let kind: PathChange.Kind =
          edit.content == nil ? .deleted : was == nil ? .added : .modified
        changes.append(PathChange(kind, edit.path))
      }
      return try engine.writeCommit(
        tree: tree.root, parent: base,
        message: SaveMessage(changes, device: engine.settings.device), writer: writer
      ).id
    } catch { throw VersoError(storing: error) }
  }

  // MARK: The branch

  private func publish() throws {
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
      return try engine.writePending(pending)
    }
    var folders: FolderChange?
    if let edit = Optional(try engine.editTree(plan, on: ground, writer: writer)),
      edit.root == (try tree(of: target)) ?? .emptyTree
    {
      folders = edit.folders
    }
    if plan.changesIndex { try engine.writeIndex(plan, folders: folders, ground: ground) }
    try engine.writePending(pending)
    try engine.rememberKept(kept, from: ground.tree)
    if target != ground.commit {
      try engine.moveBranch(
        ground.branchReference, to: target, from: ground.commit, subject: subject, wait: 2)
    }
    engine.stateAfterSave = GitState(head: target, index: try engine.indexStatus())
  }

  /// What git's index must have.
  private func plan(leaving left: Set<RelativePath>) throws(VersoError) -> SavePlan {
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
    for change in try engine.difference(ground.tree, tree(of: target)) {
      add(change.path, change.new)
    }
    for path in statuses.keys where !left.contains(path) {
      add(path, try content(at: path, in: target))
    }
    plan.steps.sort { $0.path < $1.path }
    return plan
  }

  private func tree(of commit: ObjectID) throws(VersoError) -> ObjectID? {
    do throws(GitError) { return try engine.repository.commit(commit).tree } catch {
      throw VersoError(error, "read \(commit.short)")
    }
  }

  private func content(
    at path: RelativePath, in commit: ObjectID
  ) throws(VersoError) -> PathFinder.Found? {
    guard let tree = try tree(of: commit) else { return nil }
    return try engine.file(at: path, in: tree)
  }
}

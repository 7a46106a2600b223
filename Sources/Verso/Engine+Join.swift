import VersoDisk
import VersoGit
import VersoHistory
package import VersoModel
import VersoSync

/// A note that two devices changed in ways that could not be joined, and the copy that was made.
package struct Conflict: Hashable, Sendable {
  /// The note, which holds the version that was worked on more.
  package let path: RelativePath
  /// The file beside it that holds the other version, byte for byte.
  package let copy: RelativePath
  /// The device whose version the copy is.
  package let device: String
  /// When that was saved, in seconds since 1970.
  package let time: Int64
}

/// What joining the versions of other devices did.
package struct JoinOutcome: Sendable {
  /// Where the branch was; `nil` for a branch without commits.
  package var before: ObjectID?
  /// Where the branch is.
  package var commit: ObjectID?
  package var written: [RelativePath] = []
  package var conflicts: [Conflict] = []
  /// Files that others deleted, and that stay here until a person agrees.
  package var held: [RelativePath] = []
  /// Files that could not be written yet, and why.
  package var pending: [(path: RelativePath, error: VersoError)] = []

  package init() {}
}

extension Engine {
  /// Joins a commit of other devices with what is here: on disk, in git's index and on the branch.
  ///
  /// - Parameter restless: Paths that are being edited, with what lies below them: they are written
  ///   later.
  /// - Precondition: What is on disk has been saved; the vault's lock is held.
  /// - Throws: ``VersoError/Code/locked`` where somebody's git keeps moving the branch.
  func join(
    _ theirs: ObjectID, from source: String, allowsMassDeletion: Bool,
    leaving restless: Set<RelativePath> = [], wait: Double, _ lock: borrowing HeldVault
  ) throws(VersoError) -> JoinOutcome {
    for attempt in 0..<Self.attempts {
      if let outcome = try tryJoin(
        theirs, from: source, allowsMassDeletion: allowsMassDeletion, leaving: restless,
        wait: wait)
      {
        return outcome
      }
      MonotonicTime.pause(0.02 * Double(attempt + 1))
    }
    throw VersoError(
      .locked, "another git process keeps changing \(root) while versions are joined",
      hint: "nothing was lost; sync again when it has finished")
  }

  private func tryJoin(
    _ theirs: ObjectID, from source: String, allowsMassDeletion: Bool,
    leaving restless: Set<RelativePath>, wait: Double
  ) throws(VersoError) -> JoinOutcome? {
    let ground = try Ground(self)
    let hold = try keepObjects(wait: wait)
    defer { withExtendedLifetime(hold) {} }
    var outcome = JoinOutcome()
    outcome.before = ground.commit
    outcome.commit = ground.commit
    guard let (goal, merge) = try goal(for: theirs, on: ground) else { return outcome }
    let changes = try difference(ground.tree, tree(of: goal))
    try refuseNames(in: changes, source)
    let kept =
      allowsMassDeletion ? [] : try suspiciousDeletions(among: changes, on: ground, theirs: theirs)
    let advance = try Advance(
      self, from: ground, to: goal, by: changes, subject: "join \(source)",
      knowing: knownDisk(ground), keeping: kept, leaving: restless,
      times: versionTimes(of: changes, to: goal, theirs: theirs))
    guard try advance.run(wait: wait) else { return nil }
    let done = advance.outcome
    outcome.commit = done.commit
    outcome.written = done.written.sorted()
    outcome.conflicts = ((merge?.conflicts ?? []) + done.conflicts).map(Conflict.init)
    outcome.held = kept.sorted()
    outcome.pending = done.pending
    return outcome
  }

  /// Where the branch is to go; `nil` where it is there.
  private func goal(
    for theirs: ObjectID, on ground: Ground
  ) throws(VersoError) -> (goal: ObjectID, merge: Merge?)? {
    guard let head = ground.commit else { return (theirs, nil) }
    do throws(GitError) {
      if try repository.isAncestor(theirs, of: head) { return nil }
    } catch { throw VersoError(error, "compare \(head.short) with \(theirs.short)") }
    let ours = try withoutUnsharedMerges(head, theirs)
    let (goal, merge) = try joined(ours, theirs, published: theirs)
    return goal == head ? nil : (goal, merge)
  }

  /// The commit below the joins of ours that nobody else has and no save stands on: they are made
  /// anew with what the others have now, so that races leave no trace in history.
  private func withoutUnsharedMerges(
    _ head: ObjectID, _ theirs: ObjectID
  ) throws(VersoError) -> ObjectID {
    var head = head
    // What the disk still has of a version is told by that.
    let bases = Set(try readPending().values)
    do throws(GitError) {
      while !bases.contains(head) {
        let commit = try repository.commit(head)
        guard commit.parents.count == 2, Merger.made(commit),
          try !repository.isAncestor(head, of: theirs)
        else { return head }
        var own: [ObjectID] = []
        for parent in commit.parents where try !repository.isAncestor(parent, of: theirs) {
          own.append(parent)
        }
        guard own.count == 1 else { return head }
        head = own[0]
      }
      return head
    } catch { throw VersoError(error, "read the history of \(root)") }
  }

  /// What is on disk in place of what the branch has: versions that could not be written, and
  /// deletions that are held back here.
  func knownDisk(_ ground: Ground) throws(VersoError) -> [RelativePath: Advance.Known] {
    var disk: [RelativePath: Advance.Known] = [:]
    for path in readHeld() { disk[path] = Advance.Known(content: nil, base: ground.commit) }
    for (path, base) in try readPending() {
      disk[path] = Advance.Known(content: try content(at: path, of: base), base: base)
    }
    return disk
  }

  // MARK: Names of others

  /// Stops where a name from elsewhere must not be on any disk, before anything is written: one bad name
  /// is the mark of a repository that means harm.
  private func refuseNames(
    in changes: [TreeDifference.Entry], _ source: String
  ) throws(VersoError) {
    for change in changes {
      guard let new = change.new, let kind = Item.Kind(rawValue: new.mode),
        let refusal = NameRule.refusal(of: change.path, kind: kind)
      else { continue }
      throw VersoError(
        .refused, "\(source) has \(change.path), which \(refusal): nothing of it was joined",
        hint: "everything local is saved; take that name out of the repository with git")
    }
  }

  // MARK: Deletions of others

  /// The files that would go from this disk, where they are suspiciously many and no person has
  /// agreed to that on any device.
  private func suspiciousDeletions(
    among changes: [TreeDifference.Entry], on ground: Ground, theirs: ObjectID
  ) throws(VersoError) -> Set<RelativePath> {
    var gone = changes.filter { $0.new == nil && $0.old.flatMap { Journal.Content($0) } != nil }
    let total = ground.index?.table.rows.count ?? 0
    guard MassDeletion.isSuspicious(deletions: gone.count, of: total) else { return [] }
    // What is at another path now is moved, not deleted.
    let there = Set(changes.compactMap { $0.new?.id })
    gone.removeAll { $0.old.map { there.contains($0.id) } ?? false }
    let agreed = try agreedDeletions(in: theirs, notIn: ground.commit)
    gone.removeAll { agreed.contains($0.path) }
    guard MassDeletion.isSuspicious(deletions: gone.count, of: total) else { return [] }
    return Set(gone.map(\.path))
  }

  /// The files that commits of others deleted with a person's word.
  private func agreedDeletions(
    in theirs: ObjectID, notIn ours: ObjectID?
  ) throws(VersoError) -> Set<RelativePath> {
    var agreed = Set<RelativePath>()
    do throws(GitError) {
      for id in try repository.commits(in: theirs, notIn: ours) {
        let commit = try repository.commit(id)
        guard !CommitRecord.trailers("Verso-Mass-Delete", in: commit.message).isEmpty,
          let parent = commit.parents.first
        else { continue }
        let before = try repository.commit(parent).tree
        for change in try TreeDifference.between(before, commit.tree, in: repository)
        where change.new == nil {
          agreed.insert(change.path)
        }
      }
    } catch { throw VersoError(error, "read the history of \(root)") }
    return agreed
  }

  // MARK: Times

  /// The time of the version that each path is about to get, so that a file's time says when it was
  /// written and not when it came here.
  private func versionTimes(
    of changes: [TreeDifference.Entry], to goal: ObjectID, theirs: ObjectID
  ) throws(VersoError) -> [RelativePath: Int64] {
    let theirTree = try tree(of: theirs)
    var wanted: [RelativePath: PathFinder.Found] = [:]
    var times: [RelativePath: Int64] = [:]
    do throws(GitError) {
      let goalTime = try repository.commit(goal).time
      for change in changes {
        guard let new = change.new else { continue }
        times[change.path] = goalTime
        wanted[change.path] = new
      }
      // What no commit of theirs has was made by joining.
      let trees = TreeLookup(repository)
      for (path, found) in wanted {
        if try trees.find(path, in: theirTree)?.id != found.id { wanted[path] = nil }
      }
      var walk = try HistoryWalk(CommitGraph(repository), from: theirs)
      while !wanted.isEmpty, let commit = try walk.next() {
        guard commit.parents.count < 2 else { continue }
        let before = try commit.parents.first.map { id throws(GitError) in
          try repository.commit(id).tree
        }
        for change in try TreeDifference.between(before, commit.tree, in: repository)
        where change.new != nil && wanted[change.path] == change.new {
          times[change.path] = commit.time
          wanted[change.path] = nil
        }
      }
    } catch { throw VersoError(error, "read the history of \(root)") }
    return times
  }
}

extension Conflict {
  init(_ conflict: MergeConflict) {
    self.init(
      path: conflict.path, copy: conflict.copy, device: conflict.device, time: conflict.time)
  }
}

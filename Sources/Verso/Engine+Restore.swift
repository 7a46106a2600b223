import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

/// What to bring back.
package struct RestoreRequest: Sendable {
  package var path: RelativePath
  /// The commit to take it from, and the name it had there; `nil` for what was lost last.
  package var place: History.Place?
  /// Another name to bring it back under.
  package var destination: RelativePath?
  /// Only these lines, put back into today's note.
  package var lines: Passage?
  /// Whether newer files below a folder go.
  package var isExact = false
  package var isDryRun = false
  /// Seconds to wait for locks.
  package var wait: Double = 10

  package init(path: RelativePath) { self.path = path }
}

/// What a restore, an undo or a redo did.
package struct RestoreOutcome: Sendable {
  /// The save of what was there before.
  package var before = SaveOutcome()
  /// The save of what was brought back; without a commit where everything was as it should be.
  package var save = SaveOutcome()
  /// The subject of the save, also where nothing was written.
  package var subject = ""
  /// Files that are written, or would be.
  package var writes: [RelativePath] = []
  /// Files that are removed, or would be.
  package var removals: [RelativePath] = []
  /// Files that were left as they are, such as those that somebody changed meanwhile; and why.
  package var left: [(path: RelativePath, error: VersoError)] = []
}

extension Engine {
  /// Reads history, from its index where that is there.
  package func history() throws(VersoError) -> History {
    do throws(GitError) { return try History(repository, index: readyHistoryIndex()) } catch {
      throw VersoError(error, "read the history of \(root)")
    }
  }

  /// Brings a note or folder back: saves what is there, writes, saves again.
  ///
  /// - Throws: ``VersoError/Code/usage`` where there is nothing to bring back, or lines that are not
  ///   there; ``VersoError/Code/refused`` where newer files stand in the way.
  package func restore(_ request: RestoreRequest) throws(VersoError) -> RestoreOutcome {
    try act(isDryRun: request.isDryRun, wait: request.wait) { before throws(VersoError) in
      let place = try place(for: request)
      var steps = try steps(
        for: request, from: place, without: Self.missing(after: before, request.isDryRun))
      if let copy = request.destination {
        var masks = ModeMasks(self)
        steps = try masks.masking(steps, gone: [], copying: (request.path, copy))
      }
      return Journal(
        subject: Self.subject(request, at: try commitTime(place.commit)),
        trailers: [Self.action("restore")], steps: steps)
    }
  }

  /// What the last version has and the disk has not: deletions that are held back, and, where
  /// nothing was saved, all others.
  private static func missing(
    after before: SaveOutcome, _ isDryRun: Bool
  ) -> Set<RelativePath> {
    var missing = Set(before.held)
    guard isDryRun else { return missing }
    for change in before.changes {
      if change.kind == .deleted { missing.insert(change.path) }
      if let old = change.oldPath { missing.insert(old) }
    }
    return missing
  }

  private static func subject(_ request: RestoreRequest, at time: Int64) -> String {
    var name = request.path.isRoot ? "everything" : request.path.quoted
    if name.count > 40 { name = "…" + name.suffix(39) }
    if request.lines != nil { name = "lines of \(name)" }
    return "Restore \(name) from \(TimeText.minute(time))"
  }

  private func commitTime(_ id: ObjectID) throws(VersoError) -> Int64 {
    do throws(GitError) { return try repository.commit(id).time } catch {
      throw VersoError(error, "read \(id.short)")
    }
  }

  private func place(for request: RestoreRequest) throws(VersoError) -> History.Place {
    if let place = request.place { return place }
    do throws(GitError) {
      guard let last = try History(repository).lastContent(of: request.path),
        let content = last.content
      else {
        throw GitError(code: .notFound, function: "restore", message: "no version has it")
      }
      return History.Place(
        commit: last.commit, path: last.path, content: content,
        wasFollowed: last.path != request.path)
    } catch {
      throw VersoError(
        .usage, "\(request.path) was never saved, so there is nothing to bring back",
        hint: "verso log --names shows what there was")
    }
  }

  // MARK: Steps

  /// What has to be done.
  ///
  /// - Parameter missing: Files of the last version that are not on disk, as their deletion is held.
  private func steps(
    for request: RestoreRequest, from place: History.Place,
    without missing: Set<RelativePath>
  ) throws(VersoError) -> [Journal.Step] {
    let isTaken = request.destination.map(isOnDisk)
    do throws(GitError) {
      guard let head = try repository.headCommit() else { return [] }
      let today = try repository.commit(head).tree
      if let lines = request.lines {
        return try passage(lines, of: place, into: request.path, today: today)
      }
      let old = try files(in: repository.commit(place.commit).tree, below: place.path)
      let target = request.destination ?? request.path
      let present = try files(in: today, below: target).filter { !missing.contains($0.path) }
      if let isTaken, isTaken || !present.isEmpty {
        throw GitError(
          code: .invalid, function: "restore",
          message: "\(target) is there already; name a path that is free")
      }
      let plan = RestorePlan(
        old: old, today: present, exact: request.isExact, moving: (place.path, target))
      if let obstacle = plan.obstacles.first {
        throw GitError(
          code: .invalid, function: "restore",
          message: "\(obstacle) stands in the way and would be lost from its place; move it, "
            + "or use --exact")
      }
      // Beside today's note, the old one is as old as it is.
      let times = try request.destination == nil ? [:] : times(of: old, at: place, movedTo: target)
      return Self.steps(plan, present: present, times: times)
    } catch {
      if error.code == .invalid { throw VersoError(.usage, error.message) }
      throw VersoError(error, "bring back \(request.path)")
    }
  }

  private static func steps(
    _ plan: RestorePlan, present: [RestorePlan.File],
    times: [RelativePath: Int64]
  ) -> [Journal.Step] {
    let today = Dictionary(present.map { ($0.path, $0) }) { a, _ in a }
    let writes = plan.writes.map { file in
      Journal.Step(
        path: file.path, old: today[file.path].flatMap(Journal.Content.init),
        new: Journal.Content(file), modified: times[file.path])
    }
    let removals = plan.removals.map { path in
      Journal.Step(
        path: path, old: today[path].flatMap(Journal.Content.init), new: nil, modified: nil)
    }
    return removals + writes
  }

  /// When files got the content that they had at a place, by the paths that they are to have.
  private func times(
    of files: [RestorePlan.File], at place: History.Place, movedTo target: RelativePath
  ) throws(GitError) -> [RelativePath: Int64] {
    let wanted = files.map { ($0.path, PathFinder.Found(mode: $0.mode, id: $0.content)) }
    let times = try History(repository).times(
      of: Dictionary(wanted) { a, _ in a }, at: place.commit)
    return Dictionary(
      times.compactMap { path, time in
        path.replacing(prefix: place.path, with: target).map { ($0, time) }
      }
    ) { a, _ in a }
  }

  private func files(
    in tree: ObjectID, below path: RelativePath
  ) throws(GitError) -> [RestorePlan.File] {
    try TreeDifference.files(in: tree, below: path, of: repository).map { path, file in
      RestorePlan.File(path: path, mode: file.mode, content: file.id)
    }
  }

  private func passage(
    _ lines: Passage, of place: History.Place, into path: RelativePath, today: ObjectID
  ) throws(GitError) -> [Journal.Step] {
    func refused(_ message: String) -> GitError {
      GitError(code: .invalid, function: "restore", message: message)
    }
    guard let entry = try repository.entry(at: path, in: today), !entry.isFolder,
      let kind = Item.Kind(rawValue: entry.mode), kind == .file || kind == .executable
    else { throw refused("\(path) is no note of today; restore the whole version first") }
    guard !place.content.isFolder else { throw refused("\(place.path) was a folder then") }
    let old = try repository.read(place.content.id).bytes
    let now = try repository.read(entry.id).bytes
    let new: [UInt8]
    do throws(Passage.Failure) {
      new = try lines.restored(from: old, into: now)
    } catch { throw refused("\(place.path) at \(place.commit.short): \(error)") }
    let id: ObjectID
    do throws(VersoError) {
      let writer = try objectWriter(count: 1)
      do throws(DiskError) {
        id = try writer.write(.blob, new)
        try writer.finish()
      } catch { throw VersoError(error) }
    } catch { throw refused(error.message) }
    if id == entry.id { return [] }
    return [
      Journal.Step(
        path: path, old: Journal.Content(kind: kind, id: entry.id),
        new: Journal.Content(kind: kind, id: id), modified: nil)
    ]
  }
}

extension Journal.Content {
  /// `nil` for kinds that are never written.
  init?(_ file: RestorePlan.File) {
    guard let kind = Item.Kind(rawValue: file.mode), kind != .folder, kind != .repository else {
      return nil
    }
    self.init(kind: kind, id: file.content)
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

extension Engine {
  /// What became of a write to the work tree.
  struct WriteOutcome {
    /// Paths that were left as they are, such as those that somebody changed meanwhile; and why.
    var left: [(path: RelativePath, error: VersoError)] = []
    var written: [RelativePath] = []
  }

  /// Writes the files of a journal and saves the result as one version.
  ///
  /// - Precondition: What is there has been saved; the vault's lock is held.
  func carryOut(
    _ journal: Journal, wait: Double, _ lock: borrowing HeldVault
  ) throws(VersoError) -> (write: WriteOutcome, save: SaveOutcome) {
    try writeOwn(journal.encoded, OwnFile.journal, sync: true)
    return try goOn(journal, wait: wait, lock)
  }

  /// Goes on with a journal that an earlier process left.
  func finishJournal(_ lock: borrowing HeldVault) throws(VersoError) {
    if let bytes = try readOwnSurely(OwnFile.journal) {
      guard let journal = Journal(bytes) else {
        // It is written whole before anything else is done: a broken one began nothing.
        try removeOwn(OwnFile.journal)
        return try collectLeftovers(nil, lock)
      }
      // A merge or a commit of the user's own is open: the journal waits for the next start.
      do throws(VersoError) { try Preflight.checkState(self) } catch { return }
      _ = try goOn(journal, wait: 10, lock)
    } else {
      try collectLeftovers(nil, lock)
    }
  }

  private func goOn(
    _ journal: Journal, wait: Double, _ lock: borrowing HeldVault
  ) throws(VersoError) -> (write: WriteOutcome, save: SaveOutcome) {
    try collectLeftovers(journal, lock)
    let outcome = try write(journal, lock)
    var request = SaveRequest(paths: journal.steps.map(\.path))
    request.message = journal.subject
    request.trailers = journal.trailers
    request.settles = false
    request.wait = wait
    request.allowsMassDeletion = true
    let saved = try saveLocked(request, lock)
    try removeOwn(OwnFile.journal)
    return (outcome, saved)
  }

  // MARK: Steps

  private func write(
    _ journal: Journal, _ lock: borrowing HeldVault
  ) throws(VersoError) -> WriteOutcome {
    let staging = try openStaging()
    let replace = SafeReplace(
      root: rootFolder.number, staging: staging.number, operation: Array(journal.operation.utf8),
      store: store)
    let filter = try contentFilter()
    var outcome = WriteOutcome()
    var displaced: [Displaced] = []
    let order =
      journal.steps.enumerated().filter { $0.element.new == nil }
      + journal.steps.enumerated().filter { $0.element.new != nil }
    for (number, step) in order {
      do {
        if let out = try carryOut(step, number: number, replace, filter) { displaced.append(out) }
        outcome.written.append(step.path)
      } catch let refusal as ReplaceRefusal {
        displaced += refusal.displaced
        outcome.left.append((step.path, VersoError(refusal)))
      } catch let refusal as ReadRefusal {
        outcome.left.append((step.path, VersoError(refusal)))
      } catch let error as ContentFilterError {
        outcome.left.append((step.path, VersoError(.failed, error.description, hint: error.hint)))
      } catch let error as GitError where error.code == .notFound {
        // A gc took what no version refers to: trying again at every start would not bring it back.
        outcome.left.append(
          (step.path, VersoError(error, "write \(step.path), which was left as it is")))
      } catch { throw VersoError(storing: error) }
    }
    do throws(DiskError) {
      try replace.syncFolders(of: outcome.written)
    } catch { throw VersoError(error) }
    try settle(displaced, replace, lock)
    return outcome
  }

  /// Does one step unless it is done; returns what was taken out.
  private func carryOut(
    _ step: Journal.Step, number: Int, _ replace: SafeReplace, _ filter: ContentFilter
  ) throws -> Displaced? {
    let current = try currentContent(of: step.path, filter)
    if Self.isSame(current, step.new) { return nil }
    guard Self.isSame(current, step.old) else {
      throw ReplaceRefusal(path: step.path, reason: .changed)
    }
    guard let new = step.new else {
      guard let current else { return nil }
      let out = try replace.remove(
        step.path, number: number, expecting: current.known)
      try replace.removeEmptyFolders(above: step.path) { _ in true }
      return out
    }
    let content = try newContent(new, at: step, filter)
    _ = try replace.makeFolders(for: step.path)
    let done = try replace.replace(
      step.path, number: number, with: content,
      expecting: current.map { .known($0.known) } ?? .absent)
    return done.displaced
  }

  private func newContent(
    _ content: Journal.Content, at step: Journal.Step, _ filter: ContentFilter
  ) throws -> NewContent {
    let stored = try repository.read(content.id).bytes
    let bytes =
      content.kind == .link
      ? stored
      : try filter.smudge(
        stored, id: content.id, path: step.path,
        hasAttributeFiles: filter.hasAttributeFiles(above: step.path, root: rootFolder.number))
    return NewContent(
      kind: content.kind, bytes: bytes,
      modified: step.modified.map { Timestamp(seconds: $0, nanoseconds: 0) })
  }

  /// A file on disk, with the id that its content has in git.
  struct Current {
    let kind: Item.Kind
    let id: ObjectID
    let known: KnownContent
  }

  /// What is at a path now; `nil` for nothing, or for a folder.
  private func currentContent(
    of path: RelativePath, _ filter: ContentFilter
  ) throws -> Current? {
    let reader = ConsistentRead(root: rootFolder.number, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: path, writers: .ignore)
      let kind = content.status.itemKind ?? .file
      let known = KnownContent(kind: kind, status: content.status, bytes: content.bytes)
      return Current(kind: kind, id: try id(of: content, kind, path, filter), known: known)
    } catch {
      switch error.reason {
      case .vanished, .notAFile(.folder): return nil
      default: throw error
      }
    }
  }

  private func id(
    of content: ConsistentRead.Content, _ kind: Item.Kind, _ path: RelativePath,
    _ filter: ContentFilter
  ) throws(ReadRefusal) -> ObjectID {
    if kind == .link { return SHA1.id(of: .blob, content.bytes) }
    do {
      let cleaned = try filter.clean(
        content.bytes, path: path, tracked: nil,
        hasAttributeFiles: filter.hasAttributeFiles(above: path, root: rootFolder.number))
      switch cleaned {
      case .bytes(let bytes): return SHA1.id(of: .blob, bytes)
      case .stored(let id): return id
      }
    } catch {
      throw ReadRefusal(
        path: path,
        reason: .unreadable(DiskError(code: EIO, operation: "convert (\(error))", path: path)))
    }
  }

  private static func isSame(_ current: Current?, _ content: Journal.Content?) -> Bool {
    switch (current, content) {
    case (nil, nil): true
    case (let current?, let content?): current.kind == content.kind && current.id == content.id
    default: false
    }
  }

  // MARK: What was taken out

  /// Waits for writers of what was taken out; an edit that comes to light becomes a version.
  private func settle(
    _ displaced: [Displaced], _ replace: SafeReplace, _ lock: borrowing HeldVault
  ) throws(VersoError) {
    for settlement in replace.settle(displaced) {
      var next = settlement
      for _ in 0..<20 {
        guard case .edited(let found) = next.result else { break }
        try saveEdit(found, at: settlement.displaced.path, lock)
        next = replace.release(next)
      }
      if case .inUse(let found?) = next.result {
        try saveEdit(found, at: settlement.displaced.path, lock)
      }
    }
  }

  /// Commits a content that was at `path` for a moment and is nowhere else.
  private func saveEdit(
    _ found: FoundContent, at path: RelativePath, _ lock: borrowing HeldVault
  ) throws(VersoError) {
    for _ in 0..<Self.attempts {
      let ground = try Ground(self)
      let hold = try keepObjects(wait: 10)
      defer { withExtendedLifetime(hold) {} }
      let writer = try objectWriter(count: 1)
      do {
        let id = try writer.write(.blob, found.bytes)
        let edit = TreeEditor.Edit(path: path, mode: found.kind.rawValue, id: id)
        let tree = try TreeEditor([edit], repository: repository, writer: writer)
          .apply(to: ground.tree)
        guard tree.root != ground.tree else { return }
        let message = SaveMessage([PathChange(.modified, path)], device: settings.device)
        let (commit, _) = try writeCommit(
          tree: tree.root, parent: ground.commit, message: message, writer: writer)
        try writer.finish()
        if try publish(
          commit, subject: message.subject, plan: SavePlan(), folders: nil, on: ground,
          wait: 10)
        {
          return
        }
      } catch { throw VersoError(storing: error) }
    }
    throw VersoError(.locked, "another git process keeps changing \(root) while it is saved")
  }

  /// Looks after what an earlier process left in the staging folder.
  private func collectLeftovers(
    _ journal: Journal?, _ lock: borrowing HeldVault
  ) throws(VersoError) {
    guard let staging = try existingStaging() else { return }
    let replace = SafeReplace(
      root: rootFolder.number, staging: staging.number,
      operation: Array((journal?.operation ?? "none").utf8), store: store)
    do throws(DiskError) {
      for leftover in try replace.leftovers() {
        switch leftover.role {
        case .staged: try replace.drop(leftover)
        case .displaced: try bringBack(leftover, journal, replace, lock)
        case .foreign: break
        }
      }
    } catch { throw VersoError(error) }
  }

  private func bringBack(
    _ leftover: Leftover, _ journal: Journal?, _ replace: SafeReplace,
    _ lock: borrowing HeldVault
  ) throws(DiskError) {
    var path = RelativePath(unchecked: Array("recovered-\(leftover.number)".utf8))
    var old: Journal.Content?
    if let journal, journal.operation.utf8.elementsEqual(leftover.operation),
      journal.steps.indices.contains(leftover.number)
    {
      path = journal.steps[leftover.number].path
      old = journal.steps[leftover.number].old
    }
    // Everything in it is an edit unless git holds it: what the journal planned against is saved.
    let known = old.map { old in
      KnownContent(kind: old.kind) { SHA1.id(of: .blob, $0) == old.id }
    }
    let displaced = replace.displaced(leftover, path: path, known: known)
    if journal == nil {
      do throws(ReplaceRefusal) { return try replace.putBack(displaced) } catch {
        // Something is there: then it becomes a version of its own below.
      }
    }
    do throws(VersoError) { try settle([displaced], replace, lock) } catch {
      throw DiskError(code: EIO, operation: "save (\(error.message))", path: path)
    }
  }

  // MARK: The staging folder

  /// The folder where new contents are staged: in the git directory where that is on the work
  /// tree's file system, else hidden in the root.
  private func openStaging() throws(VersoError) -> Descriptor {
    do {
      let isTogether =
        try store.status(of: gitFolder.number).device
        == store.status(of: rootFolder.number).device
      if !isTogether { return try staging(Self.stageName, in: rootFolder.number) }
      let own = try ownFolder()
      return try staging(OwnFile.stage, in: own.number)
    } catch { throw VersoError(storing: error) }
  }

  private func staging(_ name: String, in folder: Int32) throws(DiskError) -> Descriptor {
    try store.makingFolder(Array(name.utf8), in: folder, mode: 0o700)
    return try store.opening(
      Array(name.utf8), in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  private func existingStaging() throws(VersoError) -> Descriptor? {
    for (name, folder) in [
      ("\(OwnFile.folder)/\(OwnFile.stage)", gitFolder.number),
      (Self.stageName, rootFolder.number),
    ] {
      do throws(DiskError) {
        return try store.opening(
          Array(name.utf8), in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      } catch {
        if !error.isAbsence { throw VersoError(error) }
      }
    }
    return nil
  }
}

extension VersoError {
  /// Why a path was not written.
  init(_ refusal: ReplaceRefusal) {
    let hint: String? =
      switch refusal.reason {
      case .disk(let error), .unsupported(let error), .attribute(_, let error):
        VersoError(error).hint
      default: nil
      }
    self.init(.failed, "\(refusal)", hint: hint)
  }

  /// Why a path that was to be written could not be read before.
  init(_ refusal: ReadRefusal) {
    var hint: String?
    if case .unreadable(let error) = refusal.reason { hint = VersoError(error).hint }
    self.init(.failed, "\(refusal)", hint: hint)
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

extension Engine {
  /// What became of a write to the work tree.
  struct WriteOutcome {
    /// Paths that somebody changed meanwhile, left as they are; with the reason.
    var left: [(path: RelativePath, reason: String)] = []
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
    if let bytes = readOwn(OwnFile.journal) {
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
    let unchanged = unchanged(of: journal, filter)
    var outcome = WriteOutcome()
    var displaced: [Displaced] = []
    for (number, step) in Self.order(of: journal) {
      do {
        let out = try carryOut(
          step, number: number, replace, filter, unchanged: unchanged[step.path])
        if let out { displaced.append(out) }
        outcome.written.append(step.path)
      } catch let refusal as ReplaceRefusal {
        displaced += refusal.displaced
        outcome.left.append((step.path, "\(refusal)"))
      } catch let refusal as ReadRefusal {
        outcome.left.append((step.path, "\(refusal)"))
      } catch let error as ContentFilterError {
        outcome.left.append((step.path, error.description))
      } catch { throw VersoError(storing: error) }
    }
    do throws(DiskError) {
      try replace.syncFolders(of: outcome.written)
    } catch { throw VersoError(error) }
    outcome.left += try settle(displaced, replace, filter, lock)
    return outcome
  }

  /// The steps in an order in which each can be done: what is in the way goes first, and attributes
  /// come before the files that are written by them.
  private static func order(of journal: Journal) -> [(offset: Int, element: Journal.Step)] {
    let steps = Array(journal.steps.enumerated())
    let writes = steps.filter { $0.element.new != nil }
    return steps.filter { $0.element.new == nil } + writes.filter { $0.element.setsAttributes }
      + writes.filter { !$0.element.setsAttributes }
  }

  /// The files that are what a journal expects, with their status, where it changes attributes: by
  /// the new ones they could not be recognised any more.
  private func unchanged(
    of journal: Journal, _ filter: ContentFilter
  ) -> [RelativePath: FileStatus] {
    guard journal.steps.contains(where: \.setsAttributes) else { return [:] }
    var unchanged: [RelativePath: FileStatus] = [:]
    for step in journal.steps {
      do {
        if let current = try currentContent(of: step, filter), Self.isSame(current, step.old) {
          unchanged[step.path] = current.known.status
        }
      } catch {
        // It is looked at once more when its turn comes, and named then.
      }
    }
    return unchanged
  }

  /// Does one step unless it is done; returns what was taken out.
  ///
  /// - Parameter unchanged: The status with which the file was seen to be the old content.
  private func carryOut(
    _ step: Journal.Step, number: Int, _ replace: SafeReplace, _ filter: ContentFilter,
    unchanged: FileStatus?
  ) throws -> Displaced? {
    let current = try currentContent(of: step, filter, unchanged: unchanged)
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

  /// What is at a step's path now; `nil` for nothing, or for a folder.
  private func currentContent(
    of step: Journal.Step, _ filter: ContentFilter, unchanged: FileStatus? = nil
  ) throws -> Current? {
    let reader = ConsistentRead(root: rootFolder.number, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: step.path, writers: .ignore)
      let kind = content.status.itemKind ?? .file
      let known = KnownContent(kind: kind, status: content.status, bytes: content.bytes)
      if let old = step.old, let unchanged, content.status.isUnchanged(since: unchanged) {
        return Current(kind: kind, id: old.id, known: known)
      }
      return Current(kind: kind, id: try id(of: content, kind, step.path, filter), known: known)
    } catch {
      switch error.reason {
      case .vanished, .notAFile(.folder): return nil
      default: throw error
      }
    }
  }

  /// The id that git would give a content at a path.
  func id(
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

  /// The same where it is there already.
  func existingStaging() throws(VersoError) -> Descriptor? {
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

extension Journal.Step {
  /// Whether it changes how other files are converted.
  fileprivate var setsAttributes: Bool { path.name.elementsEqual(".gitattributes".utf8) }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

extension Engine {
  /// What became of a write to the work tree.
  struct WriteOutcome {
    /// Paths that were left as they are, such as those that somebody changed meanwhile; and why.
    var left: [(path: RelativePath, error: VersoError)] = []
    /// Those of `left` that hold something else than the plan was made against.
    var changed: Set<RelativePath> = []
    /// A file that stands where a folder of a path should be.
    var obstacles: Set<RelativePath> = []
    var written: [RelativePath] = []
    /// What is at each path that was written, or was as it should be; none for what is gone, and for
    /// what somebody has touched since.
    var statuses: [RelativePath: FileStatus] = [:]
    /// What was taken out, to be settled.
    var displaced: [Displaced] = []

    fileprivate mutating func note(_ refusal: ReplaceRefusal, at path: RelativePath) {
      displaced += refusal.displaced
      left.append((path, VersoError(refusal)))
      switch refusal.reason {
      case .changed, .vanished: changed.insert(path)
      case .blocked(let obstacle):
        changed.insert(path)
        obstacles.insert(obstacle)
      default: break
      }
    }
  }

  /// Writes the files of a journal and saves the result as one version.
  ///
  /// - Precondition: What is there has been saved; the vault's lock is held.
  func carryOut(
    _ journal: Journal, wait: Double, _ lock: borrowing HeldVault
  ) throws(VersoError) -> (write: WriteOutcome, save: SaveOutcome) {
    var journal = journal
    var masks = ModeMasks(self, knowing: journal.steps)
    journal.steps = try masks.masking(journal.steps, gone: journal.steps.compactMap(\.removal))
    return try SignalDeferral.run { [journal] () throws(VersoError) in
      try writeOwn(journal.encoded, OwnFile.journal, sync: true)
      return try goOn(journal, wait: wait, lock)
    }
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
    if case .commit(let target, let start) = journal.goal {
      let saved = try resume(journal, to: target, from: start, wait: wait, lock)
      saveReconverted(after: journal.steps.map(\.path), wait: wait, lock)
      return (WriteOutcome(), saved)
    }
    try collectLeftovers(journal, lock)
    let staging = try openStaging()
    let replace = safeReplace(for: journal, in: staging.number)
    let filter = try contentFilter()
    var outcome = try write(journal, replace, filter)
    outcome.left += try settle(outcome.displaced, replace, filter, lock)
    var request = SaveRequest(paths: journal.steps.map(\.path))
    request.message = journal.subject
    request.trailers = journal.trailers
    request.settles = false
    request.wait = wait
    request.allowsMassDeletion = true
    try takeBackKept(journal.steps.filter { $0.new != nil }.map(\.path))
    let saved = try saveLocked(request, lock)
    try removeOwn(OwnFile.journal)
    saveReconverted(after: journal.steps.map(\.path), wait: wait, lock)
    return (outcome, saved)
  }

  // MARK: Steps

  func safeReplace(
    for journal: Journal, in staging: Int32, limits: SafeReplace.Limits = .init()
  ) -> SafeReplace {
    SafeReplace(
      root: rootFolder.number, staging: staging, operation: Array(journal.operation.utf8),
      limits: limits, store: store)
  }

  /// Does the steps of a journal, each where what is there is what it expects.
  func write(
    _ journal: Journal, _ replace: SafeReplace, _ filter: ContentFilter
  ) throws(VersoError) -> WriteOutcome {
    let unchanged = try unchanged(of: journal, filter)
    var outcome = WriteOutcome()
    var unnamed: [UnnamedFile] = []
    for (number, step) in Self.order(of: journal) {
      try attempt(step.path, &outcome) { outcome in
        if let file = try prepare(step, number: number, replace, filter) {
          unnamed.append(file)
        } else {
          let done = try carryOut(
            step, number: number, replace, filter, seen: unchanged[step.path],
            keeping: journal.keptFolders)
          if let out = done.displaced { outcome.displaced.append(out) }
          outcome.statuses[step.path] = done.status
          outcome.written.append(step.path)
        }
      }
      if unnamed.count >= Self.unnamedLimit { try place(&unnamed, replace, &outcome) }
    }
    try place(&unnamed, replace, &outcome)
    do throws(DiskError) {
      try replace.syncFolders(of: outcome.written)
    } catch { throw VersoError(error) }
    return outcome
  }

  /// Does something about one path; what only that path is to blame for is noted.
  func attempt(
    _ path: RelativePath, _ outcome: inout WriteOutcome,
    _ body: (inout WriteOutcome) throws -> Void
  ) throws(VersoError) {
    do {
      try body(&outcome)
    } catch let refusal as ReplaceRefusal {
      outcome.note(refusal, at: path)
    } catch let refusal as ReadRefusal {
      outcome.left.append((path, VersoError(refusal)))
    } catch let error as ContentFilterError {
      outcome.left.append((path, VersoError(.failed, error.description, hint: error.hint)))
    } catch let error as GitError where error.code == .notFound {
      // A gc took what no version refers to: trying again at every start would not bring it back.
      outcome.left.append((path, VersoError(error, "write \(path), which was left as it is")))
    } catch { throw VersoError(storing: error) }
  }

  /// The steps in an order in which each can be done: what is in the way goes first, and attributes
  /// come before the files that are written by them.
  private static func order(of journal: Journal) -> [(offset: Int, element: Journal.Step)] {
    let steps = Array(journal.steps.enumerated())
    let writes = steps.filter { $0.element.new != nil }
    return steps.filter { $0.element.new == nil } + writes.filter { $0.element.setsAttributes }
      + writes.filter { !$0.element.setsAttributes }
  }

  /// A file that was seen to be the old content of a step.
  struct Seen {
    let status: FileStatus
    /// The id of its bytes as they are on disk, where the status may change without an edit: with
    /// another name of the same file that is removed.
    var bytes: ObjectID?

    func isStill(_ content: ConsistentRead.Content) -> Bool {
      content.status.isUnchanged(since: status)
        || bytes.map { $0 == SHA1.id(of: .blob, content.bytes) } ?? false
    }
  }

  /// The files that are what a journal expects, with the status that they were seen with.
  ///
  /// Asked before anything is written, and of git's index first: by attributes that have changed
  /// since a file was saved, or that the journal changes, it could not be recognised.
  private func unchanged(
    of journal: Journal, _ filter: ContentFilter
  ) throws(VersoError) -> [RelativePath: Seen] {
    let table = try openIndex()?.table ?? .empty
    let setsAttributes = journal.steps.contains(where: \.setsAttributes)
    var found: [RelativePath: Seen] = [:]
    for step in journal.steps {
      do {
        let status = try unchanged(step, table)
        if let status, status.links == 1 {
          found[step.path] = Seen(status: status)
        } else if status != nil || setsAttributes,
          let current = try currentContent(of: step, filter, seen: status.map { Seen(status: $0) }),
          Self.isSame(current, step.old), let status = current.known.status
        {
          found[step.path] = Seen(status: status, bytes: SHA1.id(of: .blob, current.bytes))
        }
      } catch {
        // It is looked at once more when its turn comes, and named then.
      }
    }
    return found
  }

  /// The status of a file that is the old content by what git's index says; `nil` where the index
  /// does not know.
  private func unchanged(_ step: Journal.Step, _ table: StatTable) throws -> FileStatus? {
    guard let old = step.old, let row = table.row(of: step.path), row.id == old.id,
      row.mode == old.kind.rawValue,
      Int64(row.modified.seconds) < table.written.seconds,
      let status = try store.status(of: step.path.bytes, in: rootFolder.number),
      StatEntry(of: status, kind: old.kind, id: old.id) == StatEntry(row)
    else { return nil }
    return status
  }

  /// Does one step unless it is done; returns what is there now, and what was taken out.
  private func carryOut(
    _ step: Journal.Step, number: Int, _ replace: SafeReplace, _ filter: ContentFilter,
    seen: Seen?, keeping folders: Set<RelativePath>
  ) throws -> (status: FileStatus?, displaced: Displaced?) {
    let current = try currentContent(of: step, filter, seen: seen)
    if Self.isSame(current, step.new) { return (current?.known.status, nil) }
    guard Self.isSame(current, step.old) else {
      throw ReplaceRefusal(path: step.path, reason: .changed)
    }
    guard let new = step.new else {
      guard let current else { return (nil, nil) }
      let out = try replace.remove(
        step.path, number: number, expecting: current.known)
      try replace.removeEmptyFolders(above: step.path) { !folders.contains($0) }
      return (nil, out)
    }
    let content = try newContent(new, at: step, filter)
    _ = try replace.makeFolders(for: step.path, mode: step.mask.folder)
    if current == nil { try replace.removeEmptyFolder(step.path) }
    let done = try replace.replace(
      step.path, number: number, with: content,
      expecting: current.map { .known($0.known) } ?? .absent)
    return (done.status, done.displaced)
  }

  func newContent(
    _ content: Journal.Content, at step: Journal.Step, _ filter: ContentFilter
  ) throws -> NewContent {
    let stored = try repository.read(content.id).bytes
    let hasFiles = try filter.hasAttributeFiles(above: step.path, root: rootFolder.number)
    let isExact =
      try content.kind == .link
      || step.setsAttributes && !filter.runsProgram(for: step.path, hasAttributeFiles: hasFiles)
    // Line ends of an attribute file would be those that the old one asks for.
    let bytes =
      isExact
      ? stored
      : try filter.smudge(
        stored, id: content.id, path: step.path, hasAttributeFiles: hasFiles)
    return NewContent(
      kind: content.kind, bytes: bytes,
      modified: step.modified.map { Timestamp(seconds: $0, nanoseconds: 0) },
      mask: step.mask.file)
  }

  /// A file on disk, with the id that its content has in git.
  struct Current {
    let kind: Item.Kind
    let id: ObjectID
    /// As they are on disk.
    let bytes: [UInt8]
    let known: KnownContent
  }

  /// What is at a step's path now; `nil` for nothing, or for a folder.
  func currentContent(
    of step: Journal.Step, _ filter: ContentFilter, seen: Seen? = nil
  ) throws -> Current? {
    let reader = ConsistentRead(root: rootFolder.number, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: step.path, writers: .ignore)
      let kind = content.status.itemKind ?? .file
      let known = KnownContent(kind: kind, status: content.status, bytes: content.bytes)
      let id =
        if let old = step.old, let seen, kind == old.kind, seen.isStill(content) {
          old.id
        } else {
          try id(of: content, kind, step.path, tracked: step.old?.id, filter)
        }
      return Current(kind: kind, id: id, bytes: content.bytes, known: known)
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
    tracked: ObjectID?, _ filter: ContentFilter
  ) throws(ReadRefusal) -> ObjectID {
    if kind == .link { return SHA1.id(of: .blob, content.bytes) }
    do {
      let cleaned = try filter.clean(
        content.bytes, path: path, tracked: tracked,
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

  static func isSame(_ current: Current?, _ content: Journal.Content?) -> Bool {
    switch (current, content) {
    case (nil, nil): true
    case (let current?, let content?): current.kind == content.kind && current.id == content.id
    default: false
    }
  }

  // MARK: The staging folder

  /// The folder where new contents are staged: in the git directory where that is on the work
  /// tree's file system, else hidden in the root.
  func openStaging() throws(VersoError) -> Descriptor {
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

extension Journal.Step {
  /// The file that it takes away; `nil` where it takes none.
  fileprivate var removal: TreeDifference.Entry? {
    guard new == nil, let old else { return nil }
    return .init(path: path, old: .init(mode: old.kind.rawValue, id: old.id), new: nil)
  }

  /// Whether it changes how other files are converted.
  var setsAttributes: Bool { path.setsAttributes }
}

extension ContentFilter {
  /// Whether a file is converted by a program.
  fileprivate func runsProgram(
    for path: RelativePath, hasAttributeFiles: Bool
  ) throws(ContentFilterError) -> Bool {
    if case .program = try decision(for: path, hasAttributeFiles: hasAttributeFiles) { return true }
    return false
  }
}

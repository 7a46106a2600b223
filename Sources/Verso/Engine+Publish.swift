import Glibc
import VersoDisk
import VersoGit
import VersoModel

extension Engine {
  /// What a commit's writer should tell its user.
  struct CommitNotes {
    var madeUpIdentity: String?
    var unsigned: String?
  }

  // MARK: Objects

  /// The writer for a save of so many files.
  func objectWriter(count: Int, isDryRun: Bool = false) throws(VersoError) -> any ObjectWriter {
    if isDryRun { return ObjectNamer(store: store) }
    let presence: ObjectPresence
    do throws(GitError) { presence = try ObjectPresence(repository) } catch {
      throw VersoError(error, "read the objects of \(root)")
    }
    do throws(DiskError) {
      let objects = objectsFolder.number
      if count >= Self.packThreshold {
        let isFirst = presence.isEmpty
        return try PackWriter(objects: objects, store: store) { id in
          !isFirst && presence.contains(id)
        }
      }
      return LooseObjectWriter(objects: objects, store: store, contains: presence.contains)
    } catch { throw VersoError(error) }
  }

  /// The filter for one operation: it reads configuration and attributes once.
  func contentFilter() throws(VersoError) -> ContentFilter {
    do throws(ContentFilterError) {
      return try ContentFilter(repository: repository, store: store)
    } catch {
      throw VersoError(
        .failed, "cannot read the attributes of \(root): \(error)", hint: error.hint)
    }
  }

  /// Makes everything written durable.
  func finish(_ writer: any ObjectWriter) throws(VersoError) {
    do throws(DiskError) { try writer.finish() } catch { throw VersoError(error) }
  }

  func editTree(
    _ plan: SavePlan, on ground: Ground, writer: any ObjectWriter
  ) throws(VersoError) -> (root: ObjectID, folders: FolderChange) {
    let edits = plan.steps.lazy.filter(\.isInTree).map { step in
      TreeEditor.Edit(
        path: step.path, mode: step.entry?.mode ?? 0, id: step.entry?.id ?? .zero)
    }
    do {
      return try TreeEditor(Array(edits), repository: repository, writer: writer)
        .apply(to: ground.tree)
    } catch { throw VersoError(storing: error) }
  }

  func writeCommit(
    tree: ObjectID, parent: ObjectID?, message: SaveMessage, writer: any ObjectWriter
  ) throws(VersoError) -> (id: ObjectID, notes: CommitNotes) {
    var notes = CommitNotes()
    do {
      let author = Identity(.author, in: repository)
      let committer = Identity(.committer, in: repository)
      if committer.isMadeUp { notes.madeUpIdentity = "\(committer.name) <\(committer.email)>" }
      let text = CommitText(
        tree: tree, parents: parent.map { [$0] } ?? [],
        author: author.stamp(at: stampTime(.author)),
        committer: committer.stamp(at: stampTime(.committer)), message: message.text)
      let signature = try sign(text, &notes)
      return (try writer.write(.commit, text.bytes(signature: signature)), notes)
    } catch { throw VersoError(storing: error) }
  }

  /// The signature that the configuration asks for; `nil` where it asks for none, or none is to be
  /// had without a person.
  private func sign(_ text: CommitText, _ notes: inout CommitNotes) throws -> [UInt8]? {
    guard let signer = try Signer.configured(in: repository) else { return nil }
    _ = try ownFolder()
    let folder = Array("\(repository.gitDirectory)/\(OwnFile.folder)".utf8)
    let outcome = signer.sign(
      text.bytes(), committer: text.committer, folder: folder, store: store, runner: Programs())
    switch outcome {
    case .signature(let signature): return signature
    case .refused(let reason):
      notes.unsigned = reason
      return nil
    }
  }

  // MARK: Index and reference

  /// Puts the new index in place and moves the branch, under git's own lock.
  ///
  /// Index first: a kill in between shows the save as staged, which the next save, or any commit of
  /// the user's, completes. The other order would let the user's next commit take it back.
  ///
  /// - Parameter folders: What the trees became; `nil` where the index is to stay as it is.
  /// - Returns: `false` where HEAD or the index is no longer what it was. Where the branch was moved
  ///   only between index and reference, the index is the new one already: it shows the save as
  ///   staged, as after a kill, and the next attempt completes it.
  func publish(
    _ commit: ObjectID?, subject: String, plan: SavePlan, folders: FolderChange?,
    on ground: Ground, wait: Double
  ) throws(VersoError) -> Bool {
    try retryingLock(wait: wait) { () throws(VersoError) in
      try publishAtOnce(
        commit, subject: subject, plan: plan, folders: folders, on: ground, wait: wait)
    }
  }

  /// Does something that needs git's lock, again until the lock is to be had.
  func retryingLock<Result>(
    wait: Double, _ body: () throws(VersoError) -> Result
  ) throws(VersoError) -> Result {
    let end = MonotonicTime.now() + wait
    var pause = 0.01
    while true {
      do throws(VersoError) {
        // Ctrl-C acts while git's lock is waited for, and never while it is ours.
        return try SignalDeferral.run(body)
      } catch {
        let left = end - MonotonicTime.now()
        guard error.code == .locked, left > 0 else { throw error }
        MonotonicTime.pause(min(pause, left))
        pause = min(pause * 2, 0.2)
      }
    }
  }

  private func publishAtOnce(
    _ commit: ObjectID?, subject: String, plan: SavePlan, folders: FolderChange?,
    on ground: Ground, wait: Double
  ) throws(VersoError) -> Bool {
    do {
      let lock = try IndexLock.take(gitDirectory: gitFolder.number, store: store, wait: 0)
      try Preflight.checkState(self)
      try checkRoot()
      guard try isCurrent(ground) else { return false }
      if plan.changesIndex || (commit != nil && folders != nil) {
        try writeIndex(plan, folders: commit == nil ? nil : folders, ground: ground)
      }
      if let commit {
        try moveBranch(
          ground.branchReference, to: commit, from: ground.commit, subject: subject,
          wait: wait)
      }
      // Under the lock: nobody else can have changed it yet.
      stateAfterSave = GitState(head: commit ?? ground.commit, index: try indexStatus())
      try lock.release()
      return true
    } catch let error as ReferenceUpdate.Failure where error.isModified {
      return false
    } catch { throw VersoError(indexLock: error) }
  }

  func moveBranch(
    _ name: String, to commit: ObjectID, from old: ObjectID?, subject: String, wait: Double
  ) throws {
    try ReferenceUpdate(
      repository: repository, gitDirectory: gitFolder.number,
      commonDirectory: commonFolder.number, store: store
    ).move(
      name, to: commit, from: old, message: "verso: \(subject)",
      by: Identity(.committer, in: repository).stamp(at: stampTime(.committer)), wait: wait)
  }

  func writeIndex(
    _ plan: SavePlan, folders: FolderChange?, ground: Ground
  ) throws {
    let changes = plan.steps.lazy.filter(\.isInIndex).map { step in
      Self.indexChange(step.path, step.entry, readSince: ground.began)
    }
    let own = try ownFolder()
    let name = Array(OwnFile.index.utf8)
    try store.unlinking(name, in: own.number)
    do throws(IndexError) {
      let patch = try IndexPatch(of: ground.index, changes: Array(changes), folders: folders)
      try write(patch, to: name, in: own.number)
    } catch {
      guard error.code == .unsupported else { throw error }
      try IndexRewrite.write(
        Array(changes), of: ground.index,
        to: "\(repository.gitDirectory)/\(OwnFile.folder)/\(OwnFile.index)", store: store,
        isClean: isClean)
    }
    try store.renaming(
      name, in: own.number, to: Array("index".utf8), in: gitFolder.number)
  }

  private func write(
    _ patch: IndexPatch, to name: [UInt8], in own: Int32
  ) throws(IndexError) {
    let file: Descriptor
    do throws(DiskError) {
      file = try store.opening(
        name, in: own, flags: O_WRONLY | O_CREAT | O_EXCL, mode: indexMode)
    } catch { throw .disk(error) }
    try patch.write(to: file.number, store: store, path: name, isClean: isClean)
  }

  /// The permissions of the index that is there; a shared repository's stay shared.
  private var indexMode: UInt32 {
    do throws(VersoError) { return try (indexStatus()?.mode ?? 0o644) & 0o777 } catch {
      return 0o644
    }
  }

  /// The change of one entry, made to be doubted by git where a later change of the file would not
  /// show.
  ///
  /// git compares whole seconds: an entry whose file was read within the second of its last change
  /// describes just as well what was written after the read. Once the index is written in a later
  /// second nothing else would tell.
  private static func indexChange(
    _ path: RelativePath, _ entry: SavePlan.Entry?, readSince began: Timestamp
  ) -> IndexPatch.Change {
    guard let entry else { return IndexPatch.Change(path: path, entry: nil) }
    let modified = Int64(entry.modifiedSeconds)
    let end = Timestamp(seconds: modified + 1, nanoseconds: 0)
    // The kernel's file times lag up to a tick behind; times of whole seconds may be FAT's, by twos.
    let lag = entry.modifiedNanoseconds == 0 ? 2.0 : 0.02
    let isOver = began.timeInterval(since: end) > lag
    return IndexPatch.Change(path: path, entry: entry, options: isOver ? [] : .smudged)
  }

  /// Whether a racy row's file still has the row's content.
  private func isClean(_ path: RelativePath, _ row: StatTable.Row) -> Bool {
    let reader = ConsistentRead(root: rootFolder.number, sizeLimit: 4 << 20, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: path)
      guard SHA1.id(of: .blob, content.bytes) == row.id,
        let kind = Item.Kind(rawValue: row.mode)
      else { return false }
      return StatEntry(of: content.status, kind: kind, id: row.id) == StatEntry(row)
    } catch { return false }
  }
}

extension VersoError {
  /// Whatever failed under git's lock, or at taking it.
  init(indexLock error: any Error) {
    if case .held = error as? LockError {
      self.init(
        .locked, "git's index is locked: \(error)",
        hint: "everything on disk is as it was; save again")
    } else {
      self.init(storing: error)
    }
  }

  /// Whatever failed while objects, the index or a reference were written.
  init(storing error: any Error) {
    switch error {
    case let error as VersoError: self = error
    case let error as DiskError: self.init(error)
    case .disk(let error) as LockError: self.init(error)
    case let error as LockError: self.init(.locked, "\(error)", hint: "nothing was lost")
    case .locked(let error) as ReferenceUpdate.Failure: self.init(storing: error)
    case .conflict(let name) as ReferenceUpdate.Failure:
      self.init(
        .failed, "the branch cannot be \(name), as there are branches below or above that name",
        hint: "rename one of them with git branch -m; nothing was lost")
    case let error as GitError: self.init(error, "write the save")
    case let error as IndexError:
      if let cause = error.cause { self.init(cause) } else { self.init(.failed, "\(error)") }
    default: self.init(.failed, "cannot write the save: \(error)")
    }
  }
}

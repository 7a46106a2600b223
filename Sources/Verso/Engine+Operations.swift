import CLinux
import Glibc
import VersoDisk
import VersoGit
package import VersoModel

/// A change of notes and folders that a person makes in Verso itself; each is one version, and can be
/// undone.
package enum VaultOperation: Hashable, Sendable {
  /// Makes a file of these bytes; nothing may be at its place.
  case create(RelativePath, [UInt8])
  /// Makes a folder. Empty, it is no version and stays on this device.
  case makeFolder(RelativePath)
  /// Gives files and folders other paths, which must be free.
  case move([Move])
  /// Makes second notes and folders of others; the places must be free.
  case copy([Move])
  /// Takes files and folders away.
  case delete([RelativePath])
  /// Writes a note.
  ///
  /// With `expecting`, only where the disk still has these bytes. Without, whatever is there is saved
  /// as a version first.
  case write(RelativePath, [UInt8], expecting: [UInt8]?)

  /// From one path to another.
  package struct Move: Hashable, Sendable {
    package let from: RelativePath
    package let to: RelativePath

    package init(_ from: RelativePath, _ to: RelativePath) {
      (self.from, self.to) = (from, to)
    }
  }
}

/// What an operation did.
package struct OperationOutcome: Sendable {
  package var save = SaveOutcome()
  /// What it did to the directory, for whoever shows it before the watcher tells.
  package var batch = DiskBatch()
  /// Files that were left as they are, and why.
  package var left: [(path: RelativePath, error: VersoError)] = []

  /// Nothing was done.
  package init() {}
}

extension Engine {
  /// Carries out an operation: saves what is there at its paths, changes it, and saves again.
  ///
  /// - Throws: ``VersoError/Code/refused`` where something is at a place that must be free, or a note
  ///   is no longer what the caller expects; nothing has changed then.
  package func perform(
    _ operation: VaultOperation, wait: Double = 10
  ) throws(VersoError) -> OperationOutcome {
    try changing(wait: wait) { lock throws(VersoError) in
      let before = try saveLocked(Self.saving(operation.sources, wait: wait), lock)
      let outcome =
        switch operation {
        case .makeFolder(let path): try makeFolder(path, lock, wait: wait)
        case .move(let moves): try move(moves, lock, wait: wait)
        default: try carryOut(operation, lock, wait: wait)
        }
      return (outcome, outcome.save.commit ?? before.commit)
    }
  }

  /// A save of some paths, as they are at this moment: somebody waits for it.
  private static func saving(_ paths: [RelativePath], wait: Double) -> SaveRequest {
    var request = SaveRequest(paths: paths)
    request.settles = false
    request.wait = wait
    return request
  }

  // MARK: Through the journal

  private func carryOut(
    _ operation: VaultOperation, _ lock: borrowing HeldVault, wait: Double
  ) throws(VersoError) -> OperationOutcome {
    let steps = try steps(of: operation)
    var outcome = OperationOutcome()
    if !steps.isEmpty {
      let journal = Journal(
        subject: operation.subject, trailers: [Self.action(operation.name)], steps: steps,
        keptFolders: operation.emptiedFolders)
      let done = try carryOut(journal, wait: wait, lock)
      (outcome.save, outcome.left) = (done.save, done.write.left)
    }
    if case .delete(let paths) = operation { try removeFolders(paths) }
    let left = Set(outcome.left.map(\.path))
    outcome.batch = batch(of: operation, steps.filter { !left.contains($0.path) })
    return outcome
  }

  private func batch(of operation: VaultOperation, _ steps: [Journal.Step]) -> DiskBatch {
    switch operation {
    case .delete(let paths): DiskBatch(removed: paths.filter { !isOnDisk($0) })
    case .write(let path, _, _):
      DiskBatch(modified: [Item(path: path, kind: .file, content: steps.first?.new?.id)])
    default:
      DiskBatch(
        added: steps.compactMap { step in
          step.new.map { Item(path: step.path, kind: $0.kind, content: $0.id) }
        })
    }
  }

  private func steps(of operation: VaultOperation) throws(VersoError) -> [Journal.Step] {
    switch operation {
    case .create(let path, let bytes):
      try expectFree(path)
      return [try newFile(path, bytes)]
    case .write(let path, let bytes, let expected): return try writing(path, bytes, expected)
    case .delete(let paths):
      return try savedFiles(below: paths).map { path, content in
        Journal.Step(path: path, old: content, new: nil, modified: nil)
      }
    case .copy(let copies): return try copying(copies)
    case .makeFolder, .move: return []
    }
  }

  private func writing(
    _ path: RelativePath, _ bytes: [UInt8], _ expected: [UInt8]?
  ) throws(VersoError) -> [Journal.Step] {
    guard let old = try savedFiles(below: [path]).first, old.path == path else {
      if isOnDisk(path) {
        throw VersoError(
          .refused, "\(path) is not saved by Verso, so it was not written",
          hint: "verso status says why")
      }
      // It may have another name by now: nobody wants the old one back.
      if expected != nil {
        throw VersoError(.refused, "\(path) is not there any more, so it was not written")
      }
      return [try newFile(path, bytes)]
    }
    if let expected {
      do throws(ReadRefusal) {
        let reader = ConsistentRead(root: rootFolder.number, store: store)
        guard try reader.content(of: path, writers: .ignore).bytes == expected else {
          throw ReadRefusal(path: path, reason: .changed)
        }
      } catch {
        if error.reason != .changed { throw VersoError(error) }
        throw VersoError(.refused, "\(path) was changed by another program, so it was not written")
      }
    }
    let new = Journal.Content(kind: old.content.kind, id: try blob(bytes, at: path, old.content.id))
    if new == old.content { return [] }
    try expectWritable(path)
    return [Journal.Step(path: path, old: old.content, new: new, modified: nil)]
  }

  /// A file that its owner has made read-only is not replaced, though its folder would let it.
  private func expectWritable(_ path: RelativePath) throws(VersoError) {
    do throws(DiskError) {
      guard let status = try store.status(of: path.bytes, in: rootFolder.number),
        status.kind == .file, isReadOnly(path, status)
      else { return }
    } catch { throw VersoError(error) }
    throw VersoError(
      .failed, "cannot write \(path): it is read-only",
      hint: "run chmod u+w on it, then save again")
  }

  /// Whether a file may not be written: one that nobody may write also where it is root who asks, who
  /// may write everywhere.
  func isReadOnly(_ path: RelativePath, _ status: FileStatus) -> Bool {
    let name = path.bytes.map { CChar(bitPattern: $0) } + [0]
    let isAllowed = faccessat(rootFolder.number, name, W_OK, AT_EACCESS) == 0
    return status.mode & 0o222 == 0 || !isAllowed && errno == EACCES
  }

  private func newFile(
    _ path: RelativePath, _ bytes: [UInt8]
  ) throws(VersoError) -> Journal.Step {
    let new = Journal.Content(kind: .file, id: try blob(bytes, at: path, nil))
    return Journal.Step(path: path, old: nil, new: new, modified: nil)
  }

  private func copying(_ copies: [VaultOperation.Move]) throws(VersoError) -> [Journal.Step] {
    var steps: [Journal.Step] = []
    var masks = ModeMasks(self)
    for copy in copies {
      try expectFree(copy.to)
      let files = try savedFiles(below: [copy.from]).compactMap { path, content in
        path.replacing(prefix: copy.from, with: copy.to).map {
          Journal.Step(path: $0, old: nil, new: content, modified: nil)
        }
      }
      steps += try masks.masking(files, gone: [], copying: (copy.from, copy.to))
    }
    return steps
  }

  /// What the last version has at some paths and below them.
  private func savedFiles(
    below paths: [RelativePath]
  ) throws(VersoError) -> [(path: RelativePath, content: Journal.Content)] {
    do throws(GitError) {
      guard let head = try repository.headCommit() else { return [] }
      let tree = try repository.commit(head).tree
      var found: [(path: RelativePath, content: Journal.Content)] = []
      for path in paths {
        for (path, file) in try TreeDifference.files(in: tree, below: path, of: repository) {
          if let content = Journal.Content(file) { found.append((path, content)) }
        }
      }
      return found
    } catch { throw VersoError(error, "read the last version of \(root)") }
  }

  func blob(_ bytes: [UInt8]) throws(VersoError) -> ObjectID {
    let writer = try objectWriter(count: 1)
    do throws(DiskError) {
      let id = try writer.write(.blob, bytes)
      try writer.finish()
      return id
    } catch { throw VersoError(storing: error) }
  }

  /// Bytes as the disk has them, in the form that git stores: line ends and filters are undone.
  private func blob(
    _ bytes: [UInt8], at path: RelativePath, _ tracked: ObjectID?
  ) throws(VersoError) -> ObjectID {
    let filter = try contentFilter()
    do {
      let cleaned = try filter.clean(
        bytes, path: path, tracked: tracked,
        hasAttributeFiles: filter.hasAttributeFiles(above: path, root: rootFolder.number))
      switch cleaned {
      case .bytes(let bytes): return try blob(bytes)
      case .stored(let id): return id
      }
    } catch { throw VersoError(storing: error) }
  }

  private func expectFree(_ path: RelativePath) throws(VersoError) {
    do throws(DiskError) { if try !isThere(path) { return } } catch { throw VersoError(error) }
    throw VersoError(.refused, "\(path) exists", hint: "choose another name")
  }

  // MARK: Folders and names

  private func makeFolder(
    _ path: RelativePath, _ lock: borrowing HeldVault, wait: Double
  ) throws(VersoError) -> OperationOutcome {
    try expectFree(path)
    do throws(DiskError) {
      let parent = try store.openingBeneath(
        path.parent, root: rootFolder.number, flags: verso_o_path | O_DIRECTORY)
      try store.makingFolder(Array(path.name), in: parent.number)
    } catch { throw VersoError(error) }
    var outcome = OperationOutcome()
    outcome.batch = DiskBatch(added: [Item(path: path, kind: .folder, content: nil)])
    if settings.keepsEmptyFolders {
      outcome.save = try saveLocked(Self.saving([path], wait: wait), lock)
    }
    return outcome
  }

  /// Takes away what is left of deleted folders, where that is nothing.
  private func removeFolders(_ paths: [RelativePath]) throws(VersoError) {
    let replace = SafeReplace(
      root: rootFolder.number, staging: rootFolder.number, operation: Array("folders".utf8),
      store: store)
    do throws(DiskError) {
      for path in paths { try replace.removeEmptyFolder(path) }
    } catch { throw VersoError(error) }
  }

  /// Moves by rename(2): contents, ignored files included, are not touched.
  private func move(
    _ moves: [VaultOperation.Move], _ lock: borrowing HeldVault, wait: Double
  ) throws(VersoError) -> OperationOutcome {
    for move in moves {
      // Where case does not count, a name that only changes its case is its own obstacle.
      let isCaseOnly =
        move.from.description.lowercased() == move.to.description.lowercased()
      if !isCaseOnly { try expectFree(move.to) }
    }
    var outcome = OperationOutcome()
    for move in moves {
      do throws(DiskError) {
        try rename(move)
        outcome.batch.renamed.append(.init(move.from, move.to))
      } catch { outcome.left.append((move.from, VersoError(error))) }
    }
    let done = outcome.batch.renamed
    guard !done.isEmpty else { return outcome }
    var request = Self.saving(done.flatMap { [$0.old, $0.new] }, wait: wait)
    request.renames = done.map { ($0.old, $0.new) }
    request.message = VaultOperation.move(moves).subject
    request.trailers = [Self.action("rename")]
    request.allowsMassDeletion = true
    outcome.save = try saveLocked(request, lock)
    return outcome
  }

  private func rename(_ move: VaultOperation.Move) throws(DiskError) {
    let flags = O_RDONLY | O_DIRECTORY
    let from = try store.openingBeneath(move.from.parent, root: rootFolder.number, flags: flags)
    let to = try store.openingBeneath(move.to.parent, root: rootFolder.number, flags: flags)
    try store.moving(
      Array(move.from.name), in: from.number, to: Array(move.to.name), in: to.number)
    for folder in [(to.number, move.to), (from.number, move.from)] {
      try store.syncing(folder.0, path: folder.1.parent.bytes)
    }
  }
}

extension VaultOperation {
  /// Where something is that it changes or takes.
  fileprivate var sources: [RelativePath] {
    switch self {
    case .create(let path, _), .makeFolder(let path), .write(let path, _, _): [path]
    case .move(let moves): moves.flatMap { [$0.from, $0.to] }
    case .copy(let moves): moves.flatMap { [$0.from, $0.to] }
    case .delete(let paths): paths
    }
  }

  /// Folders that a person sees emptied, and that stay: only what was named goes.
  fileprivate var emptiedFolders: Set<RelativePath> {
    guard case .delete(let paths) = self else { return [] }
    let folders = Set(paths.map(\.parent)).filter { !$0.isRoot }
    return folders.filter { folder in !paths.contains { $0.contains(folder) } }
  }

  /// What the trailer of its version says.
  fileprivate var name: String {
    switch self {
    case .create, .makeFolder: "create"
    case .move: "rename"
    case .copy: "copy"
    case .delete: "delete"
    case .write: "edit"
    }
  }

  /// What its version is called.
  fileprivate var subject: String {
    switch self {
    case .create(let path, _), .makeFolder(let path): "Add \(Self.short(path))"
    case .write(let path, _, _): "Edit \(Self.short(path))"
    case .delete(let paths): "Delete \(Self.short(paths))"
    case .copy(let moves): "Copy \(Self.short(moves.map(\.from)))"
    case .move(let moves):
      if moves.count == 1, let move = moves.first {
        "Rename \(Self.short(move.from)) to \(Self.short(move.to))"
      } else {
        "Move \(Self.short(moves.map(\.from)))"
      }
    }
  }

  private static func short(_ paths: [RelativePath]) -> String {
    paths.count == 1 ? paths.first.map { short($0) } ?? "" : "\(paths.count) items"
  }

  private static func short(_ path: RelativePath) -> String {
    let name = path.quoted
    return name.count > 30 ? "…" + name.suffix(29) : name
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// git's index: is it readable and true, and what does it track that nobody wants?
extension Doctor {
  /// Looks at the index, and makes it anew where it is damaged and that was asked for.
  ///
  /// - Returns: The index; `nil` where there is none that can be used.
  mutating func checkIndex(_ engine: Engine) -> IndexFile? {
    let path = Array("\(engine.repository.gitDirectory)/index".utf8)
    let wait = options.wait
    let remedy = Remedy(
      plan: "make it anew from the last version, and keep the old one as verso/index.damaged",
      deed: "made anew from the last version"
    ) { try engine.rebuildIndex(wait: wait) }
    do throws(IndexError) {
      let index = try IndexFile.open(
        directory: engine.repository.gitDirectory, store: engine.store)
      if let index {
        guard index.verifyChecksum() else { throw .damaged("its checksum is wrong") }
        judge(index)
        return index
      }
      guard hasVersions(engine) else {
        note(.good, "index", "git's index is not there yet, and neither is a version")
        return nil
      }
      note(.bad, "index", "git's index is missing", path: path, remedy: remedy)
    } catch {
      guard error.code == .damaged else {
        let isKnown = error.code == .unsupported
        note(
          isKnown ? .look : .bad, "index", "git's index cannot be used: \(error.reason)",
          path: path, hint: isKnown ? "nothing is saved; git itself may work on it" : nil)
        return nil
      }
      note(
        .bad, "index", "git's index is damaged: \(error.reason)", path: path, remedy: remedy)
    }
    guard isMending else { return nil }
    // Made anew, or reported already.
    do throws(VersoError) { return try engine.openIndex() } catch { return nil }
  }

  private func hasVersions(_ engine: Engine) -> Bool {
    do throws(GitError) { return try engine.repository.headCommit() != nil } catch { return false }
  }

  private mutating func judge(_ index: IndexFile) {
    note(.good, "index", "git's index is sound and tracks \(index.table.rows.count) files")
    let unmerged = index.unmergedPaths
    if !unmerged.isEmpty {
      note(
        .look, "index", "conflicts are not resolved, so nothing is saved: \(Self.list(unmerged))",
        path: unmerged[0].bytes, hint: "resolve them, then: git -C \(root) add PATH")
    }
    for obstacle in index.obstacles where obstacle != .skipWorktree {
      note(.look, "index", "git's index cannot be kept true, so nothing is saved: \(obstacle)")
    }
    let hidden = index.table.rows.count { $0.flags.contains(.skipWorktree) }
    if hidden > 0 {
      note(
        .good, "sparse",
        "\(hidden) files are hidden by git's sparse checkout and stay as they were saved")
    }
    let unlooked = index.table.rows.count { $0.flags.contains(.assumeUnchanged) }
    if unlooked > 0 {
      note(
        .look, "index", "\(unlooked) files are marked as never changing (--assume-unchanged)",
        hint: "list them: git -C \(root) ls-files -v | grep '^[a-z]'")
    }
  }

  // MARK: What is tracked

  mutating func checkTracked(_ engine: Engine, _ index: IndexFile) {
    let links = index.table.rows.filter { $0.mode == Item.Kind.repository.rawValue }.map(\.path)
    if !links.isEmpty {
      note(
        .good, "nested", "submodules stay as they were last committed: \(Self.list(links))",
        path: links[0].bytes)
    }
    do throws(VersoError) {
      let litter = try engine.trackedLitter(index)
      let wait = options.wait
      if litter.isEmpty { return note(.good, "litter", "no litter of editors is versioned") }
      note(
        .look, "litter", "litter of editors and tools is versioned: \(Self.list(litter))",
        path: litter[0].bytes,
        remedy: Remedy(
          plan: "take it out of the next version; the files stay on disk",
          deed: "left out of the next version; the files stay on disk"
        ) { try engine.untrack(litter, wait: wait) })
    } catch { note(.look, "litter", error.message, hint: error.hint) }
  }
}

extension Engine {
  /// Tracked files that the default ignore block names, and that the user's own rules do not claim
  /// back.
  func trackedLitter(_ index: IndexFile) throws(VersoError) -> [RelativePath] {
    let block = IgnoreRules(parsing: DefaultExcludes.adding(to: []), base: .root)
    let defaults = IgnoreStack(global: [block])
    let suspects = index.table.rows.filter { !$0.flags.contains(.unmerged) }.map(\.path)
      .filter { path in defaults.isIgnored(path: path, isFolder: false) { _ in nil } }
    if suspects.isEmpty { return [] }
    let excludes = repository.commonDirectory + "/info/exclude"
    do throws(DiskError) {
      let text = try store.readFile(Array(excludes.utf8), in: AT_FDCWD) ?? []
      // What was taken out of the block is wanted; without a block, its lines are as good as there.
      let own = DefaultExcludes.adding(to: text)
      var rules = [IgnoreRules(parsing: own, base: .root, ignoringCase: settings.ignoresCase)]
      if let file = settings.excludesFile,
        let bytes = try store.readFile(Array(file.utf8), in: AT_FDCWD)
      {
        rules.insert(IgnoreRules(parsing: bytes, base: .root), at: 0)
      }
      let stack = IgnoreStack(global: rules)
      var found: [RelativePath] = []
      for path in suspects
      where try stack.isIgnored(
        path: path, isFolder: false,
        rulesFor: { (folder) throws(DiskError) in
          try store.ignoreRules(
            in: folder, root: rootFolder.number, ignoringCase: settings.ignoresCase)
        })
      {
        found.append(path)
      }
      return found
    } catch { throw VersoError(error) }
  }

  /// Takes paths out of the index, as `git rm --cached` does; the next save records that.
  ///
  /// - Precondition: The vault lock is held.
  func untrack(_ paths: [RelativePath], wait: Double) throws {
    let lock = try IndexLock.take(gitDirectory: gitFolder.number, store: store, wait: wait)
    let changes = paths.sorted().map { IndexPatch.Change(path: $0, entry: nil) }
    let patch = try IndexPatch(of: openIndex(), changes: changes)
    try writeFreshIndex { try patch.write(to: $0, store: store, path: $1) }
    try lock.release()
  }

  /// Makes the index anew from HEAD, trusting no file on disk, and keeps the old one.
  ///
  /// The work tree is not touched, so that the next save finds every difference.
  ///
  /// - Precondition: The vault lock is held.
  func rebuildIndex(wait: Double) throws {
    let lock = try IndexLock.take(gitDirectory: gitFolder.number, store: store, wait: wait)
    // Somebody's git may have mended it before we had the lock.
    if try isIndexSound() { return try lock.release() }
    let name = Array("index".utf8)
    let patch = try IndexPatch(of: nil, changes: changesOfHead())
    try writeFreshIndex(before: {
      if try self.store.status(of: name, in: self.gitFolder.number) != nil {
        try self.setAside(name, in: self.gitFolder.number, as: "index.damaged", copying: true)
      }
    }) { try patch.write(to: $0, store: store, path: $1) }
    try lock.release()
  }

  private func isIndexSound() throws -> Bool {
    do throws(IndexError) {
      return try IndexFile.open(directory: repository.gitDirectory, store: store)?
        .verifyChecksum() ?? false
    } catch {
      if error.code == .damaged { return false }
      throw error
    }
  }

  private func changesOfHead() throws -> [IndexPatch.Change] {
    guard let head = try repository.headCommit() else { return [] }
    var changes: [IndexPatch.Change] = []
    for (path, file) in try TreeDifference.files(in: repository.commit(head).tree, of: repository) {
      // Old trees have modes that an index does not (100664).
      let isFile = file.mode & S_IFMT == S_IFREG
      let kind: Item.Kind = file.mode & 0o100 != 0 ? .executable : .file
      let mode = isFile ? kind.rawValue : file.mode
      changes.append(
        IndexPatch.Change(path: path, entry: StatEntry(mode: mode, id: file.id)))
    }
    return changes.sorted { $0.path < $1.path }
  }

  /// Writes an index at a private path, durably, and renames it into place.
  private func writeFreshIndex(
    before: () throws -> Void = {}, _ write: (Int32, [UInt8]) throws -> Void
  ) throws {
    let own = try ownFolder()
    let name = Array(OwnFile.index.utf8)
    try store.unlinking(name, in: own.number)
    let mode = try indexStatus()?.mode ?? 0o644
    let file = try store.opening(
      name, in: own.number, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode & 0o777)
    try write(file.number, name)
    try store.syncing(file.number, path: name)
    try before()
    try store.renaming(
      name, in: own.number, to: Array("index".utf8), in: gitFolder.number)
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// What a repository takes on the disk.
package struct StoreSize: Hashable, Sendable {
  package var looseObjects = 0
  package var looseBytes: UInt64 = 0
  package var packs = 0
  /// Packs with their indexes, and what else is beside them.
  package var packBytes: UInt64 = 0
  /// What Verso can make again at any time.
  package var cacheBytes: UInt64 = 0

  package var bytes: UInt64 { looseBytes + packBytes + cacheBytes }
}

/// What a compaction did.
package struct CompactOutcome: Sendable {
  package enum Means: Hashable, Sendable {
    /// `git gc`.
    case git
    /// Without a git program: loose objects went into one pack.
    case own
  }

  package var before = StoreSize()
  package var after = StoreSize()
  package var means = Means.git
  /// Loose objects that could not be read, and stay as they are.
  package var left: [ObjectID] = []
}

extension Engine {
  /// Packs what history holds, and drops what can be made again. Nothing of history goes.
  ///
  /// `git gc` packs, which finds what large notes have in common. It keeps all that any branch, tag,
  /// reflog or index leads to, what Verso remembers under `refs/verso` included; reflogs stay whole,
  /// whatever the configuration says of their age. Objects that nothing leads to stay for two weeks at
  /// least (never `--prune=now`: a save that is under way elsewhere would lose its objects).
  ///
  /// - Throws: ``VersoError/Code/failed`` where git says no; nothing is lost then.
  package func compact(isDryRun: Bool = false, wait: Double = 10) throws(VersoError)
    -> CompactOutcome
  {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    let lock = try lockVault(wait: wait)
    var outcome = CompactOutcome()
    outcome.before = try storeSize()
    outcome.after = outcome.before
    if isDryRun { return outcome }
    try recover(lock)
    removeHistoryIndex()
    for name in try caches() { try removeOwn(name) }
    try SignalDeferral.run { () throws(VersoError) in
      if try !packThroughGit() {
        outcome.means = .own
        outcome.left = try packLoose()
      }
    }
    outcome.after = try storeSize()
    _ = consume lock
    return outcome
  }

  // MARK: Packing

  /// Seconds that git may take: a history of many gigabytes is packed once.
  private static let packLimit = 12.0 * 3600

  /// - Returns: `false` where there is no git program.
  private func packThroughGit() throws(VersoError) -> Bool {
    let expiry = setting("gc.pruneExpire") == "never" ? "never" : "2.weeks.ago"
    let outcome = Programs().run(
      ProgramRequest(
        arguments: [
          "git", "--git-dir=\(repository.gitDirectory)",
          "-c", "gc.pruneExpire=\(expiry)", "-c", "gc.worktreePruneExpire=never",
          "-c", "gc.reflogExpire=never", "-c", "gc.reflogExpireUnreachable=never",
          // libgit2 1.5 reads commit graphs of generation version 1 only.
          "-c", "commitGraph.generationVersion=1", "gc", "--quiet",
        ],
        environment: .quietGit, limit: Self.packLimit))
    if case .notStarted = outcome.end { return false }
    guard outcome.succeeded else {
      throw VersoError(
        .failed, "git could not pack \(repository.gitDirectory): \(outcome.reason)",
        hint: "nothing was lost; verso doctor looks for what is wrong")
    }
    return true
  }

  /// Puts all loose objects into one pack, and removes those that are in it.
  private func packLoose() throws(VersoError) -> [ObjectID] {
    let loose = try looseObjects()
    if loose.isEmpty { return [] }
    var (packed, left): ([ObjectID], [ObjectID]) = ([], [])
    do {
      let writer = try PackWriter(objects: objectsFolder.number, store: store) { _ in false }
      for id in loose {
        do throws(GitError) {
          let (kind, bytes) = try repository.read(id)
          // One that is not what its name says is damaged, and for the doctor to look at.
          if SHA1.id(of: kind, bytes) == id {
            _ = try Self.write(kind, bytes, writer)
            packed.append(id)
          } else {
            left.append(id)
          }
        } catch { left.append(id) }
      }
      try writer.finish()
      // The pack is on the disk, and has its name: whoever looks for an object finds it there.
      for id in packed { try store.unlinking(Self.looseName(id), in: objectsFolder.number) }
    } catch { throw VersoError(storing: error) }
    return left
  }

  private static func write(
    _ kind: Repository.ObjectKind, _ bytes: [UInt8], _ writer: PackWriter
  ) throws(GitError) -> ObjectID {
    do throws(DiskError) { return try writer.write(kind, bytes) } catch {
      throw GitError(code: .generic, function: "pack", message: error.description)
    }
  }

  private static func looseName(_ id: ObjectID) -> [UInt8] {
    Array("\(id.hex.prefix(2))/\(id.hex.dropFirst(2))".utf8)
  }

  // MARK: Looking

  private func looseObjects() throws(VersoError) -> [ObjectID] {
    var found: [ObjectID] = []
    try eachLoose { id, _ in found.append(id) }
    return found
  }

  private func eachLoose(
    _ body: (ObjectID, UInt64) -> Void
  ) throws(VersoError) {
    for number in 0..<256 {
      let digits = Array(String(number + 256, radix: 16).utf8.dropFirst())
      for (name, size) in try entries(of: digits, in: objectsFolder.number) {
        if let id = ObjectID(hex: digits + name) { body(id, size) }
      }
    }
  }

  /// The files in a folder with their sizes; none where it is not there.
  private func entries(
    of name: [UInt8], in parent: Int32
  ) throws(VersoError) -> [(name: [UInt8], size: UInt64)] {
    do throws(DiskError) {
      let folder = try store.opening(name, in: parent, flags: O_RDONLY | O_DIRECTORY)
      var found: [(name: [UInt8], size: UInt64)] = []
      for entry in try store.names(in: folder.number, path: name) {
        guard let status = try store.status(of: entry, in: folder.number), status.kind == .file
        else { continue }
        found.append((entry, status.size))
      }
      return found
    } catch {
      if error.isAbsence { return [] }
      throw VersoError(error)
    }
  }

  private func storeSize() throws(VersoError) -> StoreSize {
    var size = StoreSize()
    try eachLoose { _, bytes in
      size.looseObjects += 1
      size.looseBytes += bytes
    }
    for (name, bytes) in try entries(of: Array("pack".utf8), in: objectsFolder.number) {
      if name.suffix(5).elementsEqual(".pack".utf8) { size.packs += 1 }
      size.packBytes += bytes
    }
    let caches = Set(try caches())
    for (name, bytes) in try entries(of: Array(OwnFile.folder.utf8), in: gitFolder.number)
    where caches.contains(String(decoding: name, as: UTF8.self)) {
      size.cacheBytes += bytes
    }
    return size
  }

  /// Verso's own files that can be made again at any time, as far as they are there.
  private func caches() throws(VersoError) -> [String] {
    try entries(of: Array(OwnFile.folder.utf8), in: gitFolder.number)
      .map { String(decoding: $0.name, as: UTF8.self) }.filter(OwnFile.isCache)
  }
}

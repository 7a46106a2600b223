import CLinux
import Glibc
package import VersoModel

/// A look at the whole disk below a root, compared with what was last seen.
///
/// One `statx` for a file, on as many threads as are worth having; nothing is opened but folders
/// and ignore files. What the scan finds are candidates: what really changed shows when they are
/// read.
package struct Scan: Sendable {
  /// What decides how a scan looks.
  package struct Options: Sendable {
    /// Files with more bytes are left alone.
    package var maxFileSize: UInt64 = 50 << 20
    /// Rules from outside the tree, lowest precedence first.
    package var ignore: IgnoreStack
    /// core.ignoreCase.
    package var ignoresCase = false
    /// core.fileMode: whether an execute bit means anything here.
    package var trustsMode = true
    /// core.trustCtime.
    package var trustsChangeTime = true
    /// core.checkStat=minimal: whole seconds of mtime and the size only.
    package var minimalStat = false
    /// Names directly in the root that are ours.
    package var ownNames: Set<[UInt8]> = [Array(".git".utf8)]
    /// Identity of the git directory, wherever it is: never looked into.
    package var gitDirectory: (device: UInt64, inode: UInt64) = (0, 0)

    package init(ignore: IgnoreStack) { self.ignore = ignore }
  }

  /// A path that may differ from what was last seen.
  package struct Candidate: Sendable {
    package enum Reason: Sendable {
      /// Not tracked.
      case new
      /// Tracked, and its stat fields differ.
      case changed
      /// Tracked with equal stat fields, but modified so late that they prove nothing.
      case racy
    }
    package let path: RelativePath
    package let status: FileStatus
    package let reason: Reason

    package init(path: RelativePath, status: FileStatus, reason: Reason) {
      self.path = path
      self.status = status
      self.reason = reason
    }
  }

  /// What was found, sorted by path.
  package struct Result: Sendable {
    package var candidates: [Candidate] = []
    /// Tracked paths that are not there any more.
    package var gone: [RelativePath] = []
    package var skipped: [Skipped] = []
    /// Tracked repositories (submodules) whose folder is there.
    package var repositories: [RelativePath] = []
    /// Folders with nothing in them.
    package var emptyFolders: [RelativePath] = []
    /// Files looked at.
    package var fileCount = 0
    /// The cache for the next scan; `nil` where only part of the tree was looked at, or where the
    /// tree holds what a cache cannot describe.
    package var folders: FolderCache?
    /// Whether `folders` differs from the cache that was given.
    package var foldersChanged = false
  }

  let root: Int32
  let table: StatTable
  let options: Options
  let store: any FileStore

  /// Prepares a scan below the open folder `root`.
  package init(root: Int32, table: StatTable, options: Options, store: any FileStore) {
    self.root = root
    self.table = table
    self.options = options
    self.store = store
  }

  /// Looks at everything.
  ///
  /// - Parameter cache: What ``Result/folders`` of an earlier scan was; its key is kept.
  /// - Throws: ``DiskError`` where the scan cannot go on: no descriptors, no memory, no root. What
  ///   cannot be read for other reasons is skipped, never taken as gone.
  package func all(cache: FolderCache) throws(DiskError) -> Result {
    var result = try look(at: [.root], cache: cache)
    // Folders that were believed unchanged may hold names that a changed rule sets free.
    let ruleName = Array(".gitignore".utf8)[...]
    if !cache.isEmpty,
      result.candidates.contains(where: { $0.path.name == ruleName })
        || result.gone.contains(where: { $0.name == ruleName })
    {
      result = try look(at: [.root], cache: FolderCache(key: cache.key))
      result.foldersChanged = true
    }
    return result
  }

  /// Looks at `paths` only, and below them where they are folders.
  package func only(_ paths: [RelativePath]) throws(DiskError) -> Result {
    let asked = Set(paths)
    let tops = asked.sorted().filter { path in
      path.isRoot || !(asked.contains(.root) || path.ancestors.contains(where: asked.contains))
    }
    var result = try look(at: tops, cache: FolderCache(key: 0))
    result.folders = nil
    return result
  }

  private func look(
    at tops: [RelativePath], cache: FolderCache
  ) throws(DiskError) -> Result {
    let rootStatus = try store.status(of: root)
    let base = IgnoreScope(parent: nil, folder: .root, source: self)
    let shared = ScanShared(scan: self, device: rootStatus.device, cache: cache)
    var work: [ScanWork] = []
    var first = ScanWorker(shared)
    for top in tops {
      if top.isRoot {
        work.append(ScanWork(folder: .root, rows: 0..<table.rows.count, scope: base))
      } else {
        work += first.top(top, scope: base)
      }
    }
    shared.queue.add(work)
    let others = shared.start(first, threads: work.isEmpty ? 1 : Threads.count)
    if let failure = others.failure { throw failure }
    return others.result
  }
}

/// A folder to look at.
struct ScanWork: Sendable {
  let folder: RelativePath
  /// The tracked paths below it.
  let rows: Range<Int>
  let scope: IgnoreScope
}

/// The ignore rules in force in one folder, read when first asked for.
///
/// Unchecked: `stack` and `verdict` are read and written under `lock` only.
final class IgnoreScope: @unchecked Sendable {
  private let parent: IgnoreScope?
  let folder: RelativePath
  private let source: Scan
  private let lock = SectionLock()
  private var stack: IgnoreStack?
  private var verdict: Bool?

  init(parent: IgnoreScope?, folder: RelativePath, source: Scan) {
    self.parent = parent
    self.folder = folder
    self.source = source
  }

  /// The rules; a `.gitignore` that is a link or cannot be read counts as none, as in git.
  func resolved() -> IgnoreStack {
    lock.withLock {
      if let stack { return stack }
      let above = parent?.resolved() ?? source.options.ignore
      let made = above.entering(source.ignoreRules(in: folder))
      stack = made
      return made
    }
  }
}

extension IgnoreScope {
  /// Whether the folder itself is ignored: what is tracked below stays so, nothing new is taken.
  func isIgnored() -> Bool {
    guard let parent else { return false }
    return lock.withLock {
      if let verdict { return verdict }
      let made = parent.ignores(folder, isFolder: true)
      verdict = made
      return made
    }
  }

  /// Whether `path`, which lies directly in the folder, is ignored.
  func ignores(_ path: RelativePath, isFolder: Bool) -> Bool {
    if isIgnored() { return true }
    return Array(path.name).withUnsafeBytes {
      resolved().isIgnored($0, in: folder, isFolder: isFolder)
    }
  }
}

extension Scan {
  func ignoreRules(in folder: RelativePath) -> IgnoreRules? {
    store.ignoreRules(in: folder, root: root, options)
  }
}

extension FileStore {
  /// The rules of a folder's own `.gitignore` for a scan: one that cannot be read counts as none.
  package func ignoreRules(
    in folder: RelativePath, root: Int32, _ options: Scan.Options
  ) -> IgnoreRules? {
    do throws(DiskError) {
      return try ignoreRules(in: folder, root: root, ignoringCase: options.ignoresCase)
    } catch { return nil }
  }

  /// The rules of a folder's own `.gitignore`.
  ///
  /// - Returns: `nil` where it has none that git would read: one that is a link, no file, or not for
  ///   this user counts as none.
  /// - Throws: ``DiskError`` where there may be rules, and the disk does not give them.
  package func ignoreRules(
    in folder: RelativePath, root: Int32, ignoringCase: Bool
  ) throws(DiskError) -> IgnoreRules? {
    let path = folder.appending(Array(".gitignore".utf8))
    do throws(DiskError) {
      let file = try openingBeneath(path, root: root, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
      let status = try status(of: file.number)
      guard status.kind == .file, status.size < 1 << 24 else { return nil }
      let bytes = try readingAll(file.number, expected: Int(status.size), path: path.bytes)
      return IgnoreRules(parsing: bytes, base: folder, ignoringCase: ignoringCase)
    } catch {
      if error.isAbsence || error.code == ELOOP || error.code == EACCES { return nil }
      throw error
    }
  }
}

import CLinux
import Glibc
import VersoModel

/// What the threads of one scan have in common.
final class ScanShared: Sendable {
  let scan: Scan
  let device: UInt64
  let cache: FolderCache
  let queue = WorkQueue<ScanWork>([])
  /// Seconds of the clock when the scan began.
  let began = Timestamp.now()

  init(scan: Scan, device: UInt64, cache: FolderCache) {
    self.scan = scan
    self.device = device
    self.cache = cache
  }

  /// Runs the queue empty, `first` on this thread, and joins what all have found.
  func start(
    _ first: ScanWorker, threads: Int
  ) -> (result: Scan.Result, failure: DiskError?) {
    let collected = Collected()
    Threads.run(threads) { number in
      var worker = number == 0 ? first : ScanWorker(self)
      self.queue.run { worker.visit($0) }
      collected.add(worker)
    }
    return collected.joined(self)
  }
}

/// Unchecked: `workers` and `runs` are touched under `lock` only.
private final class Collected: @unchecked Sendable {
  private var workers: [ScanWorker] = []
  private var runs: [CandidateRun] = []
  private let lock = SectionLock()

  func add(_ worker: consuming ScanWorker) {
    let run = CandidateRun(worker.found.candidates)
    worker.found.candidates = []
    let done = worker
    lock.withLock {
      runs.append(run)
      workers.append(done)
    }
  }

  func joined(_ shared: ScanShared) -> (result: Scan.Result, failure: DiskError?) {
    var result = Scan.Result()
    var folders = FolderCache(key: shared.cache.key)
    var canCache = true
    for worker in workers {
      if let failure = worker.failure { return (result, failure) }
      result.gone += worker.found.gone
      result.skipped += worker.found.skipped
      result.repositories += worker.found.repositories
      result.emptyFolders += worker.found.emptyFolders
      result.fileCount += worker.found.fileCount
      folders.merge(worker.folders)
      canCache = canCache && worker.canCache
    }
    workers = []
    result.candidates = CandidateRun.merged(runs)
    runs = []
    result.gone.sort()
    result.skipped.sort { $0.path < $1.path }
    if canCache {
      result.foldersChanged = !(folders == shared.cache)
      result.folders = folders
    } else {
      result.foldersChanged = !shared.cache.isEmpty
      result.folders = FolderCache(key: shared.cache.key)
    }
    return (result, nil)
  }
}

/// One thread's part of a scan.
struct ScanWorker: Sendable {
  private let shared: ScanShared
  private let scan: Scan
  private let store: any FileStore
  var found = Scan.Result()
  var folders: [(UInt64, FolderCache.Entry)] = []
  var canCache = true
  var failure: DiskError?

  init(_ shared: ScanShared) {
    self.shared = shared
    scan = shared.scan
    store = shared.scan.store
  }

  // MARK: A folder

  mutating func visit(_ work: ScanWork) {
    if failure != nil { return }
    do throws(DiskError) {
      let folder = try store.openingBeneath(
        work.folder, root: scan.root, flags: O_RDONLY | O_DIRECTORY | O_NONBLOCK)
      let status = try store.status(of: folder.number)
      if isOutside(status, work) { return }
      try look(into: folder.number, status: status, work)
    } catch {
      leave(work, because: error)
    }
  }

  /// Leaves a folder alone that is a mount point or the git directory itself.
  private mutating func isOutside(_ status: FileStatus, _ work: ScanWork) -> Bool {
    if status.device == scan.options.gitDirectory.device,
      status.inode == scan.options.gitDirectory.inode
    {
      return true
    }
    guard status.device != shared.device else { return false }
    skip(work.folder, .otherFileSystem, isFolder: true)
    return true
  }

  private mutating func leave(_ work: ScanWork, because error: DiskError) {
    switch error.code {
    case ENOENT, ENOTDIR, ELOOP:
      // The folder is gone, or something else stands in its place: then so is all below it. The
      // root itself is never "gone" here: that is a lost root, not a deletion.
      if work.folder.isRoot {
        fail(error)
      } else {
        for row in scan.table.rows[work.rows] { goneUnlessKept(row) }
      }
    case EMFILE, ENFILE, ENOMEM: fail(error)
    default: skip(work.folder, .unreadable(error.code), isFolder: true)
    }
  }

  private mutating func fail(_ error: DiskError) {
    failure = error
    shared.queue.cancel()
  }

  private mutating func look(
    into folder: Int32, status: FileStatus, _ work: ScanWork
  ) throws(DiskError) {
    let hash = FNV.hash(work.folder.bytes)
    let (below, names) = lookAtRows(in: folder, work)
    var more = below
    let entry = FolderCache.Entry(
      inode: status.inode, modified: status.modified.nanosecondsSince1970,
      changed: status.changed.nanosecondsSince1970, names: names)
    if shared.cache.entry(of: hash) == entry {
      folders.append((hash, entry))
    } else {
      let (news, holdsOnlyTracked) = try lookForNew(in: folder, work)
      more += news
      // A clock that stands still for two seconds is the coarsest in use (FAT).
      let isOld = shared.began.timeInterval(since: status.changed) > 2
      if holdsOnlyTracked, isOld { folders.append((hash, entry)) }
    }
    shared.queue.add(more)
  }

  // MARK: Tracked paths

  /// Looks at the tracked files directly in a folder, and finds the tracked folders in it.
  private mutating func lookAtRows(
    in folder: Int32, _ work: ScanWork
  ) -> (below: [ScanWork], names: UInt64) {
    let prefix = work.folder.isRoot ? 0 : work.folder.bytes.count + 1
    var below: [ScanWork] = []
    var names = FNV.start
    var position = work.rows.lowerBound
    while position < work.rows.upperBound {
      let row = scan.table.rows[position]
      let name = UnsafeRawBufferPointer(
        start: row.name + prefix, count: Int(row.nameLength) - prefix)
      if let slash = name.firstIndex(of: RelativePath.slash) {
        let part = UnsafeRawBufferPointer(rebasing: name[..<slash])
        let end = scan.table.end(
          ofFolder: prefix + slash, from: position, below: work.rows.upperBound)
        let path = work.folder.appending(part)
        names = FNV.hash(part, into: names) &+ 1
        below.append(
          ScanWork(
            folder: path, rows: position..<end,
            scope: IgnoreScope(parent: work.scope, folder: path, source: scan)))
        position = end
      } else {
        names = FNV.hash(name, into: names) &+ 2
        lookAt(row, name: name, in: folder)
        position += 1
      }
    }
    return (below, names)
  }

  private mutating func lookAt(
    _ row: StatTable.Row, name: UnsafeRawBufferPointer, in folder: Int32
  ) {
    if !row.flags.isDisjoint(with: [.skipWorktree, .assumeUnchanged, .unmerged]) { return }
    found.fileCount += 1
    var raw = verso_stat()
    let result = withTerminated(name) { store.status(folder, $0, &raw) }
    if result == -ENOENT || result == -ENOTDIR { return goneUnlessKept(row) }
    if result < 0 { return skip(row.path, .unreadable(-result)) }
    compare(row, with: FileStatus(raw))
  }

  private mutating func compare(_ row: StatTable.Row, with status: FileStatus) {
    let isRepository = row.mode == Item.Kind.repository.rawValue
    switch status.kind {
    case .folder:
      if isRepository {
        found.repositories.append(row.path)
      } else {
        found.gone.append(row.path)
      }
    case .special: skip(row.path, .special, inode: status.inode)
    case .file, .link:
      if status.device != shared.device {
        skip(row.path, .otherFileSystem, inode: status.inode)
      } else if status.kind == .file, status.size > scan.options.maxFileSize,
        !hasSameFields(row, status)
      {
        skip(row.path, .tooLarge(status.size), inode: status.inode)
      } else if row.flags.contains(.intentToAdd) {
        candidate(row.path, status, .new)
      } else if !hasSameFields(row, status) {
        candidate(row.path, status, .changed)
      } else if Int64(row.modified.seconds) >= scan.table.written.seconds {
        candidate(row.path, status, .racy)
      }
    }
  }

  private func hasSameFields(_ row: StatTable.Row, _ status: FileStatus) -> Bool {
    let options = scan.options
    if UInt32(truncatingIfNeeded: status.modified.seconds) != row.modified.seconds
      || UInt32(truncatingIfNeeded: status.size) != row.size
    {
      return false
    }
    let isLink = row.mode == Item.Kind.link.rawValue
    if isLink != (status.kind == .link) { return false }
    if options.trustsMode, !isLink, status.itemKind?.rawValue != row.mode { return false }
    if options.minimalStat { return true }
    if status.modified.nanoseconds != row.modified.nanoseconds
      || UInt32(truncatingIfNeeded: status.inode) != row.inode
      || status.owner != row.word(7) || status.group != row.word(8)
    {
      return false
    }
    return !options.trustsChangeTime
      || (UInt32(truncatingIfNeeded: status.changed.seconds) == row.changed.seconds
        && status.changed.nanoseconds == row.changed.nanoseconds)
  }

  /// Whether a row is kept although a folder stands in its place.
  private func stays(_ row: StatTable.Row) -> Bool {
    row.mode == Item.Kind.repository.rawValue
      || !row.flags.isDisjoint(with: [.skipWorktree, .assumeUnchanged, .unmerged])
  }

  private mutating func goneUnlessKept(_ row: StatTable.Row) {
    if row.flags.isDisjoint(with: [.skipWorktree, .assumeUnchanged, .unmerged]) {
      found.gone.append(row.path)
    }
  }

  // MARK: New names

  /// Reads a folder's names and looks at those that are not tracked.
  ///
  /// - Returns: The folders to go on with, and whether everything in the folder is tracked or
  ///   ignored, so that its times can stand for it.
  private mutating func lookForNew(
    in folder: Int32, _ work: ScanWork
  ) throws(DiskError) -> (below: [ScanWork], holdsOnlyTracked: Bool) {
    if work.scope.isIgnored() { return ([], true) }
    var below: [ScanWork] = []
    var holdsOnlyTracked = true
    var isEmpty = !work.folder.isRoot
    let size = 32768
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { buffer.deallocate() }
    while true {
      let got = store.entries(folder, buffer, size)
      if got == -Int(EINTR) { continue }
      if got < 0 {
        throw DiskError(code: Int32(-got), operation: "list", path: work.folder)
      }
      if got == 0 {
        if isEmpty { found.emptyFolders.append(work.folder) }
        return (below, holdsOnlyTracked)
      }
      var offset = 0
      while offset < got {
        // linux_dirent64 (getdents64(2)): inode 8, offset 8, length 2, type 1, name.
        let record = buffer + offset
        offset += Int(record.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
        let type = record.load(fromByteOffset: 18, as: UInt8.self)
        let start = UnsafeRawPointer(record + 19)
        let name = UnsafeRawBufferPointer(
          start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
        if isOurs(name, in: work.folder) { continue }
        isEmpty = false
        if try !lookAtName(name, type, in: folder, work, &below) { holdsOnlyTracked = false }
      }
    }
  }

  private func isOurs(_ name: UnsafeRawBufferPointer, in folder: RelativePath) -> Bool {
    guard name.first == UInt8(ascii: ".") else { return false }
    if name.count == 1 || (name.count == 2 && name[1] == UInt8(ascii: ".")) { return true }
    if folder.isRoot { return scan.options.ownNames.contains(Array(name)) }
    return name.elementsEqual(".git".utf8)
  }

  /// Looks at one name. Returns whether it is tracked or ignored.
  private mutating func lookAtName(
    _ name: UnsafeRawBufferPointer, _ type: UInt8, in folder: Int32, _ work: ScanWork,
    _ below: inout [ScanWork]
  ) throws(DiskError) -> Bool {
    let path = work.folder.appending(name)
    var isFolder = type == UInt8(DT_DIR)
    var status: FileStatus?
    if type == UInt8(DT_UNKNOWN) {
      status = try store.status(of: Array(name), in: folder)
      isFolder = status?.kind == .folder
    }
    let position = scan.table.position(of: path)
    if !isFolder, scan.table.hasPath(path, at: position) { return true }
    if isFolder {
      // A folder with tracked paths was found among the rows. One in the place of a tracked file is
      // new, unless what is tracked there stays as it is, such as a repository.
      if scan.table.hasPath(path, at: position), stays(scan.table.rows[position]) { return true }
      if scan.table.hasPaths(below: path, in: work.rows) { return true }
    }
    if work.scope.resolved().isIgnored(name, in: work.folder, isFolder: isFolder) {
      // A rule file that is itself not tracked: no cache can notice when it changes.
      if name.elementsEqual(".gitignore".utf8) { canCache = false }
      return true
    }
    if name.elementsEqual(".gitignore".utf8) { canCache = false }
    if isFolder {
      if try holdsRepository(name, in: folder) {
        skip(path, .nestedRepository, isFolder: true)
      } else {
        below.append(
          ScanWork(
            folder: path, rows: 0..<0,
            scope: IgnoreScope(parent: work.scope, folder: path, source: scan)))
      }
      return false
    }
    if status == nil { status = try store.status(of: Array(name), in: folder) }
    guard let status else { return false }
    lookAtNew(path, status)
    return false
  }

  private mutating func lookAtNew(_ path: RelativePath, _ status: FileStatus) {
    found.fileCount += 1
    if status.kind == .special || status.kind == .folder {
      skip(path, .special, inode: status.inode)
    } else if status.device != shared.device {
      skip(path, .otherFileSystem, inode: status.inode)
    } else if status.kind == .file, status.size > scan.options.maxFileSize {
      skip(path, .tooLarge(status.size), inode: status.inode)
    } else {
      candidate(path, status, .new)
    }
  }

  private func holdsRepository(
    _ name: UnsafeRawBufferPointer, in folder: Int32
  ) throws(DiskError) -> Bool {
    do throws(DiskError) {
      return try store.status(of: Array(name) + Array("/.git".utf8), in: folder) != nil
    } catch {
      // Unreadable: the folder itself will say so.
      if error.code == EACCES { return false }
      throw error
    }
  }

  // MARK: One path asked for by name

  /// Looks at `path`, which the caller named; returns the folder to go on with, if it is one.
  mutating func top(_ path: RelativePath, scope base: IgnoreScope) -> [ScanWork] {
    var scope = base
    for folder in path.ancestors.reversed() {
      scope = IgnoreScope(parent: scope, folder: folder, source: scan)
    }
    let rows = scan.table.rows(below: path)
    do throws(DiskError) {
      let parent = try store.openingBeneath(
        path.parent, root: scan.root, flags: verso_o_path | O_DIRECTORY)
      let status = try store.status(of: Array(path.name), in: parent.number)
      if let row = scan.table.row(of: path) {
        Array(path.name).withUnsafeBytes { lookAt(row, name: $0, in: parent.number) }
      } else if let status, status.kind != .folder {
        if !scope.ignores(path, isFolder: false) { lookAtNew(path, status) }
      }
      guard status?.kind == .folder else {
        for row in scan.table.rows[rows] { goneUnlessKept(row) }
        return []
      }
      return [
        ScanWork(
          folder: path, rows: rows,
          scope: IgnoreScope(parent: scope, folder: path, source: scan))
      ]
    } catch {
      leave(ScanWork(folder: path, rows: rows, scope: scope), because: error)
      if error.isAbsence, let row = scan.table.row(of: path) { goneUnlessKept(row) }
      return []
    }
  }

  // MARK: Notes

  private mutating func candidate(
    _ path: RelativePath, _ status: FileStatus, _ reason: Scan.Candidate.Reason
  ) {
    found.candidates.append(Scan.Candidate(path: path, status: status, reason: reason))
  }

  private mutating func skip(
    _ path: RelativePath, _ reason: Skipped.Reason, isFolder: Bool = false, inode: UInt64 = 0
  ) {
    found.skipped.append(
      Skipped(path: path, reason: reason, isFolder: isFolder, inode: inode))
  }
}

/// Calls `body` with a copy of `name` that ends in NUL, on the stack where it is short.
private func withTerminated<R>(
  _ name: UnsafeRawBufferPointer, _ body: (UnsafePointer<CChar>) -> R
) -> R {
  withUnsafeTemporaryAllocation(byteCount: name.count + 1, alignment: 1) { buffer in
    buffer.copyMemory(from: name)
    buffer[name.count] = 0
    guard let base = buffer.baseAddress else { preconditionFailure("no room for a name") }
    return body(base.assumingMemoryBound(to: CChar.self))
  }
}

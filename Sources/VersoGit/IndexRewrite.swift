import CGit2
import Glibc
package import VersoDisk
package import VersoModel

/// Writes the next index through libgit2, for changes that ``IndexPatch`` refuses.
///
/// It takes five to ten times as long, and leaves out every extension but the cached tree ids. It
/// can change paths that are unmerged (which ends their merge) or hidden by a sparse checkout
/// (which brings them back); split and sparse indexes are beyond it too.
package enum IndexRewrite {
  /// Counts as one more user; see ``Repository``.
  private static let library: Int32 = git_libgit2_init()

  /// Writes an index with changes as a new file, which the caller then renames.
  ///
  /// - Parameters:
  ///   - changes: As for ``IndexPatch``.
  ///   - index: The old index; `nil` writes one from nothing.
  ///   - path: Absolute; no file of that name nor of that name with `.lock` may be there. It lies
  ///     in a private folder, as libgit2 writes beside it and renames.
  ///   - store: Makes the copy that libgit2 then works on.
  ///   - isClean: As for ``IndexPatch/write(to:store:path:isClean:)``.
  /// - Throws: ``IndexError``; what stands at `path` then is to be thrown away.
  package static func write(
    _ changes: [IndexPatch.Change], of index: IndexFile?, to path: String, store: any FileStore,
    isClean: (RelativePath, StatTable.Row) -> Bool = { _, _ in false }
  ) throws(IndexError) {
    if let index { try copy(index, to: path, store: store) }
    do {
      try GitError.check(library, "git_libgit2_init")
      let handle = try Handle("git_index_open", free: git_index_free) { git_index_open(&$0, path) }
      try smudge(index, in: handle.pointer, except: changes, isClean)
      // A folder gives way before a file takes its place, and the reverse.
      for change in changes where change.entry == nil {
        try remove(change.path, from: handle.pointer)
      }
      for change in changes {
        guard let entry = change.entry else { continue }
        try put(change, entry, into: handle.pointer)
      }
      try GitError.check(git_index_write(handle.pointer), "git_index_write")
    } catch {
      throw IndexError(code: .library, reason: error.message)
    }
  }

  private static func copy(
    _ index: IndexFile, to path: String, store: any FileStore
  ) throws(IndexError) {
    let path = Array(path.utf8)
    try mappingDiskErrors { () throws(DiskError) in
      let file = try store.opening(path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL)
      try store.writingAll(index.bytes, to: file.number, path: path)
    }
  }

  // MARK: Entries

  /// libgit2 does this only for an index that belongs to a repository; see
  /// ``IndexPatch/write(to:store:path:isClean:)``.
  private static func smudge(
    _ index: IndexFile?, in handle: OpaquePointer, except changes: [IndexPatch.Change],
    _ isClean: (RelativePath, StatTable.Row) -> Bool
  ) throws(GitError) {
    guard let index else { return }
    let changed = Set(changes.map(\.path))
    var asked = 0
    for number in index.racy {
      let row = index.table.rows[Int(number)]
      if row.mode == Item.Kind.repository.rawValue || changed.contains(row.path) { continue }
      asked += 1
      if asked <= IndexPatch.mostAsked, isClean(row.path, row) { continue }
      try row.path.withCString { (path) throws(GitError) in
        guard let old = git_index_get_bypath(handle, path, 0) else { return }
        var entry = old.pointee
        entry.path = path
        entry.file_size = 0
        try GitError.check(git_index_add(handle, &entry), "git_index_add")
      }
    }
  }

  private static func remove(_ path: RelativePath, from handle: OpaquePointer) throws(GitError) {
    try path.withCString { (path) throws(GitError) in
      for stage in Int32(0)...3 {
        let status = git_index_remove(handle, path, stage)
        if status == GIT_ENOTFOUND.rawValue { continue }
        try GitError.check(status, "git_index_remove")
      }
    }
    git_error_clear()
  }

  private static func put(
    _ change: IndexPatch.Change, _ entry: StatEntry, into handle: OpaquePointer
  ) throws(GitError) {
    try change.path.withCString { (path) throws(GitError) in
      let old = git_index_get_bypath(handle, path, 0)
      var entry = git_index_entry(entry, path: path)
      if change.options.contains(.smudged) { entry.file_size = 0 }
      if let old, change.options.contains(.keepsMode) { entry.mode = old.pointee.mode }
      if let old, change.options.contains(.keepsFlags) {
        entry.flags = old.pointee.flags & UInt16(GIT_INDEX_ENTRY_VALID.rawValue)
      }
      for stage in Int32(1)...3 {
        let status = git_index_remove(handle, path, stage)
        if status != GIT_ENOTFOUND.rawValue { try GitError.check(status, "git_index_remove") }
      }
      try GitError.check(git_index_add(handle, &entry), "git_index_add")
    }
  }
}

extension git_index_entry {
  fileprivate init(_ entry: StatEntry, path: UnsafePointer<CChar>) {
    self.init()
    ctime = git_index_time(
      seconds: Int32(bitPattern: entry.changedSeconds), nanoseconds: entry.changedNanoseconds)
    mtime = git_index_time(
      seconds: Int32(bitPattern: entry.modifiedSeconds), nanoseconds: entry.modifiedNanoseconds)
    (dev, ino, mode) = (entry.device, entry.inode, entry.mode)
    (uid, gid, file_size) = (entry.owner, entry.group, entry.size)
    id = git_oid(entry.id)
    self.path = path
  }
}

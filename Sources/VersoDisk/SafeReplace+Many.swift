import Glibc
package import VersoModel

/// A new file that is complete and has no name yet.
package final class UnnamedFile {
  package let path: RelativePath
  let file: Descriptor
  let target: SafeReplace.Target
  let status: FileStatus

  init(
    path: RelativePath, file: consuming Descriptor, target: consuming SafeReplace.Target,
    status: FileStatus
  ) {
    self.path = path
    self.file = file
    self.target = target
    self.status = status
  }
}

/// Many new files at once: a wait for the disk for each would be most of the time that a first sync
/// takes.
extension SafeReplace {
  /// Writes a file that gets its name later (`O_TMPFILE`): a kill leaves nothing of it.
  ///
  /// - Returns: `nil` where the file system has no such thing, or for a link.
  package func prepare(
    _ path: RelativePath, number: Int, with content: NewContent
  ) throws(ReplaceRefusal) -> UnnamedFile? {
    if content.kind == .link { return nil }
    let target = try target(path, number: number)
    guard let file = try anonymous(target, mode: Self.mode(content)) else { return nil }
    let status = try fill(file.number, content, template: nil, target, isDurable: false)
    return UnnamedFile(path: path, file: file, target: target, status: status)
  }

  /// Makes prepared files durable.
  package func makeDurable(_ files: [UnnamedFile]) throws(DiskError) {
    if files.count > Self.fewFiles { return try store.syncingFileSystem(of: root) }
    for file in files { try store.syncing(file.file.number, path: file.path.bytes) }
  }

  /// Up to so many files are waited for one by one: the whole file system may have more to write.
  private static let fewFiles = 4

  /// Gives a prepared, durable file its name, where nothing is.
  ///
  /// - Throws: ``ReplaceRefusal/Reason/changed`` where something is.
  package func place(_ file: UnnamedFile) throws(ReplaceRefusal) -> Replacement {
    let name = file.target.name
    guard try link(file.file.number, to: name, in: file.target.folder.number, file.target) else {
      throw ReplaceRefusal(
        path: file.path,
        reason: .unsupported(DiskError(code: EOPNOTSUPP, operation: "write", path: file.path)))
    }
    return Replacement(
      path: file.path, status: untouched(file.status, at: file.target), displaced: nil,
      brokeHardLink: false)
  }
}

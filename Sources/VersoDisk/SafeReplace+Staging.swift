import CLinux
import Glibc
import VersoModel

extension SafeReplace {
  /// A complete copy in the staging folder.
  struct Staged {
    let name: [UInt8]
    let status: FileStatus
  }

  /// The file whose attributes a staged copy takes.
  struct Template {
    let descriptor: Int32
    let status: FileStatus
  }

  /// Makes a complete, durable copy of `content` in the staging folder.
  ///
  /// Without a template the copy gets what a new file in the target's folder gets.
  func stage(
    _ content: NewContent, at target: borrowing Target, template: Template?
  ) throws(ReplaceRefusal) -> Staged {
    if let file = try anonymous(target, mode: template == nil ? Self.mode(content) : 0o600) {
      let status = try fill(file.number, content, template: template, target)
      let name = stagedName(target, status)
      if try link(file.number, to: name, in: staging, target) {
        return Staged(name: name, status: status)
      }
    }
    return try stageNamed(content, at: target, template: template)
  }

  /// Links a file in that had no name before (`O_TMPFILE`), so that a kill leaves nothing behind, and
  /// that was made in its folder, so that it has the group and the ACL that new files get there.
  ///
  /// - Returns: `nil` where the file system has no such thing.
  func placeAnonymous(
    _ content: NewContent, at target: borrowing Target
  ) throws(ReplaceRefusal) -> FileStatus? {
    guard let file = try anonymous(target, mode: Self.mode(content)) else { return nil }
    let status = try fill(file.number, content, template: nil, target)
    let linked = try link(file.number, to: target.name, in: target.folder.number, target)
    return linked ? status : nil
  }

  /// A file without a name in the target's folder; `nil` where the file system has no such thing.
  func anonymous(
    _ target: borrowing Target, mode: UInt32
  ) throws(ReplaceRefusal) -> Descriptor? {
    do throws(DiskError) {
      return try store.opening(
        [UInt8(ascii: ".")], in: target.folder.number, flags: verso_o_tmpfile | O_WRONLY,
        mode: mode)
    } catch {
      // EISDIR: a file system that takes it for an open of the folder (open(2)).
      if Self.isUnsupported(error.code) || error.code == EISDIR { return nil }
      throw refusal(target.path, error)
    }
  }

  /// Gives an anonymous file its first name; `false` where the file system cannot.
  func link(
    _ file: Int32, to name: [UInt8], in folder: Int32, _ target: borrowing Target
  ) throws(ReplaceRefusal) -> Bool {
    var result: Int32 = 0
    repeat {
      result = RelativePath.withCString(name) { store.linkDescriptor(file, folder, $0) }
    } while result == -EINTR
    if result >= 0 { return true }
    // ENOENT: neither AT_EMPTY_PATH nor /proc.
    if Self.isUnsupported(-result) || result == -ENOENT { return false }
    throw refusal(target.path, DiskError(code: -result, operation: "write", path: target.path))
  }

  func stageNamed(
    _ content: NewContent, at target: borrowing Target, template: Template?
  ) throws(ReplaceRefusal) -> Staged {
    let part = StagedName(operation: operation, number: target.number, role: .part).bytes
    let file = try calling(target.path) { () throws(DiskError) in
      // What an attempt before a kill left; it was never at its path.
      try store.unlinking(part, in: staging)
      return try store.opening(
        part, in: staging, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        mode: template == nil ? Self.mode(content) : 0o600)
    }
    do throws(ReplaceRefusal) {
      if template == nil { try inheritGroup(file.number, target) }
      return try complete(part, fill(file.number, content, template: template, target), target)
    } catch {
      discard(part)
      throw error
    }
  }

  /// Makes a link in the staging folder, with the owner of `template`.
  func stageLink(
    _ content: NewContent, at target: borrowing Target, template: FileStatus?
  ) throws(ReplaceRefusal) -> Staged {
    let part = StagedName(operation: operation, number: target.number, role: .part).bytes
    try calling(target.path) { () throws(DiskError) in
      try store.unlinking(part, in: staging)
      try store.makingLink(to: content.bytes, part, in: staging)
    }
    do throws(ReplaceRefusal) {
      let status = try calling(target.path) { () throws(DiskError) in
        try finishLink(part, content, template: template)
      }
      return try complete(part, status, target)
    } catch {
      discard(part)
      throw error
    }
  }

  private func finishLink(
    _ name: [UInt8], _ content: NewContent, template: FileStatus?
  ) throws(DiskError) -> FileStatus {
    let made = try present(name)
    if let template, template.owner != made.owner || template.group != made.group {
      let result = RelativePath.withCString(name) {
        store.setLinkOwner(staging, $0, template.owner, template.group)
      }
      if result < 0 { throw DiskError(code: -result, operation: "set the owner of", path: name) }
    }
    if let time = content.modified { try store.settingModified(time, of: name, in: staging) }
    return try present(name)
  }

  private func present(_ name: [UInt8]) throws(DiskError) -> FileStatus {
    if let status = try store.status(of: name, in: staging) { return status }
    throw DiskError(code: ENOENT, operation: "stage", path: name)
  }

  /// Turns a part into a staged copy.
  private func complete(
    _ part: [UInt8], _ status: FileStatus, _ target: borrowing Target
  ) throws(ReplaceRefusal) -> Staged {
    let name = stagedName(target, status)
    try calling(target.path) { () throws(DiskError) in
      try store.renaming(part, in: staging, to: name, in: staging)
    }
    return Staged(name: name, status: status)
  }

  private func stagedName(_ target: borrowing Target, _ status: FileStatus) -> [UInt8] {
    StagedName(operation: operation, number: target.number, role: .new(.init(status))).bytes
  }

  /// Writes content, attributes and time, and makes them durable.
  ///
  /// - Parameter isDurable: Off where the caller makes many files durable by one call.
  func fill(
    _ file: Int32, _ content: NewContent, template: Template?, _ target: borrowing Target,
    isDurable: Bool = true
  ) throws(ReplaceRefusal) -> FileStatus {
    let path = target.path
    try calling(path) { () throws(DiskError) in
      try store.writingAll(content.bytes, to: file, path: path.bytes)
    }
    if let template {
      do throws(FileAttributes.Failure) {
        try FileAttributes(store: store).carry(
          from: template.descriptor, template.status, to: file,
          executable: content.kind == .executable)
      } catch {
        throw ReplaceRefusal(path: path, reason: .attribute(error.name, error.cause))
      }
    }
    return try calling(path) { () throws(DiskError) in
      if let time = content.modified { try store.settingModified(time, of: [], in: file) }
      if isDurable { try store.syncing(file, path: path.bytes) }
      return try store.status(of: file)
    }
  }

  /// What the kernel does for files made in a folder with the set-group bit.
  private func inheritGroup(
    _ file: Int32, _ target: borrowing Target
  ) throws(ReplaceRefusal) {
    let folder = target.folder.number
    try calling(target.path) { () throws(DiskError) in
      let status = try store.status(of: folder)
      guard status.mode & S_ISGID != 0 else { return }
      let result = store.setOwner(file, .max, status.group)
      if result < 0 { throw DiskError(code: -result, operation: "set the group of", path: []) }
    }
  }

  /// Before the umask, which the kernel applies.
  static func mode(_ content: NewContent) -> UInt32 {
    (content.kind == .executable ? 0o777 : 0o666) & content.mask
  }

  /// Whether a call failed because there is no such call on this file system or kernel.
  static func isUnsupported(_ code: Int32) -> Bool {
    code == EINVAL || code == ENOSYS || code == EOPNOTSUPP
  }

  /// Drops a staged copy that was never at its path.
  ///
  /// A call that failed may have done its work all the same (a network file system): what bears the
  /// name is looked at first, and what was exchanged for the copy stays. A copy that cannot be
  /// dropped is no harm: ``leftovers()`` reports it as such.
  func discard(_ name: [UInt8]) {
    guard let parsed = StagedName(name) else { return }
    if case .new(let mark) = parsed.role {
      do throws(DiskError) {
        guard let status = try store.status(of: name, in: staging),
          StagedName.Mark(status) == mark
        else { return }
      } catch { return }
    }
    _ = RelativePath.withCString(name) { store.unlink(staging, $0, folder: false) }
  }

  /// Runs calls that concern `path`, and turns their failure into a refusal.
  func calling<R: ~Copyable>(
    _ path: RelativePath, _ body: () throws(DiskError) -> R
  ) throws(ReplaceRefusal) -> R {
    do throws(DiskError) { return try body() } catch { throw refusal(path, error) }
  }
}

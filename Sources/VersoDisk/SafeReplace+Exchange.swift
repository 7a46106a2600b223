import Glibc
import VersoModel

extension FileStatus {
  /// Whether this can be the same content under another name: a rename changes nothing but `changed`.
  func isSameContent(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device && size == other.size
      && modified == other.modified && mode == other.mode
  }
}

extension SafeReplace {
  /// Puts a new file or link where nothing is.
  func place(
    _ content: NewContent, at target: borrowing Target
  ) throws(ReplaceRefusal) -> Replacement {
    // Also found out below, but then the work is done.
    if try present(target) != nil { throw ReplaceRefusal(path: target.path, reason: .changed) }
    let made: FileStatus
    if content.kind != .link, let status = try placeAnonymous(content, at: target) {
      made = status
    } else {
      made = try placeStaged(content, at: target)
    }
    return Replacement(
      path: target.path, status: untouched(made, at: target), displaced: nil,
      brokeHardLink: false)
  }

  private func placeStaged(
    _ content: NewContent, at target: borrowing Target
  ) throws(ReplaceRefusal) -> FileStatus {
    let staged =
      content.kind == .link
      ? try stageLink(content, at: target, template: nil)
      : try stageNamed(content, at: target, template: nil)
    try moveIn(staged, to: target)
    return staged.status
  }

  private func moveIn(
    _ staged: Staged, to target: borrowing Target
  ) throws(ReplaceRefusal) {
    do throws(DiskError) {
      try store.moving(staged.name, in: staging, to: target.name, in: target.folder.number)
    } catch {
      discard(staged.name)
      throw placing(target.path, error)
    }
  }

  private func placing(_ path: RelativePath, _ error: DiskError) -> ReplaceRefusal {
    // EPERM, EMLINK: no second names on this file system, and no other safe way was left.
    if Self.isUnsupported(error.code) {
      return ReplaceRefusal(path: path, reason: .unsupported(error))
    }
    return refusal(path, error)
  }

  /// Lets a new content and the expected one change places.
  func exchange(
    _ content: NewContent, at target: borrowing Target, known: KnownContent
  ) throws(ReplaceRefusal) -> Replacement {
    let (staged, seen) = try prepare(content, at: target, known: known)
    let displaced: Displaced
    if try swap(staged, at: target) {
      displaced = self.displaced(
        staged.name, of: target, known: known, seen: seen, isRemoval: false)
    } else {
      displaced = try swapByMoving(staged, at: target, known: known, seen: seen)
    }
    if displaced.isNoFile { try undo(displaced, content, at: target) }
    return Replacement(
      path: target.path, status: untouched(staged.status, at: target), displaced: displaced,
      brokeHardLink: seen.links > 1)
  }

  /// Exchanges a staged copy and the target; `false` where the file system has no such call.
  private func swap(
    _ staged: Staged, at target: borrowing Target
  ) throws(ReplaceRefusal) -> Bool {
    do throws(DiskError) {
      try store.renaming(
        staged.name, in: staging, to: target.name, in: target.folder.number, flags: 2)
      return true
    } catch {
      if Self.isUnsupported(error.code) { return false }
      discard(staged.name)
      throw refusal(target.path, error)
    }
  }

  /// Stages the new content; the old file is open only meanwhile.
  private func prepare(
    _ content: NewContent, at target: borrowing Target, known: KnownContent
  ) throws(ReplaceRefusal) -> (Staged, FileStatus) {
    if known.kind == .link {
      let seen = try precheckLink(target, known: known)
      let staged =
        content.kind == .link
        ? try stageLink(content, at: target, template: seen)
        : try stage(content, at: target, template: nil)
      return (staged, seen)
    }
    let found = try precheckFile(target, known: known)
    let template = Template(descriptor: found.descriptor.number, status: found.status)
    let staged =
      content.kind == .link
      ? try stageLink(content, at: target, template: nil)
      : try stage(content, at: target, template: template)
    return (staged, found.status)
  }

  /// Describes what was taken out: from here on it must not be lost, whatever fails.
  private func displaced(
    _ name: [UInt8], of target: borrowing Target, known: KnownContent?, seen: FileStatus?,
    isRemoval: Bool
  ) -> Displaced {
    var status: FileStatus?
    // What cannot be looked at now counts as edited until it is settled.
    do throws(DiskError) { status = try store.status(of: name, in: staging) } catch {}
    var isSame = false
    if let status, let seen { isSame = status.isSameContent(as: seen) }
    return Displaced(
      path: target.path, name: name, known: known, isRemoval: isRemoval, looksEdited: !isSame,
      isNoFile: status.map { $0.kind != .file && $0.kind != .link } ?? false,
      since: MonotonicTime.now())
  }

  /// Takes the target out of its place, into the staging folder.
  func moveAside(
    _ target: borrowing Target, known: KnownContent?, seen: FileStatus?, isRemoval: Bool
  ) throws(ReplaceRefusal) -> Displaced {
    let name = StagedName(operation: operation, number: target.number, role: .old).bytes
    let folder = target.folder.number
    let own = target.name
    try calling(target.path) { () throws(DiskError) in
      do throws(DiskError) {
        try store.renaming(own, in: folder, to: name, in: staging, flags: 1)
      } catch {
        guard Self.isUnsupported(error.code) else { throw error }
        // Nobody else makes names in the staging folder, so a look is as good.
        if try store.status(of: name, in: staging) != nil {
          throw DiskError(code: EEXIST, operation: "set aside", path: own)
        }
        try store.renaming(own, in: folder, to: name, in: staging)
      }
    }
    return displaced(name, of: target, known: known, seen: seen, isRemoval: isRemoval)
  }

  /// Puts back what was taken out, unless something new is at its place.
  ///
  /// Then what was taken out counts as an edit, though it may be known: a program that found nothing
  /// at the path and made a file with a line in it did not mean to delete the others.
  func giveBack(
    _ displaced: Displaced, to target: borrowing Target
  ) throws(ReplaceRefusal) {
    do throws(DiskError) {
      try store.moving(displaced.name, in: staging, to: target.name, in: target.folder.number)
    } catch {
      let cause = refusal(target.path, error)
      throw ReplaceRefusal(
        path: target.path, reason: cause.reason, displaced: [displaced.knowing(nil)])
    }
  }

  /// The exchange in two steps, for file systems that have none.
  private func swapByMoving(
    _ staged: Staged, at target: borrowing Target, known: KnownContent, seen: FileStatus
  ) throws(ReplaceRefusal) -> Displaced {
    let displaced: Displaced
    do throws(ReplaceRefusal) {
      displaced = try moveAside(target, known: known, seen: seen, isRemoval: false)
    } catch {
      discard(staged.name)
      throw error
    }
    if displaced.looksEdited {
      discard(staged.name)
      try giveBack(displaced, to: target)
      throw ReplaceRefusal(path: target.path, reason: .changed)
    }
    do throws(ReplaceRefusal) { try moveIn(staged, to: target) } catch {
      try giveBack(displaced, to: target)
      throw error
    }
    return displaced
  }

  /// Takes an exchange back that brought out a folder or a special file.
  ///
  /// Not by a second exchange: somebody may have written to the new file already, and it must come
  /// out under a name that says displaced.
  private func undo(
    _ came: Displaced, _ content: NewContent, at target: borrowing Target
  ) throws(ReplaceRefusal) -> Never {
    var out: [Displaced] = []
    do throws(ReplaceRefusal) {
      let known = KnownContent(kind: content.kind, bytes: content.bytes)
      out.append(try moveAside(target, known: known, seen: nil, isRemoval: false))
    } catch {
      guard error.reason == .vanished else {
        throw ReplaceRefusal(path: target.path, reason: error.reason, displaced: [came])
      }
    }
    do throws(ReplaceRefusal) { try giveBack(came, to: target) } catch {
      throw ReplaceRefusal(
        path: target.path, reason: error.reason, displaced: out + error.displaced)
    }
    throw ReplaceRefusal(path: target.path, reason: .changed, displaced: out)
  }
}

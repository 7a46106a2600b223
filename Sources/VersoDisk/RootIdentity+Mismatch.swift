extension RootIdentity {
  /// When the identity compared with was taken.
  package enum Since: Hashable, Sendable {
    case thisProcess
    case earlierRun
  }

  /// What says that a root is not the one it was; nothing may be committed.
  package struct Mismatch: Hashable, Sendable, CustomStringConvertible {
    package enum Difference: Hashable, Sendable {
      /// Another file system is there: a disk was unmounted or mounted over the root.
      case fileSystem
      /// The same file system, another folder.
      case root
      /// The git directory is another one.
      case marker
    }

    package let differences: [Difference]

    package var description: String {
      if differences.contains(.fileSystem) {
        return "another disk is where the vault was; mount the right one, and nothing is lost"
      }
      if differences.contains(.root) {
        return "another folder is where the vault was; put the vault back in its place, "
          + "or run `verso init` for this folder"
      }
      return "the git directory is not the one this vault was opened with; "
        + "put it back, or start verso again"
    }
  }

  /// What differs in a way that forbids to commit; `nil` where this is the same vault.
  package func mismatch(with earlier: RootIdentity, since: Since) -> Mismatch? {
    let differences =
      switch since {
      case .thisProcess: differencesWhileOpen(earlier)
      case .earlierRun: differencesBetweenRuns(earlier)
      }
    return differences.isEmpty ? nil : Mismatch(differences: differences)
  }

  private func differencesWhileOpen(_ earlier: RootIdentity) -> [Mismatch.Difference] {
    var found: [Mismatch.Difference] = []
    if root.device != earlier.root.device || fileSystem != earlier.fileSystem
      || fileSystemType != earlier.fileSystemType
    {
      found.append(.fileSystem)
    }
    if !root.isSameInode(as: earlier.root) { found.append(.root) }
    if marker.device != earlier.marker.device || !marker.isSameInode(as: earlier.marker)
      || isMarkerInside != earlier.isMarkerInside
    {
      found.append(.marker)
    }
    return found
  }

  private func differencesBetweenRuns(_ earlier: RootIdentity) -> [Mismatch.Difference] {
    // The root names its own history.
    if isMarkerInside { return [] }
    if !root.isSameInode(as: earlier.root) { return [.root] }
    let isCertain = root.born != nil && earlier.root.born != nil
    return isCertain || !isOnAnotherDisk(than: earlier) ? [] : [.fileSystem]
  }

  /// Whether `f_fsid` proves another disk: only where it is stored there.
  private func isOnAnotherDisk(than earlier: RootIdentity) -> Bool {
    let ext: UInt64 = 0xEF53
    let btrfs: UInt64 = 0x9123_683E
    if fileSystemType != earlier.fileSystemType { return true }
    guard fileSystemType == ext || fileSystemType == btrfs else { return false }
    return fileSystem != earlier.fileSystem
  }
}

extension RootIdentity {
  /// One line for the git directory.
  package var encoded: [UInt8] {
    func text(_ mark: Mark) -> String {
      let born = mark.born.map { "\($0.seconds).\($0.nanoseconds)" } ?? "-"
      return "\(mark.device) \(mark.inode) \(born)"
    }
    let place = isMarkerInside ? "inside" : "outside"
    return Array(
      "1 \(text(root)) \(place) \(text(marker)) \(fileSystemType) \(fileSystem)\n".utf8)
  }

  /// Reads what ``encoded`` wrote; `nil` for anything else, which counts as no record.
  package init?(encoded bytes: [UInt8]) {
    let words = bytes.split { $0 == 0x20 || $0 == 0x0A }.map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 10, words[0] == "1", words[4] == "inside" || words[4] == "outside",
      let root = Mark(words[1...3]), let marker = Mark(words[5...7]),
      let type = UInt64(words[8]), let identity = UInt64(words[9])
    else { return nil }
    self.init(
      root: root, marker: marker, isMarkerInside: words[4] == "inside", fileSystemType: type,
      fileSystem: identity)
  }
}

extension RootIdentity.Mark {
  /// Reads device, inode, and time of birth or `-`.
  fileprivate init?(_ words: ArraySlice<String>) {
    guard words.count == 3, let device = UInt64(words[words.startIndex]),
      let inode = UInt64(words[words.startIndex + 1])
    else { return nil }
    let time = words[words.startIndex + 2]
    if time == "-" {
      self.init(device: device, inode: inode, born: nil)
      return
    }
    let parts = time.split(separator: ".")
    guard parts.count == 2, let seconds = Int64(parts[0]), let nanoseconds = UInt32(parts[1]),
      nanoseconds < 1_000_000_000
    else { return nil }
    self.init(
      device: device, inode: inode, born: Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }
}

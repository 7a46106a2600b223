package import VersoDisk
package import VersoModel

/// Which file or folder it is, whatever it is called now.
///
/// The inode number alone proves nothing: ext4 gives it to the next file that is made. Together with
/// the time of birth it is as good as a file handle.
package struct FileIdentity: Hashable, Sendable {
  package let inode: UInt64
  /// Nanoseconds since 1970; the smallest number where the file system does not say.
  package let born: Int64

  package init(_ status: FileStatus) {
    inode = status.inode
    born = status.born?.nanosecondsSince1970 ?? .min
  }

  init(inode: UInt64, born: Int64) {
    self.inode = inode
    self.born = born
  }

  /// Whether it tells one file from all others, wherever it turns up. Otherwise it serves only to see
  /// that a place holds another file than before.
  package var isUnique: Bool { born != .min }
}

/// What was last seen of a file or link: 48 bytes, for there may be a million.
package struct LiveFile: Hashable, Sendable {
  package let inode: UInt64
  /// Bytes.
  package let size: UInt64
  /// Nanoseconds since 1970; the smallest number where the file system does not say.
  let born: Int64
  let modified: Int64
  let changed: Int64
  package let mode: UInt32
  /// How many names it has, here or elsewhere.
  let links: UInt32

  package init(_ status: FileStatus) {
    inode = status.inode
    size = status.size
    born = status.born?.nanosecondsSince1970 ?? .min
    modified = status.modified.nanosecondsSince1970
    changed = status.changed.nanosecondsSince1970
    mode = status.mode
    links = status.links
  }

  package var identity: FileIdentity { FileIdentity(inode: inode, born: born) }

  /// Whether a row of git's index was made of the file as it is here.
  package func isAsIndexed(_ row: StatTable.Row) -> Bool {
    row.inode == UInt32(truncatingIfNeeded: inode) && row.size == UInt32(truncatingIfNeeded: size)
      && Self.isSame(row.modified, modified) && Self.isSame(row.changed, changed)
  }

  /// The index keeps 32 bits of each.
  private static func isSame(
    _ time: (seconds: UInt32, nanoseconds: UInt32), _ whole: Int64
  ) -> Bool {
    let (seconds, rest) = whole.quotientAndRemainder(dividingBy: 1_000_000_000)
    return time.seconds == UInt32(truncatingIfNeeded: seconds) && Int64(time.nanoseconds) == rest
  }

  /// What it is, as git has it.
  package var kind: Item.Kind {
    if mode & 0o170000 == 0o120000 { return .link }
    return mode & 0o100 != 0 ? .executable : .file
  }

  /// Whether only how many names it has can have changed.
  func isSame(apartFromNames other: LiveFile) -> Bool {
    hasSameContentFields(as: other) && mode == other.mode
  }

  /// Whether only its link count, its name or its permissions for others can have changed.
  func hasSameContentFields(as other: LiveFile) -> Bool {
    inode == other.inode && size == other.size && modified == other.modified
  }
}

/// A folder as it was last seen, and a node of the tree: it knows its parent, never its path, so that
/// a move of any size is one step.
///
/// Not `Sendable`: it belongs to the one who reconciles.
package final class LiveFolder {
  package private(set) unowned(unsafe) var parent: LiveFolder?
  package fileprivate(set) var name: [UInt8]
  package internal(set) var identity: FileIdentity?
  /// As of the last listing.
  var modified: Int64 = .min
  var changed: Int64 = .min
  /// The watch of inotify; `nil` where it is polled.
  package internal(set) var watch: Int32?
  /// When it was last saved as one, with what was in it that nobody had seen yet.
  var savedWhole = -Double.infinity
  /// Whether its names are known; not so when something may have been missed there.
  package internal(set) var isListed = false
  /// Whether a listing has been asked for and not come back.
  var isAwaited = false
  /// Of a folder that left the tree: the place with which it went, its own or one above.
  var wentWith: Place?
  /// Whether it hangs in the tree still.
  package private(set) var isAttached: Bool
  package internal(set) var files = FileTable()
  package private(set) var folders: [[UInt8]: LiveFolder] = [:]

  /// The root of a tree.
  package init() {
    name = []
    isAttached = true
  }

  init(name: [UInt8], identity: FileIdentity) {
    self.name = name
    self.identity = identity
    isAttached = false
  }

  /// Its path below the root.
  package var path: RelativePath {
    guard let parent else { return .root }
    return parent.path.appending(name)
  }

  /// Whether `other` is this folder or lies below it.
  func contains(_ other: LiveFolder) -> Bool {
    var folder: LiveFolder? = other
    while let there = folder {
      if there === self { return true }
      folder = there.parent
    }
    return false
  }

  func attach(_ folder: LiveFolder, as name: [UInt8]) {
    folder.name = name
    folder.parent = self
    folders[name] = folder
    folder.forEach { $0.isAttached = true }
  }

  /// Takes a folder out; its own subtree stays together.
  func detach(_ name: [UInt8]) {
    folders.removeValue(forKey: name)?.cutOff()
  }

  /// Notes that it hangs in the tree no more.
  func cutOff() {
    forEach {
      $0.isAttached = false
      // Whoever still knows a part of it must not reach for what is freed.
      $0.parent = nil
    }
  }

  /// Takes a folder from its place for a moment: ``adopt(_:as:)`` gives it another.
  func lift(_ name: [UInt8]) {
    folders.removeValue(forKey: name)?.parent = nil
  }

  /// Moves a folder here, with all that is below it.
  ///
  /// - Precondition: The folder does not contain this one, and nothing else has the name.
  func adopt(_ folder: LiveFolder, as name: [UInt8]) {
    folder.parent?.folders[folder.name] = nil
    folder.name = name
    folder.parent = self
    folders[name] = folder
  }

  /// The topmost folder above it: the root of the tree, except while something above is being moved.
  var top: LiveFolder {
    var folder = self
    while let above = folder.parent { folder = above }
    return folder
  }

  /// Whether `status` is that of this folder, as far as is known: what is looked at in a folder that
  /// another one took the path of would be put down to the wrong one.
  package func isSame(as status: FileStatus) -> Bool {
    identity.map { $0 == FileIdentity(status) } ?? true
  }

  /// Whether its own times are those of its last listing: no name came or went since.
  package func isAsListed(_ status: FileStatus) -> Bool {
    modified == status.modified.nanosecondsSince1970
      && changed == status.changed.nanosecondsSince1970
  }

  /// This folder and every one below.
  package func forEach(_ body: (LiveFolder) -> Void) {
    var waiting = [self]
    while let folder = waiting.popLast() {
      body(folder)
      waiting += folder.folders.values
    }
  }

  /// The folder at a path below this one; `nil` where none was seen.
  package func folder(at path: RelativePath) -> LiveFolder? {
    var folder = self
    for part in path.components {
      guard let next = folder.folders[Array(part)] else { return nil }
      folder = next
    }
    return folder
  }

  var isEmpty: Bool { files.isEmpty && folders.isEmpty }

  /// Whether something of that name was seen.
  func holds(_ name: [UInt8]) -> Bool { files[name] != nil || folders[name] != nil }
}

/// A name in a folder, which moves with the folder.
package struct Place: Hashable {
  package let folder: LiveFolder
  package let name: [UInt8]

  package init(_ folder: LiveFolder, _ name: [UInt8]) {
    self.folder = folder
    self.name = name
  }

  package var path: RelativePath { folder.path.appending(name) }

  package static func == (a: Place, b: Place) -> Bool {
    a.folder === b.folder && a.name == b.name
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(folder))
    name.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

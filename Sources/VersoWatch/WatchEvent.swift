/// One record of inotify(7): a hint that something happened at a place.
package struct WatchEvent: Hashable, Sendable {
  /// What happened, with the kernel's numbers.
  package struct Mask: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let modified = Mask(rawValue: 0x2)
    package static let attributes = Mask(rawValue: 0x4)
    /// A descriptor that was open for writing was closed.
    package static let closed = Mask(rawValue: 0x8)
    package static let movedFrom = Mask(rawValue: 0x40)
    package static let movedTo = Mask(rawValue: 0x80)
    package static let created = Mask(rawValue: 0x100)
    package static let deleted = Mask(rawValue: 0x200)
    package static let selfDeleted = Mask(rawValue: 0x400)
    package static let selfMoved = Mask(rawValue: 0x800)
    package static let unmounted = Mask(rawValue: 0x2000)
    package static let overflowed = Mask(rawValue: 0x4000)
    /// The watch is no more.
    package static let ignored = Mask(rawValue: 0x8000)
    package static let isFolder = Mask(rawValue: 0x4000_0000)

    /// What a watch asks for. Nothing that reading makes: our own looks would fill the queue, the
    /// rescan after that would fill it again, and so on.
    package static let wanted: Mask = [
      .modified, .attributes, .closed, .movedFrom, .movedTo, .created, .deleted, .selfDeleted,
      .selfMoved, onlyFolders, notUnlinked,
    ]
    private static let onlyFolders = Mask(rawValue: 0x100_0000)
    private static let notUnlinked = Mask(rawValue: 0x400_0000)
  }

  /// The watch it comes from; -1 for an overflow.
  package var watch: Int32
  package var mask: Mask
  /// The same number for both halves of a rename; 0 otherwise.
  package var cookie: UInt32
  /// The name in the watched folder; empty where the folder itself is meant.
  package var name: [UInt8]

  package init(watch: Int32, mask: Mask, cookie: UInt32 = 0, name: [UInt8] = []) {
    self.watch = watch
    self.mask = mask
    self.cookie = cookie
    self.name = name
  }
}

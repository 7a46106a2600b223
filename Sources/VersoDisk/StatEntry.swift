package import VersoModel

/// What git's index holds of one path besides its name: stat fields and content id.
///
/// A plain value of 60 bytes, for there may be a million of them at a time. Numbers that are larger
/// than the index has room for are cut to 32 bits, as git does (gitformat-index(5)).
package struct StatEntry: Hashable, Sendable {
  package var id: ObjectID
  package var changedSeconds: UInt32
  package var changedNanoseconds: UInt32
  package var modifiedSeconds: UInt32
  package var modifiedNanoseconds: UInt32
  package var device: UInt32
  package var inode: UInt32
  /// git's mode, as in ``Item/Kind``.
  package var mode: UInt32
  package var owner: UInt32
  package var group: UInt32
  package var size: UInt32

  /// How many bytes the index has for it.
  package static let byteCount = 60

  /// The entry of a file as it was seen.
  package init(of status: FileStatus, kind: Item.Kind, id: ObjectID) {
    self.id = id
    changedSeconds = UInt32(truncatingIfNeeded: status.changed.seconds)
    changedNanoseconds = status.changed.nanoseconds
    modifiedSeconds = UInt32(truncatingIfNeeded: status.modified.seconds)
    modifiedNanoseconds = status.modified.nanoseconds
    device = UInt32(truncatingIfNeeded: status.device)
    inode = UInt32(truncatingIfNeeded: status.inode)
    mode = kind.rawValue
    owner = status.owner
    group = status.group
    size = UInt32(truncatingIfNeeded: status.size)
  }

  /// An entry that trusts no file: git compares the content at its next look.
  package init(mode: UInt32, id: ObjectID) {
    self.id = id
    self.mode = mode
    (changedSeconds, changedNanoseconds, modifiedSeconds, modifiedNanoseconds) = (0, 0, 0, 0)
    (device, inode, owner, group, size) = (0, 0, 0, 0, 0)
  }

  /// The entry of a row.
  package init(_ row: StatTable.Row) {
    id = row.id
    (changedSeconds, changedNanoseconds) = row.changed
    (modifiedSeconds, modifiedNanoseconds) = row.modified
    (device, inode, mode) = (row.word(4), row.inode, row.mode)
    (owner, group, size) = (row.word(7), row.word(8), row.size)
  }

  /// The kind of what is there.
  package var kind: Item.Kind { Item.Kind(rawValue: mode) ?? .file }

  /// Calls `body` with the 60 bytes as the index has them.
  package func withBytes<E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 4) {
      bytes throws(E) in
      var at = 0
      func put(_ value: UInt32) {
        bytes.storeBytes(of: value.bigEndian, toByteOffset: at, as: UInt32.self)
        at += 4
      }
      put(changedSeconds)
      put(changedNanoseconds)
      put(modifiedSeconds)
      put(modifiedNanoseconds)
      put(device)
      put(inode)
      put(mode)
      put(owner)
      put(group)
      put(size)
      id.store(to: UnsafeMutableRawBufferPointer(rebasing: bytes[at...]))
      try body(UnsafeRawBufferPointer(bytes))
    }
  }
}

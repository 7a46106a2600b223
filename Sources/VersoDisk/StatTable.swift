import Glibc
package import VersoModel

/// What was last seen of every tracked path: stat fields and content id, sorted by path bytes.
///
/// The rows are views into memory that `owner` keeps alive, usually git's index mapped into the
/// process, so that a table of a million paths costs no copies.
///
/// Unchecked: the memory is written by nobody after the table is made.
package final class StatTable: @unchecked Sendable {
  /// One path.
  package struct Row {
    /// 60 bytes in the layout of git's index (gitformat-index(5)): big-endian 32-bit ctime seconds
    /// and nanoseconds, mtime seconds and nanoseconds, device, inode, mode, owner, group, size;
    /// then the 20 bytes of the id.
    package let fields: UnsafeRawPointer
    package let name: UnsafeRawPointer
    /// Bytes of the path, without a NUL.
    package let nameLength: Int32
    package let flags: Flags

    @inlinable
    package init(
      fields: UnsafeRawPointer, name: UnsafeRawPointer, nameLength: Int32, flags: Flags
    ) {
      self.fields = fields
      self.name = name
      self.nameLength = nameLength
      self.flags = flags
    }

    package var path: RelativePath {
      RelativePath(
        unchecked: Array(UnsafeRawBufferPointer(start: name, count: Int(nameLength))))
    }
    @inlinable package var id: ObjectID { ObjectID(at: fields + 40) }
    /// git's mode, as in ``Item/Kind``.
    @inlinable package var mode: UInt32 { word(6) }
    @inlinable package var modified: (seconds: UInt32, nanoseconds: UInt32) { (word(2), word(3)) }
    @inlinable package var changed: (seconds: UInt32, nanoseconds: UInt32) { (word(0), word(1)) }
    @inlinable package var inode: UInt32 { word(5) }
    @inlinable package var size: UInt32 { word(9) }

    /// The big-endian 32-bit field with that number, 0 to 9.
    @inlinable
    package func word(_ number: Int) -> UInt32 {
      UInt32(bigEndian: fields.loadUnaligned(fromByteOffset: 4 * number, as: UInt32.self))
    }
  }

  /// What the index says of a path besides its stat.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// `git update-index --skip-worktree`: the path is not expected on disk (sparse checkout).
    package static let skipWorktree = Flags(rawValue: 1)
    /// `git update-index --assume-unchanged`.
    package static let assumeUnchanged = Flags(rawValue: 2)
    /// `git add --intent-to-add`: named, but without content.
    package static let intentToAdd = Flags(rawValue: 4)
    /// One stage of an unmerged path.
    package static let unmerged = Flags(rawValue: 8)
  }

  package let rows: ContiguousArray<Row>
  /// When the table was written, by the clock of its file system. A row whose file was modified in
  /// that second or later is racy: equal stat fields prove nothing.
  package let written: Timestamp
  private let owner: AnyObject?

  package init(rows: ContiguousArray<Row>, written: Timestamp, owner: AnyObject?) {
    self.rows = rows
    self.written = written
    self.owner = owner
  }

  /// A table of nothing.
  package static let empty = StatTable(
    rows: [], written: Timestamp(seconds: 0, nanoseconds: 0), owner: nil)

  /// The position of the first row whose path is not less than `path`.
  package func position(of path: RelativePath) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if Self.compare(rows[middle], path) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The row of `path`, if it is tracked.
  package func row(of path: RelativePath) -> Row? {
    let position = position(of: path)
    guard position < rows.count, Self.compare(rows[position], path) == 0 else { return nil }
    return rows[position]
  }

  private static func compare(_ row: Row, _ path: RelativePath) -> Int {
    let mine = UnsafeRawBufferPointer(start: row.name, count: Int(row.nameLength))
    return path.bytes.withUnsafeBytes { theirs in
      let shared = min(mine.count, theirs.count)
      for index in 0..<shared where mine[index] != theirs[index] {
        return Int(mine[index]) - Int(theirs[index])
      }
      return mine.count - theirs.count
    }
  }
}

extension StatTable {
  /// Whether the row at `position` is that of `path`.
  func hasPath(_ path: RelativePath, at position: Int) -> Bool {
    guard position < rows.count else { return false }
    let row = rows[position]
    return Int(row.nameLength) == path.bytes.count
      && path.bytes.withUnsafeBytes {
        UnsafeRawBufferPointer(start: row.name, count: $0.count).elementsEqual($0)
      }
  }

  /// Whether any row within `range` lies below the folder `path`.
  func hasPaths(below path: RelativePath, in range: Range<Int>) -> Bool {
    let position = position(of: RelativePath(unchecked: path.bytes + [RelativePath.slash]))
    guard range.contains(position) else { return false }
    return rows[position].isBelow(path.bytes)
  }

  /// The rows below the folder `path`; all for the root.
  package func rows(below path: RelativePath) -> Range<Int> {
    if path.isRoot { return 0..<rows.count }
    let start = position(of: RelativePath(unchecked: path.bytes + [RelativePath.slash]))
    // "0" is the byte after "/".
    let end = position(of: RelativePath(unchecked: path.bytes + [RelativePath.slash + 1]))
    return start..<end
  }

  /// Where the rows end that share with row `start` the first `length` bytes and a slash.
  func end(ofFolder length: Int, from start: Int, below limit: Int) -> Int {
    let first = rows[start].name
    func belongs(_ position: Int) -> Bool {
      let row = rows[position]
      guard Int(row.nameLength) > length else { return false }
      return memcmp(row.name, first, length + 1) == 0
    }
    // Double the stride, then halve it: folders are small, and the rows near.
    var low = start
    var stride = 1
    while low + stride < limit, belongs(low + stride) {
      low += stride
      stride *= 2
    }
    var high = min(low + stride, limit)
    while high - low > 1 {
      let middle = (low + high) / 2
      if belongs(middle) { low = middle } else { high = middle }
    }
    return high
  }
}

extension StatTable.Row {
  fileprivate func isBelow(_ folder: [UInt8]) -> Bool {
    guard Int(nameLength) > folder.count else { return false }
    let mine = UnsafeRawBufferPointer(start: name, count: folder.count + 1)
    return mine[folder.count] == RelativePath.slash && mine.dropLast().elementsEqual(folder)
  }
}

package import VersoDisk
package import VersoModel

extension IndexPatch {
  /// What was written.
  package struct Outcome: Hashable, Sendable {
    /// The trailer: the SHA-1 of all before it.
    package let checksum: ObjectID
    /// The new file's size.
    package let size: Int
    /// Entries besides the changes that git will compare by content at its next look.
    package let smudged: Int
  }

  /// How many racy entries are worth a look at their files.
  static let mostAsked = 64

  /// Writes the new index in one pass.
  ///
  /// An entry whose file was modified in the second in which the old index was written, or later,
  /// proves nothing by its stat: git compares its content. Under the time of a newer index it would
  /// be trusted, so it is smudged (its size recorded as 0), unless it is among the changes or
  /// `isClean` vouches for it. Source: git's `Documentation/technical/racy-git.txt`.
  ///
  /// - Parameters:
  ///   - descriptor: Empty and positioned at its start. It is not synchronised.
  ///   - store: Writes to `descriptor`.
  ///   - path: Names the file in errors.
  ///   - isClean: Whether the file has the content that the row says and, by its stat after that
  ///     look, still is the row's. Asked for at most 64 rows.
  /// - Returns: What was written.
  /// - Throws: ``IndexError/Code/disk``; then the file is to be thrown away.
  @discardableResult
  package func write(
    to descriptor: Int32, store: any FileStore, path: [UInt8],
    isClean: (RelativePath, StatTable.Row) -> Bool = { _, _ in false }
  ) throws(IndexError) -> Outcome {
    let smudged = rowsToSmudge(isClean)
    return try mappingDiskErrors { () throws(DiskError) in
      var writer = IndexEntryWriter(
        index: index, smudged: smudged,
        sink: IndexSink(
          descriptor: descriptor, store: store, path: path,
          expected: (index?.bytes.count ?? 0) + 128 * changes.count))
      try writer.sink.append(Array("DIRC".utf8))
      try writer.sink.append(number: writer.version)
      try writer.sink.append(number: UInt32(count))
      try writeEntries(to: &writer)
      try writeExtensions(to: &writer.sink)
      let checksum = try writer.sink.finish()
      return Outcome(checksum: checksum, size: writer.sink.count, smudged: smudged.count)
    }
  }

  private func writeEntries(to writer: inout IndexEntryWriter) throws(DiskError) {
    var row = 0
    for (change, spot) in zip(changes, spots) where spot.effect != .nothing {
      let position = Int(spot.row)
      try writer.copy(row..<position)
      row = spot.effect == .add ? position : position + 1
      if let entry = change.entry {
        try writer.put(change, entry: entry, replacing: spot.effect == .add ? nil : position)
      }
    }
    try writer.copy(row..<(index?.table.rows.count ?? 0))
  }

  /// The racy rows that stay as they are in nothing but their size, in order.
  func rowsToSmudge(_ isClean: (RelativePath, StatTable.Row) -> Bool) -> [UInt32] {
    guard let index else { return [] }
    var rows: [UInt32] = []
    var asked = 0
    var next = 0
    for number in index.racy {
      while next < spots.count, spots[next].row < number || !spots[next].isReplacement,
        spots[next].row <= number
      {
        next += 1
      }
      if next < spots.count, spots[next].row == number { continue }
      let row = index.table.rows[Int(number)]
      if row.mode == Item.Kind.repository.rawValue { continue }
      asked += 1
      if asked <= Self.mostAsked, isClean(row.path, row) { continue }
      rows.append(number)
    }
    return rows
  }
}

extension IndexPatch.Spot {
  /// Whether the row itself is written anew or left out.
  var isReplacement: Bool { effect != .add && effect != .nothing }
}

/// Writes entries: ranges of old ones, and new ones between them.
struct IndexEntryWriter: ~Copyable {
  let version: UInt32
  var sink: IndexSink
  private let index: IndexFile?
  private let smudged: [UInt32]
  private var nextSmudged = 0
  /// The old row whose entry was written last, −1 before the first; `nil` after an added one.
  ///
  /// Version 4 spells a name by how it differs from the one before.
  private var lastRow: Int? = -1
  /// The name of the entry added last.
  private var lastName: [UInt8] = []

  /// The number of bytes before an entry's size field.
  private static let sizeField = 36

  init(index: IndexFile?, smudged: [UInt32], sink: consuming IndexSink) {
    version = index?.version ?? 2
    self.index = index
    self.smudged = smudged
    self.sink = sink
  }

  // MARK: Old entries

  /// Writes old entries as they are.
  mutating func copy(_ rows: Range<Int>) throws(DiskError) {
    guard let index, let first = rows.first else { return }
    var rest = rows
    if !followsItsOldNeighbour(first) {
      try respell(first, in: index)
      rest = rest.dropFirst()
    }
    var at = index.offset(of: rest.lowerBound)
    while let row = takeSmudged(before: rows.upperBound) {
      let size = index.offset(of: row) + Self.sizeField
      try sink.append(lasting: index.slice(at..<size))
      try sink.append(number: UInt32(0))
      at = size + 4
    }
    try sink.append(lasting: index.slice(at..<index.offset(of: rows.upperBound)))
    lastRow = rows.upperBound - 1
  }

  private func followsItsOldNeighbour(_ row: Int) -> Bool { version != 4 || lastRow == row - 1 }

  private mutating func respell(_ row: Int, in index: IndexFile) throws(DiskError) {
    let start = index.offset(of: row)
    let isSmudged = takeSmudged(before: row + 1) != nil
    let size = start + Self.sizeField
    try sink.append(index.slice(start..<size))
    if isSmudged {
      try sink.append(number: UInt32(0))
    } else {
      try sink.append(index.slice(size..<(size + 4)))
    }
    try sink.append(index.slice((size + 4)..<(start + index.headSize(of: row))))
    try spell(index.table.rows[row].nameBytes)
    lastRow = row
  }

  private mutating func takeSmudged(before row: Int) -> Int? {
    guard nextSmudged < smudged.count, smudged[nextSmudged] < row else { return nil }
    nextSmudged += 1
    return Int(smudged[nextSmudged - 1])
  }

  // MARK: New entries

  /// Writes the entry of a change, in the place of an old row or as an additional one.
  mutating func put(
    _ change: IndexPatch.Change, entry: StatEntry, replacing row: Int?
  ) throws(DiskError) {
    let old = row.flatMap { index?.table.rows[$0] }
    let name = change.path.bytes
    try Self.adjusted(entry, change.options, old).withBytes { (bytes) throws(DiskError) in
      try sink.append(bytes)
    }
    var flags = UInt16(min(name.count, 0xFFF))
    if change.options.contains(.keepsFlags), old?.flags.contains(.assumeUnchanged) == true {
      flags |= 0x8000
    }
    try sink.append(number: flags)
    if version != 4 {
      try sink.append(name)
      let size = IndexFile.shortHead + name.count
      try sink.append(zeros: (size + 8) & ~7 - size)
    } else if let row, let index, followsItsOldNeighbour(row) {
      // As it stands: entry offsets (IEOT) may rely on names that share nothing.
      let start = index.offset(of: row) + index.headSize(of: row)
      try sink.append(index.slice(start..<index.offset(of: row + 1)))
    } else {
      try spell(name)
    }
    lastRow = row
    if row == nil { lastName = name }
  }

  private static func adjusted(
    _ entry: StatEntry, _ options: IndexPatch.Change.Options, _ old: StatTable.Row?
  ) -> StatEntry {
    var entry = entry
    if options.contains(.keepsMode), let old { entry.mode = old.mode }
    if options.contains(.smudged) { entry.size = 0 }
    return entry
  }

  // MARK: Names of version 4

  private mutating func spell(_ name: [UInt8]) throws(DiskError) {
    var failure: DiskError?
    name.withUnsafeBytes { name in
      do throws(DiskError) { try spell(name) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private mutating func spell(_ name: UnsafeRawBufferPointer) throws(DiskError) {
    let (last, shared) = sharing(with: name)
    try sink.append(Self.variable(last - shared))
    try sink.append(UnsafeRawBufferPointer(rebasing: name[shared...]))
    try sink.append(number: UInt8(0))
  }

  /// The length of the name before, and how many bytes `name` begins with as it does.
  private func sharing(with name: UnsafeRawBufferPointer) -> (last: Int, shared: Int) {
    func compare(_ last: UnsafeRawBufferPointer) -> (Int, Int) {
      var shared = 0
      let most = min(last.count, name.count)
      while shared < most, last[shared] == name[shared] { shared += 1 }
      return (last.count, shared)
    }
    guard let lastRow else { return lastName.withUnsafeBytes { compare($0) } }
    guard lastRow >= 0, let index else { return (0, 0) }
    return compare(index.table.rows[lastRow].nameBytes)
  }

  /// A number in the form of git's `encode_varint`.
  static func variable(_ value: Int) -> [UInt8] {
    var bytes = [UInt8(value & 127)]
    var rest = value >> 7
    while rest > 0 {
      rest -= 1
      bytes.append(UInt8(128 | rest & 127))
      rest >>= 7
    }
    return bytes.reversed()
  }
}

extension IndexFile {
  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[range])
  }
}

import Glibc
import VersoDisk

/// The entries of an index file, found in one pass (gitformat-index(5), "Index entry").
struct IndexEntries {
  var rows = ContiguousArray<StatTable.Row>()
  /// The rows whose file may have changed after its stat was taken, in the second of the index's
  /// own time or later.
  var racy = ContiguousArray<UInt32>()
  /// Where the last entry ends.
  var end = IndexFile.headerSize
  var hasSkipWorktree = false
  /// Whether some entry is a stage of an unmerged path.
  var hasStages = false
  /// The first entry that is out of order or has no name, −1 for none; no damage in half of a
  /// split index.
  var disorder = -1
}

/// Reads entries; every length comes from the file and is checked before it is followed.
///
/// The loop keeps what it finds in variables of its own: this is a value that does not change, small
/// enough to stay in registers for the hundred thousands of entries.
struct IndexEntryReader {
  /// The file without its trailer.
  let bytes: UnsafeRawBufferPointer
  let base: UnsafeRawPointer
  let version: UInt32
  /// The seconds of the index's own time, as the entries have theirs.
  let written: UInt32
  /// Where the names of version 4 are put together.
  let arena: NameArena

  /// The size of an entry's stat fields and id.
  static let fieldsSize = 60
  private static let modifiedField = 8
  private static let sizeField = 36
  private static let assumeUnchanged = StatTable.Flags.assumeUnchanged.rawValue
  private static let unmerged = StatTable.Flags.unmerged.rawValue
  private static let intentToAdd = StatTable.Flags.intentToAdd.rawValue
  private static let skipWorktree = StatTable.Flags.skipWorktree.rawValue
  private static let isExtended: UInt16 = 0x4000
  private static let isAssumedUnchanged: UInt16 = 0x8000
  /// Version 4 has no other bound, and a damaged file could demand any amount of memory.
  private static let longestName = 1 << 16

  init(
    bytes: UnsafeRawBufferPointer, base: UnsafeRawPointer, version: UInt32, written: UInt32,
    arena: NameArena
  ) {
    self.bytes = bytes
    self.base = base
    self.version = version
    self.written = written
    self.arena = arena
  }

  /// What stands between an entry's fields and its name.
  private struct Head {
    let size: Int
    let flags: UInt16
    let extended: UInt16
    var stage: UInt16 { flags >> 12 & 3 }
  }

  private struct Name {
    let start: UnsafeRawPointer
    let count: Int
    /// How many bytes are those of the name before, as far as the file says so.
    let shared: Int
    /// Where the entry ends.
    let end: Int
  }

  /// Reads `count` entries.
  func read(count: Int) throws(IndexError) -> IndexEntries {
    // No entry is shorter than 64 bytes: a wrong count is found before memory is taken for it.
    guard count <= (bytes.count - IndexFile.headerSize) / 64 else {
      throw .damaged("it cannot hold the \(count) entries that it claims")
    }
    var found = IndexEntries()
    var failure: IndexError?
    found.rows = ContiguousArray(unsafeUninitializedCapacity: count) { rows, filled in
      do throws(IndexError) {
        try read(count, into: rows, &filled, &found)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return found
  }

  private func read(
    _ count: Int, into rows: UnsafeMutableBufferPointer<StatTable.Row>, _ filled: inout Int,
    _ found: inout IndexEntries
  ) throws(IndexError) {
    var at = IndexFile.headerSize
    // No name is less than the empty one.
    var previous = Name(start: base, count: 0, shared: 0, end: 0)
    var previousStage: UInt16 = 0
    var (extended, stages): (UInt16, UInt16) = (0, 0)
    for number in 0..<count {
      let head = try readHead(at: at, number: number)
      let name =
        version == 4
        ? try readCompressedName(at: at, head: head, previous: previous, number: number)
        : try readName(at: at, head: head, number: number)
      if name.count == 0 || !order(previous, previousStage, name, head.stage) {
        if found.disorder < 0 { found.disorder = number }
      }
      rows.initializeElement(
        at: number,
        to: StatTable.Row(
          fields: base + at, name: name.start, nameLength: Int32(name.count),
          flags: flags(of: head)))
      filled = number + 1
      extended |= head.extended
      stages |= head.stage
      // A size of 0 is already what git writes to make itself look again (racy-git.txt).
      if word(at + Self.modifiedField) >= written, word(at + Self.sizeField) != 0 {
        found.racy.append(UInt32(number))
      }
      at = name.end
      (previous, previousStage) = (name, head.stage)
    }
    found.end = at
    found.hasSkipWorktree = extended & 0x4000 != 0
    found.hasStages = stages != 0
  }

  /// By raw values: a set literal of another module's type is built generically, at 50 ns a row.
  private func flags(of head: Head) -> StatTable.Flags {
    guard head.flags & 0xF000 != 0 else { return StatTable.Flags(rawValue: 0) }
    var flags: UInt8 = 0
    if head.flags & Self.isAssumedUnchanged != 0 { flags |= Self.assumeUnchanged }
    if head.stage != 0 { flags |= Self.unmerged }
    if head.extended & 0x2000 != 0 { flags |= Self.intentToAdd }
    if head.extended & 0x4000 != 0 { flags |= Self.skipWorktree }
    return StatTable.Flags(rawValue: flags)
  }

  private func readHead(at: Int, number: Int) throws(IndexError) -> Head {
    guard at + Self.fieldsSize + 4 <= bytes.count else { throw pastEnd(number) }
    let flags = half(at + Self.fieldsSize)
    guard flags & Self.isExtended != 0 else { return Head(size: 62, flags: flags, extended: 0) }
    let extended = half(at + Self.fieldsSize + 2)
    guard version >= 3, extended & ~0x6000 == 0 else {
      throw .damaged("entry \(number) has flags that version \(version) does not know")
    }
    return Head(size: 64, flags: flags, extended: extended)
  }

  private func readName(at: Int, head: Head, number: Int) throws(IndexError) -> Name {
    let name = at + head.size
    let count = try countToZero(name, number: number)
    guard Int(head.flags & 0xFFF) == min(count, 0xFFF), count <= Int(Int32.max) else {
      throw .damaged("the name of entry \(number) has the wrong length")
    }
    // NUL bytes fill up to a multiple of eight, one at least.
    let end = at + (head.size + count + 8) & ~7
    guard end <= bytes.count else { throw pastEnd(number) }
    return Name(start: base + name, count: count, shared: 0, end: end)
  }

  private func readCompressedName(
    at: Int, head: Head, previous: Name, number: Int
  ) throws(IndexError) -> Name {
    var suffix = at + head.size
    let dropped = try readVariable(at: &suffix, number: number)
    let count = try countToZero(suffix, number: number)
    let shared = previous.count - dropped
    guard shared >= 0 else {
      throw .damaged("entry \(number) shares more of a name than there is")
    }
    guard shared + count < Self.longestName else {
      throw .damaged("the name of entry \(number) is \(shared + count) bytes long")
    }
    let start = arena.join(
      UnsafeRawBufferPointer(start: previous.start, count: shared),
      UnsafeRawBufferPointer(start: base + suffix, count: count))
    return Name(start: start, count: shared + count, shared: shared, end: suffix + count + 1)
  }

  /// A number in the form of git's `decode_varint`, as its pack offsets have it.
  private func readVariable(at: inout Int, number: Int) throws(IndexError) -> Int {
    var value = 0
    while at < bytes.count, value < Self.longestName {
      let byte = bytes[at]
      at += 1
      value += Int(byte & 127)
      if byte & 128 == 0 { return value }
      value = (value + 1) << 7
    }
    throw .damaged("the name of entry \(number) has the wrong length")
  }

  private func countToZero(_ at: Int, number: Int) throws(IndexError) -> Int {
    guard at < bytes.count, let zero = memchr(base + at, 0, bytes.count - at) else {
      throw pastEnd(number)
    }
    return UnsafeRawPointer(zero) - (base + at)
  }

  /// Whether the second comes after the first; entries of one name differ by their stage.
  private func order(_ a: Name, _ aStage: UInt16, _ b: Name, _ bStage: UInt16) -> Bool {
    let shared = b.shared
    let order = memcmp(a.start + shared, b.start + shared, min(a.count, b.count) - shared)
    if order != 0 { return order < 0 }
    if a.count != b.count { return a.count < b.count }
    return aStage > 0 && aStage <= bStage
  }

  private func word(_ at: Int) -> UInt32 {
    UInt32(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self))
  }

  private func half(_ at: Int) -> UInt16 {
    UInt16(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt16.self))
  }

  private func pastEnd(_ number: Int) -> IndexError {
    .damaged("entry \(number) runs past the end")
  }
}

/// Memory for names that are never moved and go all at once.
final class NameArena {
  private static let firstSize = 64 << 10
  private static let lastSize = 16 << 20
  private static let largePage = 2 << 20
  /// `MADV_HUGEPAGE`, which glibc hides.
  private static let useLargePages: Int32 = 14
  private var chunks: [UnsafeMutableRawPointer] = []
  private var free: UnsafeMutableRawPointer?
  private var left = 0
  private var nextSize = NameArena.firstSize

  deinit { for chunk in chunks { chunk.deallocate() } }

  /// Copies two parts into one name, with a NUL after it.
  func join(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    let size = first.count + second.count + 1
    let name = room(for: size)
    if let from = first.baseAddress { memcpy(name, from, first.count) }
    if let from = second.baseAddress { memcpy(name + first.count, from, second.count) }
    name.storeBytes(of: 0, toByteOffset: size - 1, as: UInt8.self)
    return UnsafeRawPointer(name)
  }

  private func room(for size: Int) -> UnsafeMutableRawPointer {
    guard let free, size <= left else { return newChunk(for: size) }
    self.free = free + size
    left -= size
    return free
  }

  private func newChunk(for size: Int) -> UnsafeMutableRawPointer {
    let capacity = max(size, nextSize)
    nextSize = min(2 * nextSize, Self.lastSize)
    let isLarge = capacity >= Self.lastSize
    let chunk = UnsafeMutableRawPointer.allocate(
      byteCount: capacity, alignment: isLarge ? Self.largePage : 16)
    // A million names touch 10,000 small pages, and each costs a fault; a refusal is no harm.
    if isLarge { madvise(chunk, capacity, Self.useLargePages) }
    chunks.append(chunk)
    free = chunk + size
    left = capacity - size
    return chunk
  }
}

import VersoModel

/// Which folders held nothing new when they were last read: derived data, worth a `readdir` each.
///
/// A folder's own times change whenever a name in it comes, goes or is exchanged (inode(7)). So
/// where identity and times are what they were, and the tracked names in it are the same too, its
/// names need not be read again. A folder modified within two seconds of being read is not kept:
/// a change in the same tick of a coarse clock would not show.
package struct FolderCache: Sendable {
  struct Entry: Hashable, Sendable {
    let inode: UInt64
    let modified: Int64
    let changed: Int64
    /// A hash of the tracked names directly in the folder.
    let names: UInt64
  }

  /// Stands for everything outside the folders that decides what is new: ignore rules, settings.
  package let key: UInt64
  private(set) var entries: [UInt64: Entry]

  package init(key: UInt64) {
    self.key = key
    entries = [:]
  }

  package var isEmpty: Bool { entries.isEmpty }

  func entry(of folder: UInt64) -> Entry? { entries[folder] }

  mutating func merge(_ found: [(UInt64, Entry)]) {
    entries.reserveCapacity(entries.count + found.count)
    for (hash, entry) in found { entries[hash] = entry }
  }

  package static func == (a: FolderCache, b: FolderCache) -> Bool {
    a.key == b.key && a.entries == b.entries
  }

  // MARK: On disk

  private static let magic: UInt64 = 0x5645_5253_4F46_4331  // "VERSOFC1"

  /// The cache as bytes: magic, key, count, rows, and a hash of all before it.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32 + entries.count * 40)
    func put(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
    put(Self.magic)
    put(key)
    put(UInt64(entries.count))
    for (hash, entry) in entries {
      put(hash)
      put(entry.inode)
      put(UInt64(bitPattern: entry.modified))
      put(UInt64(bitPattern: entry.changed))
      put(entry.names)
    }
    put(FNV.hash(bytes))
    return bytes
  }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Returns: `nil` for anything torn, damaged, of another version or with another key.
  package init?(_ bytes: [UInt8], key: UInt64) {
    guard bytes.count >= 32 else { return nil }
    let words = bytes.count / 8
    var entries: [UInt64: Entry] = [:]
    let isValid = bytes.withUnsafeBytes { buffer -> Bool in
      func word(_ number: Int) -> UInt64 {
        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8 * number, as: UInt64.self))
      }
      guard word(0) == Self.magic, word(1) == key, let count = Int(exactly: word(2)),
        count < 1 << 32, words == 4 + 5 * count, bytes.count == 8 * words,
        word(words - 1) == FNV.hash(UnsafeRawBufferPointer(rebasing: buffer.dropLast(8)))
      else { return false }
      entries.reserveCapacity(count)
      for row in 0..<count {
        let at = 3 + 5 * row
        entries[word(at)] = Entry(
          inode: word(at + 1), modified: Int64(bitPattern: word(at + 2)),
          changed: Int64(bitPattern: word(at + 3)), names: word(at + 4))
      }
      return true
    }
    guard isValid else { return nil }
    self.key = key
    self.entries = entries
  }
}

extension Timestamp {
  /// Nanoseconds since 1970, wrapping in the year 2262.
  package var nanosecondsSince1970: Int64 { seconds &* 1_000_000_000 &+ Int64(nanoseconds) }
}

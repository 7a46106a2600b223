import VersoDisk
import VersoModel

/// What follows the entries. Each extension is kept only where it stays true of the new entries;
/// those that are unknown are dropped, as git does.
extension IndexPatch {
  func writeExtensions(to sink: inout IndexSink) throws(DiskError) {
    let entriesEnd = sink.count
    // EOIE carries a checksum of the others' names and sizes.
    var names = SHA1()
    func put(
      _ signature: IndexFile.Signature, _ bytes: UnsafeRawBufferPointer, to sink: inout IndexSink
    ) throws(DiskError) {
      let head = [signature.rawValue.bigEndian, UInt32(bytes.count).bigEndian]
      head.withUnsafeBytes { names.update($0) }
      try sink.append(number: signature.rawValue)
      try sink.append(number: UInt32(bytes.count))
      try sink.append(bytes)
    }
    let offsets = index?.extensions.first { $0.signature == .entryOffsets }
    // git writes it before all others, so that a reader that starts from EOIE finds it early.
    if let offsets, !movesOffsets { try put(.entryOffsets, offsets.bytes, to: &sink) }
    try putting(CacheTreePatch(self).bytes) { bytes throws(DiskError) in
      try put(.cacheTree, bytes, to: &sink)
    }
    for old in index?.extensions ?? [] {
      switch old.signature {
      case .resolveUndo: try put(.resolveUndo, old.bytes, to: &sink)
      case .untrackedCache where !movesPositions: try put(.untrackedCache, old.bytes, to: &sink)
      case .untrackedCache:
        try putting(Self.emptied(untrackedCache: old.bytes)) { bytes throws(DiskError) in
          try put(.untrackedCache, bytes, to: &sink)
        }
      // It numbers the entries; git asks its monitor anew where it is not there.
      case .monitor where !movesPositions: try put(.monitor, old.bytes, to: &sink)
      default: break
      }
    }
    if index?.extensions.contains(where: { $0.signature == .endOfEntries }) == true {
      try sink.append(number: IndexFile.Signature.endOfEntries.rawValue)
      try sink.append(number: UInt32(4 + ObjectID.byteCount))
      try sink.append(number: UInt32(truncatingIfNeeded: entriesEnd))
      try sink.append(names.finish().bytes)
    }
  }

  private func putting(
    _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard let bytes else { return }
    var failure: DiskError?
    bytes.withUnsafeBytes { bytes in
      do throws(DiskError) { try body(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The untracked cache with nothing in it, but still switched on.
  ///
  /// A path that becomes tracked, or no longer is, changes what git would list as untracked without
  /// any folder's time showing it. Leaving the extension out would switch the cache off for a user
  /// who switched it on with `git update-index --untracked-cache`.
  ///
  /// - Returns: `nil` for malformed bytes.
  static func emptied(untrackedCache bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var at = 0
    var environment = 0
    while true {
      guard at < bytes.count, environment < 1 << 40 else { return nil }
      let byte = bytes[at]
      at += 1
      environment += Int(byte & 127)
      if byte & 128 == 0 { break }
      environment = (environment + 1) << 7
    }
    // Two stats of nine words, the flags, two ids; then the name of the ignore files and its NUL.
    let fixed = 2 * 36 + 4 + 2 * ObjectID.byteCount
    guard environment <= bytes.count - at, fixed <= bytes.count - at - environment else {
      return nil
    }
    at += environment + fixed
    guard let end = bytes[at...].firstIndex(of: 0) else { return nil }
    // The number of folders that follow, and nothing after it.
    return Array(bytes[...end]) + [0]
  }
}

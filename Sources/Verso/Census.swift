import VersoDisk
package import VersoModel

/// What a directory holds, counted before it becomes a vault.
package struct Census: Sendable {
  /// More files than this, or more bytes, are asked about first.
  package static let fileLimit = 200_000
  package static let byteLimit: UInt64 = 2 << 30

  package var files = 0
  /// Bytes in them.
  package var bytes: UInt64 = 0
  /// Bytes that the file system has left.
  package var free: UInt64 = 0
  /// The largest folders directly in the root, by bytes; at most five.
  package var largest: [(name: RelativePath, bytes: UInt64)] = []

  init(_ candidates: [Scan.Candidate], free: UInt64) {
    var folders: [[UInt8]: UInt64] = [:]
    for candidate in candidates {
      files += 1
      bytes += candidate.status.size
      let parts = candidate.path.components
      if parts.count > 1, let first = parts.first {
        folders[Array(first), default: 0] += candidate.status.size
      }
    }
    self.free = free
    largest = folders.sorted { $0.value > $1.value }.prefix(5).map {
      (RelativePath(unchecked: $0.key), $0.value)
    }
  }

  /// Whether a person should be asked: much to save, or less than twice the room.
  package var isLarge: Bool {
    files > Self.fileLimit || bytes > Self.byteLimit || free < bytes * 2
  }
}

import VersoModel

/// Encodes the index of a pack, in version 2 of its format (gitformat-pack(5)).
enum PackIndexEncoder {
  /// Bytes that are collected before they go to the sink.
  private static let pieceSize = 64 << 10

  /// Encodes an index.
  ///
  /// - Parameters:
  ///   - count: How many objects there are.
  ///   - row: The object with that rank in the order of ids.
  ///   - pack: The checksum at the end of the pack.
  ///   - sink: Takes the bytes, in pieces.
  static func encode<E: Error>(
    count: Int, row: (Int) -> PackRows.Row, pack: ObjectID,
    to sink: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    var bytes: [UInt8] = [0xFF, 0x74, 0x4F, 0x63, 0, 0, 0, 2]
    bytes.reserveCapacity(pieceSize + 64)
    var hash = SHA1()
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
    func pour(beyond limit: Int) throws(E) {
      guard bytes.count > limit else { return }
      var failure: E?
      bytes.withUnsafeBytes { piece in
        hash.update(piece)
        do throws(E) { try sink(piece) } catch { failure = error }
      }
      if let failure { throw failure }
      bytes.removeAll(keepingCapacity: true)
    }
    var rank = 0
    for first in UInt8.min ... .max {
      while rank < count, row(rank).id.first <= first { rank += 1 }
      put(UInt32(rank))
    }
    for rank in 0..<count {
      row(rank).id.append(to: &bytes)
      try pour(beyond: pieceSize)
    }
    for rank in 0..<count {
      put(row(rank).checksum)
      try pour(beyond: pieceSize)
    }
    // Offsets of 31 bits stand in the table; of larger ones, their number in a second table.
    var large: [UInt64] = []
    for rank in 0..<count {
      let offset = row(rank).offset
      if offset < 1 << 31 {
        put(UInt32(offset))
      } else {
        put(UInt32(1 << 31 | large.count))
        large.append(UInt64(offset))
      }
      try pour(beyond: pieceSize)
    }
    for offset in large {
      put(offset)
      try pour(beyond: pieceSize)
    }
    pack.append(to: &bytes)
    try pour(beyond: 0)
    hash.finish().append(to: &bytes)
    try pour(beyond: 0)
  }
}

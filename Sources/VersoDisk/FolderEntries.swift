import Glibc

extension FileStore {
  /// The names in an open folder, `.` and `..` left out, in no order.
  ///
  /// The folder was opened for reading, and not yet read from.
  package func names(in folder: Int32, path: [UInt8]) throws(DiskError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var room = [UInt64](repeating: 0, count: 4096)
    while true {
      let count = room.withUnsafeMutableBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        let count = entries(folder, base, buffer.count)
        if count > 0 { Self.collect(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &names) }
        return count
      }
      if count == -Int(EINTR) { continue }
      if count < 0 { throw failure(Int32(-count), "list", path, of: folder) }
      if count == 0 { return names }
    }
  }

  /// Reads records of getdents64(2): 64-bit inode and offset, 16-bit length of the record, 8-bit
  /// type, then the name with its NUL.
  private static func collect(_ records: UnsafeRawBufferPointer, _ names: inout [[UInt8]]) {
    var start = 0
    while start + 19 < records.count {
      let length = Int(records.loadUnaligned(fromByteOffset: start + 16, as: UInt16.self))
      guard length > 19, start + length <= records.count else { return }
      let name = records[(start + 19)..<(start + length)].prefix { $0 != 0 }
      if !name.elementsEqual([0x2E]), !name.elementsEqual([0x2E, 0x2E]) {
        names.append(Array(name))
      }
      start += length
    }
  }
}

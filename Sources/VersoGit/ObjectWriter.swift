import Glibc
package import VersoDisk
package import VersoModel

/// Where new objects go. Any thread may write at any time.
package protocol ObjectWriter: Sendable {
  /// Stores an object, unless it is there already.
  ///
  /// Nobody but this writer may count on it before ``finish()``.
  ///
  /// - Returns: The object's id.
  func write(
    _ kind: Repository.ObjectKind, _ bytes: UnsafeRawBufferPointer
  ) throws(DiskError) -> ObjectID

  /// Stores a blob piece by piece, in fixed memory.
  ///
  /// - Parameters:
  ///   - descriptor: Read from where it stands.
  ///   - size: How many bytes there should be.
  /// - Returns: `nil` where there were more or fewer: the file changed, and nothing is stored.
  func writeBlob(from descriptor: Int32, size: Int) throws(DiskError) -> ObjectID?

  /// Makes what was written so far durable and visible to everybody.
  func flush() throws(DiskError)

  /// The same, once, at the end.
  func finish() throws(DiskError)
}

extension ObjectWriter {
  package func write(
    _ kind: Repository.ObjectKind, _ bytes: [UInt8]
  ) throws(DiskError) -> ObjectID {
    var failure: DiskError?
    var id = ObjectID.zero
    bytes.withUnsafeBytes { buffer in
      do throws(DiskError) { id = try write(kind, buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    return id
  }
}

/// Names objects without storing them: what a dry run writes to.
package struct ObjectNamer: ObjectWriter {
  private let store: any FileStore

  package init(store: any FileStore) { self.store = store }

  package func write(
    _ kind: Repository.ObjectKind, _ bytes: UnsafeRawBufferPointer
  ) -> ObjectID { SHA1.id(of: kind, bytes) }

  package func writeBlob(from descriptor: Int32, size: Int) throws(DiskError) -> ObjectID? {
    var hash = SHA1()
    Array("blob \(size)\0".utf8).withUnsafeBytes { hash.update($0) }
    let isWhole = try store.readPieces(of: descriptor, size: size) { piece, _ in
      hash.update(piece)
    }
    return isWhole ? hash.finish() : nil
  }

  package func flush() {}
  package func finish() {}
}

extension FileStore {
  /// Reads exactly `size` bytes in pieces.
  ///
  /// - Parameter body: Gets each piece, and whether it is the last; called once even for nothing.
  /// - Returns: Whether there were just so many.
  func readPieces(
    of descriptor: Int32, size: Int,
    _ body: (UnsafeRawBufferPointer, _ isLast: Bool) throws(DiskError) -> Void
  ) throws(DiskError) -> Bool {
    let room = 1 << 18
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
    defer { buffer.deallocate() }
    var left = size
    repeat {
      let wanted = min(left, room)
      guard try readFully(descriptor, buffer, wanted) == wanted else { return false }
      left -= wanted
      try body(UnsafeRawBufferPointer(start: buffer, count: wanted), left == 0)
    } while left > 0
    return try readFully(descriptor, buffer, 1) == 0
  }

  /// Reads as many bytes as are wanted; fewer only at the end of the file.
  private func readFully(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ wanted: Int
  ) throws(DiskError) -> Int {
    var count = 0
    while count < wanted {
      let got = read(descriptor, buffer + count, wanted - count)
      if got == -Int(EINTR) { continue }
      if got < 0 { throw failure(Int32(-got), DiskError.reading, [], of: descriptor) }
      if got == 0 { break }
      count += got
    }
    return count
  }
}

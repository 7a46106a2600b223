import CZlib
import Glibc
package import VersoDisk
package import VersoModel

/// Writes many objects into one pack, on as many threads as call it.
///
/// Each thread compresses into a buffer of its own; full buffers go to the pack at positions handed
/// out under a lock. Objects come without deltas: a first import is read once and written once, and
/// git's own `gc` finds the deltas later. Memory is about 45 bytes an object and 2 MB a thread.
/// Source: gitformat-pack(5).
///
/// Unchecked: everything mutable is touched within `mutex`, but for an encoder's own parts, which
/// belong to the thread that took it out of `idle`.
package final class PackWriter: ObjectWriter, @unchecked Sendable {
  /// An object in an encoder's buffer.
  private struct Waiting {
    let position: Int
    let offset: Int
    let checksum: UInt32
  }

  private final class Encoder {
    static let room = 1 << 20
    let deflater = Deflater(level: 1)
    var buffer: UnsafeMutableRawBufferPointer
    var count = 0
    var waiting: [Waiting] = []

    init() { buffer = .allocate(byteCount: 2 * Self.room, alignment: 64) }
    deinit { buffer.deallocate() }

    /// Makes room for `size` more bytes; only while the buffer is empty.
    func grow(to size: Int) {
      guard buffer.count < size else { return }
      buffer.deallocate()
      buffer = .allocate(byteCount: size, alignment: 64)
    }
  }

  private let folder: Descriptor
  private let store: any FileStore
  private let contains: @Sendable (ObjectID) -> Bool
  private let mutex = SectionLock()
  private let name: [UInt8]
  private var descriptor: Int32 = -1
  private var end = 12
  private var rows = PackRows()
  /// The first failure: a pack that lacks a block must never be finished.
  private var failure: DiskError?
  private var idle: [Encoder] = []
  private var encoders: [Encoder] = []
  /// Bytes of the pack when it is finished.
  package private(set) var size = 0

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - objects: The open folder `objects` of the git directory.
  ///   - contains: Whether the repository has an object already; not asked for each object of a
  ///     first import, where the answer is known.
  package init(
    objects: Int32, store: any FileStore, contains: @escaping @Sendable (ObjectID) -> Bool
  ) throws(DiskError) {
    let pack = Array("pack".utf8)
    try store.makingFolder(pack, in: objects)
    folder = try store.opening(pack, in: objects, flags: O_RDONLY | O_DIRECTORY)
    self.store = store
    self.contains = contains
    name = Array("tmp_pack_verso_\(UInt64.random(in: .min ... .max))".utf8)
  }

  deinit {
    guard descriptor >= 0 else { return }
    store.close(descriptor)
    remove(name)
  }

  private func remove(_ temporary: [UInt8]) {
    do throws(DiskError) { try store.unlinking(temporary, in: folder.number) } catch {
      return  // Cleared away by the next start, or by git's own gc.
    }
  }

  // MARK: Objects

  package func write(
    _ kind: Repository.ObjectKind, _ bytes: UnsafeRawBufferPointer
  ) throws(DiskError) -> ObjectID {
    let id = SHA1.id(of: kind, bytes)
    guard let (encoder, position) = try take(for: id) else { return id }
    defer { giveBack(encoder) }
    let room = Deflater.bound(bytes.count) + 16
    if encoder.count + room > encoder.buffer.count {
      try empty(encoder)
      encoder.grow(to: room)
    }
    guard let base = encoder.buffer.baseAddress else { return id }
    let start = base + encoder.count
    let header = Self.putHeader(kind, size: bytes.count, start)
    let packed = encoder.deflater.whole([bytes], into: start + header, room: room - header)
    let length = header + packed
    let checksum = crc32(0, start.assumingMemoryBound(to: UInt8.self), UInt32(length))
    encoder.waiting.append(
      Waiting(position: position, offset: encoder.count, checksum: UInt32(checksum)))
    encoder.count += length
    if encoder.count > Encoder.room { try empty(encoder) }
    return id
  }

  /// An encoder for a new object, and the object's row; `nil` where the object has been written.
  private func take(for id: ObjectID) throws(DiskError) -> (Encoder, Int)? {
    try mutex.withLock { () throws(DiskError) in
      if let failure { throw failure }
      guard !rows.contains(id), !contains(id), let position = rows.insert(id) else { return nil }
      if let encoder = idle.popLast() { return (encoder, position) }
      let encoder = Encoder()
      encoders.append(encoder)
      return (encoder, position)
    }
  }

  private func failing<R>(_ body: () throws(DiskError) -> R) throws(DiskError) -> R {
    do throws(DiskError) { return try body() } catch {
      mutex.withLock { failure = failure ?? error }
      throw error
    }
  }

  private func giveBack(_ encoder: Encoder) { mutex.withLock { idle.append(encoder) } }

  /// The variable-length type and size that stand before an object.
  ///
  /// - Parameter room: Room for 10 bytes.
  /// - Returns: How many were put.
  private static func putHeader(
    _ kind: Repository.ObjectKind, size: Int, _ room: UnsafeMutableRawPointer
  ) -> Int {
    var count = 0
    var rest = size >> 4
    var byte = UInt8(kind.rawValue) << 4 | UInt8(size & 15)
    while rest > 0 {
      room.storeBytes(of: byte | 0x80, toByteOffset: count, as: UInt8.self)
      count += 1
      byte = UInt8(rest & 127)
      rest >>= 7
    }
    room.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    return count + 1
  }

  /// Moves what an encoder has into the pack.
  private func empty(_ encoder: Encoder) throws(DiskError) {
    guard encoder.count > 0 else { return }
    try failing { () throws(DiskError) in
      let (file, start) = try mutex.withLock { () throws(DiskError) in
        let file = try opened()
        defer { end += encoder.count }
        for object in encoder.waiting {
          rows.place(object.position, at: end + object.offset, checksum: object.checksum)
        }
        return (file, end)
      }
      encoder.waiting.removeAll(keepingCapacity: true)
      let bytes = UnsafeRawBufferPointer(rebasing: encoder.buffer[..<encoder.count])
      encoder.count = 0
      try put(bytes, at: start, of: file)
    }
  }

  private func opened() throws(DiskError) -> Int32 {
    if descriptor >= 0 { return descriptor }
    let result = RelativePath.withCString(name) {
      store.open(folder.number, $0, O_RDWR | O_CREAT | O_EXCL, 0o444)
    }
    if result < 0 { throw store.failure(-result, "make", name, in: folder.number) }
    descriptor = result
    return result
  }

  private func put(
    _ bytes: UnsafeRawBufferPointer, at position: Int, of file: Int32
  ) throws(DiskError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = store.pwrite(file, base + done, bytes.count - done, position + done)
      if count == -Int(EINTR) { continue }
      if count < 0 { throw store.failure(Int32(-count), "write", name, of: file) }
      done += count
    }
  }

  // MARK: A large blob

  package func writeBlob(from descriptor: Int32, size: Int) throws(DiskError) -> ObjectID? {
    // Whole within the lock: large files are few, and their bytes must lie together. A failure here
    // leaves no hole: the next block is written over what there is.
    try mutex.withLock { () throws(DiskError) in
      let file = try opened()
      let start = end
      var position = start
      var checksum = crc32(0, nil, 0)
      func emit(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        checksum = crc32(
          checksum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
        try put(bytes, at: position, of: file)
        position += bytes.count
      }
      var hash = SHA1()
      Array("blob \(size)\0".utf8).withUnsafeBytes { hash.update($0) }
      var failure: DiskError?
      withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { room in
        guard let base = room.baseAddress else { return }
        let count = Self.putHeader(.blob, size: size, base)
        let header = UnsafeRawBufferPointer(start: base, count: count)
        do throws(DiskError) { try emit(header) } catch { failure = error }
      }
      if let failure { throw failure }
      let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { output.deallocate() }
      let deflater = Deflater(level: 1)
      let isWhole = try store.readPieces(of: descriptor, size: size) {
        (piece, isLast) throws(DiskError) in
        hash.update(piece)
        try deflater.add(piece, isLast: isLast, through: output, emit)
      }
      guard isWhole else { return nil }  // The next object is written over it.
      let id = hash.finish()
      guard !rows.contains(id), !contains(id), let row = rows.insert(id) else { return id }
      rows.place(row, at: start, checksum: UInt32(checksum))
      end = position
      return id
    }
  }

  // MARK: The end

  /// Does nothing: a pack is visible when it is whole.
  package func flush() throws(DiskError) {}

  package func finish() throws(DiskError) {
    if let failure { throw failure }
    for encoder in encoders { try empty(encoder) }
    encoders = []
    idle = []
    guard rows.count > 0 else { return }
    let file = try opened()
    let checksum = try seal(file)
    let base = Array("pack-\(checksum.hex)".utf8)
    let temporary = name + Array("_index".utf8)
    try writeIndex(pack: checksum, temporary)
    rows = PackRows()
    do throws(DiskError) {
      try store.syncing(file, path: name)
      try publish(base, index: temporary)
    } catch {
      remove(temporary)
      throw error
    }
    store.close(file)
    descriptor = -1
  }

  /// Gives pack and index their names.
  private func publish(_ base: [UInt8], index temporary: [UInt8]) throws(DiskError) {
    // The index last: a pack without one is not looked at.
    let pack = base + Array(".pack".utf8)
    try store.renaming(name, in: folder.number, to: pack, in: folder.number)
    do throws(DiskError) {
      try store.renaming(
        temporary, in: folder.number, to: base + Array(".idx".utf8), in: folder.number)
    } catch {
      remove(pack)
      throw error
    }
    try store.syncing(folder.number, path: Array("objects/pack".utf8))
  }

  /// Writes header and trailer; returns the pack's checksum.
  private func seal(_ file: Int32) throws(DiskError) -> ObjectID {
    var header = Array("PACK".utf8)
    for value in [UInt32(2), UInt32(rows.count)] {
      withUnsafeBytes(of: value.bigEndian) { header += $0 }
    }
    try put(header, at: 0, of: file)
    // A large blob that changed while it was read may have left bytes behind the end.
    let cut = store.truncate(file, end)
    if cut < 0 { throw store.failure(-cut, "cut", name, of: file) }
    let checksum = try hash(file)
    try put(checksum.bytes, at: end, of: file)
    size = end + ObjectID.byteCount
    return checksum
  }

  private func put(_ bytes: [UInt8], at position: Int, of file: Int32) throws(DiskError) {
    var failure: DiskError?
    bytes.withUnsafeBytes { buffer in
      do throws(DiskError) { try put(buffer, at: position, of: file) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func hash(_ file: Int32) throws(DiskError) -> ObjectID {
    guard lseek(file, 0, SEEK_SET) == 0 else {
      throw DiskError(code: errno, operation: "read", path: name)
    }
    var hash = SHA1()
    let isWhole = try store.readPieces(of: file, size: end) { piece, _ in hash.update(piece) }
    guard isWhole else { throw DiskError(code: EIO, operation: "read", path: name) }
    return hash.finish()
  }

  private func writeIndex(pack checksum: ObjectID, _ temporary: [UInt8]) throws(DiskError) {
    let file = try store.opening(
      temporary, in: folder.number, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o444)
    do throws(DiskError) {
      let order = rows.sorted()
      try PackIndexEncoder.encode(
        count: rows.count, row: { rows[Int(order[$0])] }, pack: checksum
      ) { bytes throws(DiskError) in
        try store.writingAll(bytes, to: file.number, path: temporary)
      }
      try store.syncing(file.number, path: temporary)
    } catch {
      remove(temporary)
      throw error
    }
  }
}

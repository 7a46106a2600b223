import VersoDisk
import VersoModel

/// Where a new index goes: bytes are hashed and written in one pass, in large pieces.
struct IndexSink: ~Copyable {
  /// A piece stays in the processor's cache between hashing and writing.
  private static let pieceSize = 256 << 10

  private let descriptor: Int32
  private let store: any FileStore
  private let path: [UInt8]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: IndexSink.pieceSize, alignment: 16)
  private var used = 0
  private var hash = SHA1()
  private var flushed = 0

  init(descriptor: Int32, store: any FileStore, path: [UInt8]) {
    self.descriptor = descriptor
    self.store = store
    self.path = path
  }

  deinit { buffer.deallocate() }

  /// Bytes so far.
  var count: Int { flushed + used }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
    if bytes.count > Self.pieceSize - used { try flush() }
    var rest = bytes[...]
    while rest.count > Self.pieceSize {
      try put(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceSize)))
      rest = rest.dropFirst(Self.pieceSize)
    }
    if rest.isEmpty { return }
    UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
    used += rest.count
  }

  mutating func append(_ bytes: [UInt8]) throws(DiskError) {
    var failure: DiskError?
    bytes.withUnsafeBytes { bytes in
      do throws(DiskError) { try append(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  mutating func append<Number: FixedWidthInteger>(number: Number) throws(DiskError) {
    let size = MemoryLayout<Number>.size
    if size > Self.pieceSize - used { try flush() }
    buffer.storeBytes(of: number.bigEndian, toByteOffset: used, as: Number.self)
    used += size
  }

  mutating func append(zeros count: Int) throws(DiskError) {
    for _ in 0..<count { try append(number: UInt8(0)) }
  }

  /// Writes the checksum of everything as the trailer, and returns it.
  mutating func finish() throws(DiskError) -> ObjectID {
    try flush()
    let checksum = hash.finish()
    try append(checksum.bytes)
    try flush()
    return checksum
  }

  private mutating func flush() throws(DiskError) {
    if used == 0 { return }
    let count = used
    used = 0
    try put(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  private mutating func put(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
    hash.update(bytes)
    try store.writingAll(bytes, to: descriptor, path: path)
    flushed += bytes.count
  }
}

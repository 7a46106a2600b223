import VersoDisk
import VersoModel

/// Where a new index goes: bytes are hashed and written in one pass, in large pieces.
///
/// A large index is hashed by a second thread, for hashing takes as long as writing.
struct IndexSink: ~Copyable {
  /// A piece stays in the processor's cache between hashing and writing.
  private static let pieceSize = 256 << 10
  /// From so many bytes on a second thread is worth its start.
  private static let largeSize = 1 << 20

  private let descriptor: Int32
  private let store: any FileStore
  private let path: [UInt8]
  private var buffer: UnsafeMutableRawBufferPointer
  /// A second buffer, filled while the helper hashes the first.
  private var other: (buffer: UnsafeMutableRawBufferPointer, lastPiece: Int)?
  private var used = 0
  private var hash = SHA1()
  private var helper: BackgroundHash?
  private var flushed = 0

  /// - Parameter expected: About how many bytes will come.
  init(descriptor: Int32, store: any FileStore, path: [UInt8], expected: Int) {
    self.descriptor = descriptor
    self.store = store
    self.path = path
    buffer = .allocate(byteCount: Self.pieceSize, alignment: 16)
    if expected >= Self.largeSize, let helper = BackgroundHash() {
      self.helper = consume helper
      other = (.allocate(byteCount: Self.pieceSize, alignment: 16), 0)
    }
  }

  deinit {
    // The helper may still be reading a buffer where writing has failed.
    if let helper { _ = helper.finish() }
    buffer.deallocate()
    other?.buffer.deallocate()
  }

  /// Bytes so far.
  var count: Int { flushed + used }

  /// Appends a copy of some bytes.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if used == Self.pieceSize { try flush() }
      let part = rest.prefix(Self.pieceSize - used)
      UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      used += part.count
      rest = rest.dropFirst(part.count)
    }
  }

  /// Appends bytes that stay where they are, and as they are, until this is gone: no copy of many.
  mutating func append(lasting bytes: UnsafeRawBufferPointer) throws(DiskError) {
    guard bytes.count > Self.pieceSize else { return try append(bytes) }
    try flush()
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.pieceSize)
      try put(UnsafeRawBufferPointer(rebasing: part))
      rest = rest.dropFirst(part.count)
    }
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
    let checksum = digest()
    try store.writingAll(checksum.bytes, to: descriptor, path: path)
    flushed += ObjectID.byteCount
    return checksum
  }

  private mutating func digest() -> ObjectID {
    if let helper = helper.take() { return helper.finish() }
    return hash.finish()
  }

  private mutating func flush() throws(DiskError) {
    if used == 0 { return }
    let count = used
    used = 0
    let piece = try put(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    guard let spare = other else { return }
    helper?.wait(for: spare.lastPiece)
    other = (buffer, piece)
    buffer = spare.buffer
  }

  /// Hashes and writes; returns the number of the helper's piece.
  @discardableResult
  private mutating func put(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int {
    var piece = 0
    if helper != nil {
      piece = helper?.add(bytes) ?? 0
    } else {
      hash.update(bytes)
    }
    try store.writingAll(bytes, to: descriptor, path: path)
    flushed += bytes.count
    return piece
  }
}

import CZlib

/// A zlib compressor that is used again and again. Not for two threads at once.
///
/// The stream is on the heap because zlib keeps a pointer to it.
final class Deflater {
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  /// Makes a compressor.
  ///
  /// - Parameter level: 1 (fast) to 9 (small).
  init(level: Int32) {
    stream.initialize(to: z_stream())
    let result = verso_deflate_init(stream, level)
    precondition(result == Z_OK, "zlib has no memory for a compressor")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// The most bytes that `count` bytes can become.
  static func bound(_ count: Int) -> Int { count + count / 1000 + 64 + (count >> 12) }

  func begin() { deflateReset(stream) }

  /// Compresses more input, handing out what has become ready.
  ///
  /// - Parameters:
  ///   - output: Room for pieces of the result.
  ///   - isLast: Whether nothing follows.
  func add<E: Error>(
    _ input: UnsafeRawBufferPointer, isLast: Bool, through output: UnsafeMutableRawBufferPointer,
    _ take: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(input.count)
    let flush = isLast ? Z_FINISH : Z_NO_FLUSH
    while true {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(output.count)
      let result = deflate(stream, flush)
      precondition(result != Z_STREAM_ERROR, "zlib's stream is damaged")
      let made = output.count - Int(stream.pointee.avail_out)
      if made > 0 { try take(UnsafeRawBufferPointer(rebasing: output[..<made])) }
      if isLast ? result == Z_STREAM_END : stream.pointee.avail_out > 0 { return }
    }
  }

  /// Compresses all of `input` into `output`, which has room for ``bound(_:)`` bytes.
  ///
  /// - Returns: The size of the result.
  func whole(_ parts: [UnsafeRawBufferPointer], into output: UnsafeMutableRawPointer, room: Int)
    -> Int
  {
    deflateReset(stream)
    stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room)
    for (number, part) in parts.enumerated() {
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: part.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = UInt32(part.count)
      let isLast = number == parts.count - 1
      let result = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
      precondition(result == (isLast ? Z_STREAM_END : Z_OK), "the bound of the result was wrong")
    }
    return room - Int(stream.pointee.avail_out)
  }
}

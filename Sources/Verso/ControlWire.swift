import VersoModel

/// How requests and replies travel: frames of a length (4 bytes, little-endian) and that many bytes.
///
/// A frame holds the protocol's version, the request's tag and a value. Both ends are the same
/// program as a rule; where they are not, the version tells, and the one that asks works alone.
enum ControlWire {
  /// Goes up with every change of a value's form.
  static let version: UInt8 = 2
  /// Bytes that a request may have: paths and a message.
  static let requestLimit = 1 << 20
  /// Bytes that a reply may have: a first save may name every note there is.
  static let replyLimit = 1 << 29

  /// A frame with its length in front; `nil` where it would be longer than `limit`.
  static func frame(
    tag: UInt32, limit: Int, _ write: (inout ControlWriter) -> Void
  ) -> [UInt8]? {
    var writer = ControlWriter()
    writer.put(UInt32(0))
    writer.put(version)
    writer.put(tag)
    write(&writer)
    let count = writer.bytes.count - 4
    guard count <= limit else { return nil }
    withUnsafeBytes(of: UInt32(count).littleEndian) { length in
      writer.bytes.replaceSubrange(0..<4, with: length)
    }
    return writer.bytes
  }

  /// What of `buffer` is a whole frame.
  enum Next: Equatable {
    /// There is more to come.
    case partial
    /// The frame, without its length.
    case whole(Range<Int>)
    /// Longer than anything that is allowed.
    case excessive
  }

  static func next(in buffer: [UInt8], from start: Int, limit: Int) -> Next {
    guard buffer.count - start >= 4 else { return .partial }
    let count = (0..<4).reduce(0) { $0 | Int(buffer[start + $1]) << (8 * $1) }
    guard count <= limit else { return .excessive }
    let end = start + 4 + count
    return buffer.count >= end ? .whole(start + 4..<end) : .partial
  }

  /// Reads a frame to its very end; `nil` for another version, garbage, and bytes left over.
  static func read<Value>(
    _ frame: some Sequence<UInt8>, _ read: (inout ControlReader) throws(ControlGarbage) -> Value
  ) -> (tag: UInt32, value: Value)? {
    var reader = ControlReader(Array(frame))
    do throws(ControlGarbage) {
      guard try reader.byte() == version else { return nil }
      let tag: UInt32 = try reader.number()
      let value = try read(&reader)
      return reader.isAtEnd ? (tag, value) : nil
    } catch { return nil }
  }
}

/// Bytes that are no value of ours.
struct ControlGarbage: Error {}

/// Appends values to a frame.
struct ControlWriter {
  fileprivate(set) var bytes: [UInt8] = []

  mutating func put(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func put(_ value: [UInt8]) {
    put(UInt32(value.count))
    bytes += value
  }

  mutating func put(_ text: String) { put(Array(text.utf8)) }

  mutating func put(_ id: ObjectID) { id.append(to: &bytes) }

  mutating func put<Value>(_ value: Value?, _ write: (inout ControlWriter, Value) -> Void) {
    put(value != nil)
    if let value { write(&self, value) }
  }

  mutating func put<Value>(_ values: [Value], _ write: (inout ControlWriter, Value) -> Void) {
    put(UInt32(values.count))
    for value in values { write(&self, value) }
  }
}

/// Takes values from a frame that anybody may have sent: every length is checked, nothing traps.
struct ControlReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  private mutating func take(_ count: Int) throws(ControlGarbage) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw ControlGarbage() }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func byte() throws(ControlGarbage) -> UInt8 {
    guard let byte = try take(1).first else { throw ControlGarbage() }
    return byte
  }

  mutating func number<Number: FixedWidthInteger>() throws(ControlGarbage) -> Number {
    let taken = try take(Number.bitWidth / 8)
    return taken.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  mutating func flag() throws(ControlGarbage) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw ControlGarbage()
    }
  }

  mutating func blob() throws(ControlGarbage) -> [UInt8] {
    let count: UInt32 = try number()
    return Array(try take(Int(count)))
  }

  mutating func text() throws(ControlGarbage) -> String {
    guard let text = String(validating: try blob(), as: UTF8.self) else { throw ControlGarbage() }
    return text
  }

  mutating func id() throws(ControlGarbage) -> ObjectID {
    ObjectID(bytes: Array(try take(ObjectID.byteCount)))
  }

  mutating func optional<Value>(
    _ read: (inout ControlReader) throws(ControlGarbage) -> Value
  ) throws(ControlGarbage) -> Value? {
    try flag() ? try read(&self) : nil
  }

  mutating func list<Value>(
    _ read: (inout ControlReader) throws(ControlGarbage) -> Value
  ) throws(ControlGarbage) -> [Value] {
    let count: UInt32 = try number()
    // Each value takes a byte at least, so that a lie about their number costs no memory.
    guard Int(count) <= bytes.count - position else { throw ControlGarbage() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }
}

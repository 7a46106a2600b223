/// The name of a git object: the 20 bytes of its SHA-1.
public struct ObjectID: Hashable, Sendable {
  @usableFromInline let high: UInt64
  @usableFromInline let middle: UInt64
  @usableFromInline let low: UInt32

  /// The number of bytes in an id.
  public static let byteCount = 20

  /// The id that git writes where there is no object.
  public static let zero = ObjectID(bytes: [UInt8](repeating: 0, count: byteCount))

  /// Copies an id out of memory.
  ///
  /// - Precondition: 20 bytes are readable at `pointer`.
  @inlinable
  package init(at pointer: UnsafeRawPointer) {
    high = UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
    middle = UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    low = UInt32(bigEndian: pointer.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  }

  /// Makes an id from its bytes.
  ///
  /// - Precondition: There are exactly 20.
  public init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount)
    self = bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("20 bytes have an address") }
      return ObjectID(at: base)
    }
  }

  /// Makes an id from 40 hexadecimal digits; `nil` for anything else.
  public init?(hex: some Collection<UInt8>) {
    guard hex.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    var half: UInt8?
    for digit in hex {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
      default: return nil
      }
      if let first = half {
        bytes.append(first << 4 | value)
        half = nil
      } else {
        half = value
      }
    }
    self.init(bytes: bytes)
  }

  /// Makes an id from 40 hexadecimal digits; `nil` for anything else.
  public init?(hex: String) { self.init(hex: Array(hex.utf8)) }

  /// The 20 bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    append(to: &bytes)
    return bytes
  }

  /// The first byte, by which git sorts objects into folders and fan-outs.
  package var first: UInt8 { UInt8(truncatingIfNeeded: high >> 56) }

  /// Puts the 20 bytes at the start of `room`.
  package func store(to room: UnsafeMutableRawBufferPointer) {
    room.storeBytes(of: high.bigEndian, as: UInt64.self)
    room.storeBytes(of: middle.bigEndian, toByteOffset: 8, as: UInt64.self)
    room.storeBytes(of: low.bigEndian, toByteOffset: 16, as: UInt32.self)
  }

  /// Appends the 20 bytes.
  package func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: high.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: middle.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: low.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The 40 lower-case hexadecimal digits.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The first seven digits, as git abbreviates.
  public var short: String { String(hex.prefix(7)) }
}

extension ObjectID: Comparable {
  public static func < (a: ObjectID, b: ObjectID) -> Bool {
    (a.high, a.middle, a.low) < (b.high, b.middle, b.low)
  }
}

extension ObjectID: CustomStringConvertible {
  public var description: String { hex }
}

/// The 64-bit Fowler–Noll–Vo hash (FNV-1a): stable from run to run, as Swift's `Hasher` is not.
package enum FNV {
  package static let start: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  package static func hash(_ bytes: [UInt8], into state: UInt64 = start) -> UInt64 {
    bytes.withUnsafeBytes { hash($0, into: state) }
  }

  package static func hash(
    _ bytes: UnsafeRawBufferPointer, into state: UInt64 = start
  ) -> UInt64 {
    var state = state
    for byte in bytes { state = (state ^ UInt64(byte)) &* prime }
    return state
  }

  /// The hash of some bytes as 16 hexadecimal digits: a short name for a long one.
  package static func digits(of bytes: [UInt8]) -> String {
    let digits = String(hash(bytes), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

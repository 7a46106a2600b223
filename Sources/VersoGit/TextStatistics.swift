/// Counts by which git tells text from binary when it converts line ends.
struct TextStatistics {
  /// CRLF.
  private(set) var pairs = 0
  /// LF without CR.
  private(set) var loneFeeds = 0
  private var loneReturns = 0
  private var zeros = 0
  private var printable = 0
  private var unprintable = 0

  init(_ bytes: [UInt8]) {
    var previous: UInt8 = 0
    for byte in bytes {
      switch (previous, byte) {
      case (UInt8(ascii: "\r"), UInt8(ascii: "\n")): pairs += 1
      case (UInt8(ascii: "\r"), _): loneReturns += 1
      case (_, UInt8(ascii: "\n")): loneFeeds += 1
      default: break
      }
      count(byte)
      previous = byte
    }
    if previous == UInt8(ascii: "\r") { loneReturns += 1 }
    // The end-of-file mark of old DOS programs is not held against a text.
    if previous == 0x1A { unprintable -= 1 }
  }

  private mutating func count(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
    case 0: (zeros, unprintable) = (zeros + 1, unprintable + 1)
    case 0x08, 0x09, 0x0C, 0x1B: printable += 1
    case 0x01..<0x20, 0x7F: unprintable += 1
    default: printable += 1
    }
  }

  /// Whether git would leave the content alone where it has to guess.
  var isBinary: Bool { loneReturns > 0 || zeros > 0 || printable >> 7 < unprintable }
}

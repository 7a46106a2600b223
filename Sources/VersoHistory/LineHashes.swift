import VersoModel

/// The lines of a text that hold a word, as hashes: what two versions have and have not in common,
/// without their order.
struct LineHashes: Sendable {
  /// Sorted, each once.
  let hashes: [Int64]

  /// Texts larger than this, in bytes, are not searched.
  static let largest = 64 << 20

  init() { hashes = [] }

  init(of text: [UInt8]) {
    var found: [Int64] = []
    TextLines.forEach(in: text) { line, _ in
      if Self.mayHoldWord(line) { found.append(Self.hash(line)) }
    }
    found.sort()
    var distinct: [Int64] = []
    distinct.reserveCapacity(found.count)
    for hash in found where distinct.last != hash { distinct.append(hash) }
    hashes = distinct
  }

  /// Those that the other has not.
  func subtracting(_ other: LineHashes) -> [Int64] {
    var rest: [Int64] = []
    var at = 0
    for hash in hashes {
      while at < other.hashes.count, other.hashes[at] < hash { at += 1 }
      if at == other.hashes.count || other.hashes[at] != hash { rest.append(hash) }
    }
    return rest
  }

  static func hash(_ line: UnsafeRawBufferPointer) -> Int64 {
    Int64(bitPattern: FNV.hash(line))
  }

  /// Whether there is a letter or digit, or what may be one.
  static func mayHoldWord(_ line: UnsafeRawBufferPointer) -> Bool {
    line.contains { byte in
      byte >= 0x80 || 0x61...0x7A ~= byte || 0x41...0x5A ~= byte || 0x30...0x39 ~= byte
    }
  }
}

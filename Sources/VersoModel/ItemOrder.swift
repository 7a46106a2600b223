/// In which order a list shows its items; folders always come before files.
public enum ItemOrder: Sendable, CaseIterable {
  /// By name: case is ignored, and a run of digits counts by its value.
  case name
  /// The last written first.
  case modified
  /// The largest first.
  case size
}

/// What an order needs to know beyond names.
public struct ItemFacts: Hashable, Sendable {
  /// Seconds since 1970.
  public let modified: Int64
  /// Bytes.
  public let size: Int64

  /// Makes facts.
  public init(modified: Int64, size: Int64) {
    self.modified = modified
    self.size = size
  }
}

/// An item with what it is sorted by.
struct ItemRow: Sendable {
  let item: Item
  private let rank: Int
  private let measure: Int64
  private let key: [UInt8]

  init(_ item: Item, _ order: ItemOrder, _ facts: ItemFacts?) {
    self.item = item
    rank = item.isVault ? 0 : item.isFolder ? 1 : 2
    switch order {
    case .name: measure = 0
    case .modified: measure = -(facts?.modified ?? 0)
    case .size: measure = -(facts?.size ?? 0)
    }
    key = Self.key(of: item.path.name)
  }

  /// The folded name, each run of digits without leading zeros and after its length: so bytes compare as
  /// values do.
  private static func key(of name: ArraySlice<UInt8>) -> [UInt8] {
    let isPlain = name.allSatisfy { $0 < 0x80 }
    let folded =
      isPlain
      ? name.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
      : Array(String(decoding: name, as: UTF8.self).lowercased().utf8)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard folded.contains(where: digits.contains) else { return folded }
    var (key, at) = ([UInt8](), 0)
    while at < folded.count {
      let end = folded[at...].firstIndex { !digits.contains($0) } ?? folded.count
      if end > at {
        let run = folded[at..<end].drop { $0 == digits.lowerBound }
        key += [digits.lowerBound, UInt8(min(255, run.count))] + run
        at = end
      } else {
        key.append(folded[at])
        at += 1
      }
    }
    return key
  }

  static func precedes(_ a: ItemRow, _ b: ItemRow) -> Bool {
    if a.rank != b.rank { return a.rank < b.rank }
    if a.measure != b.measure { return a.measure < b.measure }
    if a.key != b.key { return a.key.lexicographicallyPrecedes(b.key) }
    return a.item.path < b.item.path
  }
}

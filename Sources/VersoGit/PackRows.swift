import VersoModel

/// What a pack holds so far: 32 bytes an object, and a hash table of another 6 to 12.
///
/// Rows lie in pieces that never move, so that a million of them cost no copy as they grow.
struct PackRows {
  struct Row {
    var id: ObjectID
    var checksum: UInt32
    /// Where in the pack the object begins; known once its block is written.
    var offset: Int
  }

  private static let pieceShift = 14
  private var pieces: [ContiguousArray<Row>] = []
  private(set) var count = 0
  /// Positions plus one, 0 where free; open addressing.
  private var slots = ContiguousArray<UInt32>(repeating: 0, count: 1 << 12)

  subscript(position: Int) -> Row {
    pieces[position >> Self.pieceShift][position & (1 << Self.pieceShift - 1)]
  }

  /// Ids are evenly spread already, so any of their bits are a hash.
  private func slot(_ id: ObjectID) -> Int {
    Int(truncatingIfNeeded: id.prefix & UInt64(slots.count - 1))
  }

  /// The position where `id` stands, or the free slot where it would be entered.
  private func find(_ id: ObjectID) -> (position: Int?, slot: Int) {
    var slot = slot(id)
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if self[position].id == id { return (position, slot) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return (nil, slot)
  }

  func contains(_ id: ObjectID) -> Bool { find(id).position != nil }

  /// Says where in the pack an object begins.
  mutating func place(_ position: Int, at offset: Int, checksum: UInt32) {
    let (piece, row) = (position >> Self.pieceShift, position & (1 << Self.pieceShift - 1))
    pieces[piece][row].offset = offset
    pieces[piece][row].checksum = checksum
  }

  /// Enters an id.
  ///
  /// - Returns: Its position; `nil` where it is there already.
  mutating func insert(_ id: ObjectID) -> Int? {
    if count * 3 > slots.count * 2 { growSlots() }
    let (position, slot) = find(id)
    guard position == nil else { return nil }
    if count & (1 << Self.pieceShift - 1) == 0 {
      var piece = ContiguousArray<Row>()
      piece.reserveCapacity(1 << Self.pieceShift)
      pieces.append(piece)
    }
    pieces[pieces.count - 1].append(Row(id: id, checksum: 0, offset: 0))
    count += 1
    slots[slot] = UInt32(count)
    return count - 1
  }

  private mutating func growSlots() {
    slots = ContiguousArray(repeating: 0, count: slots.count * 2)
    for position in 0..<count {
      var slot = slot(self[position].id)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(position + 1)
    }
  }

  /// The positions in the order of their ids.
  ///
  /// Distributed by two bytes first: then even a million leave 16 to sort at a time.
  func sorted() -> ContiguousArray<UInt32> {
    func bucket(_ position: Int) -> Int { Int(self[position].id.prefix >> 48) }
    var starts = ContiguousArray<UInt32>(repeating: 0, count: 65537)
    for position in 0..<count { starts[bucket(position) + 1] += 1 }
    for bucket in 1...65536 { starts[bucket] += starts[bucket - 1] }
    var next = starts
    var order = ContiguousArray<UInt32>(repeating: 0, count: count)
    for position in 0..<count {
      let bucket = bucket(position)
      order[Int(next[bucket])] = UInt32(position)
      next[bucket] += 1
    }
    for bucket in 0..<65536 where starts[bucket + 1] - starts[bucket] > 1 {
      order[Int(starts[bucket])..<Int(starts[bucket + 1])].sort {
        self[Int($0)].id < self[Int($1)].id
      }
    }
    return order
  }
}

extension ObjectID {
  /// The first eight bytes as a number, the first byte highest: in the order of ids, as far as they
  /// go.
  fileprivate var prefix: UInt64 {
    // The first field of an id holds exactly these.
    withUnsafeBytes(of: self) { $0.loadUnaligned(as: UInt64.self) }
  }
}

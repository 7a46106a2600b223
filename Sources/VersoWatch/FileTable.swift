/// The files of a folder by name, in a third of the room that a dictionary takes: there may be a
/// million of them.
///
/// Rows lie side by side, in no order; names lie in one block of bytes, each after its length. An
/// array of row numbers, found by hash, leads to them once they are more than a few.
package struct FileTable {
  private struct Row {
    var file: LiveFile
    /// Where its name's length lies in `names`.
    var name: UInt32
  }

  private var rows: [Row] = []
  private var names: [UInt8] = []
  /// Bytes of `names` that no row has any more.
  private var waste = 0
  /// Row numbers plus one, 0 where there is none, at the name's hash or the next free slot. A power of
  /// two in size; empty while the rows are few.
  private var slots: [UInt32] = []

  private static let few = 8

  init() {}

  package var count: Int { rows.count }
  package var isEmpty: Bool { rows.isEmpty }

  /// All names, in no order.
  package var keys: [[UInt8]] { rows.map { Array(names[span($0)]) } }

  /// The names of those files that `isWanted` says yes to.
  func names(where isWanted: (LiveFile) -> Bool) -> [[UInt8]] {
    rows.compactMap { isWanted($0.file) ? Array(names[span($0)]) : nil }
  }

  package subscript(name: [UInt8]) -> LiveFile? {
    get { find(name).map { rows[$0].file } }
    set {
      guard let file = newValue else {
        removeValue(forKey: name)
        return
      }
      if let row = find(name) { rows[row].file = file } else { append(name, file) }
    }
  }

  mutating func reserveCapacity(_ count: Int) {
    rows.reserveCapacity(count)
    if count > Self.few { grow(for: count) }
  }

  @discardableResult
  mutating func removeValue(forKey name: [UInt8]) -> LiveFile? {
    guard let row = find(name) else { return nil }
    let file = rows[row].file
    let last = rows.count - 1
    if !slots.isEmpty {
      vacate(slot(of: row))
      if row != last { slots[slot(of: last)] = UInt32(row + 1) }
    }
    // The last row takes its place.
    rows[row] = rows[last]
    rows.removeLast()
    waste += name.count + 1
    if waste > 4096, waste > names.count / 2 { compact() }
    return file
  }

  // MARK: Names

  private func span(_ row: Row) -> Range<Int> {
    let start = Int(row.name)
    return start + 1..<start + 1 + Int(names[start])
  }

  private func hasName(_ row: Int, _ name: [UInt8]) -> Bool {
    let span = span(rows[row])
    return span.count == name.count && names[span].elementsEqual(name)
  }

  private mutating func append(_ name: [UInt8], _ file: LiveFile) {
    // No file system of Linux has longer ones.
    precondition(name.count <= UInt8.max, "a name has at most 255 bytes")
    rows.append(Row(file: file, name: UInt32(names.count)))
    names.append(UInt8(name.count))
    names += name
    if rows.count > Self.few, rows.count * 4 > slots.count * 3 {
      grow(for: rows.count)
    } else if !slots.isEmpty {
      enter(rows.count - 1)
    }
  }

  private mutating func compact() {
    var kept: [UInt8] = []
    kept.reserveCapacity(names.count - waste)
    for index in rows.indices {
      let span = span(rows[index])
      rows[index].name = UInt32(kept.count)
      kept += names[(span.lowerBound - 1)..<span.upperBound]
    }
    names = kept
    waste = 0
  }

  // MARK: Slots

  private func start(_ name: some Sequence<UInt8>) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash ^ (hash >> 29)) & (slots.count - 1)
  }

  private func find(_ name: [UInt8]) -> Int? {
    if slots.isEmpty { return rows.indices.first { hasName($0, name) } }
    var slot = start(name)
    while slots[slot] != 0 {
      let row = Int(slots[slot]) - 1
      if hasName(row, name) { return row }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The slot that leads to a row.
  private func slot(of row: Int) -> Int {
    var slot = start(names[span(rows[row])])
    while slots[slot] != UInt32(row + 1) { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func enter(_ row: Int) {
    var slot = start(names[span(rows[row])])
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(row + 1)
  }

  private mutating func grow(for count: Int) {
    var size = max(16, slots.count)
    while size * 3 < count * 4 { size *= 2 }
    if size == slots.count { return }
    slots = Array(repeating: 0, count: size)
    for row in rows.indices { enter(row) }
  }

  /// Empties a slot, and moves those after it that would not be found past the gap.
  private mutating func vacate(_ slot: Int) {
    let mask = slots.count - 1
    var gap = slot
    slots[gap] = 0
    var next = (gap + 1) & mask
    while slots[next] != 0 {
      let home = start(names[span(rows[Int(slots[next]) - 1])])
      if (next &- home) & mask >= (next &- gap) & mask {
        slots[gap] = slots[next]
        slots[next] = 0
        gap = next
      }
      next = (next + 1) & mask
    }
  }
}

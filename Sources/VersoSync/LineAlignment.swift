/// Which lines of a text were taken out, and what was put in their place.
///
/// The edit script is the shortest. Of several that are equally short the one is taken that, read
/// from the start, matches lines as soon as they are equal, and else removes before it inserts, so
/// that every device finds the same. Where two texts differ in more than ``longestScript`` lines the
/// parts between lines that both have once are compared instead, and parts that are still too
/// different are replaced as a whole.
///
/// After Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), from the end backwards.
struct LineAlignment {
  /// Lines `old` of the base became the lines `new`; either may be empty.
  struct Hunk: Hashable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// Keeps memory at 32 MB and time below a second.
  static let longestScript = 4000

  private(set) var hunks: [Hunk] = []
  private let old: [Int32]
  private let new: [Int32]

  init(from base: [TextLine], to text: [TextLine]) {
    var numbers: [TextLine: Int32] = [:]
    func number(_ line: TextLine) -> Int32 {
      let next = Int32(truncatingIfNeeded: numbers.count)
      if let known = numbers[line] { return known }
      numbers[line] = next
      return next
    }
    old = base.map(number)
    new = text.map(number)
    compare(0..<old.count, 0..<new.count, isAnchored: false)
  }

  private mutating func compare(_ base: Range<Int>, _ text: Range<Int>, isAnchored: Bool) {
    var (b, t) = (base, text)
    while !b.isEmpty, !t.isEmpty, old[b.lowerBound] == new[t.lowerBound] {
      (b, t) = (b.dropFirst(), t.dropFirst())
    }
    while !b.isEmpty, !t.isEmpty, old[b.upperBound - 1] == new[t.upperBound - 1] {
      (b, t) = (b.dropLast(), t.dropLast())
    }
    if b.isEmpty && t.isEmpty { return }
    if b.isEmpty || t.isEmpty { return append(b, t) }
    if let script = distances(b, t) { return walk(b, t, script) }
    let anchors = isAnchored ? [] : anchors(b, t)
    if anchors.isEmpty { return append(b, t) }
    var (from, to) = (b.lowerBound, t.lowerBound)
    for anchor in anchors {
      compare(from..<anchor.old, to..<anchor.new, isAnchored: true)
      (from, to) = (anchor.old + 1, anchor.new + 1)
    }
    compare(from..<b.upperBound, to..<t.upperBound, isAnchored: true)
  }

  private mutating func append(_ base: Range<Int>, _ text: Range<Int>) {
    if let last = hunks.last, last.old.upperBound == base.lowerBound,
      last.new.upperBound == text.lowerBound
    {
      hunks[hunks.count - 1] = Hunk(
        old: last.old.lowerBound..<base.upperBound, new: last.new.lowerBound..<text.upperBound)
    } else {
      hunks.append(Hunk(old: base, new: text))
    }
  }

  /// For each length of script, how far up from the end each diagonal can be reached; `nil` where
  /// the script would be too long.
  ///
  /// Row `d` holds diagonals `-d, -d + 2 … d` (base minus text, counted from the end): the smallest
  /// line of the base from which `d` edits are enough.
  private func distances(_ b: Range<Int>, _ t: Range<Int>) -> [[Int32]]? {
    let (n, m) = (b.count, t.count)
    let limit = min(n + m, Self.longestScript)
    if n + m - 2 * mostShared(b, t) > limit { return nil }
    var rows: [[Int32]] = []
    return old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        for d in 0...limit {
          var row = [Int32](repeating: Int32.max, count: d + 1)
          for slot in 0...d {
            let k = 2 * slot - d
            var x = n
            if d > 0 {
              x = Self.start(rows[d - 1], slot: slot, d: d, k: k, n: n, m: m)
              if x == Int.max { continue }
            }
            var y = x - (n - m) - k
            while x > 0, y > 0, old[b.lowerBound + x - 1] == new[t.lowerBound + y - 1] {
              x -= 1
              y -= 1
            }
            row[slot] = Int32(truncatingIfNeeded: x)
            if x == 0, y == 0 {
              rows.append(row)
              return rows
            }
          }
          rows.append(row)
        }
        return nil
      }
    }
  }

  /// How many lines two parts can share at most, in whatever order.
  private func mostShared(_ b: Range<Int>, _ t: Range<Int>) -> Int {
    var counts: [Int32: Int] = [:]
    for i in b { counts[old[i], default: 0] += 1 }
    var shared = 0
    for j in t {
      guard let count = counts[new[j]], count > 0 else { continue }
      counts[new[j]] = count - 1
      shared += 1
    }
    return shared
  }

  /// The smallest base line on diagonal `k` that one more edit reaches from the row before; no
  /// line is `Int.max`.
  ///
  /// With `k` = (x - y) - (n - m): taking out base line x - 1 comes from k + 1, inserting from
  /// k - 1.
  private static func start(
    _ before: [Int32], slot: Int, d: Int, k: Int, n: Int, m: Int
  ) -> Int {
    var best = Int.max
    // Row d - 1 holds diagonal k + 1 in slot (k + 1 + d - 1) / 2 = slot, k - 1 in slot - 1.
    if slot < before.count, before[slot] != Int32.max, before[slot] > 0 {
      best = Int(before[slot]) - 1
    }
    if slot > 0, before[slot - 1] != Int32.max {
      let x = Int(before[slot - 1])
      let y = x - (n - m) - (k - 1)
      if y > 0 { best = min(best, x) }
    }
    return best
  }

  /// Goes from the start along the shortest script.
  private mutating func walk(_ b: Range<Int>, _ t: Range<Int>, _ rows: [[Int32]]) {
    let (n, m) = (b.count, t.count)
    var (i, j) = (0, 0)
    var (fromI, fromJ) = (0, 0)
    var left = rows.count - 1
    /// Whether `d` edits are enough from (i, j) to the end.
    func isEnough(_ d: Int, _ i: Int, _ j: Int) -> Bool {
      let k = (i - j) - (n - m)
      guard d >= 0, abs(k) <= d, (k + d) % 2 == 0 else { return false }
      return Int(rows[d][(k + d) / 2]) <= i
    }
    while i < n, j < m {
      if old[b.lowerBound + i] == new[t.lowerBound + j] {
        flush(b, t, fromI..<i, fromJ..<j)
        (i, j) = (i + 1, j + 1)
        (fromI, fromJ) = (i, j)
      } else if isEnough(left - 1, i + 1, j) {
        i += 1
        left -= 1
      } else {
        j += 1
        left -= 1
      }
    }
    flush(b, t, fromI..<n, fromJ..<m)
  }

  private mutating func flush(
    _ b: Range<Int>, _ t: Range<Int>, _ base: Range<Int>, _ text: Range<Int>
  ) {
    if base.isEmpty && text.isEmpty { return }
    append(
      (b.lowerBound + base.lowerBound)..<(b.lowerBound + base.upperBound),
      (t.lowerBound + text.lowerBound)..<(t.lowerBound + text.upperBound))
  }

  /// The longest run of lines that both sides have exactly once, in the same order on both.
  private func anchors(_ b: Range<Int>, _ t: Range<Int>) -> [(old: Int, new: Int)] {
    var places: [Int32: (count: Int, at: Int)] = [:]
    for j in t { places[new[j], default: (0, j)].count += 1 }
    var counts: [Int32: Int] = [:]
    for i in b { counts[old[i], default: 0] += 1 }
    let pairs: [(old: Int, new: Int)] = b.compactMap { i in
      guard counts[old[i]] == 1, let place = places[old[i]], place.count == 1 else { return nil }
      return (i, place.at)
    }
    // Patience: the piles' tops, and for each card the one below it.
    var tops: [Int] = []
    var below = [Int](repeating: -1, count: pairs.count)
    for (number, pair) in pairs.enumerated() {
      var (low, high) = (0, tops.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[tops[middle]].new < pair.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { below[number] = tops[low - 1] }
      if low == tops.count { tops.append(number) } else { tops[low] = number }
    }
    var run: [(old: Int, new: Int)] = []
    var next = tops.last ?? -1
    while next >= 0 {
      run.append(pairs[next])
      next = below[next]
    }
    return run.reversed()
  }
}

/// The three-way merge of lines.
///
/// Changes that touch are both taken; only changes of the same lines compete. Nothing here depends
/// on which side is which, but for the winner of a true conflict.
struct LineMerge {
  /// A change of one side: lines of the base, and what stands there instead.
  struct Change: Hashable {
    let old: Range<Int>
    let new: ArraySlice<TextLine>

    var isInsertion: Bool { old.isEmpty }
    var isRemoval: Bool { new.isEmpty }

    func overlaps(_ other: Change) -> Bool {
      if old.isEmpty && other.old.isEmpty { return old.lowerBound == other.old.lowerBound }
      if old.isEmpty {
        return other.old.lowerBound < old.lowerBound && old.lowerBound < other.old.upperBound
      }
      if other.old.isEmpty { return other.overlaps(self) }
      return old.overlaps(other.old)
    }
  }

  /// Changes of both sides that overlap, directly or through one another.
  private struct Region {
    var mine: [Change] = []
    var theirs: [Change] = []

    mutating func add(_ change: Change, isMine: Bool) {
      if isMine { mine.append(change) } else { theirs.append(change) }
    }

    func overlaps(_ change: Change, isMine: Bool) -> Bool {
      (isMine ? theirs : mine).contains { $0.overlaps(change) }
    }

    func overlaps(_ other: Region) -> Bool {
      mine.contains { other.overlaps($0, isMine: true) }
        || theirs.contains { other.overlaps($0, isMine: false) }
    }

    var range: Range<Int> {
      let all = mine + theirs
      let low = all.map(\.old.lowerBound).min() ?? 0
      return low..<(all.map(\.old.upperBound).max() ?? low)
    }
  }

  private let base: [TextLine]
  private let frontMatterEnd: Int
  private let joinsAll: Bool
  private(set) var lines: [TextLine] = []
  /// Whether lines of one side had to give way.
  private(set) var hasConflict = false

  /// Merges what two sides made of `base`.
  ///
  /// - Parameters:
  ///   - frontMatterEnd: Where both sides insert at one point above this line, they are joined only
  ///     if they set different properties.
  ///   - joinsAll: Whether the lines of both sides stay wherever they compete (`merge=union`).
  ///   - xWins: Whose lines stay in a conflict; asked only if there is one.
  init<E>(
    base: [TextLine], x: [TextLine], y: [TextLine], frontMatterEnd: Int, joinsAll: Bool = false,
    xWins: () throws(E) -> Bool
  ) throws(E) {
    self.base = base
    self.frontMatterEnd = frontMatterEnd
    self.joinsAll = joinsAll
    var position = 0
    for region in Self.regions(Self.changes(base, x), Self.changes(base, y)) {
      let range = region.range
      lines += base[position..<range.lowerBound]
      position = range.upperBound
      try merge(region, xWins)
    }
    lines += base[position...]
  }

  private static func changes(_ base: [TextLine], _ text: [TextLine]) -> [Change] {
    LineAlignment(from: base, to: text).hunks.map { Change(old: $0.old, new: text[$0.new]) }
  }

  private static func regions(_ mine: [Change], _ theirs: [Change]) -> [Region] {
    var grown: [Region] = []
    var (i, j) = (0, 0)
    while i < mine.count || j < theirs.count {
      // By place; at one place insertions first, and ours before theirs.
      let isMine =
        j == theirs.count
        || i < mine.count
          && (mine[i].old.lowerBound, mine[i].old.upperBound)
            <= (theirs[j].old.lowerBound, theirs[j].old.upperBound)
      let change = isMine ? mine[i] : theirs[j]
      if isMine { i += 1 } else { j += 1 }
      if grown.last?.overlaps(change, isMine: isMine) != true { grown.append(Region()) }
      grown[grown.count - 1].add(change, isMine: isMine)
    }
    // A long change may overlap one that is not in the region just before it.
    var folded: [Region] = []
    for region in grown {
      if let last = folded.last, region.overlaps(last) {
        folded[folded.count - 1].mine += region.mine
        folded[folded.count - 1].theirs += region.theirs
      } else {
        folded.append(region)
      }
    }
    return folded
  }

  private mutating func merge<E>(
    _ region: Region, _ xWins: () throws(E) -> Bool
  ) throws(E) {
    let range = region.range
    if region.mine.isEmpty || region.theirs.isEmpty {
      lines += applying(region.mine + region.theirs, to: range)
      return
    }
    let x = applying(region.mine, to: range)
    let y = applying(region.theirs, to: range)
    if x == y {
      lines += x
    } else if region.mine.allSatisfy(\.isInsertion), region.theirs.allSatisfy(\.isInsertion),
      joinsAll || range.lowerBound >= frontMatterEnd || FrontMatter.areDisjoint(x, y)
    {
      lines += Self.join(x, y)
    } else if region.mine.allSatisfy(\.isRemoval) || region.theirs.allSatisfy(\.isRemoval) {
      lines += weave(region, range)
    } else {
      lines += try settle(x, y, xWins)
    }
  }

  /// Two versions of the same lines: one that only adds to what both have, else the winner's.
  private mutating func settle<E>(
    _ x: [TextLine], _ y: [TextLine], _ xWins: () throws(E) -> Bool
  ) throws(E) -> [TextLine] {
    let shortest = min(x.count, y.count)
    let head = zip(x, y).prefix { $0 == $1 }.count
    let tail = zip(x.reversed(), y.reversed()).prefix(shortest - head).prefix { $0 == $1 }.count
    if shortest == head + tail { return x.count > y.count ? x : y }
    if joinsAll { return Self.join(x, y) }
    hasConflict = true
    return try xWins() ? x : y
  }

  private func applying(_ changes: [Change], to range: Range<Int>) -> [TextLine] {
    var text: [TextLine] = []
    var position = range.lowerBound
    for change in changes {
      text += base[position..<change.old.lowerBound]
      text += change.new
      position = change.old.upperBound
    }
    return text + base[position..<range.upperBound]
  }

  /// One side only removes: every line that was removed goes, every line that was written stays.
  private func weave(_ region: Region, _ range: Range<Int>) -> [TextLine] {
    var removed = Set<Int>()
    var inserted: [Int: [[TextLine]]] = [:]
    for change in region.mine + region.theirs {
      removed.formUnion(change.old)
      if !change.new.isEmpty {
        inserted[change.old.lowerBound, default: []].append(Array(change.new))
      }
    }
    var text: [TextLine] = []
    for number in range.lowerBound...range.upperBound {
      let here = inserted[number] ?? []
      if here.count == 2 { text += Self.join(here[0], here[1]) } else { text += here.joined() }
      if number < range.upperBound, !removed.contains(number) { text.append(base[number]) }
    }
    return text
  }

  /// Two insertions at one point: what both start and end with once, the two rests in byte order,
  /// and a blank line between them where paragraphs meet.
  static func join(_ x: [TextLine], _ y: [TextLine]) -> [TextLine] {
    if x == y { return x }
    let head = zip(x, y).prefix { $0 == $1 }.count
    let (a, b) = (x[head...], y[head...])
    let tail = zip(a.reversed(), b.reversed()).prefix { $0 == $1 }.count
    let rests = [a.dropLast(tail), b.dropLast(tail)].sorted { $0.lexicographicallyPrecedes($1) }
    var seam: [TextLine] = []
    if let above = rests[0].last, let below = rests[1].first, !above.isBlank, !below.isBlank,
      !(above.isListItem && below.isListItem)
    {
      seam = (x[..<head].suffix(1) + x.suffix(tail).prefix(1)).filter(\.isBlank)
    }
    return x[..<head] + rests[0] + seam.prefix(1) + rests[1] + x.suffix(tail)
  }
}

/// The three-way merge of two texts.
///
/// How lines end, and whether the last one is ended, are properties of the whole text and merged on
/// their own, so that a change of all line ends is no change of any line.
struct TextMerge {
  /// The merged text.
  private(set) var text: [UInt8] = []
  /// Whether the side that gave way wrote lines that are in the merged text nowhere.
  private(set) var hasLoss = false

  /// How texts are merged.
  enum Style: Hashable {
    /// By the rules for notes.
    case plain
    /// Lines of both sides stay wherever they compete, as git's `merge=union` does it.
    case union
  }

  /// Merges what two sides made of `base`.
  ///
  /// - Parameters:
  ///   - base: `nil` where both sides made the file.
  ///   - xWins: Whose lines stay in a conflict; asked only if there is one.
  init<E>(
    base: [UInt8]?, x: [UInt8], y: [UInt8], style: Style = .plain, xWins: () throws(E) -> Bool
  ) throws(E) {
    let base = base ?? (style == .union ? [] : nil)
    let endings = [base ?? [], x, y].map(TextLines.ending)
    let strips = !endings.contains(.mixed)
    let (mine, theirs) = (
      TextLines(x, stripping: strips), TextLines(y, stripping: strips)
    )
    let ending: TextLines.Ending =
      strips
      ? Self.ending(base: base == nil ? nil : .some(endings[0]), endings[1], endings[2]) : .lf
    var (left, right) = (mine.lines, theirs.lines)
    try FrontMatter.settleDates(&left, &right, xWins: xWins)
    guard let base else {
      try mergeAdded(x, y, mine, theirs, left, right, ending, xWins)
      return
    }
    let old = TextLines(base, stripping: strips)
    (left, right) = (
      FrontMatter.undoDates(left, base: old.lines, without: right),
      FrontMatter.undoDates(right, base: old.lines, without: left)
    )
    let ends = [old.lines, left, right].map(FrontMatter.end)
    let merge = try LineMerge(
      base: old.lines, x: left, y: right, frontMatterEnd: ends.min() ?? 0,
      joinsAll: style == .union, xWins: xWins)
    let isEnded = mine.isEnded == theirs.isEnded ? mine.isEnded : !old.isEnded
    text = TextLines.joined(
      merge.lines, ending: ending, isEnded: isEnded && !merge.lines.isEmpty)
    if merge.hasConflict {
      let loser = try xWins() ? right : left
      let kept = Set(merge.lines).union(old.lines)
      hasLoss = loser.contains {
        !kept.contains($0) && !$0.isBlank && FrontMatter.DateLine($0) == nil
      }
    }
  }

  /// The line end of the result; both sides have another, pure one or none.
  private static func ending(
    base: TextLines.Ending??, _ x: TextLines.Ending?, _ y: TextLines.Ending?
  ) -> TextLines.Ending {
    if x == y { return x ?? .lf }
    if let base, base == x || base == y { return (base == x ? y : x) ?? x ?? y ?? .lf }
    if let x, y != nil { return x == y ? x : .lf }
    return x ?? y ?? .lf
  }

  /// Both sides made the file: the longer one if it holds the lines of the other in order, both
  /// rests below a common head, else the winner's.
  private mutating func mergeAdded<E>(
    _ x: [UInt8], _ y: [UInt8], _ mine: TextLines, _ theirs: TextLines, _ left: [TextLine],
    _ right: [TextLine], _ ending: TextLines.Ending, _ xWins: () throws(E) -> Bool
  ) throws(E) {
    func finish(_ lines: [TextLine]) {
      text = TextLines.joined(lines, ending: ending, isEnded: !lines.isEmpty)
    }
    if left.isEmpty || right.isEmpty { return finish(left.isEmpty ? right : left) }
    if Self.contains(left, right) { return finish(left) }
    if Self.contains(right, left) { return finish(right) }
    let head = zip(left, right).prefix { $0 == $1 }.count
    let end = max(FrontMatter.end(in: left), FrontMatter.end(in: right))
    if head >= end, left[end..<head].contains(where: { !$0.isBlank }) {
      return finish(LineMerge.join(left, right))
    }
    text = try xWins() ? x : y
    hasLoss = true
  }

  /// Whether `text` has all `lines`, in their order.
  private static func contains(_ text: [TextLine], _ lines: [TextLine]) -> Bool {
    var wanted = lines[...]
    for line in text where line == wanted.first { wanted.removeFirst() }
    return wanted.isEmpty
  }
}

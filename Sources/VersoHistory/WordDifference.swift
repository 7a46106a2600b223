package import VersoGit

/// The words in which two texts differ.
///
/// Meant for the lines of one change. Text that both share at the ends costs next to nothing; of what
/// remains, more than ``largestBlock`` is shown as one piece exchanged for another, so that a line of
/// 10 MB takes linear time.
package struct WordDifference: Hashable, Sendable {
  /// A piece of text.
  package struct Span: Hashable, Sendable {
    package enum Kind: Sendable {
      case equal
      case removed
      case added
    }

    package let kind: Kind
    package let text: [UInt8]
  }

  /// Equal and removed spans in turn are the old text, equal and added ones the new text.
  package let spans: [Span]
  package let removedWords: Int
  package let addedWords: Int

  /// The most bytes, both sides together, that are compared word by word.
  package static let largestBlock = 512 << 10

  /// Compares two texts.
  package init(from old: [UInt8], to new: [UInt8]) throws(GitError) {
    let (start, end) = Self.sharedEnds(old, new)
    var builder = Builder()
    builder.add(.equal, old[..<start])
    try builder.compare(old[start..<(old.count - end)], new[start..<(new.count - end)])
    builder.add(.equal, old[(old.count - end)...])
    (spans, removedWords, addedWords) = (builder.spans, builder.removed, builder.added)
  }

  /// How many bytes both texts share at their start and at their end, cut where one word ends and
  /// another begins.
  private static func sharedEnds(_ old: [UInt8], _ new: [UInt8]) -> (start: Int, end: Int) {
    let shortest = min(old.count, new.count)
    var start = 0
    while start < shortest, old[start] == new[start] { start += 1 }
    if start == old.count, start == new.count { return (start, 0) }
    while start > 0, !isCut(old, start) || !isCut(new, start) { start -= 1 }
    var end = 0
    while end < shortest - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    while end > 0, !isCut(old, old.count - end) || !isCut(new, new.count - end) { end -= 1 }
    return (start, end)
  }

  /// Whether a text may be cut at a place: between a space or line end and an ASCII character that
  /// is not a space, so that neither a word nor a character nor a run of spaces is split.
  private static func isCut(_ text: [UInt8], _ at: Int) -> Bool {
    if at == 0 || at == text.count { return true }
    let (left, right) = (text[at - 1], text[at])
    guard right < 0x80, right != 0x0A, left == 0x0A || left == 0x20 || left == 0x09 else {
      return false
    }
    return left == 0x0A || (right != 0x20 && right != 0x09 && right != 0x0B && right != 0x0C)
  }
}

/// Collects spans, joining those that continue one another.
private struct Builder {
  var spans: [WordDifference.Span] = []
  var removed = 0
  var added = 0

  mutating func add(_ kind: WordDifference.Span.Kind, _ text: ArraySlice<UInt8>) {
    if text.isEmpty { return }
    if let last = spans.last, last.kind == kind {
      spans[spans.count - 1] = WordDifference.Span(kind: kind, text: last.text + text)
    } else {
      spans.append(WordDifference.Span(kind: kind, text: Array(text)))
    }
  }

  mutating func compare(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) throws(GitError) {
    if old.isEmpty || new.isEmpty || old.count + new.count > WordDifference.largestBlock {
      add(.removed, old)
      add(.added, new)
      removed += WordTokens.count(in: old)
      added += WordTokens.count(in: new)
      return
    }
    let (mine, theirs) = (WordTokens(old).tokens, WordTokens(new).tokens)
    let regions = try Self.regions(old, mine, new, theirs)
    var reached = 0
    for region in Self.joined(regions, mine) {
      add(.equal, Self.text(old, mine, reached..<region.old.lowerBound))
      add(.removed, Self.text(old, mine, region.old))
      add(.added, Self.text(new, theirs, region.new))
      reached = region.old.upperBound
    }
    add(.equal, Self.text(old, mine, reached..<mine.count))
    for region in regions {
      removed += mine[region.old].count { $0.kind == .word }
      added += theirs[region.new].count { $0.kind == .word }
    }
  }

  private static func text(
    _ text: ArraySlice<UInt8>, _ tokens: [WordTokens.Token], _ range: Range<Int>
  ) -> ArraySlice<UInt8> {
    guard let first = tokens[range].first, let last = tokens[range].last else { return [] }
    return text[first.range.lowerBound..<last.range.upperBound]
  }

  /// Compares the tokens as if each were a line: a number stands for each distinct one, so that the
  /// library's line difference does the work.
  private static func regions(
    _ old: ArraySlice<UInt8>, _ mine: [WordTokens.Token], _ new: ArraySlice<UInt8>,
    _ theirs: [WordTokens.Token]
  ) throws(GitError) -> [TextDifference.Region] {
    var numbers: [ArraySlice<UInt8>: UInt32] = [:]
    func lines(_ text: ArraySlice<UInt8>, _ tokens: [WordTokens.Token]) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(5 * tokens.count)
      for token in tokens {
        let next = UInt32(numbers.count)
        let number = numbers[text[token.range], default: next]
        if number == next { numbers[text[token.range]] = next }
        for shift in [18, 12, 6, 0] { bytes.append(0x30 + UInt8(number >> UInt32(shift) & 63)) }
        bytes.append(0x0A)
      }
      return bytes
    }
    let left = lines(old, mine)
    return try TextDifference.regions(from: left, to: lines(new, theirs))
  }

  /// Joins replacements with nothing but spaces between: `quick brown` became `slow red`, rather
  /// than two words each.
  private static func joined(
    _ regions: [TextDifference.Region], _ tokens: [WordTokens.Token]
  ) -> [TextDifference.Region] {
    func isReplacement(_ region: TextDifference.Region) -> Bool {
      !region.old.isEmpty && !region.new.isEmpty
    }
    var joined: [TextDifference.Region] = []
    for region in regions {
      guard let last = joined.last, isReplacement(last), isReplacement(region),
        tokens[last.old.upperBound..<region.old.lowerBound].allSatisfy({ $0.kind == .space })
      else {
        joined.append(region)
        continue
      }
      joined[joined.count - 1] = TextDifference.Region(
        old: last.old.lowerBound..<region.old.upperBound,
        new: last.new.lowerBound..<region.new.upperBound)
    }
    return joined
  }
}

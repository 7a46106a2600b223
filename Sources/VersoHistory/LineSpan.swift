import VersoGit

/// Lines of today's text, and where they stand in an older one.
struct LineSpan: Hashable {
  /// The first line in today's text, from 0.
  let goal: Int
  /// The first line in the older text, from 0.
  let start: Int
  let count: Int

  /// Some of these lines, shifted in the older text.
  private func part(_ range: Range<Int>, shift: Int) -> LineSpan {
    LineSpan(
      goal: goal + range.lowerBound - start, start: range.lowerBound + shift, count: range.count)
  }

  /// Divides spans of a text into what it changed, and what it has from the text before.
  ///
  /// - Parameter regions: The differences, in order; their new side is the text of the spans.
  /// - Returns: The changed lines, where they stand in the text, and the others, where they stood
  ///   before.
  static func divide(
    _ spans: [LineSpan], by regions: [TextDifference.Region]
  ) -> (changed: [LineSpan], kept: [LineSpan]) {
    var (changed, kept): ([LineSpan], [LineSpan]) = ([], [])
    for span in spans {
      var at = span.start
      let end = span.start + span.count
      var next = firstRegion(endingAfter: at, regions)
      while at < end {
        let shift =
          next > 0 ? regions[next - 1].old.upperBound - regions[next - 1].new.upperBound : 0
        guard next < regions.count, regions[next].new.lowerBound < end else {
          kept.append(span.part(at..<end, shift: shift))
          break
        }
        let new = regions[next].new
        if at < new.lowerBound { kept.append(span.part(at..<new.lowerBound, shift: shift)) }
        at = max(at, new.lowerBound)
        let stop = min(end, new.upperBound)
        if at < stop { changed.append(span.part(at..<stop, shift: 0)) }
        at = max(at, stop)
        next += 1
      }
    }
    return (changed, kept)
  }

  private static func firstRegion(
    endingAfter line: Int, _ regions: [TextDifference.Region]
  ) -> Int {
    var (low, high) = (0, regions.count)
    while low < high {
      let middle = (low + high) / 2
      if regions[middle].new.upperBound > line { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The lines in which two texts differ, as `git blame` sees them.
enum LineRegions {
  static func between(_ old: Lines, _ new: Lines) throws(GitError) -> [TextDifference.Region] {
    let (start, end) = Lines.shared(old, new)
    let region = TextDifference.Region(
      old: start..<(old.count - end), new: start..<(new.count - end))
    if region.old.isEmpty, region.new.isEmpty { return [] }
    // One block that came or went, and can stand nowhere else, is the answer.
    if region.old.isEmpty, isFixed(region.new, in: new) { return [region] }
    if region.new.isEmpty, isFixed(region.old, in: old) { return [region] }
    let tail = sharedTail(old.text, new.text)
    if tail == 0 { return try TextDifference.regions(from: old.text, to: new.text) }
    return try TextDifference.regions(
      from: Array(old.text.dropLast(tail)), to: Array(new.text.dropLast(tail)))
  }

  /// Whether a block of lines cannot be moved up or down with the same result.
  private static func isFixed(_ block: Range<Int>, in lines: Lines) -> Bool {
    let (first, last) = (block.lowerBound, block.upperBound - 1)
    if first > 0, lines[first - 1] == lines[last] { return false }
    if last + 1 < lines.count, lines[first] == lines[last + 1] { return false }
    return true
  }

  /// How many bytes git leaves out at the end of both texts: equal blocks, up to a line's end.
  ///
  /// It changes which of several equal lines is taken for the same (xdiff-interface.c).
  private static func sharedTail(_ old: [UInt8], _ new: [UInt8]) -> Int {
    let block = 1024
    let smaller = min(old.count, new.count)
    var trimmed = 0
    while trimmed + block <= smaller,
      old[(old.count - trimmed - block)..<(old.count - trimmed)]
        == new[(new.count - trimmed - block)..<(new.count - trimmed)]
    {
      trimmed += block
    }
    var recovered = 0
    while recovered < trimmed {
      recovered += 1
      if old[old.count - trimmed + recovered - 1] == 0x0A { break }
    }
    return trimmed - recovered
  }
}

import VersoGit
import VersoHistory

/// Two texts beside each other, line by line: equal lines in one row, of what differs the lines of both
/// with the words marked that only one of them has.
package struct SideBySide: Hashable, Sendable {
  /// A line of one text, in pieces that both have or only this one.
  package struct Line: Hashable, Sendable {
    /// From 1.
    package let number: Int
    package let pieces: [PastComparison.Piece]
  }

  /// One line of each text at most.
  package struct Row: Hashable, Sendable {
    package let left: Line?
    package let right: Line?
    package let isChanged: Bool

    package init(left: Line?, right: Line?, isChanged: Bool) {
      (self.left, self.right, self.isChanged) = (left, right, isChanged)
    }
  }

  package let rows: [Row]
  /// Runs of rows that differ.
  package let changes: [Range<Int>]
  /// Every line of both, once where both have it: the left one's before the right one's where they
  /// differ; then each ends with a line feed.
  package let joined: [UInt8]
  /// Whether one of them is no text: then there are no rows.
  package let isBinary: Bool

  /// Compares two texts.
  package init(left: [UInt8], right: [UInt8]) throws(VersoError) {
    let whole = left
    guard !TextDifference.isBinary(left), !TextDifference.isBinary(right) else {
      (rows, changes, joined, isBinary) = ([], [], [], true)
      return
    }
    do throws(GitError) {
      // Whether the last line has an end is no difference that anybody would look for.
      let (left, right) = (Self.ended(left), Self.ended(right))
      let (old, new) = (Lines(left), Lines(right))
      var builder = Builder()
      var reached = 0
      for region in try TextDifference.regions(from: left, to: right) {
        builder.addEqual(old, reached..<region.old.lowerBound)
        try builder.addChange(Array(old[region.old]), Array(new[region.new]))
        reached = region.old.upperBound
      }
      builder.addEqual(old, reached..<old.count)
      (rows, changes, isBinary) = (builder.rows, builder.changes, false)
      joined = changes.isEmpty ? whole : builder.joined
    } catch { throw VersoError(error, "compare two texts") }
  }
}

extension SideBySide {
  private static func ended(_ text: [UInt8]) -> [UInt8] {
    text.last.map { $0 == 0x0A } ?? true ? text : text + [0x0A]
  }
}

private struct Builder {
  var rows: [SideBySide.Row] = []
  var changes: [Range<Int>] = []
  var joined: [UInt8] = []
  private var leftNumber = 1
  private var rightNumber = 1

  mutating func addEqual(_ lines: Lines, _ range: Range<Int>) {
    for number in range {
      let text = Self.withoutEnd(lines[number])
      let pieces = [PastComparison.Piece(kind: .both, text: Array(text))]
      rows.append(
        .init(
          left: .init(number: leftNumber, pieces: pieces),
          right: .init(number: rightNumber, pieces: pieces), isChanged: false))
      leftNumber += 1
      rightNumber += 1
      add(text)
    }
  }

  /// Lines that differ stand beside each other from one line end that both share to the next.
  mutating func addChange(_ left: [UInt8], _ right: [UInt8]) throws(GitError) {
    let first = rows.count
    var (ours, theirs) = (Side(), Side())
    for span in try WordDifference(from: left, to: right).spans {
      switch span.kind {
      case .removed: ours.add(span.text, .removed)
      case .added: theirs.add(span.text, .added)
      case .equal:
        var rest = span.text[...]
        while let end = rest.firstIndex(of: 0x0A) {
          ours.add(rest[...end], .both)
          theirs.add(rest[...end], .both)
          pair(&ours, &theirs)
          rest = rest[(end + 1)...]
        }
        ours.add(rest, .both)
        theirs.add(rest, .both)
      }
    }
    ours.endLine()
    theirs.endLine()
    pair(&ours, &theirs)
    if rows.count > first { changes.append(first..<rows.count) }
    for text in [left, right] {
      let lines = Lines(text)
      for number in 0..<lines.count { add(Self.withoutEnd(lines[number])) }
    }
  }

  private mutating func pair(_ ours: inout Side, _ theirs: inout Side) {
    for row in 0..<max(ours.lines.count, theirs.lines.count) {
      rows.append(
        .init(
          left: Self.line(ours.lines, row, &leftNumber),
          right: Self.line(theirs.lines, row, &rightNumber), isChanged: true))
    }
    ours.lines = []
    theirs.lines = []
  }

  private static func line(
    _ lines: [[PastComparison.Piece]], _ row: Int, _ number: inout Int
  ) -> SideBySide.Line? {
    guard row < lines.count else { return nil }
    defer { number += 1 }
    return SideBySide.Line(number: number, pieces: lines[row])
  }

  private mutating func add(_ line: some Sequence<UInt8>) {
    joined += line
    joined.append(0x0A)
  }

  private static func withoutEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == 0x0A ? line.dropLast() : line
  }

  /// The lines of one text since both shared a line end.
  private struct Side {
    var lines: [[PastComparison.Piece]] = []
    private var open: [PastComparison.Piece] = []
    private var isBegun = false

    mutating func add(_ text: some Collection<UInt8>, _ kind: PastComparison.Piece.Kind) {
      let parts = Array(text).split(separator: 0x0A, omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index > 0 {
          isBegun = true
          endLine()
        }
        if part.isEmpty { continue }
        open.append(.init(kind: kind, text: Array(part)))
        isBegun = true
      }
    }

    mutating func endLine() {
      guard isBegun else { return }
      lines.append(open)
      open = []
      isBegun = false
    }
  }
}

import VersoGit
import VersoHistory

/// An old text and how a newer one differs from it, line by line with words, ready to be drawn.
package struct PastComparison: Hashable, Sendable {
  /// A piece of a row.
  package struct Piece: Hashable, Sendable {
    package enum Kind: Sendable { case both, removed, added }

    package let kind: Kind
    package let text: [UInt8]
  }

  /// A line of either text, or of both where only words of it differ.
  package struct Row: Hashable, Sendable {
    package let pieces: [Piece]
    /// The number of the old text's line that it belongs to, from 1; `nil` for what is only in the new
    /// text.
    package let oldLine: Int?
  }

  package let rows: [Row]
  /// Runs of lines of the old text that the new one has not, or has otherwise.
  package let passages: [ClosedRange<Int>]
  package let addedWords: Int
  package let removedWords: Int

  /// Compares two texts; what is no text has no rows.
  package init(from old: [UInt8], to new: [UInt8]) throws(VersoError) {
    guard !TextDifference.isBinary(old), !TextDifference.isBinary(new) else {
      (rows, passages, addedWords, removedWords) = ([], [], 0, 0)
      return
    }
    do throws(GitError) {
      let (source, target) = (Lines(old), Lines(new))
      var builder = Builder()
      var reached = 0
      for region in try TextDifference.regions(from: old, to: new) {
        builder.addEqual(source[reached..<region.old.lowerBound])
        try builder.add(source[region.old], target[region.new])
        reached = region.old.upperBound
      }
      builder.addEqual(source[reached..<source.count])
      (rows, passages) = (builder.rows, builder.passages)
      (addedWords, removedWords) = (builder.added, builder.removed)
    } catch { throw VersoError(error, "compare two versions") }
  }
}

private struct Builder {
  var rows: [PastComparison.Row] = []
  var passages: [ClosedRange<Int>] = []
  var added = 0
  var removed = 0
  private var line = 1

  mutating func addEqual(_ text: ArraySlice<UInt8>) {
    for content in Self.split(text) {
      rows.append(.init(pieces: [.init(kind: .both, text: Array(content))], oldLine: line))
      line += 1
    }
  }

  /// One region that differs: lines of both texts flow into each other, so that a line of which one
  /// word differs is one row.
  mutating func add(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) throws(GitError) {
    let first = line
    let difference = try WordDifference(from: Array(old), to: Array(new))
    added += difference.addedWords
    removed += difference.removedWords
    var pieces: [PastComparison.Piece] = []
    var hasOld = false
    func kind(_ kind: WordDifference.Span.Kind) -> PastComparison.Piece.Kind {
      switch kind {
      case .equal: .both
      case .removed: .removed
      case .added: .added
      }
    }
    for span in difference.spans {
      var rest = span.text[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0A)
        let content = rest[..<(end ?? rest.endIndex)]
        if !content.isEmpty {
          pieces.append(.init(kind: kind(span.kind), text: Array(content)))
        }
        if span.kind != .added, !content.isEmpty || end != nil { hasOld = true }
        guard let end else { break }
        rest = rest[(end + 1)...]
        let isOld = hasOld || span.kind != .added
        if pieces.isEmpty { pieces = [.init(kind: kind(span.kind), text: [])] }
        rows.append(.init(pieces: pieces, oldLine: isOld ? line : nil))
        if span.kind != .added { line += 1 }
        pieces = []
        hasOld = false
      }
    }
    if !pieces.isEmpty { rows.append(.init(pieces: pieces, oldLine: hasOld ? line : nil)) }
    line = first + Self.split(old).count
    if line > first { passages.append(first...(line - 1)) }
  }

  private static func split(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }
}

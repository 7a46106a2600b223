package import VersoGit
package import VersoModel

/// Which version each line of a note comes from.
package struct Blame: Hashable, Sendable {
  /// The version that a line was written in.
  package struct Origin: Hashable, Sendable {
    package let commit: ObjectID
    /// Seconds since 1970 by the committer's clock.
    package let time: Int64
    package let device: String
    package let subject: String
    /// The note's name at that time.
    package let path: RelativePath

    init(_ version: Version) {
      commit = version.commit
      time = version.time
      device = version.device
      subject = version.subject
      path = version.path
    }
  }

  /// Lines that stand together, in the note and in the version they come from.
  package struct Piece: Hashable, Sendable {
    /// Their numbers in the note, from 0.
    package let lines: Range<Int>
    /// `nil` for lines that are in no version yet.
    package let origin: Origin?
    /// The number of the first of them in the version's own text, from 0.
    package let start: Int
  }

  /// The note.
  package let text: [UInt8]
  /// The lines that were asked for, in order.
  package private(set) var pieces: [Piece]

  /// A text of which nothing is known yet; by default none at all.
  package init(text: [UInt8] = []) { self.init(text: text, pieces: []) }

  init(text: [UInt8], pieces: [Piece]) {
    self.text = text
    self.pieces = pieces
  }

  /// The number of lines of the note; what follows its last newline is a line too.
  package var lineCount: Int { Lines(text).count }

  /// The lines of a piece, each with the newline that ends it.
  package func lines(of piece: Piece) -> [[UInt8]] {
    let lines = Lines(text)
    return piece.lines.map { Array(lines[$0]) }
  }

  /// The same for a later text that is in no version yet: its new and changed lines come from nowhere.
  package func carried(to later: [UInt8], lines: ClosedRange<Int>?) throws(GitError) -> Blame {
    if later == text, lines == nil { return self }
    let (old, new) = (Lines(text), Lines(later))
    var origins = [(origin: Origin?, start: Int)](repeating: (nil, 0), count: old.count)
    for piece in pieces {
      for (number, line) in piece.lines.enumerated() {
        origins[line] = (piece.origin, piece.start + number)
      }
    }
    let wanted = lines.map { ($0.lowerBound - 1)..<$0.upperBound } ?? 0..<new.count
    let spans = [LineSpan(goal: wanted.lowerBound, start: wanted.lowerBound, count: wanted.count)]
    let (fresh, known) = LineSpan.divide(spans, by: try LineRegions.between(old, new))
    var found = fresh.map {
      Piece(lines: $0.goal..<($0.goal + $0.count), origin: nil, start: $0.goal)
    }
    for span in known {
      for number in 0..<span.count {
        let (origin, start) = origins[span.start + number]
        let line = span.goal + number
        found.append(Piece(lines: line..<(line + 1), origin: origin, start: start))
      }
    }
    return Blame(text: later, pieces: Self.joined(found))
  }

  /// Pieces in order, those that continue one another as one.
  static func joined(_ pieces: [Piece]) -> [Piece] {
    var joined: [Piece] = []
    for piece in pieces.sorted(by: { $0.lines.lowerBound < $1.lines.lowerBound }) {
      if let last = joined.last, last.lines.upperBound == piece.lines.lowerBound,
        last.origin == piece.origin, last.start + last.lines.count == piece.start
      {
        joined[joined.count - 1] = Piece(
          lines: last.lines.lowerBound..<piece.lines.upperBound, origin: last.origin,
          start: last.start)
      } else {
        joined.append(piece)
      }
    }
    return joined
  }
}

extension History {
  /// Finds the version that each line of a note comes from, as the note was at a commit.
  ///
  /// A line comes from the version that wrote it; one that is the same in the version before, at its
  /// place in the text, comes from there. A merge has only lines that no side had: what came from one
  /// unchanged is that side's, the first one's where both had it. Renames are followed as in
  /// ``versions(of:from:range:)``.
  ///
  /// - Parameters:
  ///   - place: A note; a folder or a nested repository has no lines.
  ///   - lines: Their numbers, from 1, within the note; all of them without.
  package func blame(
    _ place: Place, lines: ClosedRange<Int>? = nil
  ) throws(GitError) -> Blame {
    var tracer = BlameTracer(self)
    return try tracer.run(place, lines: lines)
  }
}

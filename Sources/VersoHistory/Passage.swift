import VersoGit

/// Some lines of an old version, to be put back into today's text at their place.
package struct Passage: Hashable, Sendable {
  /// Why a passage cannot be put back.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
      /// The old version has no such lines.
      case outOfRange
      /// One of the texts is none.
      case binary
      /// The texts could not be compared.
      case incomparable
    }

    package let code: Code
    package let description: String
  }

  /// The first line, from 1.
  package let first: Int
  /// The last line.
  package let last: Int

  package init(first: Int, last: Int) {
    self.first = first
    self.last = last
  }

  /// Today's text with the passage back in it.
  ///
  /// Old and new lines are aligned however they end. What has taken the passage's place, whole or in
  /// part, is replaced; where nothing has, the passage follows the last surviving line before it.
  /// Lines that only today has stay unless they stand within the passage. Where today's lines all
  /// end alike, so will the passage. The whole of the old version is the old version.
  ///
  /// - Throws: ``Failure``; where the lines are not there, it says how many there are.
  package func restored(from old: [UInt8], into today: [UInt8]) throws(Failure) -> [UInt8] {
    if TextDifference.isBinary(old) || TextDifference.isBinary(today) {
      throw Failure(code: .binary, description: "the file is no text, so it has no lines")
    }
    let (source, target) = (Lines(old), Lines(today))
    guard 1 <= first, first <= last, last <= source.count else {
      let count = source.count == 1 ? "1 line" : "\(source.count) lines"
      throw Failure(
        code: .outOfRange, description: "no lines \(first)-\(last): that version has \(count)")
    }
    if first == 1, last == source.count { return old }
    let place = try place(source, target)
    return joined(
      target[0..<place.lowerBound], passage(of: source, for: target),
      target[place.upperBound..<target.count], target, source)
  }

  /// The lines of today that the passage replaces; empty where it is inserted.
  private func place(_ source: Lines, _ target: Lines) throws(Failure) -> Range<Int> {
    let regions: [TextDifference.Region]
    do throws(GitError) {
      regions = try TextDifference.regions(from: source.normalized, to: target.normalized)
    } catch {
      throw Failure(code: .incomparable, description: error.description)
    }
    let start = Self.start(of: first - 1, regions)
    return start..<max(start, Self.end(of: last, regions))
  }

  /// Where in today's text the old line with that number begins, or what replaced it.
  private static func start(of line: Int, _ regions: [TextDifference.Region]) -> Int {
    var shift = 0
    for region in regions {
      if line < region.old.lowerBound { break }
      if region.old.contains(line) {
        if line == region.old.lowerBound { return region.new.lowerBound }
        // As many lines as before: they are taken to have been changed one by one. Otherwise
        // nobody knows which of today's lines belong to the passage, and all of them stay.
        return region.old.count == region.new.count
          ? region.new.lowerBound + line - region.old.lowerBound : region.new.upperBound
      }
      // What is inserted just before the line (an empty old range at it) stays before it.
      shift = region.new.upperBound - region.old.upperBound
    }
    return line + shift
  }

  /// Where in today's text the old lines before that number end.
  private static func end(of line: Int, _ regions: [TextDifference.Region]) -> Int {
    var shift = 0
    for region in regions {
      if line <= region.old.lowerBound { break }
      if line < region.old.upperBound {
        return region.old.count == region.new.count
          ? region.new.lowerBound + line - region.old.lowerBound : region.new.lowerBound
      }
      shift = region.new.upperBound - region.old.upperBound
    }
    return line + shift
  }

  private func passage(of source: Lines, for target: Lines) -> [UInt8] {
    let range = (first - 1)..<last
    guard let ending = target.commonEnding else { return Array(source[range]) }
    return range.flatMap { number -> [UInt8] in
      let line = source[number]
      if Lines.ending(of: line) == .missing { return Array(line) }
      return Lines.withoutEnding(line) + ending.bytes
    }
  }

  /// Joins three pieces, ending the lines that are no longer the last.
  private func joined(
    _ before: ArraySlice<UInt8>, _ passage: [UInt8], _ after: ArraySlice<UInt8>,
    _ target: Lines, _ source: Lines
  ) -> [UInt8] {
    let ending = (target.commonEnding ?? source.commonEnding ?? .newline).bytes
    var text = Array(before)
    if let last = text.last, last != 0x0A { text += ending }
    text += passage
    if passage.last != 0x0A, !after.isEmpty { text += ending }
    return text + after
  }
}

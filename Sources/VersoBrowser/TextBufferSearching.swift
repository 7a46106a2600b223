/// What is looked for in a text.
///
/// Without a capital letter in it case is ignored. Graphemes are compared, so that an accent matches
/// however it is encoded, and `e` does not match the start of an `é`. It does not reach over line ends.
package struct TextPattern: Hashable, Sendable {
  private let clusters: [String]
  private let ignoresCase: Bool
  /// The folded bytes, if all are ASCII.
  private let plain: [UInt8]?

  /// `nil` for an empty text, or one with a line's end.
  package init?(_ text: String) {
    if text.isEmpty || text.contains(where: \.isNewline) { return nil }
    ignoresCase = text == text.lowercased()
    clusters = text.map(String.init)
    plain = text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
  }

  /// The matches in a line's bytes, as ranges in them, in order; they may overlap.
  func matches(in bytes: [UInt8]) -> [Range<Int>] {
    if let plain {
      if !mayMatch(plain, in: bytes) { return [] }
    } else if bytes.allSatisfy({ $0 < 0x80 }) {
      return []
    }
    let found = TextCluster.all(in: bytes[...])
    guard found.count >= clusters.count else { return [] }
    let texts = found.map(folded)
    var matches: [Range<Int>] = []
    var offset = 0
    for start in 0...(found.count - clusters.count) {
      if clusters.indices.allSatisfy({ texts[start + $0] == clusters[$0] }) {
        let length = found[start..<(start + clusters.count)].reduce(0) { $0 + $1.length }
        matches.append(offset..<(offset + length))
      }
      offset += found[start].length
    }
    return matches
  }

  private func folded(_ cluster: TextCluster) -> String {
    guard let character = cluster.character else { return "" }
    return ignoresCase ? character.lowercased() : String(character)
  }

  /// Whether the bytes occur: most lines are dismissed by this, at the price of a byte search.
  private func mayMatch(_ plain: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = plain.first, bytes.count >= plain.count else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      for start in 0...(bytes.count - plain.count) {
        let byte = fold(bytes[start])
        // The Kelvin sign (U+212A) is the one character beyond ASCII that folds into it.
        if byte == 0xE2, ignoresCase, bytes[start...].starts(with: [0xE2, 0x84, 0xAA]) {
          return true
        }
        if byte != first { continue }
        var at = 1
        while at < plain.count, fold(bytes[start + at]) == plain[at] { at += 1 }
        if at == plain.count { return true }
      }
      return ignoresCase && bytes.suffix(plain.count + 2).contains(0xE2)
    }
  }

  private func fold(_ byte: UInt8) -> UInt8 {
    ignoresCase && 0x41...0x5A ~= byte ? byte | 0x20 : byte
  }
}

extension TextBuffer {
  /// A place where a pattern matches.
  package struct Match: Hashable, Sendable {
    package let range: Range<Int>
    /// Whether the search went on from the other end of the text to find it.
    package let isWrapped: Bool
  }

  /// The first match that starts after `offset`; from the text's start where there is none.
  package func match(after offset: Int, _ pattern: TextPattern) -> Match? {
    let line = storage.line(at: offset)
    for number in line...storage.feedCount {
      if let found = matches(pattern, number).first(where: { $0.lowerBound > offset }) {
        return Match(range: found, isWrapped: false)
      }
    }
    for number in 0...line {
      if let found = matches(pattern, number).first {
        return Match(range: found, isWrapped: true)
      }
    }
    return nil
  }

  /// The last match that starts before `offset`; from the text's end where there is none.
  package func match(before offset: Int, _ pattern: TextPattern) -> Match? {
    let line = storage.line(at: offset)
    for number in (0...line).reversed() {
      if let found = matches(pattern, number).last(where: { $0.lowerBound < offset }) {
        return Match(range: found, isWrapped: false)
      }
    }
    for number in (line...storage.feedCount).reversed() {
      if let found = matches(pattern, number).last {
        return Match(range: found, isWrapped: true)
      }
    }
    return nil
  }

  /// The matches in a range of lines, to be marked.
  package func matches(_ pattern: TextPattern, inLines lines: Range<Int>) -> [Range<Int>] {
    lines.clamped(to: 0..<lineCount).flatMap { matches(pattern, $0) }
  }

  private func matches(_ pattern: TextPattern, _ line: Int) -> [Range<Int>] {
    let content = storage.content(ofLine: line)
    return pattern.matches(in: storage.bytes(in: content)).map {
      ($0.lowerBound + content.lowerBound)..<($0.upperBound + content.lowerBound)
    }
  }
}

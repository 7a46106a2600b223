/// What a person takes for one character: a grapheme, or a byte that is no text.
struct TextCluster: Hashable, Sendable {
  /// Its bytes in the text.
  let length: Int
  /// The grapheme; `nil` for a byte that is not valid UTF-8.
  let character: Character?

  /// Cuts bytes into clusters; the first byte starts one.
  ///
  /// A byte that is not valid UTF-8 is a cluster of its own, so that nothing is ever repaired.
  static func all(in bytes: ArraySlice<UInt8>) -> [TextCluster] {
    var clusters: [TextCluster] = []
    clusters.reserveCapacity(bytes.count)
    var at = bytes.startIndex
    while at < bytes.endIndex {
      let end = safeEnd(of: bytes, from: at)
      if end == at + 1, bytes[at] < 0x80 {
        let character = Character(Unicode.Scalar(bytes[at]))
        clusters.append(TextCluster(length: 1, character: character))
      } else {
        appendRun(bytes[at..<end], to: &clusters)
      }
      at = end
    }
    return clusters
  }

  /// The next offset at which a grapheme ends whatever comes before or after: between two ASCII bytes,
  /// but not within CR LF (UAX #29, GB3).
  private static func safeEnd(of bytes: ArraySlice<UInt8>, from start: Int) -> Int {
    var at = start + 1
    while at < bytes.endIndex, !isSafe(bytes[at - 1], bytes[at]) { at += 1 }
    return at
  }

  /// Whether a grapheme always ends between two bytes.
  static func isSafe(_ before: UInt8, _ after: UInt8) -> Bool {
    before < 0x80 && after < 0x80
      && !(before == TextStorage.carriageReturn && after == TextStorage.feed)
  }

  private static func appendRun(_ run: ArraySlice<UInt8>, to clusters: inout [TextCluster]) {
    var valid = run.startIndex
    var at = run.startIndex
    func flush(_ clusters: inout [TextCluster]) {
      for character in String(decoding: run[valid..<at], as: UTF8.self) {
        clusters.append(
          TextCluster(length: character.utf8.count, character: character))
      }
    }
    while at < run.endIndex {
      let length = scalarLength(run[at...])
      if length == 0 {
        flush(&clusters)
        clusters.append(TextCluster(length: 1, character: nil))
        at += 1
        valid = at
      } else {
        at += length
      }
    }
    flush(&clusters)
  }

  /// The bytes of the scalar that `bytes` start with; 0 where they start with none (Unicode, table
  /// 3-7).
  static func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let lead = bytes.first else { return 0 }
    let start = bytes.startIndex
    let (length, second): (Int, ClosedRange<UInt8>)
    switch lead {
    case 0..<0x80: return 1
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard bytes.count >= length, second.contains(bytes[start + 1]) else { return 0 }
    for at in (start + 2)..<(start + max(2, length)) where bytes[at] & 0xC0 != 0x80 { return 0 }
    return length
  }

  /// The kind of character, for movement by words.
  var wordClass: WordClass {
    guard let character, let scalar = character.unicodeScalars.first else { return .punctuation }
    if character.isWhitespace { return .space }
    switch scalar.value {
    case 0x3040...0x309F: return .hiragana
    case 0x30A0...0x30FF, 0xFF66...0xFF9F: return .katakana
    case 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: return .ideograph
    default: break
    }
    return character.isLetter || character.isNumber || character == "_" ? .word : .punctuation
  }

  enum WordClass: Sendable {
    case space, word, punctuation, hiragana, katakana, ideograph
  }
}

extension TextStorage {
  /// Where a line that is too long to be measured at once is cut: near every so many bytes from its
  /// start, between clusters.
  private static let longest = 8192

  /// The part of a line with that content that is laid out at once and holds `offset`: the whole line
  /// unless that is very long. An offset in the line's end belongs to its last part.
  func paragraph(at offset: Int, inLine line: Range<Int>) -> Range<Int> {
    guard line.count > Self.longest else { return line }
    let offset = min(offset, line.upperBound)
    var part = (offset - line.lowerBound) / Self.longest
    if cut(line, part + 1) <= offset { part += 1 }
    let low = cut(line, part)
    // The end of the line belongs to the part before it, even where a cut falls on it.
    if low == line.upperBound { return cut(line, part - 1)..<low }
    return low..<cut(line, part + 1)
  }

  private func cut(_ line: Range<Int>, _ part: Int) -> Int {
    let raw = line.lowerBound + part * Self.longest
    if part <= 0 { return line.lowerBound }
    if raw >= line.upperBound { return line.upperBound }
    return boundary(atOrBefore: raw, in: line)
  }

  /// The last start of a cluster that is not after `offset`, in a line's content.
  func boundary(atOrBefore offset: Int, in line: Range<Int>) -> Int {
    if offset <= line.lowerBound || offset >= line.upperBound { return offset }
    var start = safeStart(before: offset, in: line)
    for cluster in TextCluster.all(in: bytes(in: start..<min(line.upperBound, offset + 256))[...]) {
      if start + cluster.length > offset { break }
      start += cluster.length
    }
    return start
  }

  /// An offset before `offset` at which a cluster starts.
  ///
  /// Found between two ASCII bytes. A text that has none in 4 KiB is cut at a scalar instead, and
  /// finds its clusters again after a few.
  private func safeStart(before offset: Int, in line: Range<Int>) -> Int {
    for window in [64, 512, 4096] {
      let low = max(line.lowerBound, offset - window)
      let bytes = bytes(in: low..<offset)
      if low == line.lowerBound, window == 64 || bytes.count <= 64 { return low }
      // Not at the offset itself: what is wanted is a start before it.
      for at in stride(from: bytes.count - 1, to: 0, by: -1)
      where TextCluster.isSafe(bytes[at - 1], bytes[at]) { return low + at }
      if low == line.lowerBound { return low }
      if window == 4096 {
        return low + (bytes.firstIndex { $0 & 0xC0 != 0x80 } ?? 0)
      }
    }
    return line.lowerBound
  }

  /// The end of the cluster that starts at `offset`; a line's end is one.
  func boundary(after offset: Int) -> Int {
    if offset >= count { return count }
    let number = self.line(at: offset)
    let line = content(ofLine: number)
    if offset >= line.upperBound {
      return offset == line.upperBound ? start(ofLine: number + 1) : offset + 1
    }
    var window = 64
    while true {
      let end = min(line.upperBound, offset + window)
      let clusters = TextCluster.all(in: bytes(in: offset..<end)[...])
      guard let first = clusters.first else { return end }
      // A cluster that reaches the window's end may go on behind it, or be cut within a scalar.
      if offset + first.length + 4 < end || end == line.upperBound { return offset + first.length }
      window *= 4
    }
  }

  /// The start of the cluster that ends at `offset`.
  func boundary(before offset: Int) -> Int {
    if offset <= 0 { return 0 }
    let number = line(at: offset)
    let line = content(ofLine: number)
    if offset == line.lowerBound { return content(ofLine: number - 1).upperBound }
    return boundary(atOrBefore: min(offset, line.upperBound) - 1, in: line)
  }

  /// The nearest start of a cluster that is not before `offset`.
  func boundary(atOrAfter offset: Int) -> Int {
    if offset <= 0 { return 0 }
    if offset >= count { return count }
    let number = line(at: offset)
    let line = content(ofLine: number)
    // Between CR and LF.
    if offset > line.upperBound { return start(ofLine: number + 1) }
    let before = boundary(atOrBefore: offset, in: line)
    return before == offset ? offset : boundary(after: before)
  }
}

/// The words that somebody looks for.
///
/// A note must hold all of them. Several words in one argument are a phrase: they must follow one
/// another, at most a line end or signs between. `word*` finds what begins with `word`. Case and
/// diacritics do not count.
package struct SearchQuery: Hashable, Sendable {
  /// A word or a phrase.
  package struct Term: Hashable, Sendable {
    /// Folded; at least one.
    let words: [[UInt8]]
    /// Whether the last word may go on.
    let isPrefix: Bool

    /// A full-text query for lines that hold all of the term.
    var expression: [UInt8] {
      Array("\"".utf8) + words.joined(separator: [0x20]) + Array((isPrefix ? "\" *" : "\"").utf8)
    }

    /// What two lines hold between which a phrase goes on: the first its beginning, the second the
    /// word that follows, as its own first one. For each word behind which a line may end.
    var lineEnds: [(head: [UInt8], next: [UInt8])] {
      words.indices.dropFirst().map { index in
        let next = Term(words: [words[index]], isPrefix: isPrefix && index == words.count - 1)
        return (
          Term(words: Array(words[..<index]), isPrefix: false).expression, [0x5E] + next.expression
        )
      }
    }

    /// The single words, each a term.
    var parts: [Term] {
      words.enumerated().map { index, word in
        Term(words: [word], isPrefix: isPrefix && index == words.count - 1)
      }
    }

    /// Where the term begins in a row of words; `nil` where it is not.
    func place(in text: [[UInt8]]) -> Int? {
      guard text.count >= words.count, let last = words.last else { return nil }
      let head = words.dropLast()
      return (0...(text.count - words.count)).first { start in
        let end = text[start + head.count]
        guard isPrefix ? end.starts(with: last) : end == last else { return false }
        return text[start..<(start + head.count)].elementsEqual(head)
      }
    }
  }

  package let terms: [Term]

  /// Reads the arguments; `nil` where no word is among them.
  package init?(_ arguments: [String]) {
    terms = arguments.compactMap { argument in
      var words = SearchTokens(Array(argument.utf8)).words
      guard let last = words.last else { return nil }
      // The last letter of a run without spaces stands alone besides, to be found as a beginning.
      let letters = String(decoding: last, as: UTF8.self).unicodeScalars
      let isUnspaced = letters.first.map { scalar in
        if case .unspaced = LetterFold(scalar) { return true }
        return false
      }
      let standsAlone = isUnspaced == true
      if standsAlone, words.count > 1, words[words.count - 2].count > last.count,
        words[words.count - 2].suffix(last.count).elementsEqual(last)
      {
        words.removeLast()
        return Term(words: words, isPrefix: false)
      }
      return Term(words: words, isPrefix: standsAlone || argument.hasSuffix("*"))
    }
    if terms.isEmpty { return nil }
  }

  /// A full-text query for lines that hold all of the terms.
  var expression: [UInt8] {
    Array(terms.map(\.expression).joined(separator: Array(" AND ".utf8)))
  }

  /// All single words.
  var parts: [Term] { terms.flatMap(\.parts) }

  /// Whether a text holds all of the terms.
  package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    let words = SearchTokens(text).words
    return terms.allSatisfy { $0.place(in: words) != nil }
  }

  package func matches(_ text: [UInt8]) -> Bool { text.withUnsafeBytes(matches) }

  /// How many of the terms a text holds.
  package func count(in text: [UInt8]) -> Int {
    text.withUnsafeBytes { worth(of: $0).terms }
  }

  /// What a line shows of a query: whole terms count more than any pieces of them.
  package struct Worth: Comparable {
    package let terms: Int
    /// Single words.
    package let parts: Int

    package init(terms: Int = 0, parts: Int = 0) {
      self.terms = terms
      self.parts = parts
    }

    package static func < (a: Worth, b: Worth) -> Bool { (a.terms, a.parts) < (b.terms, b.parts) }
  }

  package func worth(of line: UnsafeRawBufferPointer) -> Worth {
    let words = SearchTokens(line).words
    func count(_ terms: [Term]) -> Int { terms.count { $0.place(in: words) != nil } }
    return Worth(terms: count(terms), parts: count(parts))
  }

  /// How well a text fits: by the number of lines that hold each term.
  package func score(of text: [UInt8]) -> Double {
    var counts = [Int](repeating: 0, count: terms.count)
    TextLines.forEach(in: text) { line, _ in
      let words = SearchTokens(line).words
      if words.isEmpty { return }
      for (number, term) in terms.enumerated() where term.place(in: words) != nil {
        counts[number] += 1
      }
    }
    return counts.map(Self.dampened).reduce(0, +)
  }

  /// Ten lines do not make a note ten times as good as one; none are worth nothing.
  package static func dampened(_ count: some BinaryInteger) -> Double {
    var (value, rest) = (0.0, count)
    while rest > 0 {
      value += 1
      rest /= 2
    }
    return value
  }

  /// The lines on which the first places of all terms lie; none where the text does not hold them.
  func lines(of text: [UInt8]) -> [NumberedLine] {
    var words: [[UInt8]] = []
    var numbers: [Int] = []
    TextLines.forEach(in: text) { line, number in
      let more = SearchTokens(line).words
      words += more
      numbers += Array(repeating: number, count: more.count)
    }
    var wanted: Set<Int> = []
    for term in terms {
      guard let place = term.place(in: words) else { return [] }
      wanted.formUnion(numbers[place..<(place + term.words.count)])
    }
    var found: [NumberedLine] = []
    TextLines.forEach(in: text) { line, number in
      if wanted.contains(number) { found.append(.init(number: number + 1, text: Array(line))) }
    }
    return found
  }
}

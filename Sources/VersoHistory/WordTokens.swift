/// Cuts text into the pieces that a difference by words may keep or change.
///
/// Letters, digits and marks that follow one another are one word. Scripts that put no spaces
/// between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese, …) give a word for each character.
/// Spaces are one piece, a line end is one, any other character is one. What a reader sees as one
/// character is never cut; a byte that is no UTF-8 is a piece of its own.
struct WordTokens {
  enum Kind {
    case word
    case space
    case newline
    case other
  }

  struct Token {
    let range: Range<Int>
    let kind: Kind
  }

  private(set) var tokens: [Token] = []
  private(set) var words = 0
  private let keepsTokens: Bool
  private var open: Token?

  init(_ text: ArraySlice<UInt8>) { self.init(text, keepsTokens: true) }

  /// The number of words, found without keeping the pieces.
  static func count(in text: ArraySlice<UInt8>) -> Int {
    WordTokens(text, keepsTokens: false).words
  }

  private init(_ text: ArraySlice<UInt8>, keepsTokens: Bool) {
    self.keepsTokens = keepsTokens
    var at = text.startIndex
    while at < text.endIndex {
      let end = Self.endOfStretch(from: at, in: text)
      if end - at == 1, text[at] < 0x80 {
        add(at..<end, Self.kind(ofASCII: text[at]), alone: false)
      } else {
        addCharacters(of: text[at..<end])
      }
      at = end
    }
    close()
  }

  /// The end of the shortest piece of text that can be cut off safely: no character ends in the
  /// middle of it and goes on behind.
  ///
  /// Two ASCII characters never belong to one, except CR and LF (UAX #29, GB3).
  private static func endOfStretch(from start: Int, in text: ArraySlice<UInt8>) -> Int {
    var end = start + 1
    while end < text.endIndex {
      let (left, right) = (text[end - 1], text[end])
      if left < 0x80, right < 0x80, !(left == 0x0D && right == 0x0A) { break }
      end += 1
    }
    return end
  }

  private mutating func add(_ range: Range<Int>, _ kind: Kind, alone: Bool) {
    if let last = open {
      if last.kind == kind, !alone, kind == .word || kind == .space {
        open = Token(range: last.range.lowerBound..<range.upperBound, kind: kind)
        return
      }
      close()
    }
    open = Token(range: range, kind: kind)
    if alone { close() }
  }

  private mutating func close() {
    guard let token = open else { return }
    if token.kind == .word { words += 1 }
    if keepsTokens { tokens.append(token) }
    open = nil
  }

  private mutating func addCharacters(of text: ArraySlice<UInt8>) {
    guard let string = String(validating: text, as: UTF8.self) else {
      return addMending(text)
    }
    var at = text.startIndex
    for character in string {
      let end = at + character.utf8.count
      let (kind, alone) = Self.kind(of: character)
      add(at..<end, kind, alone: alone)
      at = end
    }
  }

  /// Text with bytes that are no UTF-8: the valid runs between them are text.
  private mutating func addMending(_ text: ArraySlice<UInt8>) {
    var start = text.startIndex
    var at = start
    while at < text.endIndex {
      let length = Self.lengthOfScalar(at: at, in: text)
      if length > 0 {
        at += length
        continue
      }
      if start < at { addCharacters(of: text[start..<at]) }
      add(at..<(at + 1), .other, alone: true)
      at += 1
      start = at
    }
    if start < at { addCharacters(of: text[start..<at]) }
  }

  /// The bytes of the valid scalar that starts there; 0 where none does.
  private static func lengthOfScalar(at start: Int, in text: ArraySlice<UInt8>) -> Int {
    for length in 1...4 where start + length <= text.endIndex {
      if String(validating: text[start..<(start + length)], as: UTF8.self) != nil { return length }
    }
    return 0
  }

  private static func kind(ofASCII byte: UInt8) -> Kind {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      .word
    case 0x20, 0x09, 0x0B, 0x0C: .space
    case 0x0A, 0x0D: .newline
    default: .other
    }
  }

  /// What a character is by its first scalar, and whether it is a piece of its own.
  private static func kind(of character: Character) -> (Kind, alone: Bool) {
    guard let scalar = character.unicodeScalars.first else { return (.other, true) }
    if scalar.value < 0x80 {
      let kind = kind(ofASCII: UInt8(scalar.value))
      return (kind, kind == .newline || kind == .other)
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber,
      .connectorPunctuation:
      return (.word, standsAlone(scalar))
    case .spaceSeparator: return (.space, false)
    case .lineSeparator, .paragraphSeparator: return (.newline, true)
    default: return (.other, true)
    }
  }

  /// Whether the script writes words without spaces (UAX #29, table 3, "Complex Context" and
  /// ideographs).
  static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF,  // Thai, Lao
      0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F,  // Burmese
      0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF,  // Khmer, Tai Le, New Tai Lue, Tai Tham
      0x3040...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF,  // Kana, Bopomofo
      0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF,  // ideographs
      0xA000...0xA4CF, 0xAA80...0xAADF, 0xFF66...0xFF9F:  // Yi, Tai Viet, halfwidth kana
      true
    default: false
    }
  }
}

/// Cuts text into the words that a search knows, folded by ``LetterFold``.
///
/// A run of letters of a script without spaces gives each two neighbours as one word, and its last
/// letter alone, so that a single letter is found as the beginning of a word wherever it stands.
struct SearchTokens {
  /// The longest word, in bytes; what is longer is cut, in texts and in queries alike.
  static let longest = 64

  /// The words, in order.
  private(set) var words: [[UInt8]] = []
  private var word: [UInt8] = []
  /// The last letter of a run without spaces, with its marks.
  private var letter: [UInt8] = []
  /// Whether the last word is the pair that ends with `letter`.
  private var endsInPair = false

  init(_ text: [UInt8]) { self = text.withUnsafeBytes { SearchTokens($0) } }

  init(_ text: UnsafeRawBufferPointer) {
    if text.allSatisfy({ $0 < 0x80 }) {
      for byte in text { add(ascii: byte) }
    } else {
      // Bytes that are no UTF-8 become a sign that no word holds.
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars { add(scalar) }
    }
    closeRun()
    closeWord()
  }

  /// The words with spaces between, as the index keeps them.
  var joined: [UInt8] { Array(words.joined(separator: [0x20])) }

  private mutating func add(ascii byte: UInt8) {
    switch byte {
    case 0x61...0x7A, 0x30...0x39: word.append(byte)
    case 0x41...0x5A: word.append(byte | 0x20)
    default: closeWord()
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    if scalar.value < 0x80 {
      closeRun()
      return add(ascii: UInt8(scalar.value))
    }
    switch LetterFold(scalar) {
    case .letter(let bytes):
      closeRun()
      word += bytes
    case .unspaced(let bytes):
      closeWord()
      endsInPair = !letter.isEmpty
      if endsInPair { words.append(letter + bytes) }
      letter = bytes
    case .mark(let bytes):
      if !letter.isEmpty {
        letter += bytes
        // The pair that ends with this letter gets its mark too.
        if endsInPair { words[words.count - 1] += bytes }
      } else {
        word += bytes
      }
    case .nothing: break
    case .separator:
      closeRun()
      closeWord()
    }
  }

  private mutating func closeRun() {
    guard !letter.isEmpty else { return }
    words.append(letter)
    letter = []
  }

  private mutating func closeWord() {
    guard !word.isEmpty else { return }
    words.append(word.count > Self.longest ? Array(word.prefix(Self.longest)) : word)
    word = []
  }
}

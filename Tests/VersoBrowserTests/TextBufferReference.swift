import VersoBrowser
import VersoTestSupport

/// A text as an array of characters, edited in the plainest way: what the buffer has to agree with.
struct TextBufferReference: Equatable {
  private(set) var characters: [Character]
  /// Indices of characters.
  private(set) var caret = 0
  private(set) var anchor: Int?

  init(_ text: String) { characters = Array(text) }

  var bytes: [UInt8] { characters.flatMap { Array($0.utf8) } }

  func offset(_ index: Int) -> Int { characters[..<index].reduce(0) { $0 + $1.utf8.count } }

  var selection: Range<Int>? {
    guard let anchor, anchor != caret else { return nil }
    return min(anchor, caret)..<max(anchor, caret)
  }

  /// Where text comes without a selection: never before a byte order mark.
  var gap: Range<Int> {
    let index = caret == 0 && characters.first == "\u{FEFF}" ? 1 : caret
    return index..<index
  }

  mutating func replace(_ range: Range<Int>, with text: String) {
    let offset = offset(range.lowerBound) + text.utf8.count
    let joined =
      String(characters[..<range.lowerBound]) + text + String(characters[range.upperBound...])
    characters = Array(joined)
    anchor = nil
    var (index, seen) = (0, 0)
    while seen < offset {
      seen += characters[index].utf8.count
      index += 1
    }
    caret = index
  }

  mutating func place(_ index: Int, extending: Bool = false) {
    anchor = extending ? anchor ?? caret : nil
    caret = min(max(0, index), characters.count)
  }

  func lineStart(_ index: Int) -> Int {
    (characters[..<index].lastIndex(where: Self.endsLine) ?? -1) + 1
  }

  func lineEnd(_ index: Int) -> Int {
    characters[index...].firstIndex(where: Self.endsLine) ?? characters.count
  }

  static func endsLine(_ character: Character) -> Bool { character == "\n" || character == "\r\n" }
}

/// Text that makes trouble: marks, emoji, wide characters, both line ends.
func awkwardText(_ count: Int, _ generator: inout SeededGenerator) -> String {
  let pieces = [
    "a", "Bb", " ", "  ", "\t", "word ", "e\u{301}", "\u{301}", "日本", "語、", "👨‍👩‍👧", "🇩🇪", "👍🏽", "ก็",
    "한", "\u{1112}\u{1161}", "\n", "\n", "\r\n", "\u{200B}", "ß", "İ", "x-y", "\u{0}", "العربية",
    "\u{FEFF}", "क्षि", ".", "(", "\u{7F}",
  ]
  var text = ""
  for _ in 0..<count { text += pieces.randomElement(using: &generator) ?? "" }
  return text
}

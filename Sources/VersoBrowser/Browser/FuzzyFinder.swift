import Verso
package import VersoModel

/// Finds names that hold some letters in their order, best first; case and diacritics do not count.
package struct FuzzyFinder {
  private let wanted: [UInt8]

  package init(_ query: String) {
    wanted = FoldedText.bytes(of: query).filter { $0 != 0x20 }
  }

  /// The best matches among all files; with nothing typed, files in the order of their names.
  package func best(_ count: Int, in catalogue: Catalogue) -> [PickerRow] {
    var found: [(score: Int, path: RelativePath)] = []
    for item in catalogue.allItems where !item.isFolder {
      if let score = score(of: item.path.bytes) { found.append((score, item.path)) }
    }
    found.sort { ($1.score, $0.path) < ($0.score, $1.path) }
    return found.prefix(count).map {
      PickerRow(SafeText.text($0.path.bytes), .file($0.path, line: nil))
    }
  }

  /// How well a path matches; `nil` where it does not.
  ///
  /// Letters that follow each other, that begin a word, or that are in the name itself count more; a
  /// short path more than a long one.
  func score(of path: [UInt8]) -> Int? {
    if wanted.isEmpty { return 0 }
    let text = Self.folded(path)
    let name = (text.lastIndex(of: RelativePath.slash) ?? -1) + 1
    // A match within the name alone is better than one that begins in a folder.
    if let score = score(text[name...]) { return score + 200 - min(100, path.count) }
    return score(text[...]).map { $0 - min(100, path.count) }
  }

  private func score(_ text: ArraySlice<UInt8>) -> Int? {
    var (score, at, last) = (0, text.startIndex, -2)
    for byte in wanted {
      guard let found = text[at...].firstIndex(of: byte) else { return nil }
      if found == last + 1 { score += 15 }
      if found == text.startIndex || Self.separates(text[found - 1]) { score += 20 }
      (last, at) = (found, found + 1)
    }
    return score + 100
  }

  private static func separates(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x2F || byte == 0x2D || byte == 0x5F || byte == 0x2E
  }

  private static func folded(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }
    return FoldedText.bytes(of: String(decoding: bytes, as: UTF8.self))
  }
}

import VersoHistory

/// Text as a search takes it: without case and diacritics, however its accents are encoded.
package enum FoldedText {
  /// The UTF-8 of the folded text; what is between words stays as it is.
  package static func bytes(of text: String) -> [UInt8] {
    var folded: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch LetterFold(scalar) {
      case .letter(let bytes), .unspaced(let bytes), .mark(let bytes): folded += bytes
      case .separator: folded += Array(String(scalar).utf8)
      case .nothing: break
      }
    }
    return folded
  }
}

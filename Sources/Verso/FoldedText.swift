import VersoHistory

/// Text as a search takes it: without case and diacritics, however its accents are encoded.
package enum FoldedText {
  /// The UTF-8 of the folded text; what is between words stays as it is.
  package static func bytes(of text: String) -> [UInt8] {
    var folded: [UInt8] = []
    for scalar in text.unicodeScalars {
      // Nearly all, and no table is needed for them.
      if let byte = UInt8(exactly: scalar.value), byte < 0x80 {
        folded.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        continue
      }
      switch LetterFold(scalar) {
      case .letter(let bytes), .unspaced(let bytes), .mark(let bytes): folded += bytes
      case .separator: folded += Array(String(scalar).utf8)
      case .nothing: break
      }
    }
    return folded
  }
}

import VersoModel

/// Writes words so that a shell reads them back as they are.
enum ShellWord {
  /// The word itself where a shell would not touch it; in quotes otherwise.
  ///
  /// The result is printable text on one line: what is not is written as in `$'\\033'`, which bash,
  /// zsh, ksh and fish 4 read, and POSIX since 2024.
  static func quote(_ word: [UInt8]) -> String {
    // A word that starts like an option is meant as a path.
    let word = word.first == UInt8(ascii: "-") ? Array("./".utf8) + word : word
    if ShellText.isPlain(word) { return String(decoding: word, as: UTF8.self) }
    if let text = String(validating: word, as: UTF8.self), SafeText.text(text) == text {
      return ShellText.inQuotes(text)
    }
    return "$'" + word.map(escaped).joined() + "'"
  }

  private static func escaped(_ byte: UInt8) -> String {
    let isText = 0x20..<0x7F ~= byte && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
    if isText { return String(UnicodeScalar(byte)) }
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }
}

/// Words for a POSIX shell.
package enum ShellText {
  /// The word itself where a shell would not touch it; in single quotes otherwise.
  package static func quote(_ word: String) -> String {
    isPlain(Array(word.utf8)) ? word : inQuotes(word)
  }

  /// The word in single quotes, in which a shell sees nothing but the one that ends them.
  ///
  /// By scalars: a quote with a combining mark after it is another character, and ends them all the
  /// same.
  package static func inQuotes(_ word: String) -> String {
    var text = "'"
    for scalar in word.unicodeScalars {
      if scalar == "'" { text += "'\\''" } else { text.unicodeScalars.append(scalar) }
    }
    return text + "'"
  }

  /// Whether a shell sees no more in a word than its letters.
  package static func isPlain(_ word: [UInt8]) -> Bool {
    !word.isEmpty
      && word.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/._-+,:@%".utf8.contains(byte)
        }
      }
  }
}

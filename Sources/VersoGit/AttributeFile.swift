import VersoDisk
import VersoModel

/// The value that a line gives to an attribute.
enum AttributeValue: Hashable {
  /// `!name`, and whatever no line speaks of.
  case unspecified
  /// `name`
  case isTrue
  /// `-name`
  case isFalse
  /// `name=text`
  case string(String)
}

/// One file in the format of gitattributes(5).
///
/// What git ignores with a warning is ignored: negated patterns, lines over 2,048 bytes, names that
/// are not valid, and macros where none may be defined.
struct AttributeFile {
  typealias Assignments = [(name: String, value: AttributeValue)]

  private let rules: IgnoreRules
  private let assignments: [Int: Assignments]
  /// Definitions of macros, the last one of a name.
  let macros: [String: Assignments]

  /// Whether the file says nothing.
  var isEmpty: Bool { assignments.isEmpty && macros.isEmpty }

  /// What git has built in.
  static let builtIn = AttributeFile(
    Array("[attr]binary -diff -merge -text".utf8), base: .root, definesMacros: true,
    ignoringCase: false)

  /// Reads a file; nothing is an error.
  init(_ bytes: [UInt8], base: RelativePath, definesMacros: Bool, ignoringCase: Bool) {
    var patterns: [(text: ArraySlice<UInt8>, number: Int)] = []
    var assignments: [Int: Assignments] = [:]
    var macros: [String: Assignments] = [:]
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    for (number, line) in content.split(separator: UInt8(ascii: "\n")).enumerated() {
      var reader = AttributeLine(line)
      guard let subject = reader.subject(), let values = reader.assignments() else { continue }
      switch subject {
      case .macro(let name): if definesMacros { macros[name] = values }
      case .pattern(let text):
        patterns.append((text[...], number))
        assignments[number] = values
      }
    }
    rules = IgnoreRules(patterns: patterns, base: base, ignoringCase: ignoringCase)
    self.assignments = assignments
    self.macros = macros
  }

  /// The assignments of every line that matches a file, the last line first.
  func assignments(to name: ArraySlice<UInt8>, in folder: RelativePath) -> [Assignments] {
    if assignments.isEmpty { return [] }
    return rules.lines(matching: name, in: folder, isFolder: false).compactMap { assignments[$0] }
  }
}

/// One line, read from left to right.
private struct AttributeLine {
  private var rest: ArraySlice<UInt8>

  enum Subject {
    case pattern([UInt8])
    case macro(String)
  }

  init(_ line: ArraySlice<UInt8>) {
    // git reads lines as C strings, and none over 2,048 bytes.
    rest = line.count >= 2048 ? [] : line.prefix { $0 != 0 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  private mutating func word() -> ArraySlice<UInt8> {
    rest = rest.drop(while: Self.isBlank)
    let word = rest.prefix { !Self.isBlank($0) }
    rest = rest[word.endIndex...]
    return word
  }

  /// What the line is about; `nil` where it is empty, a comment or not valid.
  mutating func subject() -> Subject? {
    rest = rest.drop(while: Self.isBlank)
    guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
    var quoted: [UInt8]?
    if first == UInt8(ascii: "\"") { quoted = unquoted() }
    let text = quoted ?? Array(word())
    let mark = Array("[attr]".utf8)
    if text.count > mark.count, text.starts(with: mark) {
      return Self.name(text[mark.count...]).map { .macro($0) }
    }
    return text.first == UInt8(ascii: "!") ? nil : .pattern(text)
  }

  /// Reads a string in C's quotes; leaves everything where it was if that is malformed.
  private mutating func unquoted() -> [UInt8]? {
    var text: [UInt8] = []
    var position = rest.startIndex + 1
    while position < rest.endIndex, rest[position] != UInt8(ascii: "\"") {
      if rest[position] == UInt8(ascii: "\\") {
        position += 1
        guard let byte = escaped(&position) else { return nil }
        text.append(byte)
      } else {
        text.append(rest[position])
        position += 1
      }
    }
    guard position < rest.endIndex else { return nil }
    rest = rest[(position + 1)...]
    return text
  }

  private func escaped(_ position: inout Int) -> UInt8? {
    guard position < rest.endIndex else { return nil }
    let letters: [UInt8: UInt8] = [
      UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09,
      UInt8(ascii: "n"): 0x0A, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "f"): 0x0C,
      UInt8(ascii: "r"): 0x0D, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "\""): 0x22,
    ]
    if let byte = letters[rest[position]] {
      position += 1
      return byte
    }
    let digits = rest[position...].prefix(3)
    let isOctal = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    guard digits.count == 3, isOctal, digits[position] < UInt8(ascii: "4") else { return nil }
    position += 3
    return digits.reduce(0) { $0 << 3 | ($1 - UInt8(ascii: "0")) }
  }

  /// The rest of the line; `nil` where one of the names is not valid, which spoils all of them.
  mutating func assignments() -> AttributeFile.Assignments? {
    var found: AttributeFile.Assignments = []
    while true {
      var word = word()
      guard let first = word.first else { return found }
      var value = AttributeValue.isTrue
      let sign = first == UInt8(ascii: "-") || first == UInt8(ascii: "!")
      if sign {
        value = first == UInt8(ascii: "-") ? .isFalse : .unspecified
        word.removeFirst()
      }
      let equals = word.firstIndex(of: UInt8(ascii: "=")) ?? word.endIndex
      if !sign, equals < word.endIndex {
        value = .string(String(decoding: word[(equals + 1)...], as: UTF8.self))
      }
      guard let name = Self.name(word[..<equals]) else { return nil }
      found.append((name, value))
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    let isValid = bytes.allSatisfy { byte in
      byte &- 0x30 < 10 || byte &- 0x61 < 26 || byte &- 0x41 < 26 || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
    guard isValid, let first = bytes.first, first != UInt8(ascii: "-") else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

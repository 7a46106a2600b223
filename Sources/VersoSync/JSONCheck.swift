/// Whether bytes are JSON (RFC 8259), to see that a merge of lines left a document whole.
///
/// Values are not kept, numbers may have any size, keys may repeat. Depth costs a byte a level.
struct JSONCheck {
  private let bytes: [UInt8]
  private var at = 0

  static func accepts(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var check = JSONCheck(bytes: bytes)
    return check.document()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
  }

  private mutating func take(_ byte: Character) -> Bool {
    skipSpace()
    guard let next, next == byte.asciiValue else { return false }
    at += 1
    return true
  }

  private mutating func document() -> Bool {
    // What each open bracket waits for.
    var open: [Bool] = []
    while true {
      guard let opened = value() else { return false }
      if let isObject = opened.isObject {
        if take(isObject ? "}" : "]") {
          // Empty: the value is done.
        } else {
          open.append(isObject)
          if isObject, !key() { return false }
          continue
        }
      }
      // A value is done: go on with what holds it.
      while true {
        guard let isObject = open.last else {
          skipSpace()
          return at == bytes.count
        }
        if take(",") {
          if isObject, !key() { return false }
          break
        }
        guard take(isObject ? "}" : "]") else { return false }
        open.removeLast()
      }
    }
  }

  private struct Opened {
    let isObject: Bool?
  }

  private mutating func value() -> Opened? {
    skipSpace()
    if take("{") { return Opened(isObject: true) }
    if take("[") { return Opened(isObject: false) }
    let isPlain: Bool
    switch next {
    case UInt8(ascii: "\""): isPlain = string()
    case UInt8(ascii: "t"): isPlain = word("true")
    case UInt8(ascii: "f"): isPlain = word("false")
    case UInt8(ascii: "n"): isPlain = word("null")
    default: isPlain = number()
    }
    return isPlain ? Opened(isObject: nil) : nil
  }

  private mutating func key() -> Bool {
    skipSpace()
    return string() && take(":")
  }

  private mutating func word(_ text: String) -> Bool {
    guard bytes[at...].starts(with: text.utf8) else { return false }
    at += text.utf8.count
    return true
  }

  private mutating func string() -> Bool {
    guard next == UInt8(ascii: "\"") else { return false }
    at += 1
    while let byte = next {
      at += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte < 0x20 { return false }
      if byte == UInt8(ascii: "\\") {
        guard let escape = next else { return false }
        at += 1
        if escape == UInt8(ascii: "u") {
          for _ in 0..<4 {
            guard let digit = next,
              TextLine.isDigit(digit) || (digit | 0x20) &- 0x61 < 6
            else { return false }
            at += 1
          }
        } else if !"\"\\/bfnrt".utf8.contains(escape) {
          return false
        }
      }
    }
    return false
  }

  private mutating func digits() -> Bool {
    let start = at
    while let byte = next, TextLine.isDigit(byte) { at += 1 }
    return at > start
  }

  private mutating func number() -> Bool {
    if next == UInt8(ascii: "-") { at += 1 }
    if next == UInt8(ascii: "0") { at += 1 } else if !digits() { return false }
    if next == UInt8(ascii: ".") {
      at += 1
      if !digits() { return false }
    }
    if let mark = next, mark | 0x20 == UInt8(ascii: "e") {
      at += 1
      if let sign = next, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at += 1 }
      return digits()
    }
    return true
  }
}

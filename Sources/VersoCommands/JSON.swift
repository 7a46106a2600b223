package import VersoModel

/// A value of the JSON output.
package indirect enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case text(String)
  /// A path, or a line of a note: text, or `{"bytes": …}` with Base64 where it is not valid UTF-8.
  case bytes([UInt8])
  /// Seconds since 1970, written as RFC 3339 in universal time.
  case time(Int64)
  /// All 40 digits.
  case id(ObjectID)
  case array([JSONValue])
  case object(JSONFields)

  /// A path in a vault; the root is `.`.
  package static func path(_ path: RelativePath) -> JSONValue {
    .bytes(path.isRoot ? [UInt8(ascii: ".")] : path.bytes)
  }

  package static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }
}

/// Names and values, in the order in which they are written.
package struct JSONFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: JSONValue
  }

  package private(set) var fields: [Field] = []

  package init() {}

  package init(dictionaryLiteral fields: (String, JSONValue)...) {
    self.fields = fields.map { Field(name: $0, value: $1) }
  }

  /// Adds a field at the end.
  ///
  /// - Parameters:
  ///   - name: The field's name, not there yet.
  ///   - value: Its value; a field without one is left out.
  package mutating func append(_ name: String, _ value: JSONValue?) {
    guard let value else { return }
    fields.append(Field(name: name, value: value))
  }
}

/// One object of the JSON output: a line of its own, that says what it is in its first field.
package struct JSONObject: Sendable, Hashable {
  package let type: JSONType.Name
  package var fields: JSONFields

  package init(_ type: JSONType.Name, _ fields: JSONFields = [:]) {
    self.type = type
    self.fields = fields
  }

  /// The object and a line feed, as ASCII for all that is invisible and UTF-8 for the rest.
  package var line: [UInt8] {
    var writer = JSONWriter()
    var all: JSONFields = ["type": .text(type.rawValue)]
    for field in fields.fields { all.append(field.name, field.value) }
    writer.write(.object(all))
    return writer.bytes + [0x0A]
  }
}

private struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .boolean(let value): append(value ? "true" : "false")
    case .integer(let number): append(String(number))
    case .text(let text): write(text)
    case .time(let seconds): write(TimeText.rfc3339(seconds))
    case .id(let id): write(id.hex)
    case .bytes(let bytes):
      if let text = String(validating: bytes, as: UTF8.self) {
        write(text)
      } else {
        write(.object(["bytes": .text(Base64.encode(bytes))]))
      }
    case .array(let values): list(values, "[", "]") { $0.write($1) }
    case .object(let object):
      list(object.fields, "{", "}") { writer, field in
        writer.write(field.name)
        writer.append(":")
        writer.write(field.value)
      }
    }
  }

  private mutating func list<Element>(
    _ elements: [Element], _ start: String, _ end: String,
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    append(start)
    for (index, element) in elements.enumerated() {
      if index > 0 { append(",") }
      write(&self, element)
    }
    append(end)
  }

  /// Writes a string (RFC 8259, section 7).
  ///
  /// Besides what must be escaped, everything invisible is: the value is the same, and a terminal is
  /// safe.
  private mutating func write(_ text: String) {
    append("\"")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      case _ where SafeText.isAlwaysVisible(scalar):
        bytes += UTF8.encode(scalar).map { Array($0) } ?? []
      default:
        for unit in UTF16.encode(scalar).map({ Array($0) }) ?? [] {
          let hex = String(unit, radix: 16)
          append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
        }
      }
    }
    append("\"")
  }

  private mutating func append(_ text: String) { bytes += text.utf8 }
}

/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = (Array(group) + [0, 0]).prefix(3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      for place in 0..<4 {
        // One byte makes two digits, two make three.
        let digit = digits[Int(bits >> UInt32(18 - 6 * place) & 63)]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

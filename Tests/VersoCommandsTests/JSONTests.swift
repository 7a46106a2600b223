import Foundation
import Testing
import VersoCommands
import VersoModel
import VersoTestSupport

@Suite struct JSONTests {
  private func line(_ fields: JSONFields) -> String {
    String(decoding: JSONObject(.event, fields).line, as: UTF8.self)
  }

  @Test func `an object is a line that begins with its type, its fields in order`() throws {
    let id = try #require(ObjectID(hex: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"))
    let text = line([
      "z": .time(1_795_878_245), "a": .id(id), "n": .null, "b": .boolean(true), "i": .integer(-5),
      "l": .array([.count(1), .text("x")]), "o": .object(["k": .array([])]), "p": .path(.root),
    ])
    #expect(
      text == """
        {"type":"event","z":"2026-11-28T15:04:05Z",\
        "a":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d","n":null,"b":true,"i":-5,"l":[1,"x"],\
        "o":{"k":[]},"p":"."}\n
        """)
  }

  @Test(arguments: [
    ("plain", "\"plain\""), ("\"\\/", "\"\\\"\\\\/\""), ("a\nb\r\t", "\"a\\nb\\r\\t\""),
    ("\u{1B}\u{00}\u{7F}", "\"\\u001b\\u0000\\u007f\""), ("größe", "\"größe\""),
    ("\u{202E}\u{200B}\u{2028}", "\"\\u202e\\u200b\\u2028\""), ("\u{9B}", "\"\\u009b\""),
    ("\u{E0041}", "\"\\udb40\\udc41\""), ("😀", "\"😀\""),
  ])
  func `what a terminal would obey or hide is escaped`(text: String, expected: String) {
    #expect(line(["x": .text(text)]) == "{\"type\":\"event\",\"x\":\(expected)}\n")
  }

  @Test func `bytes that are no UTF-8 are Base64`() {
    #expect(line(["x": .bytes([0x63, 0xE9])]).contains(#""x":{"bytes":"Y+k="}"#))
    #expect(line(["x": .bytes(Array("cé".utf8))]).contains(#""x":"cé""#))
  }

  @Test(arguments: seeds(20))
  func `random text and bytes read back the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let scalars = (0..<30).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let bytes =
        [0xFF]
        + (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      let line = JSONObject(.event, ["text": .text(text), "bytes": .bytes(bytes)]).line
      #expect(line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "seed \(seed)")
      let parsed = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      let read = try #require(parsed?["text"] as? String)
      #expect(Array(read.utf8) == Array(text.utf8), "seed \(seed)")
      let encoded = (parsed?["bytes"] as? [String: String])?["bytes"] ?? ""
      #expect(Data(base64Encoded: encoded).map(Array.init) == bytes, "seed \(seed)")
    }
  }
}

import Testing
import VersoModel
import VersoTestSupport

@Suite struct QuotedPathTests {
  private static func randomName(_ generator: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 1...20, using: &generator)).map { _ in
      // Every byte that a name can hold, the awkward ones more often.
      let byte =
        generator.chance(3)
        ? [0x22, 0x5C, 0x0A, 0x09, 0x20, 0x7F, 0xC3, 0x30].randomElement(using: &generator)
        : UInt8.random(in: 1...255, using: &generator)
      return byte == nil || byte == 0x2F ? 0x61 : byte ?? 0x61
    }
  }

  @Test(arguments: seeds(20))
  func `every name round-trips, on one line of ASCII`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let name = Self.randomName(&generator)
      let quoted = QuotedPath.quote(name)
      #expect(quoted.allSatisfy { 0x20..<0x7F ~= $0 }, "seed \(seed)")
      #expect(QuotedPath.unquote(quoted) == name, "seed \(seed)")
      let plain = QuotedPath.quote(name, escapesHighBytes: false, quotesSpaces: true)
      #expect(QuotedPath.unquote(plain) == name, "seed \(seed)")
    }
  }

  @Test func `names are written as git writes them`() throws {
    let scratch = try Scratch("quoted")
    try scratch.git("init", "-q")
    var generator = SeededGenerator(seed: 1)
    var names: [[UInt8]] = ["plain", "a b", "ä", "say \"hi\"", "back\\slash", "\u{202E}", "a\tb"]
      .map {
        Array($0.utf8)
      }
    names += [[0xFF], [0x1B, 0x5B], [0x7F], Array(1...0x1F)]
    names += (0..<200).map { _ in Self.randomName(&generator) }
    names = Array(Set(names)).filter { $0 != [0x2E] && $0 != [0x2E, 0x2E] }
    for name in names { try scratch.write([], to: name) }
    try scratch.git("add", "-A")
    for quotePath in [true, false] {
      let output = try run(
        ["git", "-c", "core.quotePath=\(quotePath)", "ls-files"], in: scratch.path
      ).output
      let listed = output.split(separator: 0x0A).map(Array.init)
      #expect(
        Set(listed) == Set(names.map { QuotedPath.quote($0, escapesHighBytes: quotePath) }))
      #expect(Set(listed.compactMap { QuotedPath.unquote($0) }) == Set(names))
    }
  }

  @Test(arguments: [
    #""open"#, #""a"b"#, #""\q""#, #""\4""#, #""\400""#, #""\18a""#, #""\"#, #"""#,
  ])
  func `what was not written by it is refused`(text: String) {
    #expect(QuotedPath.unquote(Array(text.utf8)) == nil)
  }

  @Test func `what follows a quoted name is handed back`() throws {
    let text = QuotedPath.quote("old name".utf8, quotesSpaces: true) + Array(" -> new".utf8)
    let (path, rest) = try #require(QuotedPath.unquotePrefix(text))
    #expect(path == Array("old name".utf8))
    #expect(Array(rest) == Array(" -> new".utf8))
    #expect(QuotedPath.unquotePrefix(Array("plain".utf8)) == nil)
  }
}

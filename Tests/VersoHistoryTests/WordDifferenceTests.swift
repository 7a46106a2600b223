import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct WordDifferenceTests {
  /// The difference as text: `[-removed-]{+added+}`.
  private static func marked(_ old: String, _ new: String) throws -> String {
    try WordDifference(from: Array(old.utf8), to: Array(new.utf8)).spans.map { span in
      let text = String(decoding: span.text, as: UTF8.self)
      return switch span.kind {
      case .equal: text
      case .removed: "[-\(text)-]"
      case .added: "{+\(text)+}"
      }
    }.joined()
  }

  private static func check(_ old: [UInt8], _ new: [UInt8], _ note: String) throws {
    let spans = try WordDifference(from: old, to: new).spans
    #expect(spans.filter { $0.kind != .added }.flatMap(\.text) == old, "\(note)")
    #expect(spans.filter { $0.kind != .removed }.flatMap(\.text) == new, "\(note)")
    #expect(spans.allSatisfy { !$0.text.isEmpty }, "\(note)")
    #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.kind != $1.kind }, "\(note)")
    // No character of either side is cut: the spans' characters are the text's.
    for (text, other) in [(old, WordDifference.Span.Kind.added), (new, .removed)] {
      guard let whole = String(validating: text, as: UTF8.self) else { continue }
      let pieces = spans.filter { $0.kind != other }
        .flatMap { Array(String(decoding: $0.text, as: UTF8.self)) }
      #expect(pieces == Array(whole), "\(note)")
    }
  }

  @Test(arguments: seeds(20))
  func `the spans make up both texts and cut no character`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = randomText(&generator, lines: 6)
      try Self.check(old, randomEdit(of: old, &generator), "seed \(seed)")
      try Self.check(old, randomText(&generator, lines: 3), "seed \(seed)")
    }
  }

  @Test(arguments: seeds(10))
  func `bytes that are no text survive too`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func noise() -> [UInt8] {
      let alphabet: [UInt8] = [0x20, 0x41, 0x42, 0x0A, 0x0D, 0xCC, 0x81, 0xE2, 0x80, 0x8D, 0xFF]
      return (0..<Int.random(in: 0...12, using: &generator))
        .map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    }
    for _ in 0..<200 { try Self.check(noise(), noise(), "seed \(seed)") }
  }

  @Test func `only the words that differ are marked`() throws {
    #expect(
      try Self.marked("The quick brown fox jumps", "The slow fox jumped")
        == "The [-quick brown-]{+slow+} fox [-jumps-]{+jumped+}")
    #expect(try Self.marked("one two three", "uno dos three") == "[-one two-]{+uno dos+} three")
    #expect(try Self.marked("a, b", "a; b") == "a[-,-]{+;+} b")
    #expect(try Self.marked("same", "same") == "same")
    #expect(try Self.marked("", "new") == "{+new+}")
  }

  @Test func `letters with marks, emoji and scripts without spaces are whole`() throws {
    #expect(
      try Self.marked("cafe\u{301} au lait", "cafe au lait") == "[-cafe\u{301}-]{+cafe+} au lait")
    #expect(try Self.marked("我喜欢茶", "我喜欢水") == "我喜欢[-茶-]{+水+}")
    #expect(try Self.marked("x👩‍👩‍👧y", "x👩‍👩‍👦y") == "x[-👩‍👩‍👧-]{+👩‍👩‍👦+}y")
    #expect(try Self.marked("a\r\nb", "a\nb") == "a[-\r\n-]{+\n+}b")
    // The mark belongs to the space before it, as a reader sees it.
    try Self.check(Array("a \u{301}b".utf8), Array("a b".utf8), "space with mark")
    try Self.check(Array("x \u{301}b".utf8), Array("x \u{301}c".utf8), "space with mark")
  }

  @Test func `words are counted as a reader would`() throws {
    func size(_ old: String, _ new: String) throws -> [Int] {
      let size = try ChangeSize(from: Array(old.utf8), to: Array(new.utf8))
      return [size.addedWords, size.removedWords]
    }
    #expect(try size("", "Two words.\n") == [2, 0])
    #expect(try size("Two words.\n", "") == [0, 2])
    #expect(try size("a b c\nd e f\n", "a x c\nd e f\ng h\n") == [3, 1])
    #expect(try size("", "我喜欢茶\n") == [4, 0])
    #expect(try size("a  b\n", "a b\n") == [0, 0])
    let binary = try ChangeSize(from: [0, 1], to: [0, 1, 2, 3])
    #expect(binary.binaryBytes == 2 && binary.binaryFiles == 1 && binary.addedWords == 0)
  }

  @Test func `a line of ten megabytes is compared in linear time`() throws {
    let line = (0..<1_200_000).map { "word\($0 % 977) " }.joined()
    let old = Array(line.utf8)
    try #require(old.count > 9_000_000)
    var new = old
    new.replaceSubrange(5_000_000..<5_000_001, with: Array("NEW".utf8))
    let near = try WordDifference(from: old, to: new)
    #expect(near.spans.filter { $0.kind != .equal }.allSatisfy { $0.text.count < 40 })
    let far = try WordDifference(from: old, to: old.reversed())
    #expect(far.spans.count == 2)
    #expect(
      try LineDifference(
        from: .init(path: "a", mode: 0o100644, content: old),
        to: .init(path: "a", mode: 0o100644, content: new)
      ).lineCounts == (1, 1))
  }
}

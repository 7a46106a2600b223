import Testing
import Verso
import VersoTestSupport

/// Two texts beside each other: each side is its text again, and nothing of either is lost.
@Suite struct SideBySideTests {
  private static func text(_ lines: [SideBySide.Line?]) -> [[UInt8]] {
    lines.compactMap { $0.map { $0.pieces.flatMap(\.text) } }
  }

  private static func lines(_ text: [UInt8]) -> [[UInt8]] {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }

  private static func check(_ left: [UInt8], _ right: [UInt8], _ comment: Comment) throws {
    let both = try SideBySide(left: left, right: right)
    #expect(text(both.rows.map(\.left)) == lines(left), comment)
    #expect(text(both.rows.map(\.right)) == lines(right), comment)
    let numbers = both.rows.compactMap { $0.left?.number }
    #expect(numbers == Array(1..<numbers.count + 1), comment)
    for row in both.rows where !row.isChanged {
      #expect(row.left?.pieces == row.right?.pieces, comment)
    }
    let changed = Set(both.changes.flatMap { Array($0) })
    for (index, row) in both.rows.enumerated() {
      #expect(changed.contains(index) == row.isChanged, comment)
    }
    for line in lines(left) + lines(right) {
      #expect(lines(both.joined).contains(line), comment)
    }
    for piece in both.rows.compactMap(\.left).flatMap(\.pieces) { #expect(piece.kind != .added) }
    for piece in both.rows.compactMap(\.right).flatMap(\.pieces) {
      #expect(piece.kind != .removed)
    }
  }

  @Test(arguments: seeds(isFullRun ? 40 : 8))
  func `random texts are themselves again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = ["a", "b", "milk", "日本", "é", "", " "]
    for round in 0..<50 {
      func line() -> String {
        (0..<Int.random(in: 0...4, using: &random))
          .map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
      }
      var left = (0..<Int.random(in: 0...8, using: &random)).map { _ in line() }
      var right = left
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        switch Int.random(in: 0...2, using: &random) {
        case 0: right.insert(line(), at: Int.random(in: 0...right.count, using: &random))
        case 1 where !right.isEmpty:
          right.remove(at: Int.random(in: 0..<right.count, using: &random))
        default: left.insert(line(), at: Int.random(in: 0...left.count, using: &random))
        }
      }
      func bytes(_ lines: [String]) -> [UInt8] {
        let end = Bool.random(using: &random) ? "\n" : ""
        return Array((lines.joined(separator: "\n") + (lines.isEmpty ? "" : end)).utf8)
      }
      let (old, new) = (bytes(left), bytes(right))
      try Self.check(old, new, "seed \(seed), round \(round): \(left) \(right)")
    }
  }

  @Test func `lines that share words stand beside each other`() throws {
    let both = try SideBySide(
      left: Array("one\nbuy milk\n".utf8), right: Array("one\nnew\nbuy bread\n".utf8))
    let rows = both.rows.map { row in
      [row.left, row.right].map { line in
        line.map { String(decoding: $0.pieces.flatMap(\.text), as: UTF8.self) } ?? "-"
      }
    }
    #expect(rows.first == ["one", "one"])
    #expect(both.changes.count == 1)
    #expect(String(decoding: both.joined, as: UTF8.self) == "one\nbuy milk\nnew\nbuy bread\n")
  }

  @Test func `a last line without an end is the same line`() throws {
    let both = try SideBySide(left: Array("x\ny".utf8), right: Array("x\ny\nz\n".utf8))
    #expect(String(decoding: both.joined, as: UTF8.self) == "x\ny\nz\n")
    #expect(both.rows.map(\.isChanged) == [false, false, true])
    let same = try SideBySide(left: Array("x\ny".utf8), right: Array("x\ny\n".utf8))
    #expect(same.changes.isEmpty && same.joined == Array("x\ny".utf8))
  }

  @Test func `equal texts have no change and are joined as they are`() throws {
    let both = try SideBySide(left: Array("a\nb".utf8), right: Array("a\nb".utf8))
    #expect(both.changes.isEmpty)
    #expect(both.joined == Array("a\nb".utf8))
    #expect(try SideBySide(left: [0, 1], right: [0]).isBinary)
  }
}

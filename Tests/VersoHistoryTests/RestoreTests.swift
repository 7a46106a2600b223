import Testing
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct RestoreTests {
  private static func passage(
    _ first: Int, _ last: Int, of old: String, into today: String
  ) throws -> String {
    let text = try Passage(first: first, last: last)
      .restored(from: Array(old.utf8), into: Array(today.utf8))
    return String(decoding: text, as: UTF8.self)
  }

  private static func lineCount(_ text: [UInt8]) -> Int {
    text.count { $0 == 0x0A } + (text.isEmpty || text.last == 0x0A ? 0 : 1)
  }

  @Test(arguments: seeds(20))
  func `a passage put back into the same text changes nothing`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let text = randomText(&generator, lines: 12)
      let count = Self.lineCount(text)
      if count == 0 { continue }
      let first = Int.random(in: 1...count, using: &generator)
      let passage = Passage(first: first, last: Int.random(in: first...count, using: &generator))
      #expect(try passage.restored(from: text, into: text) == text, "seed \(seed)")
    }
  }

  @Test(arguments: seeds(20))
  func `all lines put back are the old text, whatever is there now`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = randomText(&generator, lines: 12)
      let today = generator.chance(2) ? randomText(&generator) : randomEdit(of: old, &generator)
      let count = Self.lineCount(old)
      if count == 0 { continue }
      let all = Passage(first: 1, last: count)
      #expect(try all.restored(from: old, into: today) == old, "seed \(seed)")
    }
  }

  @Test(arguments: seeds(30))
  func `lines that only today has stay unless they stand within the passage`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      // Lines that differ from one another, so that there is one way to align them.
      let count = Int.random(in: 2...14, using: &generator)
      let old = (1...count).map { "old \($0)" }
      let first = Int.random(in: 1...count, using: &generator)
      let last = Int.random(in: first...count, using: &generator)
      if first == 1, last == count { continue }
      var today: [String] = []
      var kept: [String] = []
      for number in 0...count {
        if generator.chance(3) {
          let line = "today after \(number)"
          today.append(line)
          // Strictly between two lines of the passage it stands within.
          if number < first || number >= last { kept.append(line) }
        }
        if number < count, !generator.chance(4) { today.append(old[number]) }
      }
      let result = try Self.passage(
        first, last, of: old.map { $0 + "\n" }.joined(),
        into: today.map { $0 + "\n" }.joined()
      ).split(separator: "\n").map(String.init)
      let passage = Array(old[(first - 1)..<last])
      let note: Comment = "seed \(seed): \(first)-\(last) into \(today) gave \(result)"
      // The passage is there, once and in one piece.
      #expect(result.filter { passage.contains($0) } == passage, note)
      let start = try #require(result.firstIndex(of: passage[0]))
      #expect(Array(result[start..<(start + passage.count)]) == passage, note)
      // Lines of today whose neighbours in the passage survived are outside or inside for sure.
      let survived = Set(today)
      let ends = survived.contains(passage[0]) && survived.contains(passage[passage.count - 1])
      if ends { #expect(kept.allSatisfy(result.contains), note) }
      // Old lines outside the passage come through untouched.
      let outside = today.filter { $0.hasPrefix("old") && !passage.contains($0) }
      #expect(result.filter { $0.hasPrefix("old") && !passage.contains($0) } == outside, note)
    }
  }

  @Test func `a passage that was rewritten takes the place of what replaced it`() throws {
    #expect(
      try Self.passage(2, 3, of: "a\nb\nc\nd\n", into: "a\nX\nY\nZ\nd\ne\n") == "a\nb\nc\nd\ne\n")
    #expect(try Self.passage(2, 2, of: "a\nb\nc\nd\n", into: "a\nX\nY\nd\n") == "a\nb\nY\nd\n")
  }

  @Test func `a passage that is gone follows the last surviving line before it`() throws {
    #expect(try Self.passage(2, 3, of: "a\nb\nc\nd\n", into: "new\na\nd\n") == "new\na\nb\nc\nd\n")
    #expect(try Self.passage(1, 1, of: "a\nb\nc\n", into: "b\nc\n") == "a\nb\nc\n")
    #expect(try Self.passage(3, 3, of: "a\nb\nc\n", into: "a\nb\n") == "a\nb\nc\n")
    #expect(try Self.passage(2, 2, of: "a\nb\n", into: "") == "b\n")
    // Nobody knows which of the new lines stand for the passage: all stay.
    #expect(try Self.passage(2, 2, of: "a\nb\nc\nd\n", into: "a\nX\nd\n") == "a\nb\nX\nd\n")
  }

  @Test func `line ends of today are kept`() throws {
    #expect(try Self.passage(2, 2, of: "a\nb\nc\n", into: "a\r\nc\r\n") == "a\r\nb\r\nc\r\n")
    #expect(try Self.passage(2, 2, of: "a\r\nb\r\nc\r\n", into: "a\nX\nc\n") == "a\nb\nc\n")
    #expect(try Self.passage(2, 2, of: "a\nb", into: "a") == "a\nb")
    #expect(try Self.passage(2, 2, of: "a\nb", into: "a\nc\n") == "a\nb")
    #expect(try Self.passage(2, 2, of: "a\nb", into: "a\nb\nc\n") == "a\nb\nc\n")
    #expect(try Self.passage(1, 1, of: "a\nb\n", into: "b") == "a\nb")
  }

  @Test func `lines that the version has not are refused with their number`() throws {
    for (first, last) in [(1, 4), (0, 1), (3, 2), (4, 4)] {
      let failure = #expect(throws: Passage.Failure.self) {
        try Passage(first: first, last: last)
          .restored(from: Array("a\nb\nc".utf8), into: Array("a\n".utf8))
      }
      #expect(failure?.code == .outOfRange)
      #expect(failure?.description.contains("3 lines") == true)
    }
    let binary = #expect(throws: Passage.Failure.self) {
      try Passage(first: 1, last: 1).restored(from: [0, 10], into: [65, 10])
    }
    #expect(binary?.code == .binary)
  }

  private static func file(
    _ path: RelativePath, _ content: UInt8, mode: UInt32 = 0o100644
  ) -> RestorePlan.File {
    let id = ObjectID(bytes: [UInt8](repeating: content, count: 20))
    return RestorePlan.File(path: path, mode: mode, content: id)
  }

  @Test func `a folder gets back what it had, and newer files stay`() {
    let old = [Self.file("d/a", 1), Self.file("d/b", 2), Self.file("d/c", 3)]
    let today = [Self.file("d/a", 1), Self.file("d/b", 9), Self.file("d/new", 4)]
    let plan = RestorePlan(old: old, today: today)
    #expect(plan.writes.map(\.path) == ["d/b", "d/c"])
    #expect(plan.removals.isEmpty && plan.obstacles.isEmpty)
    let exact = RestorePlan(old: old, today: today, exact: true)
    #expect(exact.removals == ["d/new"])
    #expect(exact.writes == plan.writes)
    #expect(RestorePlan(old: old, today: old).isEmpty)
  }

  @Test func `a mode that changed is brought back`() {
    let old = [Self.file("a", 1, mode: 0o100755)]
    #expect(RestorePlan(old: old, today: [Self.file("a", 1)]).writes == old)
  }

  @Test func `newer files in the way are named, and go only where the old state is to be exact`() {
    let old = [Self.file("d/a/x", 1), Self.file("d/b", 2)]
    let today = [Self.file("d/a", 3), Self.file("d/b/y", 4)]
    let plan = RestorePlan(old: old, today: today)
    #expect(plan.obstacles == ["d/a", "d/b/y"])
    let exact = RestorePlan(old: old, today: today, exact: true)
    #expect(exact.obstacles.isEmpty)
    #expect(exact.removals == ["d/a", "d/b/y"])
  }

  @Test func `a nested repository is neither brought back nor removed`() {
    let nested = Self.file("d/r", 1, mode: 0o160000)
    #expect(RestorePlan(old: [nested], today: []).isEmpty)
    #expect(RestorePlan(old: [], today: [nested], exact: true).isEmpty)
    let blocked = RestorePlan(old: [Self.file("d/r/x", 2)], today: [nested], exact: true)
    #expect(blocked.obstacles == ["d/r"])
  }

  @Test func `what had another name then comes back under today's`() {
    let plan = RestorePlan(
      old: [Self.file("old/a", 1), Self.file("old/b/c", 2)], today: [Self.file("new/a", 1)],
      moving: ("old", "new"))
    #expect(plan.writes == [Self.file("new/b/c", 2)])
  }
}

import Testing
import Verso
import VersoBrowser
import VersoModel

/// Conflict copies side by side with their notes, and how conflicts end.
@Suite struct BrowserComparisonTests {
  private static let copy: RelativePath = "a (conflict phone 2027-01-15 0801 850c244).md"

  private static func desk(
    _ note: String, _ copy: String, size: CellSize = .desk
  ) -> BrowserDesk {
    var desk = BrowserDesk(size, ["a.md": note, Self.copy.description: copy])
    // The note is the second row, as a space sorts before a dot.
    desk.press("Enter")
    return desk
  }

  @Test func `a conflict copy opens beside its note, with the words that differ`() throws {
    var desk = Self.desk("same\nbuy milk\nend\n", "same\nbuy bread\nend\n")
    desk.press("Enter")
    #expect(desk.text.contains(" a.md") && desk.text.contains("the copy: phone, 2027-01-15 08:01"))
    let row = try #require(desk.rows.first { $0.contains("buy milk") })
    let columns = row.split(separator: "│").map(String.init)
    #expect(columns.count == 2, "\(desk.text)")
    #expect(columns[0].contains("▌ buy milk") && columns[1].contains("▌ buy bread"))
    let same = try #require(desk.rows.first { $0.contains("same") })
    #expect(same.split(separator: "│").allSatisfy { $0.contains("same") })
    desk.press("Esc")
    #expect(!desk.text.contains("the copy: phone"))
    #expect(desk.text.contains("buy bread"))
  }

  @Test func `where there is no room both stand below each other`() throws {
    var desk = Self.desk("same\nmilk\nend\n", "same\nbread\nend\n", size: .phone)
    desk.press("Enter")
    let rows = desk.rows
    let left = try #require(rows.firstIndex { $0.contains("− milk") })
    let right = try #require(rows.firstIndex { $0.contains("+ bread") })
    #expect(right == left + 1)
    #expect(rows.filter { $0.contains("same") }.count == 1)
    desk.resize(100, 38)
    #expect(desk.rows.contains { $0.contains("milk") && $0.contains("bread") })
  }

  @Test(arguments: [("m", ConflictChoice.this), ("t", .copy), ("g", .joined), ("b", .both)])
  func `one key ends the conflict`(key: String, choice: ConflictChoice) {
    var desk = Self.desk("milk\n", "bread\n")
    desk.press("Enter \(key)")
    #expect(desk.resolved.map(\.copy) == [Self.copy])
    #expect(desk.resolved.first?.choice == choice)
    #expect(!desk.text.contains("the copy: phone"))
    // The copy was selected, and is gone.
    #expect(desk.model.gotoLog.last == "noSelection notes" || !desk.text.contains("(conflict"))
  }

  @Test func `differences are stepped through, and scrolling ends at the last row`() {
    let lines = (1...60).map { "line \($0)\n" }
    let changed = lines.enumerated().map { $0 == 9 || $0 == 49 ? "other \($0)\n" : $1 }
    var desk = Self.desk(lines.joined(), changed.joined())
    desk.press("Enter")
    #expect(desk.text.contains("other 9") && !desk.text.contains("other 49"))
    desk.press("]")
    #expect(desk.text.contains("other 49"))
    desk.press("]")
    #expect(desk.text.contains("other 9"))
    desk.press("G")
    #expect(desk.rows.contains { $0.contains("line 60") })
    desk.press("Home")
    #expect(desk.text.contains("line 1 "))
  }

  @Test func `a copy whose note is gone, and what is no copy, say so`() {
    var desk = BrowserDesk(.desk, [Self.copy.description: "b\n"])
    desk.press("Enter c")
    #expect(desk.status.contains("is gone"))
    desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("Enter c")
    #expect(desk.status.contains("is no conflict copy"))
  }

  @Test func `texts that are no texts are refused with a way out`() {
    var desk = Self.desk("a\u{0}b\n", "c\u{0}d\n")
    desk.press("Enter")
    #expect(desk.status.contains("verso conflicts resolve"))
  }

  /// What was typed beside what another program has written meanwhile.
  private static func comparing(with theirs: String) -> BrowserDesk {
    var desk = BrowserDesk(.desk, ["a.md": "old\n"])
    desk.press("Enter Enter l i")
    desk.type("mine ")
    desk.writeOutside("a.md", theirs)
    desk.press("Esc")
    desk.press("d")
    return desk
  }

  @Test func `what another program wrote stands beside what was typed, and m keeps mine`() {
    var desk = Self.comparing(with: "theirs old\n")
    #expect(
      desk.rows.contains { $0.contains("mine old") && $0.contains("theirs old") }, "\(desk.text)")
    desk.press("m")
    #expect(!desk.text.contains("the other program's"))
    #expect(desk.disk["a.md"] == .some(.some(Array("mine old\n".utf8))))
  }

  @Test func `what is no text in the other program's place is refused with a way out`() {
    var desk = Self.comparing(with: "a\u{0}b\n")
    #expect(desk.status.contains("m keeps yours"), "\(desk.text)")
    desk.press("m")
    #expect(desk.disk["a.md"] == .some(.some(Array("mine old\n".utf8))))
  }
}

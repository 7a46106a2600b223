import Testing
import VersoModel
import VersoTestSupport

@Suite struct ItemListTests {
  private func list(_ names: [String], order: ItemOrder = .name) -> ItemList {
    ItemList(.files, of: item("F/"), in: Catalogue(names.map { item("F/" + $0) }), order: order)
  }

  @Test func `names are sorted folders first, by value of digits, without case`() {
    let names = list(["b.md", "A.md", "note 10.md", "note 9.md", "note 09.md", "Z/", "a/", "É.md"])
      .items.map(\.name)
    #expect(
      names == ["a", "Z", "A.md", "b.md", "note 09.md", "note 9.md", "note 10.md", "É.md"])
  }

  @Test func `times and sizes sort the last and the largest first`() {
    let facts: [RelativePath: ItemFacts] = [
      "F/a": .init(modified: 1, size: 30), "F/b": .init(modified: 3, size: 10),
      "F/c": .init(modified: 2, size: 20),
    ]
    var list = list(["a", "b", "c"])
    list.moveCursor(to: 2)
    list.sort(by: .modified, facts: facts)
    #expect(list.items.map(\.name) == ["b", "c", "a"])
    #expect(list.cursor == 1)
    list.sort(by: .size, facts: facts)
    #expect(list.items.map(\.name) == ["a", "c", "b"])
  }

  @Test func `hidden names come and go, and the cursor stays on its item`() {
    var list = list([".a", "b", ".c", "d"])
    #expect(list.items.map(\.name) == ["b", "d"])
    list.moveCursor(to: 1)
    list.showHidden(true)
    #expect(list.items.map(\.name) == [".a", ".c", "b", "d"])
    #expect(list.cursor == 3)
    list.showHidden(false)
    #expect(list.cursor == 1)
  }

  @Test func `two notes that are exchanged are two renames, and the cursor goes along`() {
    var list = list(["a", "b", "c"])
    let (a, b) = (item("F/a"), item("F/b"))
    list.apply([.renamed(from: a, to: b), .renamed(from: b, to: a)])
    #expect(list.items.map(\.name) == ["a", "b", "c"])
    #expect(list.cursor == 1)
  }

  @Test func `the cursor is brought into view with as little scrolling as may be`() {
    var list = list((0..<50).map { "\($0)" })
    list.moveCursor(to: 30)
    list.revealCursor(height: 10)
    #expect(list.top == 21)
    list.moveCursor(to: 25)
    list.revealCursor(height: 10)
    #expect(list.top == 21)
    list.moveCursor(to: 5)
    list.revealCursor(height: 10)
    #expect(list.top == 5)
  }

  @Test func `names that cannot be given are refused, and free ones are found`() throws {
    for (name, problem) in [
      ("", .empty), (" \t\u{3000}", .empty), ("a/b", .invalid), ("..", .invalid), (".", .invalid),
      ("a\0", .invalid),
      (".GIT", .reserved), (String(repeating: "é", count: 128), .tooLong),
    ] as [(String, ItemName.Problem)] {
      #expect(throws: problem) { try ItemName.bytes(name) }
    }
    #expect(try ItemName.New("plans/").kind == .folder)
    #expect(try ItemName.New("plan.md").kind == .file)
    let taken = [item("F/untitled.md"), item("F/Untitled 2.md")]
    #expect(ItemName.free(suffix: ".md", besides: taken) == "Untitled 3.md")
  }

  @Test func `a hundred thousand rows take an edit in a moment`() {
    let catalogue = Catalogue((0..<100_000).map { item("F/note \($0).md") })
    var list = ItemList(.files, of: item("F/"), in: catalogue)
    list.moveCursor(to: 70_000)
    let clock = ContinuousClock()
    let time = clock.measure {
      list.apply([.removed(item("F/note 5.md")), .added(item("F/x.md"))])
    }
    #expect(list.count == 100_000)
    #expect(list.cursor == 69_999)
    // A debug build on a busy machine: the bound only tells linear from quadratic.
    #expect(time < .seconds(5))
  }
}

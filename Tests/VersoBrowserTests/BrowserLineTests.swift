import Testing
import Verso
import VersoBrowser
import VersoModel

/// The browser at a terminal that only takes lines, and for those who have the screen read to them.
@Suite struct BrowserLineTests {
  private static func desk() -> BrowserDesk {
    BrowserDesk(
      CellSize(width: 80, height: 24), BrowserRowTests.notes,
      options: { ($0.isAccessible, $0.isLinear) = (true, true) })
  }

  @Test func `rows have numbers, and a number opens its row`() {
    var desk = Self.desk()
    #expect(desk.view.contains("   1 > notes/") && desk.view.contains("   3   ideas/"))
    desk.line("3")
    #expect(desk.view.contains("   2   todo.md"))
    desk.line("2")
    #expect(desk.view.contains("milk") && !desk.view.contains("later.md"))
    #expect(desk.model.gotoLog == ["folderSelected ideas", "fileSelected ideas/todo.md"])
    desk.line("..")
    #expect(desk.view.contains("later.md"))
    desk.line("99")
    #expect(desk.said.last == "there is no such row")
  }

  @Test func `there is no box, no divider and no escape sequence in what is printed`() {
    var desk = Self.desk()
    for line in ["3", "2", ":", "", "help", "new-file", "x.md", "F", ""] {
      desk.line(line)
      let text = desk.view
      #expect(!text.contains { "│─┌┐└┘\u{1B}".contains($0) }, "after \(line):\n\(text)")
    }
  }

  @Test func `questions are asked in the line and answered by one`() {
    var desk = Self.desk()
    desk.line("3")
    desk.line("new-file")
    #expect(desk.model.lineView.question == "New note in ideas: ")
    desk.line("plan.md")
    #expect(desk.disk["ideas/plan.md"] != nil)
    desk.line("d")
    #expect(desk.model.lineView.question.contains("Delete plan.md? y/n"))
    desk.line("n")
    #expect(desk.disk["ideas/plan.md"] != nil)
    desk.line("delete")
    desk.line("yes")
    #expect(desk.disk["ideas/plan.md"] == nil)
    #expect(desk.said.contains { $0.contains("plan.md deleted, folder ideas") })
    desk.line("rename")
    desk.line("")
    #expect(desk.model.lineView.question == "> ")
  }

  @Test func `lines are added to a note until a single dot`() {
    var desk = Self.desk()
    desk.line("3")
    desk.line("2")
    desk.line("edit")
    #expect(desk.model.lineView.question == "+ ")
    desk.line("bread")
    desk.line("")
    desk.line("  butter")
    desk.line(".")
    #expect(desk.disk["ideas/todo.md"] == .some(Array("# Todo\n\nmilk\nbread\n\n  butter\n".utf8)))
    #expect(desk.model.lineView.question == "> ")
  }

  @Test func `an empty line shows the next page, and says where the end is`() {
    let text = (1...60).map { "line \($0)\n" }.joined()
    var desk = BrowserDesk(
      CellSize(width: 80, height: 24), ["long.txt": text],
      options: { ($0.isAccessible, $0.isLinear) = (true, true) })
    desk.line("1")
    desk.line("1")
    #expect(desk.view.contains("line 20\n") && !desk.view.contains("line 30"))
    desk.line("")
    #expect(desk.view.contains("line 30") && !desk.view.contains("line 20\n"))
    for _ in 0..<4 { desk.line("") }
    #expect(desk.view.contains("line 60"))
    #expect(desk.said.last == "that is the end")
  }

  @Test func `all commands are listed, and one is chosen by its number`() throws {
    var desk = Self.desk()
    desk.line(":")
    #expect(desk.model.lineView.question == "text or number: ")
    desk.line("select nothing")
    let row = try #require(desk.view.split(separator: "\n").first { $0.contains("deselect") })
    desk.line(String(row.split(separator: " ")[0]))
    #expect(desk.said.last == "nothing selected")
    desk.line("no such thing")
    #expect(desk.said.last?.contains("is no command") ?? false)
  }

  @Test func `what others do is told in a sentence`() {
    var desk = Self.desk()
    desk.line("3")
    desk.line("2")
    desk.removeOutside("ideas/todo.md")
    #expect(desk.said.last == "todo.md is gone, folder ideas, 1 item")
    #expect(desk.view.contains("later.md"))
  }

  @Test func `for screen readers sentences stand in lines above the status`() {
    var desk = BrowserDesk(.desk, BrowserRowTests.notes, options: { $0.isAccessible = true })
    desk.press("j j Enter")
    desk.press("j Enter")
    desk.moveOutside("ideas/todo.md", "ideas/done.md")
    desk.removeOutside("ideas/done.md")
    let told = desk.rows.suffix(4).dropLast()
    #expect(
      Array(told) == [
        "note todo.md", "todo.md is now done.md",
        "done.md is gone, folder ideas, 1 item",
      ])
    // Where there are few rows all of them are needed.
    desk.resize(80, 12)
    #expect(!desk.rows.dropLast().contains { $0.contains("todo.md is now") })
  }
}

extension BrowserDesk {
  fileprivate mutating func line(_ text: String) { send(.screen(.line(text))) }
  fileprivate var view: String { model.lineView.rows.map { $0 + "\n" }.joined() }
  fileprivate var said: [String] { model.sayings(after: 0) }
}

import Testing
import VersoModel
import VersoTestSupport

@Suite struct ReadingShowTests {
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("one\n", to: "a.md")
    try desk.scratch.write("sub\n", to: "folder/b.md")
    try desk.commit("First", at: noon)
    try desk.scratch.write("two\u{1B}[2J\r\n", to: "a.md")
    try desk.commit("Second", at: noon + 60)
    try desk.scratch.git("mv", "a.md", "c.md")
    try desk.commit("Third", at: noon + 120)
    try desk.scratch.write("unsaved\n", to: "c.md")
    return desk
  }

  @Test func `exact bytes of the last version go to a pipe`() throws {
    let desk = try desk()
    let result = try desk.verso("show", "@c.md")
    #expect(result.code == 0)
    #expect(result.text == "two\u{1B}[2J\r\n")
    #expect(try desk.verso("cat", "@c.md").text == result.text)
  }

  @Test func `every way to name a version leads to the bytes that git has`() throws {
    let desk = try desk()
    let first = String(decoding: try desk.git("rev-parse", "HEAD~2"), as: UTF8.self).dropLast()
    for when in ["~2", "HEAD~2", "id:\(first.prefix(8))", TimeText.rfc3339(noon + 59)] {
      let result = try desk.verso("show", "@c.md", "--at", when)
      #expect(result.code == 0, "\(when)")
      #expect(result.text == "one\n", "\(when)")
      #expect(result.errors.contains("c.md was called a.md then"), "\(when)")
    }
  }

  @Test func `an id is an id even where a branch has its name`() throws {
    let desk = try desk()
    let first = String(decoding: try desk.git("rev-parse", "HEAD~2"), as: UTF8.self)
    let digits = String(first.prefix(8))
    try desk.scratch.git("branch", digits)
    #expect(try desk.verso("show", "@a.md", "--at", "id:\(digits)").text == "one\n")
  }

  @Test func `a terminal sees symbols unless the bytes are asked for`() throws {
    let desk = try desk()
    #expect(try desk.versoOnTerminal("show", "@c.md") == "two␛[2J␍\n")
    #expect(try desk.versoOnTerminal("show", "--raw", "@c.md").contains("\u{1B}[2J"))
  }

  @Test func `a folder is listed as ls does`() throws {
    let desk = try desk()
    #expect(try desk.verso("show", "@folder").text == "b.md\n")
    #expect(try desk.verso("ls", "@folder").text == "b.md\n")
    #expect(try desk.verso("show", "@.").text == "c.md\nfolder\n")
  }

  @Test func `what never was fails and names the nearest`() throws {
    let desk = try desk()
    let typo = try desk.verso("show", "@folder/bb.md")
    #expect(typo.code == 1)
    #expect(typo.output.isEmpty)
    #expect(typo.errors.contains("there never was folder/bb.md"))
    #expect(typo.errors.contains("did you mean folder/b.md?"))
    #expect(try desk.verso("show", "@B.MD").errors.contains("did you mean folder/b.md?"))
    let gone = try desk.verso("show", "@a.md")
    #expect(gone.code == 1)
    #expect(gone.errors.contains("there is no a.md in the last version"))
  }

  @Test func `a wrong WHEN says what is wrong`() throws {
    let desk = try desk()
    let early = try desk.verso("show", "@c.md", "--at", "2001-01-01")
    #expect(early.code == 1)
    #expect(early.errors.contains("nothing had been saved by 2001-01-01"))
    #expect(try desk.verso("show", "@c.md", "--at", "2026-02-30").code == 2)
    #expect(try desk.verso("show", "@c.md", "--at", "~9").errors.contains("has not 10 versions"))
    let name = try desk.verso("show", "@c.md", "--at", "nonsense")
    #expect(name.code == 1)
    #expect(name.errors.contains("'nonsense' is neither a time nor a version"))
    let digits = try desk.verso("show", "@c.md", "--at", "id:ffffffffffff")
    #expect(digits.errors.contains("no version whose id starts with ffffffffffff"))
  }

  @Test func `ls gives kinds and sizes to programs and exact names with NUL`() throws {
    let desk = try desk()
    let objects = try desk.verso("ls", "--json").objects()
    #expect(objects.map { $0["path"] as? String } == ["c.md", "folder"])
    #expect(objects.map { $0["kind"] as? String } == ["file", "folder"])
    #expect(objects[0]["size"] as? Int == 9)
    #expect(objects[1]["size"] as? Int == nil)
    #expect(try desk.verso("ls", "-0").text == "c.md\0folder\0")
    #expect(try desk.verso("ls", "--at", "HEAD~2").text == "a.md\nfolder\n")
    let none = try desk.verso("ls", "@nothing")
    #expect(none.code == 0)
    #expect(none.output.isEmpty && !none.errors.isEmpty)
  }

  @Test func `with JSON a note is an object with its content`() throws {
    let desk = try desk()
    let objects = try desk.verso("show", "--json", "@c.md").objects()
    #expect(objects.map { $0["content"] as? String } == ["two\u{1B}[2J\r\n"])
  }

  @Test func `outside of any repository it is said`() throws {
    let scratch = try Scratch("nowhere")
    let desk = try desk()
    let result = try desk.verso("show", "-C", scratch.path, scratch.at("x.md"))
    #expect(result.code == 1)
    #expect(result.errors.contains("not in a vault"))
  }
}

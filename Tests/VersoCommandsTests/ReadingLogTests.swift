import Testing
import VersoModel
import VersoTestSupport

@Suite struct ReadingLogTests {
  /// A note that is written, edited twice in quick succession, renamed, and deleted.
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("milk and bread\n", to: "list.md")
    try desk.scratch.write("other\n", to: "notes/other.md")
    try desk.commit("Add list", at: noon)
    try desk.scratch.write("milk and butter\n", to: "list.md")
    try desk.commit("Edit list.md\n\nVerso-Device: desk", at: noon + 3600)
    try desk.scratch.write("milk and butter and tea\n", to: "list.md")
    try desk.commit("Edit list.md again\n\nVerso-Device: desk", at: noon + 3660)
    try desk.scratch.git("mv", "list.md", "notes/shopping.md")
    try desk.commit("Move it", at: noon + 7200)
    return desk
  }

  @Test func `the vault's versions come newest first as git has them`() throws {
    let desk = try desk()
    let result = try desk.verso("log")
    #expect(result.code == 0)
    let ids = String(decoding: try desk.git("log", "--format=%h", "--abbrev=7"), as: UTF8.self)
    #expect(
      result.lines.map { String($0.dropFirst(18).prefix(7)) }
        == ids.split(separator: "\n").map(String.init))
    #expect(result.lines[0].hasPrefix(TimeText.minute(noon + 7200)))
    #expect(try desk.verso("log", "-n", "2").lines.count == 2)
  }

  @Test func `a note is followed through its rename`() throws {
    let desk = try desk()
    let objects = try desk.verso("log", "--json", "@notes/shopping.md").objects()
    #expect(objects.map { $0["change"] as? String } == ["R", "M", "M", "A"])
    #expect(objects.map { $0["path"] as? String }[0...1] == ["notes/shopping.md", "list.md"])
    #expect(objects[0]["from"] as? String == "list.md")
    #expect(objects[1]["device"] as? String == "desk")
    #expect(objects[3]["device"] as? String == nil)
    #expect(objects[3]["author"] as? String == "Ada")
    #expect(objects[3]["time"] as? String == "2026-06-01T12:00:00Z")
    #expect(objects.allSatisfy { $0["type"] as? String == "version" && $0["files"] == nil })
  }

  @Test func `a deleted note has its versions still`() throws {
    let desk = try desk()
    try desk.scratch.git("rm", "-q", "notes/shopping.md")
    try desk.commit("Delete it", at: noon + 9000)
    let objects = try desk.verso("log", "--json", "@notes/shopping.md").objects()
    #expect(objects.map { $0["change"] as? String } == ["D", "R", "M", "M", "A"])
  }

  @Test func `a folder has the versions of all in it and names the files`() throws {
    let desk = try desk()
    let result = try desk.verso("log", "--names", "@notes")
    #expect(result.lines.count == 4)
    #expect(result.lines[1] == "    A notes/shopping.md")
    #expect(result.lines[3] == "    A notes/other.md")
  }

  @Test func `names end with NUL and are exact`() throws {
    let desk = try ReadingDesk()
    try desk.scratch.write(Array("x\n".utf8), to: [0x61, 0x0A, 0xFF])
    try desk.commit("Odd", at: noon)
    #expect(try desk.verso("log", "--names", "-0").output == [0x61, 0x0A, 0xFF, 0])
    #expect(try desk.verso("log", "--names").lines[1] == #"    A "a\n\377""#)
  }

  @Test func `since and until bound the list`() throws {
    let desk = try desk()
    let since = TimeText.rfc3339(noon + 3600)
    let until = TimeText.rfc3339(noon + 3660)
    let objects = try desk.verso("log", "--json", "--since", since, "--until", until).objects()
    #expect(
      objects.map { $0["subject"] as? String } == ["Edit list.md again", "Edit list.md"])
  }

  @Test func `stat counts words in each file`() throws {
    let desk = try desk()
    let objects = try desk.verso("log", "--json", "--stat", "-n", "2").objects()
    let files = try #require(objects[1]["files"] as? [[String: Any]])
    #expect(files[0]["path"] as? String == "list.md")
    #expect(files[0]["wordsAdded"] as? Int == 2)
    #expect(files[0]["wordsRemoved"] as? Int == 0)
    #expect(try desk.verso("log", "--stat").text.contains("M list.md  +2 −0 words"))
  }

  @Test func `quick saves of one device fold on a terminal only`() throws {
    let desk = try desk()
    let clock = "\(TimeText.minute(noon + 3600))–\(TimeText.clock(noon + 3660))"
    let folded = try desk.versoOnTerminal("log", "@notes/shopping.md")
    #expect(folded.contains(clock))
    #expect(folded.contains("desk  2 saves  +3 −1 words"))
    #expect(folded.contains("(was list.md)"))
    #expect(folded.split(separator: "\n").count == 3)
    let vault = try desk.versoOnTerminal("log")
    #expect(vault.contains("2 saves"))
    let all = try desk.versoOnTerminal("log", "--all", "@notes/shopping.md")
    #expect(all.split(separator: "\n").count == 4)
    #expect(try desk.verso("log", "@notes/shopping.md").lines.count == 4)
  }

  @Test func `nothing found is no failure`() throws {
    let empty = try ReadingDesk()
    let unborn = try empty.verso("log")
    #expect(unborn.code == 0)
    #expect(unborn.output.isEmpty && unborn.errors.isEmpty)
    let desk = try desk()
    let absent = try desk.verso("log", "@notes/shoping.md")
    #expect(absent.code == 0)
    #expect(absent.output.isEmpty)
    #expect(absent.errors.contains("did you mean notes/shopping.md?"))
    let early = try desk.verso("log", "--until", "2001-01-01")
    #expect(early.code == 0)
    #expect(early.output.isEmpty)
  }

  @Test func `a hostile name and subject cannot act on a terminal`() throws {
    let desk = try ReadingDesk()
    try desk.scratch.write("x\n", to: "a\u{1B}[2J.md")
    try desk.commit("Clear \u{1B}[2J screen", at: noon)
    let shown = try desk.versoOnTerminal("log", "--names")
    #expect(!shown.contains("\u{1B}"))
    #expect(shown.contains("␛[2J"))
  }
}

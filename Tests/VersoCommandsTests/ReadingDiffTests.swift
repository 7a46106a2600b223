import Testing
import VersoModel
import VersoTestSupport

@Suite struct ReadingDiffTests {
  /// A vault with a text of twenty lines.
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    let text = (1...20).map { "line \($0) of the text\n" }.joined()
    try desk.scratch.write(text, to: "a.md")
    try desk.scratch.write("keep\n", to: "with space.md")
    try desk.scratch.write([0, 1, 2, 3], to: Array("p.bin".utf8))
    try desk.commit("First", at: noon)
    return desk
  }

  private func edit(_ desk: ReadingDesk) throws {
    let text = desk.scratch.text(of: "a.md") ?? ""
    let edited = text.replacing("line 9 of", with: "row 9 of")
    try desk.scratch.write(edited + "no newline", to: "a.md")
  }

  @Test func `the disk is compared with the last version as git does`() throws {
    let desk = try desk()
    #expect(try desk.verso("diff").output.isEmpty)
    try edit(desk)
    try desk.scratch.write("kept\n", to: "with space.md")
    try desk.scratch.write([0, 9], to: Array("p.bin".utf8))
    try desk.scratch.git("rm", "-q", "--cached", "p.bin")
    try desk.scratch.git("add", "-N", "p.bin")
    let all = try desk.verso("diff")
    #expect(all.code == 0)
    #expect(all.output == (try desk.git("diff", "--abbrev=7", "HEAD")))
    let one = try desk.verso("diff", "@a.md")
    #expect(one.output == (try desk.git("diff", "--abbrev=7", "HEAD", "--", "a.md")))
  }

  @Test func `new and deleted files and modes are shown as git shows them`() throws {
    let desk = try desk()
    try desk.scratch.write("fresh\n", to: "folder/new.md")
    try desk.scratch.git("rm", "-q", "with space.md")
    try run(["chmod", "+x", desk.scratch.at("a.md")])
    let shown = try desk.verso("diff").output
    let folder = try desk.verso("diff", "@folder").output
    try desk.scratch.git("add", "-A")
    #expect(shown == (try desk.git("diff", "--abbrev=7", "HEAD")))
    #expect(folder == (try desk.git("diff", "--abbrev=7", "HEAD", "--", "folder")))
  }

  @Test func `a rename on the disk is shown as one with or without edits`() throws {
    let desk = try desk()
    try edit(desk)
    try run(["mv", "a.md", "b.md"], in: desk.scratch.path)
    let text = try desk.verso("diff").text
    #expect(text.contains("rename from a.md\nrename to b.md\n"))
    let objects = try desk.verso("diff", "--json").objects()
    #expect(
      objects.allSatisfy { $0["change"] as? String == "R" && $0["from"] as? String == "a.md" })
    #expect(objects.count == 2)
  }

  @Test func `two versions are compared as git does`() throws {
    let desk = try desk()
    try edit(desk)
    try desk.commit("Second", at: noon + 60)
    try desk.scratch.git("mv", "a.md", "z.md")
    try desk.commit("Third", at: noon + 120)
    try desk.scratch.write("unsaved", to: "z.md")
    #expect(
      try desk.verso("diff", "--from", "HEAD~2", "--to", "HEAD~1").output
        == (try desk.git("diff", "--abbrev=7", "HEAD~2", "HEAD~1")))
    #expect(
      try desk.verso("diff", "--from", "HEAD~1", "--to", "HEAD").output
        == (try desk.git("diff", "--abbrev=7", "HEAD~1", "HEAD")))
    // Backwards, from the last version, which is the default.
    #expect(
      try desk.verso("diff", "--to", "HEAD~2", "@p.bin").output.isEmpty)
    let followed = try desk.verso("diff", "@z.md", "--from", "~2", "--to", "HEAD")
    #expect(followed.text.contains("rename from a.md\nrename to z.md"))
    #expect(followed.errors.contains("z.md was called a.md then"))
  }

  @Test func `an old version is compared with the disk`() throws {
    let desk = try desk()
    try edit(desk)
    try desk.commit("Second", at: noon + 60)
    let back = try desk.git("show", "HEAD~1:a.md")
    try desk.scratch.write(back, to: Array("a.md".utf8))
    // What was saved and put back since differs from the last version only.
    #expect(try desk.verso("diff", "--from", "HEAD~1").output.isEmpty)
    #expect(
      try desk.verso("diff").output == (try desk.git("diff", "--abbrev=7", "HEAD")))
  }

  @Test func `words are marked in brackets or in colour`() throws {
    let desk = try desk()
    try desk.scratch.write("keep them\n", to: "with space.md")
    let plain = try desk.verso("diff", "--words", "@with space.md").lines
    #expect(plain.last == "keep{+ them+}")
    try desk.scratch.write("kept\n", to: "with space.md")
    #expect(try desk.verso("diff", "--words", "@with space.md").lines.last == "[-keep-]{+kept+}")
    let terminal = try desk.versoOnTerminal("diff", "@with space.md", color: true)
    #expect(terminal.contains("\u{1B}[1;7;31mkeep\u{1B}[m\u{1B}[1;7;32mkept\u{1B}[m\n"))
    #expect(
      try desk.versoOnTerminal("diff", "@with space.md").contains("[-keep-]{+kept+}\n"))
  }

  @Test func `binary files are named by size and type on a terminal`() throws {
    let desk = try desk()
    try desk.scratch.write([0, 9], to: Array("p.bin".utf8))
    #expect(
      try desk.versoOnTerminal("diff").contains("binary data, 4 bytes -> binary data, 2 bytes"))
    #expect(try desk.verso("diff").text.contains("Binary files a/p.bin and b/p.bin differ\n"))
    let objects = try desk.verso("diff", "--json").objects()
    #expect(objects.count == 1)
    #expect(objects[0]["isBinary"] as? Bool == true)
  }

  @Test func `hunks have their lines and numbers`() throws {
    let desk = try desk()
    try desk.scratch.write("keep\nmore\n", to: "with space.md")
    let hunk = try #require(try desk.verso("diff", "--json").objects().first)
    #expect(hunk["type"] as? String == "hunk")
    #expect(hunk["oldStart"] as? Int == 1 && hunk["newCount"] as? Int == 2)
    let lines = try #require(hunk["lines"] as? [[String: String]])
    #expect(
      lines == [["kind": "context", "text": "keep"], ["kind": "added", "text": "more"]])
  }

  @Test func `line ends that git converts are no change`() throws {
    let desk = try desk()
    try desk.scratch.write("* text=auto\n", to: ".gitattributes")
    try desk.commit("Attributes", at: noon + 60)
    try desk.scratch.write("keep\r\n", to: "with space.md")
    #expect(try desk.verso("diff", "@with space.md").output.isEmpty)
    try desk.scratch.write("keep\r\nmore\r\n", to: "with space.md")
    #expect(try desk.verso("diff", "@with space.md").text.hasSuffix(" keep\n+more\n"))
  }

  @Test func `it reads whatever git is in the middle of`() throws {
    let desk = try desk()
    try edit(desk)
    let expected = try desk.verso("diff").output
    #expect(!expected.isEmpty)
    try desk.scratch.git("checkout", "-q", "--detach")
    #expect(try desk.verso("diff").output == expected)
    try desk.scratch.git("add", "a.md")
    #expect(try desk.verso("diff").output == expected)
    let empty = try ReadingDesk()
    try empty.scratch.write("x\n", to: "x.md")
    #expect(try empty.verso("diff").text.contains("new file mode 100644"))
  }

  @Test func `a conflict that git left is shown as it is on the disk`() throws {
    let desk = try desk()
    try desk.scratch.git("checkout", "-q", "-b", "side")
    try desk.scratch.write("side\n", to: "with space.md")
    try desk.commit("Side", at: noon + 60)
    try desk.scratch.git("checkout", "-q", "main")
    try desk.scratch.write("main\n", to: "with space.md")
    try desk.commit("Main", at: noon + 120)
    #expect(try run(["git", "merge", "-q", "side"], in: desk.scratch.path).status == 1)
    let result = try desk.verso("diff")
    #expect(result.code == 0)
    #expect(result.text.contains("+<<<<<<< HEAD\n main\n+=======\n+side\n+>>>>>>> side\n"))
  }

  @Test func `what never was fails`() throws {
    let desk = try desk()
    let result = try desk.verso("diff", "@b.md")
    #expect(result.code == 1)
    #expect(result.errors.contains("there never was b.md"))
    #expect(try desk.verso("diff", "@a.md").code == 0)
  }

  @Test func `reading leaves the repository as it is`() throws {
    let desk = try desk()
    try edit(desk)
    let list = ["find", ".git", "-type", "f", "-exec", "stat", "-c", "%n %Y %s", "{}", "+"]
    let before = try run(list, in: desk.scratch.path).text
    for command in ["log", "ls", "diff"] { #expect(try desk.verso(command).code == 0) }
    #expect(try run(list, in: desk.scratch.path).text == before)
  }
}

import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct PathHistoryTests {
  @Test(arguments: seeds(8))
  func `without renames the versions are those of git's log`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    let names = ["a.md", "b.md", "d/c.md", "d/e/f.md"]
    script.commit("all", names.map { .write($0, paragraph($0)) })
    for number in 2...50 {
      var parents = [max(1, number - Int.random(in: 1...3, using: &generator))]
      let other = max(1, number - Int.random(in: 1...8, using: &generator))
      if generator.chance(3), other != parents[0] { parents.append(other) }
      let edits = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        // Few contents, so that merges often take a side unchanged and edits are undone.
        Script.Edit.write(
          names.randomElement(using: &generator) ?? "a.md",
          paragraph("\(Int.random(in: 0...2, using: &generator))"))
      }
      script.commit("c\(number)", edits, parents: parents)
    }
    let vault = try script.run()
    for path in names + ["d", "d/e"] {
      let expected = try vault.lines("log", "--format=%H", "--", path)
      let found = try vault.versions(try #require(RelativePath(path))).map(\.commit.hex)
      #expect(found == expected, "seed \(seed), \(path)")
    }
  }

  @Test func `a note is followed through a rename, a move and an edit in one`() throws {
    var script = Script()
    script.commit("1", [.write("a.md", paragraph("a")), .write("other.md", paragraph("o"))])
    script.commit("2", [.write("a.md", paragraph("a") + "more\n")])
    script.commit("3", [.rename("a.md", "b.md")])
    script.commit("4", [.delete("b.md"), .write("d/c.md", paragraph("a") + "more\nand more\n")])
    script.commit("5", [.write("other.md", paragraph("p"))])
    let vault = try script.run()
    #expect(try vault.story("d/c.md") == ["4 R d/c.md", "3 R b.md", "2 M a.md", "1 A a.md"])
    let last = try #require(try vault.versions("d/c.md").first)
    #expect(last.kind == .renamed(from: "b.md"))
    #expect(last.before != nil && last.before != last.content)
  }

  @Test func `a note that is gone starts at its last commit`() throws {
    var script = Script()
    script.commit("1", [.write("a.md", paragraph("a")), .write("b.md", "b\n")])
    script.commit("2", [.write("a.md", paragraph("a") + "x\n")])
    script.commit("3", [.delete("a.md")])
    script.commit("4", [.write("b.md", "c\n")])
    let vault = try script.run()
    #expect(try vault.story("a.md") == ["3 D a.md", "2 M a.md", "1 A a.md"])
    let lost = try #require(try vault.history.lastContent(of: "a.md"))
    #expect(vault.mark(lost.commit) == 2)
    #expect(try vault.history.version(of: "a.md", back: 1)?.commit == vault.ids[2])
    #expect(try vault.history.version(of: "a.md", back: 3) == nil)
  }

  @Test func `the old name of a note tells where it went`() throws {
    var script = Script()
    script.commit("1", [.write("a.md", paragraph("a"))])
    script.commit("2", [.rename("a.md", "d/b.md")])
    let vault = try script.run()
    let versions = try vault.versions("a.md")
    #expect(versions.map(\.kind) == [.movedAway(to: "d/b.md"), .added])
  }

  @Test func `a note written again has both lives`() throws {
    var script = Script()
    script.commit("1", [.write("a.md", "first\n"), .write("b.md", "b\n")])
    script.commit("2", [.delete("a.md")])
    script.commit("3", [.write("b.md", "c\n")])
    script.commit("4", [.write("a.md", "second\n")])
    script.commit("5", [.write("a.md", "second, edited\n")])
    let vault = try script.run()
    #expect(
      try vault.story("a.md") == ["5 M a.md", "4 A a.md", "2 D a.md", "1 A a.md"])
    #expect(try vault.versions("a.md").map(\.life) == [0, 0, 1, 1])
  }

  @Test func `a life that only the merged side had is found`() throws {
    var script = Script()
    let base = script.commit("1", [.write("b.md", "b\n")])
    let side = script.commit("2", [.write("a.md", "side\n")], parents: [base])
    let gone = script.commit("3", [.delete("a.md")], parents: [side])
    let main = script.commit("4", [.write("b.md", "c\n")], parents: [base])
    script.commit("5", [], parents: [main, gone])
    let vault = try script.run()
    #expect(try vault.story("a.md") == ["3 D a.md", "2 A a.md"])
  }

  @Test func `every side of a merge that changed the note gives its versions`() throws {
    var script = Script()
    let base = script.commit("1", [.write("a.md", paragraph("a"))])
    let ours = script.commit("2", [.write("a.md", "top\n" + paragraph("a"))], parents: [base])
    let theirs = script.commit("3", [.write("a.md", paragraph("a") + "end\n")], parents: [base])
    script.commit(
      "4", [.write("a.md", "top\n" + paragraph("a") + "end\n")], parents: [ours, theirs])
    let vault = try script.run()
    #expect(try vault.story("a.md") == ["4 M a.md", "3 M a.md", "2 M a.md", "1 A a.md"])
  }

  @Test func `a rename on one side and an edit on the other are both followed`() throws {
    var script = Script()
    let base = script.commit("1", [.write("a.md", paragraph("a"))])
    let edit = script.commit("2", [.write("a.md", paragraph("a") + "end\n")], parents: [base])
    let moved = script.commit("3", [.rename("a.md", "b.md")], parents: [base])
    script.commit(
      "4", [.delete("a.md"), .write("b.md", paragraph("a") + "end\n")], parents: [edit, moved])
    let vault = try script.run()
    #expect(try vault.story("b.md") == ["4 M b.md", "3 R b.md", "2 M a.md", "1 A a.md"])
    #expect(try vault.versions("b.md").allSatisfy { $0.life == 0 })
  }

  @Test func `a trailer names a rename that the contents do not show`() throws {
    var script = Script()
    script.commit("1", [.write("a.md", paragraph("old")), .write("x.md", paragraph("new"))])
    script.commit(
      "2\n\nVerso-Device: d\nVerso-Renamed: a.md -> \"t\\303\\244g lich.md\"\n",
      [.delete("a.md"), .write("täg lich.md", paragraph("quite other"))])
    let vault = try script.run()
    #expect(try vault.story("täg lich.md") == ["2 R täg lich.md", "1 A a.md"])
    let changes = try vault.history.changes(in: try vault.id(2))
    #expect(changes.map(\.kind) == [.renamed(from: "a.md")])
  }

  @Test func `a trailer may name a file with an arrow in its name`() throws {
    var script = Script()
    script.commit("1", [.write("a -> b", paragraph("old"))])
    script.commit(
      "2\n\nVerso-Renamed: a -> b -> c -> d\n",
      [.delete("a -> b"), .write("c -> d", paragraph("other"))])
    let vault = try script.run()
    #expect(try vault.story("c -> d") == ["2 R c -> d", "1 A a -> b"])
  }

  @Test func `a trailer that the trees do not bear out is ignored`() throws {
    var script = Script()
    script.commit("1", [.write("secret.md", paragraph("s")), .write("a.md", "a\n")])
    // The first is still there, the second never was, the third has an escape that is none.
    script.commit(
      """
      2

      Verso-Renamed: secret.md -> b.md
      Verso-Renamed: ghost.md -> b.md
      Verso-Renamed: "a\\q" -> b.md
      Verso-Renamed: ../a.md -> b.md
      """, [.write("b.md", "b\n")])
    let vault = try script.run()
    #expect(try vault.story("b.md") == ["2 A b.md"])
  }

  @Test func `a note moved over another is followed by its trailer, the other is an earlier life`()
    throws
  {
    var script = Script()
    script.commit("1", [.write("a.md", paragraph("a")), .write("b.md", paragraph("b"))])
    script.commit("2\n\nVerso-Renamed: a.md -> b.md\n", [.rename("a.md", "b.md")])
    let vault = try script.run()
    let versions = try vault.versions("b.md")
    #expect(versions.first?.kind == .renamed(from: "a.md"))
    #expect(Set(versions.map { "\($0.path) \($0.life)" }) == ["b.md 0", "a.md 0", "b.md 1"])
  }

  @Test func `a folder is followed through its rename`() throws {
    var script = Script()
    script.commit("1", (1...6).map { .write("old/in/\($0).md", paragraph("\($0)")) })
    script.commit("2", [.write("old/in/1.md", paragraph("1") + "x\n")])
    script.commit("3", [.rename("old", "new/place"), .write("b.md", "b\n")])
    script.commit("4", [.write("b.md", "c\n")])
    script.commit("5", [.write("new/place/in/2.md", paragraph("2") + "x\n")])
    let vault = try script.run()
    #expect(
      try vault.story("new/place") == ["5 M new/place", "3 R new/place", "2 M old", "1 A old"])
    #expect(
      try vault.story("new/place/in/1.md")
        == ["3 R new/place/in/1.md", "2 M old/in/1.md", "1 A old/in/1.md"])
    #expect(try vault.versions("old").first?.kind == .movedAway(to: "new/place"))
  }

  @Test func `what was taken out of a folder that stays does not drag the folder along`() throws {
    var script = Script()
    script.commit("1", (1...4).map { .write("old/\($0).md", paragraph("\($0)")) })
    script.commit("2", [.rename("old/1.md", "new/1.md")])
    let vault = try script.run()
    #expect(try vault.story("new") == ["2 A new"])
    #expect(try vault.story("new/1.md") == ["2 R new/1.md", "1 A old/1.md"])
  }

  @Test func `a change of mode alone is a version`() throws {
    var script = Script()
    script.commit("1", [.write("a", "x\n")])
    script.commit("2", [.write("a", "x\n", mode: "100755")])
    let vault = try script.run()
    #expect(try vault.story("a") == ["2 M a", "1 A a"])
    #expect(try vault.versions("a").first?.content?.mode == 0o100755)
  }

  @Test func `versions are limited in number and time`() throws {
    var script = Script()
    for number in 1...9 { script.commit("\(number)", [.write("a", "\(number)\n")]) }
    let vault = try script.run()
    let start: Int64 = 1_600_000_000
    var some = try vault.history.versions(
      of: "a", range: HistoryRange(since: start + 120, until: start + 360, limit: 3))
    #expect(try some.all().map { vault.mark($0.commit) } == [7, 6, 5])
    var older = try vault.history.versions(of: "a", from: vault.ids[2])
    #expect(try older.all().count == 2)
  }

  @Test func `a path that did not exist at a commit is found under its name of then`() throws {
    var script = Script()
    script.commit("1", [.write("a.md", paragraph("a"))])
    script.commit("2", [.rename("a.md", "b.md")])
    script.commit("3", [.rename("b.md", "c.md")])
    script.commit("4", [.write("new.md", "n\n")])
    let vault = try script.run()
    let first = try #require(try vault.history.place(of: "c.md", at: try vault.id(1)))
    #expect(first.path == "a.md")
    #expect(first.wasFollowed)
    let last = try #require(try vault.history.place(of: "c.md", at: try vault.id(4)))
    #expect(last.path == "c.md")
    #expect(!last.wasFollowed)
    #expect(try vault.history.place(of: "new.md", at: try vault.id(1)) == nil)
  }

  @Test func `one note is followed where very many were renamed and edited at once`() throws {
    var script = Script()
    script.commit("1", (1...160).map { .write("a/\($0).md", paragraph("note \($0)")) })
    script.commit(
      "2",
      (1...160).flatMap { number -> [Script.Edit] in
        let text = paragraph("note \(number)") + "edited\n"
        return [.delete("a/\(number).md"), .write("b/\(number)-new.md", text)]
      })
    let vault = try script.run()
    #expect(try vault.story("b/77-new.md") == ["2 R b/77-new.md", "1 A a/77.md"])
    #expect(try vault.versions("a/77.md").first?.kind == .movedAway(to: "b/77-new.md"))
    let changes = try vault.history.changes(in: try vault.id(2))
    #expect(changes.count == 160)
    #expect(changes.allSatisfy { $0.oldPath.description == "a/\(number(of: $0.path)).md" })
  }

  private func number(of path: RelativePath) -> Int {
    Int(path.description.filter(\.isNumber)) ?? 0
  }
}

import Foundation
import Testing
import VersoModel
import VersoTestSupport

@Suite struct DigestTests {
  /// Three days of notes that come, change, move and go.
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("one two three\n", to: "a.md")
    try desk.scratch.write("alpha beta gamma delta\n", to: "old.md")
    try desk.scratch.write("short lived\n", to: "gone.md")
    try desk.commit("Begin\n\nVerso-Device: desk", at: noon)
    try desk.scratch.write("one two three four\n", to: "a.md")
    try desk.commit("Edit a.md\n\nVerso-Device: desk", at: noon + 86_400)
    try desk.scratch.write("one two three four five\n", to: "a.md")
    try desk.scratch.write("brief\n", to: "brief.md")
    try desk.commit("Edit a.md\n\nVerso-Device: phone", at: noon + 86_460)
    try desk.scratch.git("rm", "-q", "brief.md", "gone.md")
    try desk.scratch.git("mv", "old.md", "new.md")
    try desk.scratch.write("fresh words\n", to: "sub/fresh.md")
    try desk.commit("Tidy\n\nVerso-Device: desk", at: noon + 86_520)
    return desk
  }

  @Test func `each day tells what is different after it`() throws {
    let desk = try desk()
    let result = try desk.verso(
      "log", "--digest", "--since", "2026-06-01", "--until", "2026-06-03")
    #expect(result.code == 0)
    #expect(
      result.text == """
        # 2026-06-01 to 2026-06-03

        4 saves on desk, phone: 3 notes added, +11 −0 words

        ## Tuesday, 2026-06-02

        3 saves on desk, phone: 1 note added, 1 edited, 1 renamed, 1 deleted, +4 −2 words

        - added `sub/fresh.md`, +2 −0 words
        - edited `a.md`, 2 saves, +2 −0 words
        - renamed `old.md` to `new.md`
        - deleted `gone.md`, +0 −2 words

        ## Monday, 2026-06-01

        1 save on desk: 3 notes added, +9 −0 words

        - added `a.md`, +3 −0 words
        - added `gone.md`, +2 −0 words
        - added `old.md`, +4 −0 words

        ## Most edited

        - `a.md`, 3 saves, +5 −0 words
        - `new.md`, 2 saves, +4 −0 words

        """)
  }

  @Test func `objects hold the notes of each day`() throws {
    let desk = try desk()
    let objects = try desk.verso(
      "log", "--digest", "--json", "--since", "2026-06-01", "--until", "2026-06-03"
    ).objects()
    #expect(objects.map { $0["day"] as? String } == ["2026-06-02", "2026-06-01"])
    #expect(objects.map { $0["saves"] as? Int } == [3, 1])
    let files = try #require(objects[0]["files"] as? [[String: Any]])
    #expect(files.map { $0["path"] as? String } == ["a.md", "gone.md", "new.md", "sub/fresh.md"])
    #expect(files.map { $0["change"] as? String } == ["M", "D", "R", "A"])
    #expect(files[2]["from"] as? String == "old.md")
  }

  @Test func `a folder has what is below it, and long spans are told by weeks`() throws {
    let desk = try desk()
    let folder = try desk.verso(
      "log", "--digest", "--since", "2026-06-01", "--until", "2026-06-03", "@sub")
    #expect(folder.text.contains("1 save on desk: 1 note added, +2 −0 words"))
    #expect(!folder.text.contains("a.md"))
    let weeks = try desk.verso("log", "--digest", "--since", "2026-05-20", "--until", "2026-06-09")
    #expect(weeks.text.contains("## 2026-06-01 to 2026-06-07"))
    let empty = try desk.verso("log", "--digest", "--since", "2025-05-20", "--until", "2025-05-22")
    #expect(empty.text == "# 2025-05-20 to 2025-05-22\n\nNothing was saved.\n")
  }

  @Test func `a merge adds no saves, and its text counts`() throws {
    let desk = try desk()
    try desk.scratch.git("checkout", "-q", "-b", "side", "HEAD~1")
    try desk.scratch.write("one TWO three four five\n", to: "a.md")
    try desk.commit("Edit a.md\n\nVerso-Device: phone", at: noon + 2 * 86_400)
    try desk.scratch.git("checkout", "-q", "main")
    try desk.scratch.write("one two three four five six\n", to: "a.md")
    try desk.commit("Edit a.md\n\nVerso-Device: desk", at: noon + 2 * 86_400 + 60)
    _ = try run(["git", "merge", "-q", "side"], in: desk.scratch.path)
    try desk.scratch.write("one TWO three four five six\n", to: "a.md")
    try desk.commit("Join", at: noon + 2 * 86_400 + 120)
    let text = try desk.verso(
      "log", "--digest", "--since", "2026-06-03", "--until", "2026-06-03"
    ).text
    #expect(text.contains("2 saves on desk, phone: 1 note edited, +2 −1 words"))
  }
}

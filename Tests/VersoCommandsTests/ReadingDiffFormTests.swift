import Foundation
import Testing
import VersoModel
import VersoTestSupport

/// `diff` in the forms that the first suite does not try.
@Suite struct ReadingDiffFormTests {
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("one\n", to: "d/a.md")
    try desk.scratch.write("other\n", to: "b.md")
    try desk.commit("First", at: noon)
    try desk.scratch.write("one\ntwo\n", to: "d/a.md")
    try desk.scratch.write("new\n", to: "d/e/c.md")
    try desk.commit("Second", at: noon + 86_400)
    try desk.scratch.write("changed\n", to: "b.md")
    try desk.scratch.git("rm", "-q", "d/e/c.md")
    try desk.commit("Third", at: noon + 2 * 86_400)
    return desk
  }

  @Test func `a folder and the whole vault are compared between two times`() throws {
    let desk = try desk()
    let folder = try desk.verso("diff", "@d", "--from", "2026-06-02", "--to", "2026-06-02")
    // From the start of the day, which is the version before, to its end.
    #expect(folder.output == (try desk.git("diff", "--abbrev=7", "HEAD~2", "HEAD~1", "--", "d")))
    let all = try desk.verso(
      "diff", "--from", TimeText.rfc3339(noon), "--to", TimeText.rfc3339(noon + 2 * 86_400))
    #expect(all.output == (try desk.git("diff", "--abbrev=7", "HEAD~2", "HEAD")))
    let back = try desk.verso("diff", "--from", "HEAD", "--to", "HEAD~2")
    #expect(back.output == (try desk.git("diff", "--abbrev=7", "HEAD", "HEAD~2")))
    let early = try desk.verso("diff", "--from", "2020-01-01")
    #expect(early.code == 1 && early.errors.contains("nothing had been saved by 2020-01-01"))
  }

  @Test func `versions before a note was there and after it was gone are compared`() throws {
    let desk = try desk()
    let added = try desk.verso("diff", "@d/e/c.md", "--from", "HEAD~2", "--to", "HEAD~1")
    #expect(added.text.contains("new file mode 100644") && added.text.hasSuffix("+new\n"))
    let gone = try desk.verso("diff", "@d/e/c.md", "--from", "HEAD~1")
    #expect(gone.text.contains("deleted file mode 100644") && gone.text.hasSuffix("-new\n"))
  }

  @Test func `what changed its kind is two patches, as for git`() throws {
    let desk = try desk()
    try run(["rm", desk.scratch.at("b.md")])
    try run(["ln", "-s", "d/a.md", desk.scratch.at("b.md")])
    try run(["rm", "-r", desk.scratch.at("d")])
    try desk.scratch.write("a file now\n", to: "d")
    let shown = try desk.verso("diff").output
    #expect(try desk.verso("diff", "--words").code == 0)
    try desk.scratch.git("add", "-A")
    #expect(shown == (try desk.git("diff", "--abbrev=7", "HEAD")))
  }

  @Test func `words of other scripts and characters of several marks stay whole`() throws {
    let desk = try desk()
    try desk.scratch.write("我喜欢茶。cafe\u{301} e\u{301}te\u{301}\n", to: "b.md")
    try desk.commit("Words", at: noon + 3 * 86_400)
    try desk.scratch.write("我喜欢水。cafe ete\u{301} 👩‍👩‍👧\n", to: "b.md")
    let line = try #require(try desk.verso("diff", "--words", "@b.md").lines.last)
    #expect(
      line
        == "我喜欢[-茶-]{+水+}。[-cafe\u{301} e\u{301}te\u{301}-]{+cafe ete\u{301} 👩‍👩‍👧+}")
  }

  @Test func `pictures are told by size and type`() throws {
    let desk = try desk()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
    try desk.scratch.write(png, to: Array("p.png".utf8))
    let added = try desk.verso("diff", "--words", "@p.png")
    #expect(added.text.contains("nothing -> PNG image, 9 bytes"))
    try desk.commit("Picture", at: noon + 3 * 86_400)
    try desk.scratch.write(png + png, to: Array("p.png".utf8))
    let grown = try desk.verso("diff", "--words", "@p.png")
    #expect(grown.text.contains("PNG image, 9 bytes -> PNG image, 18 bytes"))
  }

  /// A real history named by `VERSO_SAMPLE_BUNDLE`.
  @Test func `pairs of real versions are compared as git does it`() throws {
    guard let bundle = ProcessInfo.processInfo.environment["VERSO_SAMPLE_BUNDLE"] else {
      print("no real history was looked at: VERSO_SAMPLE_BUNDLE names no bundle")
      return
    }
    let desk = try ReadingDesk()
    try desk.scratch.git("pull", "-q", bundle, "main")
    let ids = String(decoding: try desk.git("rev-list", "HEAD"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    var generator = SeededGenerator(seed: 5)
    var (equal, others) = (0, [String]())
    for _ in 0..<(isFullRun ? 100 : 12) {
      let start = Int.random(in: 0..<ids.count, using: &generator)
      let end = min(ids.count - 1, start + Int.random(in: 1...30, using: &generator))
      let (old, new) = (ids[end], ids[start])
      let ours = try desk.verso("diff", "--from", old, "--to", new).output
      if ours == (try desk.git("diff", "--abbrev=7", old, new)) {
        equal += 1
      } else {
        others.append("\(old) \(new)")
      }
    }
    print("diff: \(equal) equal, others: \(others)")
    #expect(others.count * 10 <= equal, "\(others)")
  }
}

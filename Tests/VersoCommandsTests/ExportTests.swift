import Foundation
import Testing
import VersoModel
import VersoTestSupport

@Suite struct ExportTests {
  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("one\n", to: "a.md")
    try desk.scratch.write("deep\n", to: "sub/deep/b.md")
    try desk.scratch.write("#!/bin/sh\n", to: "run.sh")
    try run(["chmod", "+x", desk.scratch.at("run.sh")])
    try run(["ln", "-s", "../outside", desk.scratch.at("sub/link")])
    try desk.commit("First", at: noon)
    try desk.scratch.write("two\n", to: "a.md")
    try desk.scratch.git("mv", "sub/deep/b.md", "c.md")
    try desk.commit("Second", at: noon + 3600)
    return desk
  }

  /// What `git archive` has of a commit, unpacked.
  private func archive(_ desk: ReadingDesk, _ commit: String) throws -> Scratch {
    let scratch = try Scratch("archive")
    let bytes = try desk.git("archive", commit)
    try scratch.write(bytes, to: Array("a.tar".utf8))
    try run(["tar", "-xf", "a.tar"], in: scratch.path)
    try run(["rm", scratch.at("a.tar")])
    return scratch
  }

  private func differences(_ folder: String, _ other: Scratch) throws -> String {
    let outcome = try run(["diff", "-r", "--no-dereference", folder, other.path])
    return outcome.text + outcome.error
  }

  @Test func `an old state is written as git would, with modes, links and times`() throws {
    let desk = try desk()
    let place = try Scratch("place")
    let result = try desk.verso("export", place.at("new/out"), "--at", "HEAD~1")
    #expect(result.code == 0)
    #expect(result.text.hasPrefix("wrote 4 files as of \(TimeText.minute(noon)), "))
    #expect(try differences(place.at("new/out"), archive(desk, "HEAD~1")) == "")
    #expect(access(place.at("new/out/run.sh"), X_OK) == 0)
    #expect(try run(["readlink", place.at("new/out/sub/link")]).text == "../outside\n")
    let times = try run(["stat", "-c", "%Y", "a.md", "sub/link"], in: place.at("new/out")).text
    #expect(times == "\(noon)\n\(noon)\n")
    // The last version without --at: each file has the time of its own version.
    #expect(try desk.verso("export", place.at("now")).code == 0)
    #expect(try differences(place.at("now"), archive(desk, "HEAD")) == "")
    let newer = try run(["stat", "-c", "%Y", "a.md", "run.sh", "c.md"], in: place.at("now")).text
    #expect(newer == "\(noon + 3600)\n\(noon)\n\(noon + 3600)\n")
  }

  @Test func `one path is written where it was, under its name then`() throws {
    let desk = try desk()
    let place = try Scratch("place")
    let folder = try desk.verso("export", place.at("a"), "--at", "HEAD~1", "@sub")
    #expect(folder.code == 0)
    #expect(
      try run(["sh", "-c", "find . ! -type d | sort"], in: place.at("a")).text
        == "./sub/deep/b.md\n./sub/link\n")
    let note = try desk.verso("export", place.at("b"), "--at", "HEAD~1", "@c.md")
    #expect(note.errors.contains("c.md was called sub/deep/b.md then"))
    #expect(place.text(of: "b/sub/deep/b.md") == "deep\n")
    #expect(try desk.verso("export", place.at("c"), "@none.md").code == 1)
    #expect(place.bytes(of: "c") == nil)
  }

  @Test func `nothing that is there is overwritten`() throws {
    let desk = try desk()
    let place = try Scratch("place")
    try place.write("mine\n", to: "full/a.md")
    let full = try desk.verso("export", place.at("full"))
    #expect(full.code == 1)
    #expect(full.errors.contains("full is not empty"))
    #expect(try run(["ls", "-A", place.at("full")]).text == "a.md\n")
    #expect(place.text(of: "full/a.md") == "mine\n")
    #expect(try desk.verso("export", place.at("full/a.md")).code == 1)
    try run(["mkdir", place.at("empty")])
    #expect(try desk.verso("export", place.at("empty")).code == 0)
    #expect(place.text(of: "empty/a.md") == "two\n")
  }

  @Test func `a place in the vault is refused`() throws {
    let desk = try desk()
    for name in ["@out", "@sub/out", "@.git/out", "@"] {
      let result = try desk.verso("export", name)
      #expect(result.code == 5, "\(name)")
      #expect(result.errors.contains("inside the vault"))
    }
    #expect(try run(["git", "status", "--porcelain"], in: desk.scratch.path).text == "")
  }

  @Test func `a dry run writes nothing`() throws {
    let desk = try desk()
    let place = try Scratch("place")
    let result = try desk.verso("export", "--dry-run", place.at("out"))
    #expect(result.code == 0)
    #expect(result.text.hasPrefix("would write 4 files"))
    #expect(try run(["ls", "-A", place.path]).text == "")
    let object = try #require(try desk.verso("export", "--json", place.at("out")).objects().first)
    #expect(object["event"] as? String == "exported" && object["count"] as? Int == 4)
    #expect(object["path"] as? String == place.at("out"))
  }

  @Test func `line ends and filters are those of the attributes of that time`() throws {
    let desk = try ReadingDesk()
    try desk.scratch.git("config", "filter.shout.smudge", "tr a-z A-Z")
    try desk.scratch.git("config", "filter.shout.clean", "tr A-Z a-z")
    try desk.scratch.write("*.txt text eol=crlf\n*.loud filter=shout\n", to: ".gitattributes")
    try desk.scratch.write("sub.txt -text\n", to: "sub/.gitattributes")
    try desk.scratch.write("one\r\ntwo\r\n", to: "a.txt")
    try desk.scratch.write("ab\n", to: "sub/sub.txt")
    try desk.scratch.write("ab\n", to: "sub/b.txt")
    try desk.scratch.write("quiet\n", to: "sub/x.loud")
    try desk.commit("With attributes", at: noon)
    try desk.scratch.git("rm", "-q", "--cached", ".gitattributes")
    try run(["rm", desk.scratch.at(".gitattributes")])
    try desk.commit("Without", at: noon + 60)
    let place = try Scratch("place")
    #expect(try desk.verso("export", place.at("old"), "--at", "HEAD~1").code == 0)
    #expect(place.text(of: "old/a.txt") == "one\r\ntwo\r\n")
    #expect(place.text(of: "old/sub/sub.txt") == "ab\n")
    #expect(place.text(of: "old/sub/b.txt") == "ab\r\n")
    #expect(place.text(of: "old/sub/x.loud") == "QUIET\n")
    // The attributes above a folder count when only that is wanted.
    #expect(try desk.verso("export", place.at("part"), "--at", "HEAD~1", "@sub").code == 0)
    #expect(place.text(of: "part/sub/b.txt") == "ab\r\n")
    #expect(place.text(of: "part/sub/x.loud") == "QUIET\n")
    #expect(place.bytes(of: "part/.gitattributes") == nil)
    #expect(try desk.verso("export", place.at("new")).code == 0)
    #expect(place.bytes(of: "new/a.txt") == (try desk.git("show", "HEAD:a.txt")))
    #expect(place.text(of: "new/sub/x.loud") == "quiet\n")
  }

  @Test func `a hostile tree writes nothing outside`() throws {
    let desk = try ReadingDesk()
    let outside = try Scratch("outside")
    try outside.write("safe\n", to: "victim/x")
    // A link and a folder of one name, names that stand for git's own folder, and a sound note.
    func object(_ kind: String, _ bytes: [UInt8]) throws -> String {
      let outcome = try run(
        ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"], in: desk.scratch.path,
        input: bytes)
      guard outcome.status == 0 else { throw Failure(outcome.error) }
      return String(outcome.text.dropLast())
    }
    func tree(_ rows: [(mode: String, name: String, id: String)]) throws -> String {
      var bytes: [UInt8] = []
      for row in rows {
        bytes += Array("\(row.mode) \(row.name)\0".utf8)
        bytes += try #require(ObjectID(hex: row.id)).bytes
      }
      return try object("tree", bytes)
    }
    let blob = try object("blob", Array("evil\n".utf8))
    let link = try object("blob", Array(outside.at("victim").utf8))
    let below = try tree([("100644", "x", blob), ("100644", "y", blob)])
    let root = try tree([
      ("40000", ".git", below), ("120000", "a", link), ("40000", "a", below),
      ("100644", "good.md", blob), ("40000", "git~1", below),
    ])
    let commit = try run(
      ["git", "commit-tree", "-m", "Evil", root], in: desk.scratch.path)
    try desk.scratch.git("update-ref", "HEAD", String(commit.text.dropLast()))
    let place = try Scratch("place")
    let result = try desk.verso("export", place.at("out"))
    #expect(result.code == 1)
    #expect(result.errors.contains("is named like git's own folder"))
    #expect(outside.text(of: "victim/x") == "safe\n")
    #expect(outside.bytes(of: "victim/y") == nil)
    #expect(place.text(of: "out/good.md") == "evil\n")
    #expect(try run(["ls", "-A", place.at("out")]).text == "a\ngood.md\n")
    let parent = try tree([("100644", "..", blob)])
    let worse = try run(["git", "commit-tree", "-m", "Worse", parent], in: desk.scratch.path)
    try desk.scratch.git("update-ref", "HEAD", String(worse.text.dropLast()))
    #expect(try desk.verso("export", place.at("worse")).code == 1)
    #expect(place.bytes(of: "worse") == nil && access(place.at("worse"), F_OK) != 0)
  }
}

import Foundation
import Glibc
import Testing
import VersoTestSupport

/// What went wrong with other tools on odd machines: formats, signing, full disks, clocks.
@Suite struct CaseEnvironmentTests {
  // MARK: Text form, signing, filters, formats

  @Test func `line ends are stored as they are, without a warning`() throws {
    let notes = try Notes(["lf.md": "a\nb\n", "crlf.md": "a\r\nb\r\n"])
    try notes.scratch.write("a\r\nb\nc\r", to: "mixed.md")
    let save = try notes.verso("save")
    #expect(save.status == 0 && save.error == "")
    for name in ["lf.md", "crlf.md", "mixed.md"] {
      let stored = try run(["git", "cat-file", "blob", "HEAD:\(name)"], in: notes.path)
      #expect(stored.output == notes.scratch.bytes(of: name))
    }
    try notes.scratch.write("x\n", to: "crlf.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.verso("restore", "crlf.md", "--at", "~1").status == 0)
    #expect(notes.scratch.text(of: "crlf.md") == "a\r\nb\r\n")
    #expect(try notes.git("status", "--porcelain") == "")
  }

  @Test func `without an agent or a terminal a version is unsigned, not missing`() throws {
    let notes = try Notes()
    try run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", notes.scratch.at(".git/k")])
    for (key, value) in [
      ("commit.gpgSign", "true"), ("gpg.format", "ssh"),
      ("user.signingKey", notes.scratch.at(".git/k")),
    ] { try notes.git("config", key, value) }
    try notes.scratch.write("two\n", to: "note.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("the version is not signed"))
    #expect(try notes.git("show", "HEAD:note.md") == "two")
    try notes.git("config", "verso.sign", "never")
    try notes.scratch.write("three\n", to: "note.md")
    let never = try notes.verso("save")
    #expect(never.status == 0 && never.error == "")
  }

  @Test func `a missing filter leaves its path alone, never raw`() throws {
    let notes = try Notes(["a.bin": "plain\n", ".gitattributes": "*.bin filter=lost\n"])
    let before = try notes.entry("a.bin")
    try notes.git("config", "filter.lost.clean", "verso-no-such-program")
    try notes.git("config", "filter.lost.smudge", "verso-no-such-program")
    try notes.git("config", "filter.lost.required", "true")
    try notes.scratch.write("edited\n", to: "a.bin")
    try notes.scratch.write("two\n", to: "note.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("skipped a.bin"))
    #expect(try notes.entry("a.bin") == before)
    #expect(try notes.git("show", "HEAD:note.md") == "two")
    #expect(try notes.verso("doctor").status == 1)
  }

  @Test func `a format that cannot be handled is named, and nothing is touched`() throws {
    let notes = try Notes()
    try notes.git("config", "core.repositoryFormatVersion", "1")
    try notes.git("config", "extensions.refStorage", "reftable")
    try notes.scratch.write("two\n", to: "note.md")
    let look = "find .git -type f ! -path '*/verso/*' | sort | xargs stat -c '%n %y'"
    let before = try notes.shell(look).text
    for command in ["save", "status", "log"] {
      let outcome = try notes.verso(command)
      #expect(outcome.status == 5, "\(command)")
      #expect(outcome.error.lowercased().contains("extension refstorage"), "\(outcome.error)")
      #expect(outcome.error.contains("git itself works"), "\(outcome.error)")
    }
    #expect(try notes.shell(look).text == before)
  }

  // MARK: Growth, disks, clocks

  @Test func `what a killed import left is cleared away by the next save`() throws {
    let notes = try Notes()
    let dead = ".git/objects/pack/tmp_pack_verso_1234567"
    try notes.scratch.write("half a pack", to: dead)
    try notes.scratch.write("of git's own", to: ".git/objects/pack/tmp_pack_AbCdEf")
    try notes.shell("touch -d '-1 day' '\(dead)' .git/objects/pack/tmp_pack_AbCdEf")
    try notes.scratch.write("two\n", to: "note.md")
    #expect(try notes.verso("save").status == 0)
    #expect(notes.scratch.bytes(of: dead) == nil)
    #expect(notes.scratch.bytes(of: ".git/objects/pack/tmp_pack_AbCdEf") != nil)
  }

  @Test(.enabled(if: Mounts.areAllowed))
  func `on a full disk no note is cut short and history stays whole`() throws {
    let scratch = try Scratch()
    try run(["mount", "-t", "tmpfs", "-o", "size=2m", "verso-test", scratch.path])
    defer { _ = try? run(["umount", "-l", scratch.path]) }
    var random = SeededGenerator(seed: 93)
    func noise(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 32..<127, using: &random) }
    }
    let old = noise(300_000)
    try scratch.write(old, to: Array("note.md".utf8))
    #expect(try Verso.run("init", "-q", scratch.path).status == 0)
    let new = noise(200_000)
    try scratch.write(new, to: Array("note.md".utf8))
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    try run(["sh", "-c", "cat /dev/zero > .git/filler"], in: scratch.path)
    let restore = try Verso.run("restore", "note.md", "--at", "~1", in: scratch.path)
    #expect(restore.status == 1 && restore.error.contains("No space left on device"))
    #expect(scratch.bytes(of: "note.md") == new)
    try run(["rm", scratch.at(".git/filler")])
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    #expect([old, new].contains(scratch.bytes(of: "note.md")))
    #expect(try Verso.run("restore", "note.md", "--at", "~1", in: scratch.path).status == 0)
    try scratch.git("fsck", "--strict")
    #expect(try scratch.git("status", "--porcelain") == "")
  }

  @Test func `a clock that goes back neither loses a version nor changes their order`() throws {
    let notes = try Notes()
    for (text, date) in [("two", "2030-01-01"), ("three", "2001-01-01"), ("four", "2015-01-01")] {
      try notes.scratch.write("\(text)\n", to: "note.md")
      let time = "\(date)T00:00:00Z"
      let save = try run(
        [Verso.binary, "save", "-m", text], in: notes.path,
        environment: ["GIT_COMMITTER_DATE": time, "GIT_AUTHOR_DATE": time])
      #expect(save.status == 0)
    }
    let log = try Notes.objects(notes.verso("log", "note.md", "--json").text)
    #expect(log.compactMap { $0["subject"] as? String } == ["four", "three", "two", "Add note.md"])
    let all = try Notes.objects(notes.verso("log", "--json").text)
    #expect(all.compactMap { $0["id"] as? String } == (try notes.versions()))
    for (back, text) in [("~1", "three"), ("~2", "two"), ("~3", "one")] {
      #expect(try notes.verso("show", "note.md", "--at", back).text == "\(text)\n")
    }
    #expect(try notes.verso("restore", "note.md", "--at", "~3").status == 0)
    #expect(try notes.verso("undo").status == 0)
    #expect(notes.scratch.text(of: "note.md") == "four\n")
  }

  @Test func `saving and restoring leave the dates of all other notes`() throws {
    let notes = try Notes(["a.md": "one\n", "d/b.md": "one\n", "note.md": "one\n"])
    try notes.shell("touch -d '2020-02-02 02:02:02' a.md d/b.md")
    let dates = { try notes.shell("stat -c '%n %Y' a.md d/b.md").text }
    let before = try dates()
    try notes.scratch.write("two\n", to: "note.md")
    let past = ["GIT_COMMITTER_DATE": "2021-03-03T03:03:03Z"]
    #expect(try run([Verso.binary, "save"], in: notes.path, environment: past).status == 0)
    try notes.scratch.write("three\n", to: "note.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.verso("restore", "note.md", "--at", "~1", "--as", "old.md").status == 0)
    let moment = Int(Date().timeIntervalSince1970)
    #expect(try notes.verso("restore", ".", "--at", "HEAD~2").status == 0)
    #expect(try dates() == before)
    // The copy is as old as its version, the restored note as young as its return.
    #expect(try notes.shell("stat -c %Y old.md").text == "1614740583\n")
    let restored = try notes.shell("stat -c %Y note.md").text.dropLast()
    #expect(try #require(Int(restored)) >= moment)
  }

  @Test func `the text before the first edit is a version`() throws {
    let notes = try Notes(["note.md": "as it always was\n"])
    try notes.scratch.write("edited\n", to: "note.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.verso("show", "note.md", "--at", "~1").text == "as it always was\n")
  }
}

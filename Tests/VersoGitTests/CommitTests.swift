import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct CommitTextTests {
  private static let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

  @Test(
    arguments: [
      ("Ada", "ada@example.invalid"), (" <Ada> Lovelace. ", "<ada@x>"), ("A\nB", "a\nb@x"),
      ("Zoë \"Z\"", "z@x."), ("Dr. J.R. O'Neil Jr.", "o'neil@x"),
    ], ["one line", "two\n\nparts\n", "Ünïcode\n"])
  func `a commit has the id that git gives it`(who: (String, String), message: String) throws {
    let scratch = try Scratch()
    try scratch.git("init", "--quiet")
    let stamp = CommitStamp(
      name: who.0, email: who.1, time: ZonedTime(seconds: 1_700_000_000, zone: -210))
    let tree = try scratch.git("mktree", input: [])
    try #require(tree == Self.empty)
    let environment = [
      "GIT_AUTHOR_NAME": who.0, "GIT_AUTHOR_EMAIL": who.1,
      "GIT_AUTHOR_DATE": "1700000000 -0330",
      "GIT_COMMITTER_NAME": who.0, "GIT_COMMITTER_EMAIL": who.1,
      "GIT_COMMITTER_DATE": "1700000000 -0330",
    ]
    var parents: [ObjectID] = []
    for _ in 0..<3 {
      // No parent, one, two.
      let theirs = try scratch.git(
        ["commit-tree", tree, "-m", message] + parents.flatMap { ["-p", $0.hex] },
        environment: environment)
      let text = CommitText(
        tree: try #require(ObjectID(hex: tree)), parents: parents, author: stamp,
        committer: stamp, message: message)
      let ours = try scratch.git("hash-object", "-t", "commit", "--stdin", input: text.bytes())
      #expect(ours == theirs)
      parents.append(try #require(ObjectID(hex: theirs)))
    }
  }

  @Test func `NUL bytes are left out of a message`() throws {
    let stamp = LockFixture.stamp
    let text = CommitText(
      tree: .zero, parents: [], author: stamp, committer: stamp, message: "a\0b")
    #expect(String(decoding: text.bytes(), as: UTF8.self).hasSuffix("\n\nab\n"))
    #expect(!text.bytes().contains(0))
  }

  @Test func `a signature stands before the message, its further lines indented`() throws {
    let stamp = LockFixture.stamp
    let text = CommitText(
      tree: .zero, parents: [], author: stamp, committer: stamp, message: "m")
    let signed = String(
      decoding: text.bytes(signature: Array("BEGIN\n\nline\nEND\n".utf8)), as: UTF8.self)
    #expect(signed.hasSuffix("+0130\ngpgsig BEGIN\n \n line\n END\n\nm\n"))
  }

  @Test(arguments: [
    (0, "+0000"), (-30, "-0030"), (330, "+0530"), (-720, "-1200"), (845, "+1405"),
  ])
  func `zones are written as git writes them`(minutes: Int, text: String) {
    #expect(ZonedTime(seconds: 5, zone: minutes).text == "5 \(text)")
  }
}

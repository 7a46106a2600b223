import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct `Commits` {
  private func gitCommit(
    _ desk: ObjectDesk, message: String, environment: [String: String], parents: [ObjectID] = []
  ) throws -> ObjectID {
    let outcome = try run(
      ["git", "commit-tree"] + parents.flatMap { ["-p", $0.hex] } + [ObjectID.emptyTree.hex],
      in: desk.scratch.path, input: Array(message.utf8), environment: environment)
    return try #require(ObjectID(hex: String(outcome.text.prefix(40))), "\(outcome.error)")
  }

  private func desk() throws -> ObjectDesk {
    let desk = try ObjectDesk()
    let writer = desk.loose()
    _ = try writer.write(.tree, [])
    try writer.finish()
    return desk
  }

  @Test(arguments: seeds(12))
  func `are byte for byte those of git`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let desk = try desk()
    func word() -> String {
      let letters = Array("ab <>,.;:\"'\\\u{E4}\u{1F600}()-@ \t")
      return "x"
        + String((0..<8).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
    let zone = Int.random(in: -14...14, using: &random) * 60 + (random.chance(2) ? 30 : 0)
    let author = CommitStamp(
      name: " .\(word())", email: "\(word())>", time: ZonedTime(seconds: 1_600_000_000, zone: zone))
    let committer = CommitStamp(
      name: word(), email: word(), time: ZonedTime(seconds: 1_700_000_001, zone: -zone))
    let message = "\(word())\n\n\(word())\n"
    let environment = [
      "GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.email,
      "GIT_AUTHOR_DATE": author.time.text, "GIT_COMMITTER_NAME": committer.name,
      "GIT_COMMITTER_EMAIL": committer.email, "GIT_COMMITTER_DATE": committer.time.text,
    ]
    let parent = try gitCommit(desk, message: "p\n", environment: [:])
    let expected = try gitCommit(
      desk, message: message, environment: environment, parents: [parent])
    let text = CommitText(
      tree: .emptyTree, parents: [parent], author: author, committer: committer, message: message)
    let theirs = try desk.repository.read(expected).bytes
    #expect(text.bytes() == theirs, "\(String(decoding: theirs, as: UTF8.self))")
  }

  @Test func `lose NUL bytes, and end in a line end`() {
    let stamp = CommitStamp(name: "A", email: "a@b", time: ZonedTime(seconds: 0, zone: 0))
    let text = CommitText(
      tree: .emptyTree, parents: [], author: stamp, committer: stamp, message: "one\0two")
    #expect(String(decoding: text.bytes(), as: UTF8.self).hasSuffix("+0000\n\nonetwo\n"))
  }

  @Test func `have zones on both sides of Greenwich`() {
    #expect(ZonedTime(seconds: 5, zone: 90).text == "5 +0130")
    #expect(ZonedTime(seconds: 5, zone: -210).text == "5 -0330")
    #expect(ZonedTime(seconds: 5, zone: 0).text == "5 +0000")
  }
}

@Suite struct `Identities` {
  private let desk: ObjectDesk
  init() throws {
    desk = try ObjectDesk()
    // The test's own configuration alone, whoever runs it.
    for key in ["user.name", "user.email", "author.name", "committer.email"] {
      if try desk.repository.setting(key) != nil {
        try desk.repository.set(key, to: "")
      }
    }
  }

  private func identity(
    _ role: Identity.Role, _ environment: [String: String] = [:]
  ) -> Identity { Identity(role, in: desk.repository) { environment[$0] } }

  @Test func `come from the environment, then the configuration`() throws {
    try desk.repository.set("user.name", to: "Ursula")
    try desk.repository.set("user.email", to: "u@example.invalid")
    #expect(identity(.author).name == "Ursula")
    #expect(!identity(.author).isMadeUp)
    try desk.repository.set("author.name", to: "Anna")
    #expect(identity(.author).name == "Anna")
    #expect(identity(.committer).name == "Ursula")
    let environment = ["GIT_COMMITTER_NAME": "Carla", "GIT_AUTHOR_EMAIL": "x@example.invalid"]
    #expect(identity(.committer, environment).name == "Carla")
    #expect(identity(.author, environment).email == "x@example.invalid")
  }

  @Test func `are made of the account where there is none, and say so`() throws {
    let made = identity(.author, ["USER": "ada"])
    #expect(made.name == "ada")
    #expect(made.email.hasPrefix("ada@"))
    #expect(made.isMadeUp)
    #expect(
      identity(.author, ["USER": "ada", "EMAIL": "e@example.invalid"]).email == "e@example.invalid")
    let nobody = identity(.author)
    #expect(!nobody.name.isEmpty && nobody.email.contains("@"))
  }

  @Test func `of nothing but punctuation count as none`() throws {
    try desk.repository.set("user.name", to: " .,<>")
    #expect(identity(.author, ["USER": "ada"]).name == "ada")
  }

  @Test(arguments: [
    ("@1700000000", 1_700_000_000, 0), ("1700000000 +0130", 1_700_000_000, 90),
    ("2023-11-14T22:13:20+0000", 1_700_000_000, 0),
    ("2023-11-14 22:13:20 -0330", 1_700_012_600, -210),
    ("2023-11-14T22:13:20Z", 1_700_000_000, 0),
    // Before 1970, which no commit may be.
    ("@-5 +0130", 0, 90), ("1969-12-31T23:00:00Z", 0, 0),
  ])
  func `are dated as scripts say`(text: String, seconds: Int64, zone: Int) {
    let time = Identity.time(.author) { $0 == "GIT_AUTHOR_DATE" ? text : nil }
    #expect(time == ZonedTime(seconds: seconds, zone: zone))
  }

  @Test func `with a date that nobody can read have the present one`() {
    let now = ZonedTime.now()
    let time = Identity.time(.committer) { _ in "some day" }
    #expect(abs(time.seconds - now.seconds) < 60)
  }
}

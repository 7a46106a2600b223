import Testing
import VersoGit
import VersoTestSupport

@Suite struct IdentityTests {
  private func repository(_ settings: [String: String] = [:]) throws -> (Scratch, Repository) {
    let scratch = try Scratch()
    try scratch.git("init", "--quiet")
    // Set to nothing, so that the configuration of whoever runs the tests does not shine through.
    for key in ["user.name", "user.email", "author.name", "author.email", "committer.name"] {
      try scratch.git("config", key, settings[key] ?? "")
    }
    return (scratch, try Repository(at: scratch.path))
  }

  @Test func `the environment comes before the role's section, and that before user`() throws {
    let (_, repository) = try repository([
      "user.name": "U", "user.email": "u@x", "author.name": "S", "author.email": "s@x",
    ])
    let variables = ["GIT_AUTHOR_NAME": "E", "GIT_AUTHOR_EMAIL": "e@x"]
    let first = Identity(.author, in: repository) { variables[$0] }
    let second = Identity(.author, in: repository) { _ in nil }
    let third = Identity(.committer, in: repository) { variables[$0] }
    #expect([first.name, second.name, third.name] == ["E", "S", "U"])
    #expect([first.email, second.email, third.email] == ["e@x", "s@x", "u@x"])
    #expect(![first, second, third].contains { $0.isMadeUp })
  }

  @Test func `without any of them the account stands in, and it is said`() throws {
    let (_, repository) = try repository()
    let made = Identity(.author, in: repository) { $0 == "USER" ? "ada" : nil }
    #expect(made.name == "ada")
    #expect(made.email.hasPrefix("ada@") && made.email.count > 4)
    #expect(made.isMadeUp)
    let bare = Identity(.author, in: repository) { _ in nil }
    #expect(!bare.name.isEmpty && bare.email.hasPrefix("\(bare.name)@"))
  }

  @Test func `a name of nothing but punctuation, which git refuses, counts as none`() throws {
    let (_, repository) = try repository(["user.name": " .,<> ", "user.email": "u@x"])
    let made = Identity(.author, in: repository) { $0 == "USER" ? "ada" : nil }
    #expect(made.name == "ada" && made.email == "u@x" && made.isMadeUp)
  }

  @Test(arguments: [
    ("@5 +0100", 5, 60), ("1700000000 -0330", 1_700_000_000, -210),
    ("1700000000", 1_700_000_000, 0),
    ("2024-05-01T12:00:00+0200", 1_714_557_600, 120), ("2024-05-01 10:00:00Z", 1_714_557_600, 0),
  ])
  func `a date variable is heeded`(text: String, seconds: Int64, zone: Int) {
    let time = Identity.time(.committer) { $0 == "GIT_COMMITTER_DATE" ? text : nil }
    #expect(time == ZonedTime(seconds: seconds, zone: zone))
  }

  @Test(arguments: ["", "soon", "@", "99-99", "1700000000 0100", "2024-05-01T12"])
  func `text that is no date means now`(text: String) {
    let (before, time) = (ZonedTime.now(), Identity.time(.author) { _ in text })
    #expect((before.seconds...ZonedTime.now().seconds).contains(time.seconds))
  }
}

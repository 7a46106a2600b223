import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct ReferenceUpdateTests {
  private static let main = ".git/logs/refs/heads/main"

  @Test(arguments: [
    "verso: Edit ideas/todo.md", " two  spaces\n and\tlines \r\n", "ü 🙂",
  ])
  func `branch and reflogs are byte for byte what git update-ref makes`(message: String) throws {
    let (ours, theirs) = (try LockFixture(), try LockFixture())
    let old = try ours.tip()
    try theirs.scratch.git("fetch", "--quiet", ours.scratch.path, "main")
    let new = try ours.commit(on: [old])
    for fixture in [ours, theirs] {
      // Equal beginnings, and objects for both.
      try fixture.scratch.git("update-ref", "refs/heads/main", old.hex)
      for log in [".git/logs/HEAD", Self.main] { try fixture.scratch.write("", to: log) }
    }
    try theirs.scratch.git("fetch", "--quiet", ours.scratch.path, try carry(new, in: ours))
    try ours.move(to: new, from: old, message: message)
    let environment = ["GIT_COMMITTER_DATE": "1700000000 +0130"]
    try theirs.scratch.git(
      ["update-ref", "-m", message, "refs/heads/main", new.hex, old.hex],
      environment: environment)
    for file in [".git/logs/HEAD", Self.main, ".git/refs/heads/main"] {
      #expect(ours.scratch.text(of: file) == theirs.scratch.text(of: file), "\(file)")
    }
    #expect(try ours.leftovers().isEmpty)
  }

  private func carry(_ id: ObjectID, in fixture: LockFixture) throws -> String {
    try fixture.scratch.git("update-ref", "refs/carry", id.hex)
    return "refs/carry"
  }

  @Test(arguments: ["false", "true", "always", nil])
  func `logs are made where git makes them`(setting: String?) throws {
    for name in ["refs/heads/main", "refs/heads/new/one", "refs/verso/kept"] {
      let (ours, theirs) = (try LockFixture(commits: 0), try LockFixture(commits: 0))
      let new = try ours.commit(on: [])
      try theirs.scratch.git("fetch", "--quiet", ours.scratch.path, try carry(new, in: ours))
      for fixture in [ours, theirs] {
        if let setting { try fixture.scratch.git("config", "core.logAllRefUpdates", setting) }
      }
      try ours.move(name, to: new, from: nil, message: "m")
      try theirs.scratch.git(
        ["update-ref", "-m", "m", name, new.hex],
        environment: ["GIT_COMMITTER_DATE": "1700000000 +0130"])
      for log in ["HEAD", name] {
        #expect(
          ours.scratch.text(of: ".git/logs/\(log)") == theirs.scratch.text(of: ".git/logs/\(log)"),
          "\(log) after \(name)")
      }
    }
  }

  @Test func `a log that is there goes on though logging is off`() throws {
    let fixture = try LockFixture()
    try fixture.scratch.git("config", "core.logAllRefUpdates", "false")
    let old = try fixture.tip()
    try fixture.move(to: try fixture.commit(on: [old]), from: old)
    #expect(try fixture.scratch.git("reflog", "main").split(separator: "\n").count == 2)
  }

  @Test func `a branch that is packed moves`() throws {
    let fixture = try LockFixture()
    let old = try fixture.tip()
    try fixture.scratch.git("pack-refs", "--all")
    let new = try fixture.commit(on: [old])
    try fixture.move(to: new, from: old)
    #expect(try fixture.tip() == new)
    #expect(try fixture.repository.id(ofReference: "refs/heads/main") == new)
  }

  @Test func `an unborn branch is born, also one with folders in its name`() throws {
    let fixture = try LockFixture(commits: 0)
    try fixture.scratch.git("symbolic-ref", "HEAD", "refs/heads/a/b/c")
    let new = try fixture.commit(on: [])
    try fixture.move("refs/heads/a/b/c", to: new, from: nil)
    #expect(try fixture.tip("HEAD") == new)
    #expect(try fixture.scratch.git("reflog", "HEAD").contains("verso: a move"))
  }

  @Test func `empty folders where the reference and its log belong are no obstacle`() throws {
    let fixture = try LockFixture()
    let new = try fixture.tip()
    for folder in ["refs/heads/x", "logs/refs/heads/x"] {
      try run(["mkdir", "-p", fixture.scratch.at(".git/\(folder)/y/z")])
    }
    try fixture.move("refs/heads/x", to: new, from: nil)
    #expect(try fixture.tip("x") == new)
    #expect(try fixture.scratch.git("reflog", "x").contains("verso: a move"))
  }

  @Test(arguments: [false, true])
  func `a name that is a folder of another's is refused, and nothing is left`(
    isPacked: Bool
  ) throws {
    let fixture = try LockFixture()
    let new = try fixture.tip()
    try fixture.scratch.git("branch", "a/b")
    if isPacked { try fixture.scratch.git("pack-refs", "--all", "--prune") }
    for name in ["refs/heads/a", "refs/heads/a/b/c", "refs/heads/main/x"] {
      let error = #expect(throws: ReferenceUpdate.Failure.self) {
        try fixture.move(name, to: new, from: nil)
      }
      guard case .conflict = error else { throw Failure("\(name): \(String(describing: error))") }
      #expect(try fixture.scratch.git("for-each-ref").split(separator: "\n").count == 2)
    }
    try fixture.recover()
    #expect(try fixture.leftovers().isEmpty)
    try fixture.scratch.git("fsck", "--strict")
  }

  @Test func `a branch that is no longer what it was is not moved`() throws {
    let fixture = try LockFixture(commits: 2)
    let (first, second) = (try fixture.tip("main~1"), try fixture.tip())
    for expected in [first, nil] {
      let error = #expect(throws: ReferenceUpdate.Failure.self) {
        try fixture.move(to: try fixture.commit(on: [first]), from: expected)
      }
      #expect(error?.isModified == true)
    }
    #expect(try fixture.tip() == second)
    #expect(try fixture.scratch.git("reflog", "main").split(separator: "\n").count == 2)
    try fixture.scratch.git("commit", "--quiet", "--allow-empty", "--message=goes on")
  }

  @Test func `somebody else's lock on the branch stays and is named`() throws {
    let fixture = try LockFixture()
    let old = try fixture.tip()
    try fixture.scratch.write("", to: ".git/refs/heads/main.lock")
    let error = #expect(throws: ReferenceUpdate.Failure.self) {
      try fixture.move(to: try fixture.commit(on: [old]), from: old, wait: 0.05)
    }
    #expect("\(try #require(error))".contains(fixture.scratch.at(".git/refs/heads/main.lock")))
    try fixture.recover()
    #expect(fixture.scratch.text(of: ".git/refs/heads/main.lock") == "")
    #expect(try fixture.tip() == old)
  }

  @Test func `HEAD's log is left alone where HEAD is on another branch, or detached`() throws {
    let fixture = try LockFixture()
    let old = try fixture.tip()
    for arguments in [["--quiet", "-b", "other"], ["--quiet", "--detach"]] {
      try fixture.scratch.git(["checkout"] + arguments)
      let before = fixture.scratch.text(of: ".git/logs/HEAD")
      let tip = try fixture.tip("main")
      try fixture.move(to: try fixture.commit(on: [old], "\(arguments)"), from: tip)
      #expect(fixture.scratch.text(of: ".git/logs/HEAD") == before)
    }
  }

  @Test func `a linked work tree moves the shared branch and its own HEAD's log`() throws {
    let main = try LockFixture()
    let path = main.scratch.at("linked")
    try main.scratch.git("worktree", "add", "--quiet", "-b", "side", path)
    let linked = try LockFixture(workTree: path, of: main)
    #expect(linked.repository.commonDirectory == main.scratch.at(".git"))
    #expect(linked.repository.gitDirectory == main.scratch.at(".git/worktrees/linked"))
    let old = try main.tip("side")
    let new = try main.commit(on: [old])
    try linked.move("refs/heads/side", to: new, from: old)
    #expect(try main.tip("side") == new)
    #expect(try run(["git", "reflog", "HEAD"], in: path).text.contains("verso: a move"))
    #expect(try !main.scratch.git("reflog", "HEAD").contains("verso: a move"))
    #expect(try main.leftovers().isEmpty)
  }
}

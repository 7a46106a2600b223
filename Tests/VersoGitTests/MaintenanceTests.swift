import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoTestSupport

/// Runs git for tests.
private struct GitRunner: ProgramRunner {
  var isMissing = false

  func run(_ request: ProgramRequest) -> ProgramOutcome {
    if isMissing { return ProgramOutcome(end: .notStarted("there is no git")) }
    do {
      let outcome = try VersoTestSupport.run(request.arguments, input: request.input)
      return ProgramOutcome(
        end: .exit(outcome.status), output: outcome.output, error: Array(outcome.error.utf8))
    } catch { return ProgramOutcome(end: .notStarted("\(error)")) }
  }
}

@Suite struct MaintenanceTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch("verso-gc")
    try scratch.git("init", "--quiet", "--initial-branch=main")
    try run(["mkdir", scratch.at(".git/verso")])
  }

  private func write(_ count: Int) throws {
    for number in 0..<count { try scratch.write("\(number)", to: "n/\(number).md") }
  }

  private func withObjects<R>(_ body: (Int32) throws -> R) throws -> R {
    let folder = try SystemFileStore().opening(
      Array(scratch.at(".git/objects").utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    return try body(folder.number)
  }

  private func maintain(_ runner: GitRunner = GitRunner()) throws -> Maintenance.Outcome {
    try withObjects { objects in
      Maintenance(
        gitDirectory: scratch.at(".git"), objects: objects, store: SystemFileStore(),
        runner: runner
      ).runIfNeeded()
    }
  }

  private func looseCount() throws -> Int {
    let text = try scratch.git("count-objects")
    return Int(text.prefix { $0 != " " }) ?? -1
  }

  @Test func `many loose objects are packed, few are left`() throws {
    try write(300)
    try scratch.git("add", "--all")
    try scratch.git("commit", "--quiet", "--message=few")
    #expect(try maintain() == .notNeeded)
    #expect(try looseCount() > 300)
    try write(1800)
    try scratch.git("add", "--all")
    try scratch.git("commit", "--quiet", "--message=many")
    #expect(try maintain() == .packed)
    #expect(try looseCount() < 10)
    #expect(try maintain() == .notNeeded)
    try scratch.git("fsck", "--strict")
  }

  @Test func `objects that nothing refers to stay, and do not call for git every time`() throws {
    try scratch.git("commit", "--quiet", "--allow-empty", "--message=seed")
    try write(1800)
    try scratch.git("add", "--all")
    try run(["rm", scratch.at(".git/index")])
    #expect(try maintain() == .packed)
    #expect(try looseCount() >= 1800)
    #expect(try maintain() == .notNeeded)
  }

  @Test func `without git nothing is lost, and it is said`() throws {
    try write(1800)
    try scratch.git("add", "--all")
    #expect(try maintain(GitRunner(isMissing: true)) == .failed("there is no git"))
    #expect(try looseCount() >= 1800)
  }

  @Test func `who has switched git's tidying off is not overruled`() throws {
    try scratch.git("config", "gc.auto", "0")
    try write(1800)
    try scratch.git("add", "--all")
    #expect(try maintain() == .notNeeded)
    #expect(try looseCount() >= 1800)
  }

  @Test func `our dead temporary files go, git's stay`() throws {
    let ours = ["tmp_obj_verso_a", "pack/tmp_pack_verso_b"]
    let theirs = ["tmp_obj_x", "pack/tmp_pack_y"]
    for name in ours + theirs { try scratch.write("x", to: ".git/objects/\(name)") }
    try withObjects {
      try Maintenance.removeDeadTemporaries(objects: $0, store: SystemFileStore())
    }
    for name in ours { #expect(scratch.bytes(of: ".git/objects/\(name)") == nil) }
    for name in theirs { #expect(scratch.bytes(of: ".git/objects/\(name)") != nil) }
  }
}

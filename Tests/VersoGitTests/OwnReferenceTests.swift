import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct OwnReferenceTests {
  @Test func `a reference of ours whose writer was killed is written by the next`() throws {
    let scratch = try Scratch()
    try scratch.git("init", "-q", "-b", "main")
    try scratch.git("commit", "-q", "--allow-empty", "-m", "one")
    let repository = try Repository(at: scratch.path)
    let head = try #require(try repository.headCommit())
    let name = "refs/verso/seen/origin/main"
    try repository.point(name, to: head)
    try scratch.write("", to: ".git/\(name).lock")
    try repository.point(name, to: head)
    #expect(scratch.bytes(of: ".git/\(name).lock") == nil)
    #expect(try scratch.git("rev-parse", name) == head.hex)
    try scratch.write("", to: ".git/\(name).lock")
    try repository.remove(name)
    #expect(try repository.references(below: "refs/verso").isEmpty)
  }
}

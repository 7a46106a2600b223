import Testing
import Verso
import VersoTestSupport

@Suite struct InitialiserTests {
  private func makeVault(_ scratch: Scratch) throws {
    _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
  }

  @Test func `a folder that bears the name of our draft keeps what a user put into it`() throws {
    let scratch = try Scratch()
    try scratch.write("note\n", to: "note.md")
    try makeVault(scratch)
    try scratch.write("mine\n", to: ".verso-init/mine.md")
    try scratch.write("deep\n", to: ".verso-init/a/b.md")
    try scratch.write("two\n", to: "note.md")
    _ = try Engine.open(above: scratch.path).save(SaveRequest())
    #expect(scratch.text(of: ".verso-init/mine.md") == "mine\n")
    #expect(scratch.text(of: ".verso-init/a/b.md") == "deep\n")
  }

  @Test func `a draft's place that is taken is refused, and nothing in it is touched`() throws {
    let scratch = try Scratch()
    try scratch.write("mine\n", to: ".verso-init/mine.md")
    #expect(throws: VersoError.self) { try makeVault(scratch) }
    #expect(scratch.text(of: ".verso-init/mine.md") == "mine\n")
    #expect(scratch.bytes(of: ".git/HEAD") == nil)
  }

  @Test func `a draft that a kill left is made anew, or taken away`() throws {
    let scratch = try Scratch()
    try scratch.write("note\n", to: "note.md")
    // Half a repository, as a kill in the middle of making one leaves it.
    try scratch.write("[core]\n", to: ".verso-init/.git/config.lock")
    try scratch.write("", to: ".verso-init/.git/refs/heads/x.lock")
    // And what libgit2 was trying the file system with.
    try scratch.write("", to: ".verso-init/_git2_e3f7ddd62fc92713")
    // And half a try of libgit2's, whether links can be made.
    try run(["ln", "-s", "testing", scratch.at(".verso-init/_git2_716c879b6cc6dfc2")])
    try makeVault(scratch)
    #expect(try run(["test", "-e", scratch.at(".verso-init")]).status != 0)
    try scratch.write("", to: ".verso-init/_git2_99b9dba2329e1981")
    _ = try Engine.open(above: scratch.path).save(SaveRequest())
    #expect(try run(["test", "-e", scratch.at(".verso-init")]).status != 0)
    // What only has such a name stays.
    try scratch.write("mine\n", to: ".verso-init/_git2_mine")
    _ = try Engine.open(above: scratch.path).save(SaveRequest())
    #expect(scratch.text(of: ".verso-init/_git2_mine") == "mine\n")
    try run(["rm", "-r", scratch.at(".verso-init")])
    // And the empty folder of a kill after the repository was moved to its place.
    try run(["mkdir", scratch.at(".verso-init")])
    _ = try Engine.open(above: scratch.path).save(SaveRequest())
    #expect(try run(["test", "-e", scratch.at(".verso-init")]).status != 0)
    try scratch.git("fsck", "--strict")
  }
}

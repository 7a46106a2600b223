import Foundation
import Testing
import VersoTestSupport

@Suite struct DoctorCommandTests {
  private func vault() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    #expect(try Verso.run("init", scratch.path).status == 0)
    return scratch
  }

  @Test func `the exit code is 0 for well, 3 for look, 1 for bad, 4 for locked`() throws {
    let scratch = try vault()
    let well = try Verso.run("doctor", in: scratch.path)
    #expect(well.status == 0, "\(well.text)")
    #expect(well.text.split(separator: "\n").allSatisfy { $0.hasPrefix("ok    ") })
    try run(["chmod", "755", scratch.at(".git")])
    #expect(try Verso.run("doctor", scratch.path).status == 3)
    try scratch.write("", to: ".git/index")
    #expect(try Verso.run("-C", scratch.path, "doctor").status == 1)
    #expect(try Verso.run("doctor", "--fix", "--dry-run", scratch.path).status == 1)
    let locked = try run(
      ["flock", ".git/verso/lock", Verso.binary, "doctor", "--fix", "--wait", "0"], in: scratch.path
    )
    #expect(locked.status == 1 && locked.error.contains("another verso"))
    let mended = try Verso.run("doctor", "--fix", scratch.path)
    #expect(mended.status == 0, "\(mended.text)")
    #expect(mended.text.contains("\nfixed index: ") && mended.text.contains("\nfixed private: "))
    #expect(try Verso.run("doctor", "-q", scratch.path).text == "")
    let alone = try run(
      ["flock", ".git/verso/lock", Verso.binary, "doctor", "--fix", "--wait", "0"], in: scratch.path
    )
    #expect(alone.status == 4)
  }

  @Test func `each finding is an object of its own with --json`() throws {
    let scratch = try vault()
    try scratch.write("", to: ".git/index")
    let outcome = try Verso.run("doctor", "--json", scratch.path)
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.count > 15)
    var levels = Set<String>()
    for line in lines {
      let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let object = try #require(parsed as? [String: String])
      #expect(object["type"] == "event" && object["event"] == "checked")
      #expect(object["topic"] != nil && object["message"] != nil)
      levels.insert(object["level"] ?? "")
      if object["topic"] == "index" { #expect(object["path"] == scratch.at(".git/index")) }
    }
    #expect(levels == ["ok", "bad"])
  }

  @Test func `without a git program the rest is looked at all the same`() throws {
    let scratch = try vault()
    let bare = try Verso.run("doctor", scratch.path, environment: ["PATH": "/nonexistent"])
    #expect(bare.status == 3)
    #expect(bare.text.contains("look  git: ") && bare.text.contains("ok    index: "))
    // An empty PATH, as cron may have it, is no missing git.
    let empty = try run(["env", "PATH=", Verso.binary, "doctor", scratch.path])
    #expect(empty.status == 0, "\(empty.text)")
  }

  @Test func `a repository too broken to be recognised is explained, a plain folder refused`()
    throws
  {
    let scratch = try vault()
    try run(["rm", scratch.at(".git/HEAD")])
    let broken = try Verso.run("doctor", scratch.path)
    #expect(broken.status == 1)
    #expect(broken.text.contains("\(scratch.path)/.git/HEAD is missing"))
    let plain = try Scratch()
    let refused = try Verso.run("doctor", plain.path)
    #expect(refused.status == 1 && refused.error.contains("not in a vault"))
  }
}

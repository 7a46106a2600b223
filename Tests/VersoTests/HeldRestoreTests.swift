import Testing
import VersoModel
import VersoTestSupport

@testable import Verso

/// Bringing back what is gone from the disk and, as its deletion is held, not from the last version.
@Suite struct HeldRestoreTests {
  @Test func `notes whose deletion is held come back, one of them or all`() throws {
    let scratch = try Scratch()
    for number in 0..<40 { try scratch.write("note \(number)\n", to: "all/\(number).md") }
    try scratch.write("top\n", to: "top.md")
    _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
    try run(["rm", "-r", scratch.at("all")])
    let engine = try Engine.open(above: scratch.path)
    #expect(try engine.save(SaveRequest()).held.count == 40)

    let one = try engine.restore(RestoreRequest(path: "all/7.md"))
    #expect(one.left.isEmpty && one.writes == ["all/7.md"])
    #expect(one.before.held.count == 39)
    #expect(scratch.text(of: "all/7.md") == "note 7\n")

    let all = try engine.restore(RestoreRequest(path: "all"))
    #expect(all.left.isEmpty && all.writes.count == 39)
    #expect(all.before.held.isEmpty && all.save.commit == nil)
    #expect(try scratch.git("status", "--porcelain") == "")
    #expect(try engine.save(SaveRequest()).held.isEmpty)
    #expect(try scratch.git("ls-files").split(separator: "\n").count == 41)
  }

  @Test func `an empty folder does not keep a note from its place, a full one does`() throws {
    let scratch = try Scratch()
    try scratch.write("note\n", to: "a")
    try scratch.write("top\n", to: "top.md")
    _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
    try run(["rm", scratch.at("a")])
    try run(["mkdir", "-p", scratch.at("a/b/c"), scratch.at("a/d")])
    let engine = try Engine.open(above: scratch.path)
    #expect(try engine.restore(RestoreRequest(path: "a")).left.isEmpty)
    #expect(scratch.text(of: "a") == "note\n")

    try run(["rm", scratch.at("a")])
    try run(["mkdir", "-p", scratch.at("a/b/c")])
    // What git does not see is not empty.
    try scratch.write("*\n", to: "a/b/.gitignore")
    let left = try engine.restore(RestoreRequest(path: "a")).left
    #expect(left.map(\.path) == ["a"])
    #expect(scratch.text(of: "a/b/.gitignore") == "*\n")
    #expect(try run(["test", "-d", scratch.at("a/b/c")]).status == 0)
  }
}

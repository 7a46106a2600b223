import Testing
import VersoDisk
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@testable import Verso

@Suite struct IndexKeeperTests {
  /// A vault that was adopted with more commits than a save adds to an index.
  private func vault(_ commits: Int) throws -> Scratch {
    let scratch = try Scratch()
    try scratch.git("init", "-q", "-b", "main")
    var stream = ""
    for number in 1...commits {
      let text = "line \(number)\n"
      stream += "commit refs/heads/main\n"
      stream += "committer A <a@example.invalid> \(1_600_000_000 + number) +0000\n"
      stream += "data 1\nc\nM 100644 inline n\(number % 7).md\ndata \(text.utf8.count)\n\(text)\n"
    }
    try scratch.git("fast-import", "--quiet", input: Array(stream.utf8))
    try scratch.git("reset", "-q", "--hard")
    _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
    return scratch
  }

  private func tip(_ scratch: Scratch) -> ObjectID? {
    do {
      return try HistoryIndex(at: scratch.at(".git/verso/history.sqlite"), creates: false).tip()
    } catch { return nil }
  }

  @Test func `a watched vault gets its index though nobody searches`() throws {
    let scratch = try vault(700)
    #expect(tip(scratch) == nil)
    let keeper = IndexKeeper(root: scratch.path)
    keeper.start()
    keeper.start()
    let head = try Repository(at: scratch.path).headCommit()
    let end = MonotonicTime.now() + 60
    while tip(scratch) != head, MonotonicTime.now() < end { MonotonicTime.pause(0.01) }
    #expect(tip(scratch) == head)
    keeper.stop()
    // From now on every save keeps it up; on a machine that is very busy the next one does.
    let engine = try Engine.open(above: scratch.path)
    var request = SaveRequest(paths: ["n1.md"])
    request.settles = false
    var saved: ObjectID?
    repeat {
      try scratch.write("fresh \(MonotonicTime.now())\n", to: "n1.md")
      saved = try engine.save(request).commit
    } while tip(scratch) != saved && MonotonicTime.now() < end
    #expect(saved != nil && tip(scratch) == saved)
  }

  @Test func `one that is stopped ends soon, and another goes on`() throws {
    let scratch = try vault(2_000)
    let head = try Repository(at: scratch.path).headCommit()
    let first = IndexKeeper(root: scratch.path)
    first.start()
    let began = MonotonicTime.now()
    first.stop()
    #expect(MonotonicTime.now() - began < 20)
    let engine = try Engine.open(above: scratch.path)
    let index = try #require(try engine.completeHistoryIndex { _ in true })
    #expect(try index.tip() == head)
  }
}

import Testing
import VersoGit
@testable import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct HistoryIndexTests {
  @Test(arguments: seeds(isFullRun ? 200 : 12))
  func `an index has the versions that git's objects tell`(seed: UInt64) throws {
    let random = RandomHistory(seed: seed, count: 50, branches: seed % 3 != 0)
    let vault = try random.script.run()
    for name in random.names.sorted() + ["never.md"] {
      do { _ = try vault.versions(RelativePath(stringLiteral: name)) } catch {
        Issue.record("seed \(seed), \(name): \(error)")
      }
    }
    _ = try vault.versions(.root)
  }

  @Test(arguments: seeds(isFullRun ? 100 : 8))
  func `an index that grew and followed rewritten history equals one made at once`(
    seed: UInt64
  ) throws {
    let count = 50
    let random = RandomHistory(seed: seed, count: count, branches: true)
    let vault = try random.script.run()
    var generator = SeededGenerator(seed: seed)
    let grown = try HistoryIndex(at: vault.scratch.at(".git/grown.sqlite"), creates: true)
    for _ in 0..<8 {
      let tip = try vault.id(Int.random(in: 1...count, using: &generator))
      let indexer = try HistoryIndexer(grown, of: vault.repository)
      #expect(try indexer.catchUp(to: tip) == .complete)
      let fresh = try HistoryIndex(
        at: vault.scratch.at(
          ".git/\(tip.short)-\(UInt32.random(in: 0...(.max), using: &generator))"),
        creates: true)
      _ = try HistoryIndexer(fresh, of: vault.repository).catchUp(to: tip)
      let (mine, theirs) = (try grown.dump(), try fresh.dump())
      #expect(mine == theirs, "seed \(seed), tip \(vault.mark(tip))")
      if mine != theirs { return }
    }
  }

  @Test func `a walk goes on by git's objects where the index fails in the middle`() throws {
    let random = RandomHistory(seed: 3, count: 40, branches: true)
    let vault = try random.script.run()
    for name in random.names.sorted() {
      let path = RelativePath(stringLiteral: name)
      let expected = try vault.versions(path)
      for taken in 0..<expected.count {
        let file = vault.scratch.at(".git/broken-\(taken).sqlite")
        try run(["rm", "-f", file, file + "-wal", file + "-shm"])
        let index = try HistoryIndex(at: file, creates: true)
        _ = try HistoryIndexer(index, of: vault.repository).catchUp(to: vault.id(40))
        var history = try History(vault.repository, index: index).versions(of: path)
        var found: [Version] = []
        for _ in 0..<taken { found.append(try #require(try history.next())) }
        try index.database.execute("DELETE FROM touches WHERE kind = 1; DELETE FROM chains")
        found += try history.all()
        #expect(found == expected, "\(name) after \(taken)")
      }
      if expected.count > 5 { return }
    }
  }

  @Test func `what was made by another release, or is no database, is said to be damaged`() throws {
    let scratch = try Scratch("index")
    for content in ["no database at all, and longer than a page header is\n", ""] {
      try scratch.write(content, to: "x.sqlite")
      do {
        _ = try HistoryIndex(at: scratch.at("x.sqlite"), creates: false)
        Issue.record("a file with \(content.utf8.count) bytes was opened")
      } catch { #expect(error.isDamage, "\(error)") }
    }
    let index = try HistoryIndex(at: scratch.at("y.sqlite"), creates: true)
    try index.database.execute("PRAGMA user_version = 99")
    do {
      _ = try HistoryIndex(at: scratch.at("y.sqlite"), creates: true)
      Issue.record("another release's index was opened")
    } catch { #expect(error.code == .schema && error.isDamage, "\(error)") }
  }

  @Test func `an interrupted build goes on where it stopped`() throws {
    let random = RandomHistory(seed: 5, count: 60, branches: true)
    let vault = try random.script.run()
    let index = try HistoryIndex(at: vault.scratch.at(".git/part.sqlite"), creates: true)
    var stops = 0
    while true {
      let indexer = try HistoryIndexer(index, of: vault.repository, batch: 7)
      let outcome = try indexer.catchUp(to: vault.id(60)) { progress in
        #expect(progress.done > 0 && progress.done < progress.total)
        return false
      }
      if outcome == .complete { break }
      #expect(try index.tip() == nil)
      stops += 1
    }
    #expect(stops > 3)
    let whole = try HistoryIndex(at: vault.scratch.at(".git/whole.sqlite"), creates: true)
    _ = try HistoryIndexer(whole, of: vault.repository).catchUp(to: vault.id(60))
    #expect(try index.dump() == whole.dump())
    #expect(try HistoryIndexer(index, of: vault.repository).catchUp(to: vault.id(60)) == .complete)
  }
}

import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct HistoryWalkTests {
  /// Branches and merges at random, by clocks that stand still, jump and run backwards.
  private static func randomHistory(seed: UInt64, count: Int = 60) throws -> Vault {
    var generator = SeededGenerator(seed: seed)
    var script = Script()
    for number in 1...count {
      var parents: [Int] = []
      if number > 1 {
        parents = [max(1, number - Int.random(in: 1...4, using: &generator))]
        let other = max(1, number - Int.random(in: 1...8, using: &generator))
        if generator.chance(4), other != parents[0] { parents.append(other) }
      }
      var moment = script.time - 60 + Int64.random(in: 0...2, using: &generator)
      if generator.chance(10) { moment += Int64.random(in: -5000...5000, using: &generator) }
      if generator.chance(30) { moment = Int64.random(in: 0...1000, using: &generator) }
      script.commit("c\(number)", [.write("n.md", "\(number)\n")], parents: parents, at: moment)
      script.time = max(script.time, 1_600_000_000 + Int64(number) * 60)
    }
    return try script.run()
  }

  private static func ids(_ walk: consuming HistoryWalk) throws -> [String] {
    var walk = walk
    var ids: [String] = []
    while let record = try walk.next() { ids.append(record.id.hex) }
    return ids
  }

  @Test(arguments: seeds(6))
  func `the order of commits is git's`(seed: UInt64) throws {
    let vault = try Self.randomHistory(seed: seed)
    let expected = try vault.lines("rev-list", "HEAD")
    #expect(try Self.ids(vault.history.commits()) == expected, "seed \(seed)")
    let first = try Self.ids(vault.history.commits(HistoryRange(limit: 7)))
    #expect(first == Array(expected.prefix(7)), "seed \(seed)")
  }

  @Test(arguments: seeds(6))
  func `a clock that ran wrong hides nothing between two times`(seed: UInt64) throws {
    let vault = try Self.randomHistory(seed: seed)
    let (since, until) = (1_600_000_600, 1_600_002_000)
    let expected = try vault.lines(
      "log", "--format=%H", "--since-as-filter=@\(since)", "--until=@\(until)")
    let range = HistoryRange(since: Int64(since), until: Int64(until))
    #expect(try Self.ids(vault.history.commits(range)) == expected, "seed \(seed)")
    #expect(!expected.isEmpty)
  }

  @Test(arguments: seeds(4))
  func `a time means the commit that git's rev-list gives`(seed: UInt64) throws {
    let vault = try Self.randomHistory(seed: seed)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let time = Int64.random(in: 1_599_999_000...1_600_004_000, using: &generator)
      let expected = try vault.lines("rev-list", "-1", "--before=@\(time)", "HEAD").first
      #expect(try vault.history.commit(at: time)?.hex == expected, "seed \(seed), time \(time)")
    }
    #expect(try vault.history.commit(at: -1) == nil)
  }

  @Test func `the first commit is there without reading those below it`() throws {
    var script = Script()
    for number in 1...20 { script.commit("c\(number)", [.write("n.md", "\(number)\n")]) }
    let vault = try script.run()
    // So few objects are written loose (fastimport.unpackLimit in git-config(1)).
    let hex = try vault.id(1).hex
    let object = ".git/objects/\(hex.prefix(2))/\(hex.dropFirst(2))"
    try #require(vault.scratch.bytes(of: object) != nil)
    try run(["rm", "-f", vault.scratch.at(object)])
    let fresh = try Vault(scratch: vault.scratch)
    var walk = try fresh.history.commits()
    for number in 0..<18 { #expect(try walk.next()?.subject == "c\(20 - number)") }
    // A commit that is missing without having been cut off is damage, not the end of history.
    #expect(throws: GitError.self) { while try walk.next() != nil {} }
  }

  @Test func `the history of a shallow clone simply ends`() throws {
    var script = Script()
    for number in 1...20 { script.commit("c\(number)", [.write("n.md", "\(number)\n")]) }
    let vault = try script.run()
    let clone = try Scratch("shallow")
    try clone.git("clone", "-q", "--depth", "5", "file://\(vault.scratch.path)", "c")
    let history = try History(try Repository(at: clone.at("c")))
    #expect(try Self.ids(history.commits()).count == 5)
    var versions = try history.versions(of: "n.md")
    #expect(try versions.all().count == 5)
    #expect(try history.commit(at: 0) == nil)
  }

  @Test func `a branch without commits has no history`() throws {
    let scratch = try Scratch("unborn")
    try scratch.git("init", "-q", "-b", "main")
    let vault = try Vault(scratch: scratch)
    #expect(try Self.ids(vault.history.commits()).isEmpty)
    #expect(try vault.story("a.md").isEmpty)
    #expect(try vault.history.commit(at: .max) == nil)
  }

  @Test func `a commit tells its device, its subject and its time zone`() throws {
    var script = Script()
    script.commit("Edit a\nand b\n\nM a\n\nVerso-Device: kitchen table\n", [.write("a", "1")])
    script.commit("Verso-Device: a subject is no trailer\n", [.write("a", "2")])
    let vault = try script.run()
    var walk = try vault.history.commits()
    let plain = try #require(try walk.next())
    #expect(plain.device == "Ada")
    let saved = try #require(try walk.next())
    #expect(saved.device == "kitchen table")
    #expect(saved.subject == "Edit a and b")
    #expect(saved.timeZone == 60)
  }

  @Test func `a revision may be a name, a tag, or the beginning of an id`() throws {
    var script = Script()
    script.commit("one", [.write("a", "1")])
    script.commit("two", [.write("a", "2")])
    let vault = try script.run()
    try vault.scratch.git("tag", "-a", "-m", "t", "first", "HEAD~1")
    let one = try vault.id(1)
    for name in ["HEAD~1", "first", "main~1", one.hex, String(one.hex.prefix(9))] {
      #expect(try vault.history.commit(named: name) == one)
    }
    #expect(throws: GitError.self) { try vault.history.commit(named: "nothing") }
    #expect(throws: GitError.self) { try vault.history.commit(named: "HEAD:a") }
  }
}

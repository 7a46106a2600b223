import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

/// A real history with a branch `main`, as a bundle named by `VERSO_SAMPLE_BUNDLE`.
@Suite(.serialized) struct SampleTests {
  private static func allCommits(_ vault: Vault) throws -> [ObjectID] {
    var walk = try vault.history.commits()
    var ids: [ObjectID] = []
    while let id = try walk.nextID() { ids.append(id) }
    return ids
  }

  @Test func `a real history is walked, asked by time and compared as git does it`() throws {
    guard let vault = try Sample.clone() else { return }
    let ids = try Self.allCommits(vault)
    #expect(try ids.map(\.hex) == vault.lines("rev-list", "HEAD"))
    var generator = SeededGenerator(seed: 7)
    let graph = vault.history.graph
    let times = try ids.map { try graph.node($0).time }
    let (first, last) = (try #require(times.min()), try #require(times.max()))
    for _ in 0..<200 {
      let time = Int64.random(in: (first - 10)...(last + 10), using: &generator)
      let expected = try vault.lines("rev-list", "-1", "--before=@\(time)", "HEAD").first
      #expect(try vault.history.commit(at: time)?.hex == expected, "time \(time)")
    }
    for id in ids.shuffled(using: &generator).prefix(60) {
      let node = try graph.node(id)
      guard let parent = node.parents.first else { continue }
      let expected = try vault.lines("diff-tree", "-r", "--name-only", parent.hex, id.hex)
      let found = try TreeDifference.between(
        graph.node(parent).tree, node.tree, in: vault.repository)
      let names = found.map { String(decoding: QuotedPath.quote($0.path.bytes), as: UTF8.self) }
      #expect(names.sorted() == expected.sorted(), "\(id)")
    }
  }

  /// git's log of one path is the reference where no name changes; with names followed, ours is
  /// compared until the first place where git goes on with a copy, which Verso does not follow.
  @Test func `versions of real notes are those of git log, followed through renames`() throws {
    guard let vault = try Sample.clone() else { return }
    var generator = SeededGenerator(seed: 3)
    let head = try #require(try vault.repository.headCommit())
    let tree = try vault.history.graph.node(head).tree
    let files = try TreeDifference.files(in: tree, of: vault.repository)
    var (equal, copies, others) = (0, 0, [String]())
    for file in files.shuffled(using: &generator).prefix(isFullRun ? 400 : 60) {
      let name = String(decoding: file.path.bytes, as: UTF8.self)
      let log = try vault.lines(
        "log", "--format=@%H", "--name-status", "-M", "--follow", "--", name)
      var expected: [String] = []
      var endsInCopy = false
      for line in log where !endsInCopy {
        if line.hasPrefix("@") {
          expected.append(String(line.dropFirst()))
        } else if line.hasPrefix("C") {
          endsInCopy = true
        }
      }
      let found = try vault.versions(file.path).filter { $0.life == 0 }.map(\.commit.hex)
      if found == expected {
        equal += 1
        if endsInCopy { copies += 1 }
      } else {
        others.append("\(name): \(found.count) versions, git \(expected.count)")
      }
    }
    print("\(equal) equal (\(copies) of them copies for git), others:", others)
    #expect(others.count * 20 <= equal, "\(others)")
  }
}

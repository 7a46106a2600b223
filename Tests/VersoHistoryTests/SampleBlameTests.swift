import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

/// A real history against git: who wrote each line, and what stood where at a time.
@Suite(.serialized) struct SampleBlameTests {
  private static func files(_ vault: Vault) throws -> [RelativePath] {
    let head = try #require(try vault.repository.headCommit())
    let tree = try vault.history.graph.node(head).tree
    return try TreeDifference.files(in: tree, of: vault.repository).map(\.path)
  }

  /// The versions of a path that git's log has, renames followed as by `git blame`.
  private static func isFollowedAlike(_ vault: Vault, _ path: RelativePath) throws -> Bool {
    let name = String(decoding: path.bytes, as: UTF8.self)
    let log = try vault.lines(
      "log", "--format=@%H", "--name-status", "-M", "--follow", "--", name)
    let theirs = log.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
    return try vault.versions(path).filter { $0.life == 0 }.map(\.commit.hex) == theirs
      && !log.contains { $0.hasPrefix("C") }
  }

  @Test func `lines of real notes are of the commits that git blame names`() throws {
    guard let vault = try Sample.clone() else { return }
    var generator = SeededGenerator(seed: 11)
    var (equal, followed, others) = (0, [String](), [String]())
    for path in try Self.files(vault).shuffled(using: &generator).prefix(isFullRun ? 400 : 60) {
      let name = String(decoding: path.bytes, as: UTF8.self)
      if TextDifference.isBinary(try vault.repository.read(vault.place(path).content.id).bytes) {
        continue
      }
      if try vault.ownBlame(path) == vault.gitBlame(name) {
        equal += 1
      } else if try !Self.isFollowedAlike(vault, path) {
        // Rule 1: git and Verso do not see the same file in an earlier commit.
        followed.append(name)
      } else {
        others.append(name)
      }
    }
    print("blame: \(equal) equal, \(followed.count) followed otherwise: \(followed)")
    #expect(equal > 0)
    #expect(others.isEmpty, "\(others)")
    #expect(followed.count * 20 <= equal, "\(followed)")
  }

  @Test func `what stood at a path at a time is what git shows`() throws {
    guard let vault = try Sample.clone() else { return }
    var generator = SeededGenerator(seed: 12)
    let ids = try vault.lines("rev-list", "HEAD").compactMap { ObjectID(hex: $0) }
    let times = try ids.map { try vault.history.graph.node($0).time }
    let (first, last) = (try #require(times.min()), try #require(times.max()))
    // Every path that ever was: of deleted and renamed notes too.
    let names = Set(try vault.lines("log", "--format=", "--name-only", "--no-renames"))
      .filter { !$0.hasPrefix("\"") }.sorted()
    var (there, absent, followed) = (0, 0, 0)
    for number in 0..<(isFullRun ? 2_000 : 240) {
      var name = try #require(names.randomElement(using: &generator))
      var time = Int64.random(in: (first - 1000)...(last + 1000), using: &generator)
      if number % 4 > 0 {
        // Most pairs are of what was there, as few names live long.
        let id = try #require(ids.randomElement(using: &generator))
        let node = try vault.history.graph.node(id)
        let files = try TreeDifference.files(in: node.tree, of: vault.repository)
        let path = try #require(files.randomElement(using: &generator)).path
        name = String(decoding: path.bytes, as: UTF8.self)
        time = node.time + Int64.random(in: 0...86_400, using: &generator)
      }
      let path = try #require(RelativePath(name))
      let expected = try vault.lines("rev-list", "-1", "--before=@\(time)", "HEAD").first
      let commit = try vault.history.commit(at: time)
      #expect(commit?.hex == expected, "\(time)")
      guard let commit else { continue }
      let place = try vault.history.place(of: path, at: commit)
      let shown = try run(["git", "show", "\(commit.hex):\(name)"], in: vault.scratch.path)
      if shown.status == 0 {
        // A folder is shown as a listing: names of notes only are asked for here.
        let content = try #require(place, "\(name) at \(time)")
        #expect(!content.wasFollowed)
        if content.content.isFolder { continue }
        there += 1
        #expect(
          try vault.repository.read(content.content.id).bytes == shown.output, "\(name), \(time)")
      } else if let place {
        // git does not follow; the name that we found is shown by git too.
        followed += 1
        #expect(place.wasFollowed)
        let old = String(decoding: place.path.bytes, as: UTF8.self)
        let other = try run(["git", "show", "\(commit.hex):\(old)"], in: vault.scratch.path)
        #expect(
          try vault.repository.read(place.content.id).bytes == other.output, "\(name), \(old)")
      } else {
        absent += 1
      }
    }
    print("places: \(there) there, \(followed) under another name, \(absent) absent")
    #expect(there > 0 && absent > 0)
  }
}

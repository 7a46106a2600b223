import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@testable import VersoHistory

/// The index of a real history with a branch `main`, as a bundle named by `VERSO_SAMPLE_BUNDLE`.
@Suite(.serialized) struct SampleIndexTests {
  /// What `git log --raw` says of every commit against each of its parents, nothing of it read by
  /// Verso: which files differ.
  private struct Plumbing {
    var parents: [String: [String]] = [:]
    /// The files that differ, by commit and then by parent.
    var differing: [String: [Set<String>]] = [:]
    /// All names, folders among them.
    var names: Set<String> = []

    init(_ vault: Vault) throws {
      var trees: [String: String] = [:]
      for line in try vault.lines("log", "--format=%H %T %P", "HEAD") {
        let ids = line.split(separator: " ").map(String.init)
        trees[ids[0]] = ids[1]
        parents[ids[0]] = Array(ids.dropFirst(2))
      }
      let nothing = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
      func pairs(_ commit: String) -> [String] {
        let olds = parents[commit]?.compactMap { trees[$0] } ?? []
        return (olds.isEmpty ? [nothing] : olds).map { "\($0) \(trees[commit] ?? nothing)" }
      }
      let input = parents.keys.flatMap(pairs).joined(separator: "\n") + "\n"
      let output = try vault.scratch.git(
        "-c", "core.quotePath=false", "diff-tree", "--stdin", "-r", "--no-renames", "--name-only",
        input: Array(input.utf8))
      var found: [String: Set<String>] = [:]
      var pair = ""
      for line in output.split(separator: "\n") {
        if line.count == 81, line.utf8.allSatisfy({ $0 == 0x20 || Self.isHexDigit($0) }) {
          pair = String(line)
          continue
        }
        // What git quotes for its signs is left out.
        if line.hasPrefix("\"") { continue }
        var name = line
        found[pair, default: []].insert("")
        while true {
          found[pair, default: []].insert(String(name))
          names.insert(String(name))
          guard let cut = name.lastIndex(of: "/") else { break }
          name = name[..<cut]
        }
      }
      for commit in parents.keys { differing[commit] = pairs(commit).map { found[$0] ?? [] } }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
      0x30...0x39 ~= byte || 0x61...0x66 ~= byte
    }

    /// The commits that git's rule of history simplification keeps for a path under one name: a side
    /// that has the same is followed alone (git-log(1)), and while the path is absent all sides are.
    func commits(
      touching name: String, from head: String, presentAt: (String) throws -> Bool
    ) rethrows -> Set<String> {
      var found: Set<String> = []
      var seen: Set<String> = [head]
      var stack = [head]
      while let commit = stack.popLast() {
        let parents = parents[commit] ?? []
        let sides = differing[commit] ?? []
        func differs(_ side: Int) -> Bool { sides[side].contains(name) }
        var next = parents
        if parents.isEmpty {
          if differs(0) { found.insert(commit) }
        } else if let same = parents.indices.first(where: { !differs($0) }) {
          if try presentAt(commit) { next = [parents[same]] }
        } else {
          found.insert(commit)
        }
        for parent in next where seen.insert(parent).inserted { stack.append(parent) }
      }
      return found
    }
  }

  @Test func `every path that ever existed has the versions that git's plumbing tells`() throws {
    guard let vault = try Sample.clone("-n") else { return }
    let index = try #require(vault.indexed().index)
    let plumbing = try Plumbing(vault)
    let head = try #require(try vault.repository.headCommit())
    var (equal, taken, versions) = (0, 0, 0)
    var others: [String] = []
    let all = plumbing.names.sorted()
    for name in isFullRun ? all : all.enumerated().filter({ $0.offset % 10 == 0 }).map(\.element) {
      let path = RelativePath(stringLiteral: name)
      var walk = try History(vault.repository, index: index).versions(of: path)
      let mine = try walk.all().filter { $0.path == path }
      versions += mine.count
      let ledger = IndexedLedger(index)
      let expected = try plumbing.commits(touching: name, from: head.hex) { commit in
        guard let id = ObjectID(hex: commit) else { return false }
        return try ledger.content(of: path, at: ledger.number(of: id)) != nil
      }
      let found = Set(mine.map(\.commit.hex))
      // Rule 1: where another note took the name of one that was gone, the other's versions are
      // followed, and not those of the one that was gone.
      let wasTaken = mine.contains { if case .renamed = $0.kind { true } else { false } }
      if found == expected {
        equal += 1
      } else if wasTaken, found.isSubset(of: expected) {
        taken += 1
      } else {
        others.append(name)
      }
    }
    print("\(equal) paths equal (\(versions) versions), \(taken) by rule 1, others: \(others)")
    #expect(equal > 500 && taken * 50 < equal)
    #expect(others.isEmpty)
  }

  @Test func `an index tells what git's objects tell of real notes and folders`() throws {
    guard let vault = try Sample.clone("-n") else { return }
    let index = try #require(vault.indexed().index)
    var generator = SeededGenerator(seed: 17)
    let names = try Plumbing(vault).names.sorted().shuffled(using: &generator)
    for name in names.prefix(isFullRun ? 1_000 : 60) {
      let path = RelativePath(stringLiteral: name)
      var fast = try History(vault.repository, index: index).versions(of: path)
      var slow = try vault.history.versions(of: path)
      let (mine, theirs) = (try fast.all(), try slow.all())
      // Commits of one second on two branches have no order of their own.
      #expect(Set(mine.map(Self.told)) == Set(theirs.map(Self.told)), "\(name)")
      #expect(mine.count == theirs.count, "\(name)")
    }
  }

  private static func told(_ version: Version) -> String {
    "\(version.commit) \(version.path) \(version.kind) \(version.before?.id.hex ?? "-") "
      + "\(version.content?.id.hex ?? "-")"
  }

  @Test func `a phrase of any old version is found`() throws {
    guard let vault = try Sample.clone("-n") else { return }
    let index = try #require(vault.indexed().index)
    var generator = SeededGenerator(seed: 23)
    let paths = try index.allPaths()
    var (tried, present, lost) = (0, 0, 0)
    while tried < 200 {
      guard let number = paths.randomElement(using: &generator),
        let content = try index.contents(of: number).randomElement(using: &generator),
        let file = content.file, let text = try TextCache.text(of: file, in: vault.repository)
      else { continue }
      let words = SearchTokens(text).words
      guard words.count > 12 else { continue }
      let start = Int.random(in: 0..<(words.count - 6), using: &generator)
      let phrase = words[start..<(start + 5)].map { String(decoding: $0, as: UTF8.self) }
        .joined(separator: " ")
      guard let query = SearchQuery([phrase]), query.matches(text) else { continue }
      tried += 1
      let notes = try index.notes(with: query).filter { hit in
        guard !hit.isSure else { return true }
        let ledger = IndexedLedger(index)
        let head = try #require(try vault.repository.headCommit())
        let file = try ledger.content(of: hit.path, at: ledger.number(of: head))
        guard let file, let text = try TextCache.text(of: file, in: vault.repository) else {
          return false
        }
        return query.matches(text)
      }
      if !notes.isEmpty {
        present += 1
        continue
      }
      var search = HistorySearch(index, of: vault.repository)
      let passages = try search.passages(with: query)
      #expect(!passages.isEmpty, "'\(phrase)' of \(content.commit.short)")
      if !passages.isEmpty { lost += 1 }
    }
    print("\(tried) phrases: \(present) in notes of today, \(lost) in history alone")
    #expect(lost > 10)
  }

  @Test func `what an index keeps of the words is less than twice the text`() throws {
    guard let vault = try Sample.clone("-n") else { return }
    let index = try #require(vault.indexed().index)
    try index.database.execute("INSERT INTO words(words) VALUES('optimize')")
    var text = 0
    var seen: Set<Int64> = []
    for number in try index.allPaths() {
      for content in try index.contents(of: number) {
        guard let file = content.file,
          let bytes = try TextCache.text(of: file, in: vault.repository)
        else { continue }
        TextLines.forEach(in: bytes) { line, _ in
          if LineHashes.mayHoldWord(line), seen.insert(LineHashes.hash(line)).inserted {
            text += line.count + 1
          }
        }
      }
    }
    let size = try #require(
      try index.database.integer(
        "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'words%' OR name IN "
          + "('lines', 'occurrences')"))
    print("\(size) bytes of index for \(text) bytes of distinct text")
    #expect(Int(size) <= 2 * text)
  }
}

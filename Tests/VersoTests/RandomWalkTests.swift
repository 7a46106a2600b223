import Foundation
import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

@testable import Verso

/// Random walks: whatever happens to the files, the history is the disk.
@Suite struct RandomWalkTests {
  private static let plan: (seeds: [UInt64], steps: Int) =
    isFullRun ? (seeds(20), 10_000) : (seeds(2), 500)

  // MARK: A vault to walk in

  private struct Ground {
    let scratch: Scratch
    let root: String
    let engine: Engine

    init(_ prepare: (Ground) throws -> Void = { _ in }) throws {
      scratch = try Scratch("verso-walk")
      root = scratch.at("vault")
      // A first version, and so an index, is there from the start.
      try scratch.write("first\n", to: "vault/first.md")
      _ = try Initialiser(directory: root) { _ in nil }.run()
      engine = try Engine.open(above: root)
      for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.invalid")] {
        try git("config", key, value)
      }
      try prepare(self)
    }

    @discardableResult
    func git(_ arguments: String...) throws -> String {
      let outcome = try run(["git", "-C", root] + arguments)
      guard outcome.status == 0 else { throw Failure("git \(arguments): \(outcome.error)") }
      return outcome.text
    }

    /// What a shell script prints, in sections.
    func sections(
      _ script: String, input: [UInt8] = [], shell: String = "sh"
    ) throws -> [ArraySlice<UInt8>] {
      let outcome = try run(
        [shell, "-ec", script], in: root, input: input, environment: ["LC_ALL": "C"])
      guard outcome.status == 0 else { throw Failure("\(script): \(outcome.error)") }
      let mark = Array("\n=====\n".utf8)
      var sections: [ArraySlice<UInt8>] = []
      var rest = outcome.output[...]
      while let found = rest.firstRange(of: mark) {
        sections.append(rest[..<found.lowerBound])
        rest = rest[found.upperBound...]
      }
      return sections + [rest]
    }

    /// Saves, and accepts what is held until nothing is.
    func save(_ walk: inout Walk) throws {
      if walk.random.chance(3), !walk.files.isEmpty {
        let number = Int.random(in: 0..<walk.files.count, using: &walk.random)
        var part = SaveRequest(paths: RelativePath(walk.files[number]).map { [$0] })
        part.settles = false
        _ = try engine.save(part)
      }
      var request = SaveRequest()
      request.settles = false
      request.allowsMassDeletion = walk.random.chance(2)
      var outcome = try engine.save(request)
      for _ in 0..<4 where !outcome.held.isEmpty {
        request.allowsMassDeletion = true
        outcome = try engine.save(request)
      }
      #expect(outcome.held == [])
      #expect(outcome.skipped.map(\.path) == [], "\(outcome.skipped)")
    }
  }

  /// What differs between HEAD, the index and the disk, each read by its own means.
  private static func differences(_ ground: Ground) throws -> [String] {
    var expected: [[UInt8]: String] = [:]
    var files: [[UInt8]] = []
    var links: [[UInt8]] = []
    var walk = Walk(in: ground.root, seed: 0)
    walk.look()
    for path in walk.files {
      guard let status = Walk.status(of: walk.root + [0x2F] + path) else { continue }
      if status.st_mode & S_IFMT == S_IFLNK {
        links.append(path)
      } else {
        files.append(path)
        expected[path] = status.st_mode & 0o100 == 0 ? "100644" : "100755"
      }
    }
    let sections = try ground.sections(
      """
      git ls-tree -r -z HEAD; printf '\\n=====\\n'
      git ls-files -s -z; printf '\\n=====\\n'
      git status --porcelain --ignored=no; printf '\\n=====\\n'
      git rev-parse 'HEAD^{tree}'; git write-tree; printf '\\n=====\\n'
      xargs -0 -r git hash-object --no-filters --
      """, input: Array(files.joined(separator: [0])))
    let ids = sections[4].split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard ids.count == files.count else { throw Failure("hash-object: \(ids.count) ids") }
    for (path, id) in zip(files, ids) { expected[path] = (expected[path] ?? "") + " blob " + id }
    for path in links { expected[path] = "120000 blob " + (try linkID(walk.root + [0x2F] + path)) }

    var problems: [String] = []
    let tree = entries(sections[0])
    for path in Set(expected.keys).union(tree.keys) where expected[path] != tree[path] {
      let name = String(decoding: path, as: UTF8.self)
      problems.append("\(name): disk \(expected[path] ?? "-"), HEAD \(tree[path] ?? "-")")
    }
    // The index says the same in other words: mode, id, stage.
    let index = entries(sections[1]).mapValues { line in
      let words = line.split(separator: " ")
      return words.count == 3 && words[2] == "0" ? "\(words[0]) blob \(words[1])" : line
    }
    if index != tree { problems.append("the index is not HEAD") }
    if !sections[2].isEmpty {
      problems.append("status: " + String(decoding: sections[2], as: UTF8.self))
    }
    let trees = sections[3].split(separator: 0x0A)
    if trees.count != 2 || trees[0] != trees[1] { problems.append("the cached trees are wrong") }
    return problems
  }

  private static func entries(_ listing: ArraySlice<UInt8>) -> [[UInt8]: String] {
    var entries: [[UInt8]: String] = [:]
    for line in listing.split(separator: 0) {
      guard let tab = line.firstIndex(of: 0x09) else { continue }
      entries[Array(line[(tab + 1)...])] = String(decoding: line[..<tab], as: UTF8.self)
    }
    return entries
  }

  private static func linkID(_ path: [UInt8]) throws -> String {
    var target = [UInt8](repeating: 0, count: 4096)
    let count = path.withCString { path in
      target.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
      }
    }
    guard count >= 0 else { throw Failure("readlink: \(errno)") }
    return SHA1.id(of: .blob, Array(target[..<count])).hex
  }

  // MARK: Walks

  @Test(arguments: plan.seeds)
  func `after every save the last version is the disk, whatever happened to the files`(
    seed: UInt64
  ) throws {
    let ground = try Ground()
    var walk = Walk(in: ground.root, seed: seed)
    var done = 0
    var saves = 0
    var most = 0
    while done < Self.plan.steps {
      let count = Int.random(in: 1..<16, using: &walk.random)
      walk.steps(count)
      done += count
      // Somebody may use git in between.
      if walk.random.chance(15) { try ground.git("add", "-A") }
      if walk.random.chance(40) {
        try ground.git("add", "-A")
        try ground.git("commit", "-q", "--allow-empty", "-m", "by hand")
      }
      try ground.save(&walk)
      saves += 1
      most = max(most, walk.files.count)
      if isFullRun, saves % 4 != 0 { continue }
      let problems = try Self.differences(ground)
      #expect(problems == [], "seed \(seed), after \(done) steps")
      if !problems.isEmpty { return }
    }
    #expect(try Self.differences(ground) == [], "seed \(seed), at the end")
    #expect(most > 20, "the walk went nowhere")
    try ground.git("fsck", "--strict", "--no-dangling")
    print("walked seed \(seed): \(done) steps, \(saves) saves, \(walk.files.count) files")
  }

  @Test(arguments: plan.seeds)
  func `with ignore rules that change, a save takes exactly what git add would take`(
    seed: UInt64
  ) throws {
    let ground = try Ground()
    var walk = Walk(in: ground.root, seed: seed, flavour: .ignoring)
    var done = 0
    while done < Self.plan.steps {
      let count = Int.random(in: 1..<16, using: &walk.random)
      walk.steps(count)
      done += count
      // git decides in a copy of the index, made before the save.
      let wanted = try ground.sections(
        """
        cp -p .git/index .git/wanted
        GIT_INDEX_FILE=.git/wanted git add -A
        GIT_INDEX_FILE=.git/wanted git write-tree
        """)
      try ground.save(&walk)
      let found = try ground.sections(
        "git rev-parse 'HEAD^{tree}'; printf '\\n=====\\n'; git status --porcelain")
      let isSame = wanted[0].elementsEqual(found[0])
      #expect(isSame, "seed \(seed), after \(done) steps")
      #expect(found[1].isEmpty, "seed \(seed): \(String(decoding: found[1], as: UTF8.self))")
      guard isSame else {
        let trees = (wanted[0], found[0])
        print(
          try ground.git(
            "diff", "--stat", String(decoding: trees.0.dropLast(), as: UTF8.self),
            String(decoding: trees.1.dropLast(), as: UTF8.self)))
        return
      }
    }
    try ground.git("fsck", "--strict", "--no-dangling")
  }

  @Test(arguments: plan.seeds)
  func `with attributes that change, saves and restores leave git nothing to say`(
    seed: UInt64
  ) throws {
    let ground = try Ground { ground in
      try ground.git("config", "filter.turn.clean", "tr a-zA-Z n-za-mN-ZA-M")
      try ground.git("config", "filter.turn.smudge", "tr a-zA-Z n-za-mN-ZA-M")
    }
    var walk = Walk(in: ground.root, seed: seed, flavour: .converting)
    var done = 0
    var restored = 0
    while done < Self.plan.steps {
      let count = Int.random(in: 1..<16, using: &walk.random)
      walk.steps(count)
      done += count
      try ground.save(&walk)
      var status = try ground.git("status", "--porcelain")
      #expect(status == "", "seed \(seed), after \(done) steps")
      if status != "" { return }
      guard walk.random.chance(8) else { continue }
      let what = try restoreSomething(ground, &walk, "seed \(seed), after \(done) steps")
      guard let (what, isVersion) = what else { continue }
      restored += 1
      status = try ground.git("status", "--porcelain")
      #expect(status == "", "seed \(seed), after \(done) steps, restored \(what)")
      if status != "" { return }
      if walk.random.chance(2), isVersion {
        let undone = try ground.engine.undo(redoing: false, isDryRun: false, wait: 10)
        #expect(undone.left.map(\.error.message) == [], "seed \(seed), undone \(what)")
        #expect(try ground.git("status", "--porcelain") == "", "seed \(seed), undone \(what)")
      }
    }
    #expect(restored > 1, "too little was restored")
    try ground.git("fsck", "--strict", "--no-dangling")
  }

  /// Brings an earlier version of a note back, where it has one, or of everything.
  ///
  /// - Returns: What was brought back, and whether that made a version: by the attributes of today, an
  ///   earlier content may be today's. `nil` where nothing was written.
  private func restoreSomething(
    _ ground: Ground, _ walk: inout Walk, _ when: String
  ) throws -> (what: String, isVersion: Bool)? {
    let history = try ground.engine.history()
    var request: RestoreRequest
    if walk.random.chance(4) {
      let commits = try ground.git("rev-list", "HEAD").split(separator: "\n")
      guard let name = commits.randomElement(using: &walk.random) else { return nil }
      request = RestoreRequest(path: .root)
      request.isExact = true
      request.place = try history.place(of: .root, at: history.commit(named: String(name)))
    } else {
      guard let path = walk.files.randomElement(using: &walk.random).flatMap({ RelativePath($0) })
      else { return nil }
      var versions = try history.versions(of: path)
      let old = try versions.all().dropFirst().filter { $0.content != nil }
      guard let version = old.randomElement(using: &walk.random), let content = version.content
      else { return nil }
      request = RestoreRequest(path: path)
      request.place = History.Place(
        commit: version.commit, path: version.path, content: content,
        wasFollowed: version.path != path)
    }
    let outcome: RestoreOutcome
    do throws(VersoError) {
      outcome = try ground.engine.restore(request)
    } catch {
      if error.code == .usage { return nil }
      throw error
    }
    #expect(outcome.left.map(\.error.message) == [], "\(when): \(request.path)")
    if let place = request.place {
      for path in outcome.writes {
        let old = path.replacing(prefix: request.path, with: place.path) ?? path
        try checkConverted(path, from: old, at: place.commit, ground, when)
      }
    }
    walk.look()
    if outcome.writes.isEmpty, outcome.removals.isEmpty { return nil }
    return ("\(request.path)", outcome.save.commit != nil)
  }

  /// Whether a file that was written is what git would have written.
  private func checkConverted(
    _ path: RelativePath, from old: RelativePath, at commit: ObjectID, _ ground: Ground,
    _ when: String
  ) throws {
    let bytes = Array(ground.root.utf8) + [0x2F] + path.bytes
    guard let status = Walk.status(of: bytes), status.st_mode & S_IFMT == S_IFREG else { return }
    let sections = try ground.sections(
      """
      IFS= read -r -d '' name; IFS= read -r -d '' old
      git cat-file --filters --path="$name" "$old"; printf '\\n=====\\n'
      cat -- "$name"
      """, input: path.bytes + [0] + Array("\(commit):".utf8) + old.bytes + [0], shell: "bash")
    #expect(sections.count == 2 && sections[0].elementsEqual(sections[1]), "\(when): \(path)")
  }
}

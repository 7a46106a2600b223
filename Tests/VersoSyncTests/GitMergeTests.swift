import Foundation
import Testing
import VersoGit
import VersoModel
import VersoSync
import VersoTestSupport

/// Merges by Verso beside merges by git.
///
/// Where git finds no conflict, Verso makes the same tree; the one rule that differs there is R21, that
/// a folder has one spelling. Where git finds one, Verso makes a tree without markers all the same.
@Suite(.serialized) struct GitMergeTests {
  /// What `git merge-tree` says of pairs of commits: a tree for each that it merges cleanly.
  static func trees(_ pairs: [(ObjectID, ObjectID)], in folder: String) throws -> [ObjectID?] {
    let script = """
      while read one other; do
        if tree=$(git merge-tree --write-tree --allow-unrelated-histories $one $other); then
          echo "$tree"
        else
          echo conflict
        fi
      done
      """
    let input = pairs.map { "\($0.0) \($0.1)\n" }.joined()
    let outcome = try run(
      ["sh", "-c", script], in: folder, input: Array(input.utf8), deadline: 600)
    let lines = outcome.text.split(separator: "\n")
    guard lines.count == pairs.count else { throw Failure("git merge-tree: \(outcome.error)") }
    return lines.map { ObjectID(hex: String($0)) }
  }

  @Test func `what git merges cleanly is merged alike`() throws {
    let desk = try MergeDesk()
    var random = SeededGenerator(seed: 5)
    var cases: [(base: ObjectID, ours: ObjectID, theirs: ObjectID)] = []
    for number in 0..<(isFullRun ? 2_000 : 300) {
      var maker = MergeCase(random: random, number: number)
      let base = try desk.save(maker.base, parents: [], device: "a", at: 1_700_000_000)
      let (ours, theirs) = (maker.edited(), maker.edited())
      cases.append(
        (
          base, try desk.save(ours, parents: [base], device: "a", at: 1_700_000_100),
          try desk.save(theirs, parents: [base], device: "b", at: 1_700_000_200)
        ))
      random = maker.random
    }
    let expected = try Self.trees(cases.map { ($0.ours, $0.theirs) }, in: desk.scratch.path)
    var counts: [String: Int] = [:]
    for (number, (commits, tree)) in zip(cases, expected).enumerated() {
      guard case .merged(let merge) = try desk.merge(commits.ours, commits.theirs) else {
        counts["no merge", default: 0] += 1
        continue
      }
      for file in try desk.files(merge.commit).values {
        #expect(!String(decoding: file.content, as: UTF8.self).contains("<<<<<<<"))
      }
      guard let tree else {
        counts[merge.conflicts.isEmpty ? "git's conflict merged" : "both conflict", default: 0] += 1
        continue
      }
      if merge.tree == tree {
        counts["equal", default: 0] += 1
      } else {
        Issue.record("case \(number): \(try describe(desk, merge.tree, tree))")
      }
    }
    print("beside git:", counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    #expect((counts["equal"] ?? 0) * 2 > cases.count)
  }

  private func describe(
    _ desk: MergeDesk, _ mine: ObjectID, _ theirs: ObjectID
  ) throws -> String {
    try TreeDifference.between(theirs, mine, in: desk.repository).map { change in
      let texts = try [change.old, change.new].map { entry in
        try entry.map { String(decoding: try desk.repository.read($0.id).bytes, as: UTF8.self) }
          ?? "none"
      }
      return "\(change.path)\n--- git\n\(texts[0])\n--- verso\n\(texts[1])"
    }.joined(separator: "\n")
  }
}

/// A base of a few notes, and what two people may make of it.
struct MergeCase {
  var random: SeededGenerator
  let number: Int
  private(set) var base: MergeDesk.Files = [:]
  private var written = 0

  init(random: SeededGenerator, number: Int) {
    self.random = random
    self.number = number
    for name in ["a.md", "b.md", "d/c.md", "d/e.md", "f/g/h.md"] {
      let lines = (0..<Int.random(in: 1...30, using: &self.random)).map { _ in line() }
      base[name] = .init(lines.joined(separator: "\n") + "\n")
    }
  }

  /// Mostly new text; sometimes one of the lines that notes have many of.
  private mutating func line() -> String {
    written += 1
    let common = ["", "", "- [ ] todo", "---", "## Notes"]
    if random.chance(4) { return common.randomElement(using: &random) ?? "" }
    return "line \(number).\(written)"
  }

  mutating func edited() -> MergeDesk.Files {
    var files = base
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard let name = files.keys.sorted().randomElement(using: &random) else { return files }
      switch Int.random(in: 0..<20, using: &random) {
      case 0: files[name] = nil
      case 1: files["new/\(line()).md"] = .init("\(line())\n")
      case 2, 3:
        let file = files[name]
        files[name] = nil
        files["moved/\(written) " + name.split(separator: "/").joined(separator: " ")] = file
        written += 1
      case 4:
        let isExecutable = files[name]?.kind == .executable
        files[name]?.kind = isExecutable ? .file : .executable
      default: edit(&files, name)
      }
    }
    return files
  }

  private mutating func edit(_ files: inout MergeDesk.Files, _ name: String) {
    guard let content = files[name]?.content else { return }
    var lines = String(decoding: content, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast().map(String.init)
    let place = Int.random(in: 0...lines.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: lines.insert(line(), at: place)
    case 1 where place < lines.count: lines[place] = line()
    case 2 where place < lines.count:
      lines.removeSubrange(
        place..<min(lines.count, place + Int.random(in: 1...4, using: &random)))
    default: lines.append(line())
    }
    files[name]?.content = Array((lines.map { $0 + "\n" }).joined().utf8)
  }
}

/// The merges of a real history, as a bundle named by `VERSO_SAMPLE_BUNDLE`.
@Suite struct SampleMergeTests {
  @Test func `merges of a real history end as git has them, or without a marker`() throws {
    guard let bundle = ProcessInfo.processInfo.environment["VERSO_SAMPLE_BUNDLE"] else {
      print("no real history was looked at: VERSO_SAMPLE_BUNDLE names no bundle")
      return
    }
    let desk = try MergeDesk()
    try desk.scratch.git("fetch", "-q", bundle, "+refs/*:refs/*")
    let lines = try desk.scratch.git(
      "rev-list", "--min-parents=2", "--max-parents=2", "--parents", "--all")
    var merges: [(commit: ObjectID, ours: ObjectID, theirs: ObjectID)] = []
    for line in lines.split(separator: "\n") {
      let ids = line.split(separator: " ").compactMap { ObjectID(hex: String($0)) }
      if ids.count == 3 { merges.append((ids[0], ids[1], ids[2])) }
    }
    #expect(!merges.isEmpty)
    let expected = try GitMergeTests.trees(
      merges.map { ($0.ours, $0.theirs) }, in: desk.scratch.path)
    var counts: [String: Int] = [:]
    for (commits, tree) in zip(merges, expected) {
      guard case .merged(let merge) = try desk.merge(commits.ours, commits.theirs) else {
        counts["no merge", default: 0] += 1
        continue
      }
      #expect(try desk.merged(commits.ours, commits.theirs) == merge.commit)
      if !merge.conflicts.isEmpty { counts["with copies", default: 0] += 1 }
      guard let tree, merge.tree != tree else {
        counts[tree == nil ? "git's conflict" : "equal", default: 0] += 1
        continue
      }
      let between = try TreeDifference.between(tree, merge.tree, in: desk.repository)
      let names = [between.filter { $0.old != nil }, between.filter { $0.new != nil }]
        .map { Set($0.map { FoldedPath($0.path) }) }
      counts[names[0] == names[1] ? "R21: one spelling" : "other", default: 0] += 1
    }
    print("real merges:", counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    #expect(counts["other"] == nil)
  }
}

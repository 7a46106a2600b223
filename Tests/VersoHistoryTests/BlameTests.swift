import Foundation
import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

extension Vault {
  /// The note at a commit, HEAD without one.
  func place(_ path: RelativePath, at commit: ObjectID? = nil) throws -> History.Place {
    let head = try repository.headCommit()
    guard let start = commit ?? head, let place = try history.place(of: path, at: start) else {
      throw Failure("there is no \(path)")
    }
    return place
  }

  /// For each line: mark, name then, number then from 1.
  func authors(_ path: RelativePath, lines: ClosedRange<Int>? = nil) throws -> [String] {
    try history.blame(place(path), lines: lines).pieces.flatMap { piece in
      piece.lines.indices.map { number in
        let origin = piece.origin.map { "\(mark($0.commit)) \($0.path)" } ?? "-"
        return "\(origin) \(piece.start + number - piece.lines.lowerBound + 1)"
      }
    }
  }

  /// The same as git has it: commit, number then, name then of each line.
  func gitBlame(_ path: String) throws -> [String] {
    let outcome = try run(
      ["git", "blame", "--porcelain", "HEAD", "--", path], in: scratch.path)
    guard outcome.status == 0 else { throw Failure(outcome.error) }
    var names: [String: String] = [:]
    var (found, current): ([String], (id: String, line: String)?) = ([], nil)
    for line in outcome.output.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.first == 0x09 {
        if let current { found.append("\(current.id) \(current.line) \(names[current.id] ?? "?")") }
        current = nil
        continue
      }
      let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
      if current == nil, words.count >= 3, words[0].count == 40 {
        current = (words[0], words[1])
      } else if words.first == "filename", let id = current?.id {
        names[id] = String(decoding: line.dropFirst(9), as: UTF8.self)
      }
    }
    return found
  }

  /// Ours in the same form.
  func ownBlame(_ path: RelativePath) throws -> [String] {
    try history.blame(place(path)).pieces.flatMap { piece in
      piece.lines.map { line -> String in
        let name = piece.origin.map { QuotedPath.quote($0.path.bytes) } ?? []
        return
          "\(piece.origin?.commit.hex ?? "-") \(piece.start + line - piece.lines.lowerBound + 1)"
          + " \(String(decoding: name, as: UTF8.self))"
      }
    }
  }
}

@Suite struct BlameTests {
  @Test func `each line is of the version that wrote it`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "a\nb\nc\n")])
    script.commit("two", [.write("a.md", "a\nB\nc\n")])
    script.commit("three", [.write("a.md", "new\na\nB\nc\nend")])
    let vault = try script.run()
    #expect(
      try vault.authors("a.md")
        == ["3 a.md 1", "1 a.md 1", "2 a.md 2", "1 a.md 3", "3 a.md 5"])
    #expect(try vault.authors("a.md", lines: 2...3) == ["1 a.md 1", "2 a.md 2"])
    let earlier = try vault.history.blame(vault.place("a.md", at: vault.id(2)))
    #expect(earlier.pieces.map { $0.origin.map { vault.mark($0.commit) } } == [1, 2, 1])
    #expect(earlier.lines(of: earlier.pieces[1]) == [Array("B\n".utf8)])
  }

  @Test func `renames are followed by likeness and by what was recorded`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", paragraph("x"))])
    script.commit("two", [.delete("a.md"), .write("b.md", paragraph("x") + "more\n")])
    script.commit(
      "three\n\nVerso-Renamed: b.md -> c.md",
      [.delete("b.md"), .write("c.md", "x line 1 of x\nall else is new\n")])
    let vault = try script.run()
    #expect(try vault.authors("c.md") == ["1 a.md 1", "3 c.md 2"])
  }

  @Test func `a note written again after its deletion has lines of its present life only`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "a\nb\n"), .write("z.md", "z\n")])
    script.commit("two", [.delete("a.md")])
    script.commit("three", [.write("a.md", "a\nb\n")])
    let vault = try script.run()
    #expect(try vault.authors("a.md") == ["3 a.md 1", "3 a.md 2"])
  }

  @Test func `a merge has only the lines that no side had`() throws {
    var script = Script()
    let base = script.commit("base", [.write("a.md", "1\n2\n3\n4\n5\n")])
    let left = script.commit("left", [.write("a.md", "one\n2\n3\n4\n5\n")], parents: [base])
    let right = script.commit("right", [.write("a.md", "1\n2\n3\n4\nfive\n")], parents: [base])
    script.commit(
      "merge", [.write("a.md", "one\n2\nof the merge\n4\nfive\n")], parents: [left, right])
    let vault = try script.run()
    #expect(
      try vault.authors("a.md")
        == ["2 a.md 1", "1 a.md 2", "4 a.md 3", "1 a.md 4", "3 a.md 5"])
  }

  @Test func `what is on the disk only comes from no version`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "a\nb\nc\n")])
    let vault = try script.run()
    let blame = try vault.history.blame(vault.place("a.md"))
    let later = try blame.carried(to: Array("a\nnew\nb\nc\nlast".utf8), lines: nil)
    #expect(later.pieces.map(\.lines) == [0..<1, 1..<2, 2..<4, 4..<5])
    #expect(later.pieces.map { $0.origin == nil } == [false, true, false, true])
    #expect(later.pieces[2].start == 1)
    #expect(try blame.carried(to: later.text, lines: 3...3).pieces.map(\.lines) == [2..<3])
    #expect(try blame.carried(to: [], lines: nil).pieces.isEmpty)
  }

  @Test func `an empty note has no lines`() throws {
    var script = Script()
    script.commit("one", [.write("a.md", "")])
    let vault = try script.run()
    #expect(try vault.authors("a.md").isEmpty)
  }

  /// Branches, merges by hand, renames with and without edits, texts with many equal lines.
  private static func history(_ generator: inout SeededGenerator) throws -> Vault {
    var script = Script()
    var text: [Int: (name: String, text: [UInt8])] = [:]
    let first = Array((1...40).map { "line \($0 % 7)\n" }.joined().utf8)
    let root = script.commit("root", [.writeBytes(Array("n0.md".utf8), first)])
    text[root] = ("n0.md", first)
    var tips = [root]
    for step in 1...30 {
      let side = Int.random(in: 0..<tips.count, using: &generator)
      let at = tips[side]
      guard let (name, old) = text[at] else { continue }
      let next: Int
      if tips.count > 1, generator.chance(3), let other = text[tips[(side + 1) % tips.count]] {
        // Lines of either side in turn, as a person might leave them.
        let (a, b) = (old.split(separator: 0x0A), other.text.split(separator: 0x0A))
        let cut = Int.random(in: 0...min(a.count, b.count), using: &generator)
        let joined = randomEdit(
          of: Array((Array(a[..<cut]) + Array(b[cut...])).joined(separator: [0x0A])), &generator)
        var edits: [Script.Edit] = [.writeBytes(Array(name.utf8), joined)]
        if other.name != name { edits.append(.delete(other.name)) }
        next = script.commit(
          "merge \(step)", edits, parents: [at, tips[(side + 1) % tips.count]])
        tips = [next]
        text[next] = (name, joined)
      } else if generator.chance(8) {
        let edited = generator.chance(2) ? old : randomEdit(of: old, &generator)
        next = script.commit(
          "rename \(step)", [.delete(name), .writeBytes(Array("n\(step).md".utf8), edited)],
          parents: [at])
        text[next] = ("n\(step).md", edited)
        tips[side] = next
      } else {
        let edited = randomEdit(of: old, &generator)
        next = script.commit(
          "edit \(step)", [.writeBytes(Array(name.utf8), edited)], parents: [at])
        text[next] = (name, edited)
        tips[side] = next
        if tips.count == 1, generator.chance(4) { tips.append(at) }
      }
    }
    return try script.run()
  }

  @Test func `random histories with merges and renames are blamed as git does it`() throws {
    var (equal, otherRenames) = (0, 0)
    for seed in seeds(isFullRun ? 300 : 25) {
      var generator = SeededGenerator(seed: seed)
      let vault = try Self.history(&generator)
      for name in try vault.lines("ls-tree", "-r", "--name-only", "HEAD") {
        guard let path = RelativePath(name) else { continue }
        let (ours, theirs) = (try vault.ownBlame(path), try vault.gitBlame(name))
        let place = try vault.place(path)
        let indexed = try vault.indexed().blame(place)
        #expect(try indexed == vault.history.blame(place), "seed \(seed), \(name)")
        if ours == theirs {
          equal += 1
        } else if try Self.hasOtherRenames(vault) {
          // Rule 1: likeness is measured by libgit2, and git measures some points more or less: near
          // 50 percent a file is renamed for one of them, and new for the other.
          otherRenames += 1
        } else {
          #expect(ours == theirs, "seed \(seed), \(name)")
        }
      }
    }
    print("blame of random histories: \(equal) equal, \(otherRenames) with other renames")
    #expect(equal > 0 && otherRenames * 50 <= equal)
  }

  /// Whether git sees another rename than we do in any step of a history.
  private static func hasOtherRenames(_ vault: Vault) throws -> Bool {
    for line in try vault.lines("rev-list", "--parents", "HEAD") {
      let ids = line.split(separator: " ").map(String.init)
      for parent in ids.dropFirst() {
        let theirs = try vault.lines("diff-tree", "-r", "-M", "--name-status", parent, ids[0])
          .filter { $0.hasPrefix("R") }.map {
            $0.split(separator: "\t").dropFirst().joined(separator: " ")
          }
        let trees = try [parent, ids[0]].map { id in
          try vault.history.graph.node(#require(ObjectID(hex: id))).tree
        }
        let ours = try FileChange.between(trees[0], trees[1], in: vault.repository)
          .filter { $0.kind.letter == "R" }.map { "\($0.oldPath) \($0.path)" }
        if Set(ours) != Set(theirs) { return true }
      }
    }
    return false
  }
}

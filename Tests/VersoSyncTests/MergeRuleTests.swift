import Foundation
import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@testable import VersoSync

/// What the scenarios do not show.
@Suite struct MergeRuleTests {
  private typealias Files = MergeDesk.Files
  private typealias File = MergeDesk.File

  /// Merges what two devices made of a base; `nil` is none.
  private func merge(
    _ base: Files?, _ ours: Files, _ theirs: Files, device: String = "a", desk: MergeDesk? = nil
  ) throws -> (merge: Merge, files: [String: File]) {
    let desk = try desk ?? MergeDesk()
    let first = try base.map {
      try desk.save($0, parents: [], device: "base", at: 1_700_000_000)
    }
    let parents = first.map { [$0] } ?? []
    let mine = try desk.save(ours, parents: parents, device: device, at: 1_700_000_100)
    let other = try desk.save(theirs, parents: parents, device: "b", at: 1_700_000_200)
    _ = try desk.merged(mine, other)
    guard case .merged(let merge) = try desk.merge(mine, other) else {
      throw Failure("nothing to merge")
    }
    return (merge, try desk.files(merge.commit))
  }

  private func copies(_ files: [String: File]) -> [String] {
    files.keys.filter { $0.contains("(conflict") }.sorted()
  }

  @Test func `a nested repository is never merged, and both sides' change is said`() throws {
    func link(_ text: String) -> File { File(text, kind: .repository) }
    let one = try merge(
      ["r": link("1"), "k": .init("k")], ["r": link("2"), "k": .init("k")],
      [
        "r": link("1"), "k": .init("kk"),
      ])
    #expect(one.files["r"] == link("2"))
    #expect(one.merge.warnings.isEmpty)
    let both = try merge(["r": link("1")], ["r": link("2")], ["r": link("3")])
    #expect(both.files == ["r": link("3")])
    #expect(both.merge.warnings == [.nestedRepository("r")])
  }

  @Test func `a text over 8 MB is merged as a whole`() throws {
    let text = String(repeating: "line\n", count: (8 << 20) / 5 + 1)
    let merged = try merge(
      ["n.md": .init(text)], ["n.md": .init("a\n" + text)], ["n.md": .init(text + "b\n")])
    #expect(merged.files["n.md"] == .init(text + "b\n"))
    #expect(copies(merged.files).count == 1)
    #expect(merged.merge.conflicts.map(\.copy.description) == copies(merged.files))
  }

  @Test func `two texts of 5 MB that share nothing are merged in seconds`() throws {
    func text(_ name: String) -> File {
      File((0..<150_000).map { "\(name) has a line of its own: \($0)\n" }.joined())
    }
    let base = text("base")
    let start = ContinuousClock.now
    let merged = try merge(["n.md": base], ["n.md": text("a")], ["n.md": text("b")])
    #expect(copies(merged.files).count == 1)
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test(arguments: ["x", "é", "👩‍👩‍👧‍👦"])
  func `a copy's name is cut at a character so that it fits`(character: String) throws {
    let stem = String(repeating: character, count: 250 / character.utf8.count)
    let name = "d/\(stem).md"
    let merged = try merge([name: .init("1\n")], [name: .init("2\n")], [name: .init("3\n")])
    let copy = try #require(copies(merged.files).first?.dropFirst(2))
    #expect(copy.utf8.count <= 255 && copy.utf8.count > 255 - character.utf8.count)
    #expect(copy.hasSuffix(").md"))
    #expect(copy.prefix { $0 != " " }.allSatisfy { String($0) == character })
  }

  @Test(arguments: [
    ("../x", "..-x"), ("a:b#c^d[e]|f", "a-b-c-d-e--f"), ("", "unknown"), ("Büro (1)", "B-ro--1-"),
    (String(repeating: "n", count: 40), String(repeating: "n", count: 24)),
  ])
  func `a device's name is made safe for file names and links`(
    device: String, shown: String
  ) throws {
    let merged = try merge(
      ["n.md": .init("1\n")], ["n.md": .init("2\n")], ["n.md": .init("3\n")], device: device)
    let expected = device.isEmpty ? "Ada" : shown
    #expect(
      copies(merged.files).first?.hasPrefix("n (conflict \(expected) 2023-11-14 2215 ") == true)
  }

  @Test func `the clock in a copy's name is that of the device`() throws {
    let name = CopyName(of: Array("n.md".utf8)).name(
      device: "a", time: ZonedTime(seconds: 1_700_000_100, zone: 570), blob: .zero)
    #expect(String(decoding: name, as: UTF8.self) == "n (conflict a 2023-11-15 0745 0000000).md")
  }

  @Test func `the merged attributes decide how a file is merged`() throws {
    let texts = ["1\n2\n3\n", "1a\n2\n3\n", "1b\n2\n3\n"].map { File($0) }
    func run(_ rules: [String?]) throws -> [String: File] {
      let sides = zip(rules, texts).map { rule, text -> Files in
        var files = ["n.md": text, "other/n.md": text]
        files[".gitattributes"] = rule.map { File($0) }
        return files
      }
      return try merge(sides[0], sides[1], sides[2]).files
    }
    let union = try run(["/n.md merge=union\n", "/n.md merge=union\n", "/n.md merge=union\n"])
    #expect(union["n.md"] == .init("1a\n1b\n2\n3\n"))
    #expect(copies(union).allSatisfy { $0.hasPrefix("other/") })
    // One side brings the rule in.
    let added = try run([nil, nil, "/n.md merge=union\n"])
    #expect(added["n.md"] == .init("1a\n1b\n2\n3\n"))
    for rule in ["binary", "-merge", "merge=binary", "merge=lfs"] {
      let whole = try merge(
        ["n.md": .init("1\n2\n3\n"), ".gitattributes": .init("*.md \(rule)\n")],
        ["n.md": .init("1a\n2\n3\n"), ".gitattributes": .init("*.md \(rule)\n")],
        ["n.md": .init("1\n2\n3b\n"), ".gitattributes": .init("*.md \(rule)\n")])
      #expect(whole.files["n.md"] == .init("1\n2\n3b\n"), "\(rule)")
      #expect(copies(whole.files).count == 1, "\(rule)")
    }
  }

  @Test func `joining with an old copy of the notes makes no conflict copies`() throws {
    let desk = try MergeDesk()
    var tip: [ObjectID] = []
    for number in 1...3 {
      tip = [
        try desk.save(
          [
            "n.md": .init("version \(number)\n"), "own.md": .init("remote\n"),
            "longer.md": .init("a\nb\n"),
          ],
          parents: tip, device: "phone", at: 1_700_000_000 + Int64(number))
      ]
    }
    let mine = try desk.save(
      ["n.md": .init("version 1\n"), "own.md": .init("mine\n"), "longer.md": .init("a\nx\nb\n")],
      parents: [], device: "laptop", at: 1_800_000_000)
    let files = try desk.files(try desk.merged(mine, tip[0]))
    #expect(files["n.md"] == .init("version 3\n"))
    #expect(files["longer.md"] == .init("a\nx\nb\n"))
    #expect(copies(files).count == 1 && copies(files)[0].hasPrefix("own (conflict "))
  }

  @Test func `a merge that others know already is taken, not merged again`() throws {
    let desk = try MergeDesk()
    let base = try desk.save(["n.md": .init("n\n")], parents: [], device: "a", at: 1)
    let sides = try ["x.md", "y.md"].map {
      try desk.save(
        ["n.md": .init("n\n"), $0: .init("new\n")], parents: [base], device: "a", at: 2)
    }
    let merged = try desk.merged(sides[0], sides[1])
    let own = try desk.repository.commit(merged)
    // The same merge once more, as though it had been signed.
    let other = try desk.write { writer in
      let stamp = CommitStamp(
        name: "Verso", email: "verso@localhost", time: ZonedTime(seconds: 3, zone: 0))
      return try writer.write(
        .commit,
        CommitText(
          tree: own.tree, parents: own.parents, author: stamp, committer: stamp,
          message: own.message
        ).bytes())
    }
    #expect(try desk.merge(merged, other) == .published(min(merged, other)))
    desk.published = max(merged, other)
    #expect(try desk.merge(merged, other) == .published(max(merged, other)))
    #expect(try desk.merge(other, merged) == .published(max(merged, other)))
  }

  @Test func `a merge commit is a function of its parents and says its moves`() throws {
    let merged = try merge(
      ["n.md": .init("1\n"), "d/a.md": .init("a\n"), "d/b.md": .init("b\n")],
      ["n.md": .init("2\n"), "e/a.md": .init("a\n"), "e/b.md": .init("b\n")],
      ["n.md": .init("3\n"), "d/a.md": .init("a\n"), "d/b.md": .init("b\nmore\n")])
    #expect(merged.files["e/b.md"] == .init("b\nmore\n"))
    let desk = try MergeDesk()
    let again = try merge(
      ["n.md": .init("1\n"), "d/a.md": .init("a\n"), "d/b.md": .init("b\n")],
      ["n.md": .init("2\n"), "e/a.md": .init("a\n"), "e/b.md": .init("b\n")],
      ["n.md": .init("3\n"), "d/a.md": .init("a\n"), "d/b.md": .init("b\nmore\n")], desk: desk)
    #expect(again.merge == merged.merge)
    let commit = try desk.repository.commit(again.merge.commit)
    #expect(commit.parents == commit.parents.sorted())
    #expect(commit.authorTime == 1_700_000_200 && commit.authorName == "Verso")
    // Of the folder only what was changed as well is written down, and where the loser went.
    #expect(try desk.scratch.git("fsck", "--strict", "--no-dangling") == "")
    let moves = CommitTrailers(commit.message)["Verso-Moved"]
    #expect(moves.count == 1 && moves[0].contains(" n.md -> \"n (conflict a "), "\(moves)")
    let reader = MergeReader(try RepositoryMergeSource(desk.repository))
    let read = try reader.moves(of: commit.id)
    let all = Set(read.flatMap { $0.map { "\($0.key) \($0.value)" } })
    #expect(all.isSuperset(of: ["d/a.md e/a.md", "d/b.md e/b.md"]), "\(all)")
  }

  @Test func `a trailer that the trees do not bear out is not believed`() throws {
    let desk = try MergeDesk()
    let base = try desk.save(
      ["a.md": .init("a\n"), "b.md": .init("b\n")], parents: [], device: "a", at: 1)
    let forged = try desk.save(
      ["a.md": .init("a\n"), "b.md": .init("b\nmore\n"), "c.md": .init("c\n")], parents: [base],
      device: "a", at: 2, trailers: ["Verso-Renamed: a.md -> c.md", "Verso-Renamed: x -> b.md"])
    let other = try desk.save(
      ["a.md": .init("a\nedited\n"), "b.md": .init("b\n")], parents: [base], device: "b", at: 3)
    #expect(
      try desk.files(try desk.merged(forged, other)) == [
        "a.md": .init("a\nedited\n"), "b.md": .init("b\nmore\n"), "c.md": .init("c\n"),
      ])
  }

  @Test func `a rename with an edit in one save is followed`() throws {
    let text = (1...20).map { "line \($0)\n" }.joined()
    let merged = try merge(
      ["a.md": .init(text)], ["b.md": .init(text + "mine\n")], ["a.md": .init("theirs\n" + text)])
    #expect(merged.files == ["b.md": .init("theirs\n" + text + "mine\n")])
    #expect(merged.merge.ourMoves.isEmpty)
    let trailer = try MergeDesk()
    let base = try trailer.save(["a.md": .init("1\n2\n3\n")], parents: [], device: "a", at: 1)
    let mine = try trailer.save(
      ["b.md": .init("1\nx\ny\nz\n3\n")], parents: [base], device: "a", at: 2,
      trailers: ["Verso-Renamed: a.md -> b.md"])
    let other = try trailer.save(
      ["a.md": .init("0\n1\n2\n3\n")], parents: [base], device: "b", at: 3)
    #expect(
      try trailer.files(try trailer.merged(mine, other)) == ["b.md": .init("0\n1\nx\ny\nz\n3\n")])
  }

  @Test func `what somebody wrote into a merge of another tool is a save`() throws {
    let desk = try MergeDesk()
    let base = try desk.save(["n.md": .init("1\n2\n3\n")], parents: [], device: "a", at: 1)
    let x = try desk.save(["n.md": .init("1x\n2\n3\n")], parents: [base], device: "a", at: 2)
    let y = try desk.save(["n.md": .init("1y\n2\n3\n")], parents: [base], device: "b", at: 3)
    let byHand = try desk.save(["n.md": .init("1xy\n2\n3\n")], parents: [x, y], device: "a", at: 4)
    let again = try desk.save(["n.md": .init("1yx\n2\n3\n")], parents: [x, y], device: "b", at: 5)
    let files = try desk.files(try desk.merged(byHand, again))
    let lines = files.values.flatMap { $0.content.split(separator: 0x0A) }
      .map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.contains("1xy") && lines.contains("1yx") && files.count == 2)
  }

  @Test func `deletions are those whose bytes are nowhere else`() throws {
    let merged = try merge(
      ["a": .init("a"), "b": .init("b"), "c": .init("c")],
      ["a": .init("a"), "b": .init("b"), "c": .init("c"), "x": .init("x")],
      ["moved/a": .init("a"), "c": .init("c")])
    #expect(merged.merge.deletions == ["b"])
    #expect(merged.merge.ours.map(\.path) == ["a", "b", "moved/a"])
    #expect(merged.merge.theirs.map(\.path) == ["x"])
  }

  @Test func `a note that moves with its folder does not take the place of another`() throws {
    let merged = try merge(
      ["a/n.md": .init("old\n"), "b/x.md": .init("x\n")],
      ["a/n.md": .init("old\n"), "a/x.md": .init("x\n")],
      ["a/n.md": .init("old\n"), "b/x.md": .init("x\n"), "b/n.md": .init("new\n")])
    #expect(merged.files["a/n.md"] == .init("old\n"))
    #expect(copies(merged.files).count == 1)
    #expect(Set(merged.files.values).contains(.init("new\n")))
  }
}

@Suite struct FoldedPathTests {
  @Test(arguments: [
    ("Straße.md", "STRASSE.MD"), ("\u{E9}.md", "E\u{301}.md"), ("ΟΔΟΣ", "οδος"), ("ﬁn", "FIN"),
    ("\u{1E9E}", "ss"), ("A/b", "a/B"), ("\u{212A}", "k"),
  ])
  func `names that differ in case or normalisation are twins`(one: String, other: String) throws {
    let paths = try [#require(RelativePath(one)), #require(RelativePath(other))]
    #expect(paths[0] != paths[1])
    #expect(FoldedPath(paths[0]) == FoldedPath(paths[1]))
  }

  @Test(arguments: [("a", "b"), ("\u{131}", "i"), ("a/b", "a:b"), ("e", "\u{E9}")])
  func `other names are not`(one: String, other: String) throws {
    #expect(
      try FoldedPath(#require(RelativePath(one))) != FoldedPath(#require(RelativePath(other))))
  }

  @Test func `bytes that are no text are twins of the same bytes only`() throws {
    let names: [[UInt8]] = [[0xFF, 0x41], [0xFF, 0x61], [0xC3], [0xC3, 0x83]]
    let folded = try names.map { FoldedPath(try #require(RelativePath($0))) }
    #expect(Set(folded).count == names.count)
  }
}

@Suite struct LineAlignmentTests {
  /// The same by the table of common subsequences.
  private static func reference(_ b: [TextLine], _ a: [TextLine]) -> [LineAlignment.Hunk] {
    var (head, tail) = (0, 0)
    while head < min(b.count, a.count), b[head] == a[head] { head += 1 }
    while tail < min(b.count, a.count) - head,
      b[b.count - 1 - tail] == a[a.count - 1 - tail]
    { tail += 1 }
    let (old, new) = (Array(b[head..<(b.count - tail)]), Array(a[head..<(a.count - tail)]))
    var table = [[Int]](
      repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
    for i in old.indices.reversed() {
      for j in new.indices.reversed() {
        table[i][j] =
          old[i] == new[j] ? table[i + 1][j + 1] + 1 : max(table[i + 1][j], table[i][j + 1])
      }
    }
    var hunks: [LineAlignment.Hunk] = []
    var (i, j, fromI, fromJ) = (0, 0, 0, 0)
    func flush(_ i: Int, _ j: Int) {
      if fromI < i || fromJ < j {
        hunks.append(.init(old: (head + fromI)..<(head + i), new: (head + fromJ)..<(head + j)))
      }
    }
    while i < old.count, j < new.count {
      if old[i] == new[j] {
        flush(i, j)
        (i, j) = (i + 1, j + 1)
        (fromI, fromJ) = (i, j)
      } else if table[i + 1][j] >= table[i][j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    flush(old.count, new.count)
    return hunks
  }

  @Test func `the shortest script is found, always the same one`() {
    var random = SeededGenerator(seed: 11)
    for round in 0..<(isFullRun ? 20_000 : 2_000) {
      let kinds = Int.random(in: 1...12, using: &random)
      func text() -> [TextLine] {
        (0..<Int.random(in: 0...40, using: &random)).map { _ in
          TextLine([UInt8(Int.random(in: 0..<kinds, using: &random))])
        }
      }
      let (old, new) = (text(), text())
      #expect(
        LineAlignment(from: old, to: new).hunks == Self.reference(old, new), "round \(round)")
    }
  }

  @Test func `texts with too many differences are compared between lines that both have once`() {
    func lines(_ name: String, _ range: Range<Int>) -> [TextLine] {
      range.map { TextLine(Array("\(name) \($0)".utf8)[...]) }
    }
    let shared = lines("shared", 0..<1)
    let old = lines("old", 0..<3_000) + shared + lines("old", 3_000..<6_000)
    let new = lines("new", 0..<3_000) + shared + lines("new", 3_000..<6_000)
    #expect(
      LineAlignment(from: old, to: new).hunks == [
        .init(old: 0..<3_000, new: 0..<3_000), .init(old: 3_001..<6_001, new: 3_001..<6_001),
      ])
  }
}

import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct `Names` {
  private func name(_ bytes: [UInt8]) -> RelativePath { RelativePath(unchecked: bytes) }

  @Test(arguments: [
    ".git", ".GIT", ".gIt", ".git ", ".git.", ".git . .", ".git::$INDEX_ALLOCATION", ".git:x",
    "git~1", "GIT~1", "git~1 .", "git~1:a", ".g\u{200C}it", "\u{FEFF}.git", ".git\u{200D}",
    ".Gi\u{202E}T", "x\\.git", "x\\git~1 ", ".git\\x",
  ])
  func `that are git's own folder in disguise are refused`(text: String) {
    #expect(NameRule.refusal(of: name(Array(text.utf8))) != nil)
    #expect(NameRule.refusal(of: name(Array("notes/\(text)/x".utf8))) != nil)
    #expect(NameRule.refusal(of: name(Array("notes/\(text)".utf8)), kind: .link) != nil)
  }

  @Test(arguments: [
    "git", ".gitt", ".gi", "git~2", "git~10", "a.git", ".git-x", ".gitignore", ".gitmodules",
    "x\\y", ".g\u{2010}it", "...", "a.", "..a", "caf\u{E9}", "GIT", ".git_", "note.git.md",
  ])
  func `that only resemble it are allowed`(text: String) {
    #expect(NameRule.refusal(of: name(Array(text.utf8))) == nil)
  }

  @Test func `that stand for folders, or are empty, are refused`() {
    for text in ["", ".", "..", "a//b", "a/", "/a", "a/./b", "a/.."] {
      #expect(NameRule.refusal(of: name(Array(text.utf8))) != nil, "\(text)")
    }
  }

  @Test func `of links may not be .gitmodules`() {
    for text in [
      ".gitmodules", ".GITMODULES ", "gitmod~1", "gi7eba~1", "~1000000", ".git\u{200C}modules",
    ] {
      #expect(NameRule.refusal(of: name(Array(text.utf8)), kind: .link) != nil, "\(text)")
      #expect(NameRule.refusal(of: name(Array(text.utf8)), kind: .file) == nil, "\(text)")
    }
  }

  /// Random names near the forbidden ones, judged by git itself.
  @Test(arguments: seeds(2))
  func `are refused exactly where git fsck refuses them`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let desk = try ObjectDesk()
    let writer = try desk.pack()
    let blob = try writer.write(.blob, [])
    var rows: [ObjectID: (name: [UInt8], kind: Item.Kind)] = [:]
    for _ in 0..<3000 {
      let name = disguise(&random)
      let kind: Item.Kind = random.chance(2) ? .link : .file
      let mode = String(kind.rawValue, radix: 8)
      rows[try writer.write(.tree, Array("\(mode) ".utf8) + name + [0] + blob.bytes)] =
        (name, kind)
    }
    try writer.finish()
    let outcome = try run(["git", "fsck", "--strict", "--no-dangling"], in: desk.scratch.path)
    var refused = Set<ObjectID>()
    for line in outcome.error.split(separator: "\n") where line.hasPrefix("error in tree ") {
      let words = line.split(separator: " ")
      refused.insert(try #require(ObjectID(hex: String(words[3].prefix(40)))))
    }
    #expect(refused.count > 100)
    for (id, (name, kind)) in rows {
      let isRefused = NameRule.refusal(of: self.name(name), kind: kind) != nil
      #expect(
        isRefused == refused.contains(id),
        "\(String(decoding: name, as: UTF8.self).debugDescription) as \(kind): \(name)")
    }
  }

  private func disguise(_ random: inout SeededGenerator) -> [UInt8] {
    let starts = [
      ".git", "git~1", ".gitmodules", "gitmod~1", "gitmod~5", "gi7eba~1", "gi7eb~12", "~1000000",
      ".g", "gi7~1234", "git~2", ".gitignore", ".gitattributes", ".mailmap",
    ]
    var name = Array(starts[Int.random(in: 0..<starts.count, using: &random)].utf8)
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      let pieces: [[UInt8]] = [
        Array(" ".utf8), Array(".".utf8), Array(":".utf8), Array("\\".utf8), Array("x".utf8),
        Array("\u{200C}".utf8), Array("\u{202A}".utf8), Array("\u{206F}".utf8),
        Array("\u{FEFF}".utf8), Array("\u{2010}".utf8), Array("\u{FFFF}".utf8), [0xFF],
        [0xC0, 0x80],
        [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], Array("~1".utf8),
        Array("0".utf8),
      ]
      let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
      let place = random.chance(2) ? name.count : Int.random(in: 0...name.count, using: &random)
      name.insert(contentsOf: piece, at: place)
    }
    if random.chance(3), !name.isEmpty {
      let place = Int.random(in: 0..<name.count, using: &random)
      if (97...122).contains(name[place]) { name[place] -= 32 }
    }
    return name
  }
}

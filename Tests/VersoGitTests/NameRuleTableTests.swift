import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct NameRuleTableTests {
  private static let disguises: [String] = [
    ".git", ".GIT", ".Git", "git~1", "GIT~1", "git~2", "git~10", ".git.", ".git ", ".git...",
    ".git . ", ".git::$INDEX_ALLOCATION", ".git:foo", ".git:", "git~1:foo", "git~1.", "git~1 ",
    ".g\u{200c}it", "\u{200c}.git", ".git\u{200c}", ".gi\u{feff}t", ".g\u{200c}IT",
    "\u{200c}.\u{200d}g\u{200e}i\u{200f}t\u{202a}", "\u{202e}.git", ".g\u{206a}it", ".g\u{206f}it",
    ".g\u{2060}it", ".g\u{180e}it", ".gıt", ".gİt", ".git\u{200c}.", ".git\u{7f}",
    "a\\b", ".git\\foo", "x\\.git", ".git\\", ".git\\..", "git~1\\x", "a\\git~1\\b", "\\", "\\a",
    "a:b", ".gitx", ".gi", "git", "git~", "git~1x", ".git~1", "~1", "g", ".g", "..git", ". git",
    " .git", "...", "..\\x", ".:x", "con", "nul.txt", "a.", "a ", "a\u{1}", "a\nb",
    ".gitmodules", ".GITMODULES", ".gitmodules ", ".gitmodules.", ".gitmodules:x",
    ".gitmodulesx", "gitmodules", "gitmod~1", "GITMOD~4", "gitmod~5", "gitmod~1 .", "gi7eba~1",
    "GI7EBA~9", "gi7eb~10", "gi7e~100", "gi7eba~0", "~1000000", "~9999999", "gi7eba~1x",
    ".g\u{200c}itmodules", ".gitmodules\u{200c}", "x\\.gitmodules", "x\\gitmod~1",
    ".gitattributes", ".GitAttributes.", "gitatt~1", "gi7d29~1", "gi7d2~10",
    ".g\u{200c}itattributes", "x\\.gitattributes", "gitattributes", ".gitignore", "gitign~1",
    ".mailmap",
  ]
  /// What no Swift string can hold.
  private static let broken: [[UInt8]] = [
    Array(".git".utf8) + [0xFF], Array(".git".utf8) + [0xE2, 0x80], [0xFF] + Array(".git".utf8),
    Array(".g".utf8) + [0xE2, 0x80] + Array("it".utf8), Array("caf".utf8) + [0xE9],
    Array(".git".utf8) + [0xEF, 0xBF, 0xBF], Array(".git".utf8) + [0xED, 0xA0, 0x80],
    Array(".git".utf8) + [0xC0, 0x80], Array(".gitmodules".utf8) + [0xFF],
  ]

  private static let names = disguises.map { Array($0.utf8) } + broken

  @Test(arguments: [Item.Kind.file, .link, .folder])
  func `what git's index and fsck refuse is refused, and nothing else`(kind: Item.Kind) throws {
    let scratch = try Scratch("verso-names")
    try scratch.git("init", "--quiet")
    let blob = try scratch.git("hash-object", "-w", "--stdin", input: Array("x".utf8))
    let flagged = try fsckErrors(scratch, kind, blob)
    for (number, name) in Self.names.enumerated() {
      let path = try #require(RelativePath(name))
      let isRefused =
        try flagged.contains(number) || !indexTakes(name, kind, blob, in: scratch)
      let reason = NameRule.refusal(of: path, kind: kind)
      #expect((reason != nil) == isRefused, "\(name) \(path) \(kind): \(reason ?? "allowed")")
    }
  }

  /// Whether `git update-index` takes the name, where both kinds of protection are on.
  private func indexTakes(
    _ name: [UInt8], _ kind: Item.Kind, _ blob: String, in scratch: Scratch
  ) throws -> Bool {
    let mode = kind == .link ? "120000" : "100644"
    let line = Array("\(mode) \(blob)\t".utf8) + name + (kind == .folder ? [0x2F, 0x78, 0] : [0])
    let outcome = try run(
      [
        "git", "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true", "update-index", "-z",
        "--index-info",
      ], in: scratch.path, input: line)
    try run(["rm", "-f", scratch.at(".git/index")])
    return outcome.status == 0 && !outcome.error.contains("Ignoring path")
  }

  /// The numbers of the names in whose trees `git fsck` finds an error.
  private func fsckErrors(
    _ scratch: Scratch, _ kind: Item.Kind, _ blob: String
  ) throws -> Set<Int> {
    var numbers: [String: Int] = [:]
    func tree(_ mode: String, _ name: [UInt8], _ id: String) throws -> String {
      let content = Array("\(mode) ".utf8) + name + [0] + (ObjectID(hex: id)?.bytes ?? [])
      return try scratch.git(
        "hash-object", "-t", "tree", "-w", "--literally", "--stdin", input: content)
    }
    for (number, name) in Self.names.enumerated() {
      let content = kind == .folder ? try tree("100644", Array("n\(number)".utf8), blob) : blob
      if kind == .folder { numbers[content] = number }
      let mode = kind == .folder ? "40000" : kind == .link ? "120000" : "100644"
      numbers[try tree(mode, name, content)] = number
    }
    let report = try run(["git", "fsck", "--strict", "--no-dangling"], in: scratch.path)
    var found: Set<Int> = []
    for line in report.error.split(separator: "\n") where line.hasPrefix("error in ") {
      let words = line.split(separator: " ")
      if words.count > 3, let number = numbers[String(words[3].prefix(40))] {
        found.insert(number)
      }
    }
    return found
  }

  @Test func `every component counts, and what is below a disguise`() {
    for path: RelativePath in ["a/.git", "a/.git/b", "a/GIT~1/b", ".git./b", "a/.git:x/b"] {
      #expect(NameRule.refusal(of: path) != nil)
    }
    for path: RelativePath in ["a/.gitignore", "git/a", "a/.github/x", "g/i/t~1", ".gitmodules"] {
      #expect(NameRule.refusal(of: path) == nil)
    }
  }
}

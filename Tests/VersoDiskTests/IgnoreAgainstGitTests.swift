import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

/// Random ignore files over random folders, each path compared with `git check-ignore`.
@Suite struct IgnoreAgainstGitTests {
  private static let names: [String] = [
    "a", "b", "ab", "abc", "A", "Ab", "x.md", "y.md", "foo", "foobar", "bar", "a b", "a ", "#x",
    "!y",
    "[b", "a]", "-", "é", "日本", "1", "_", ".x", "~", "*", "?", "\\", "a\\b", "\t", "a\r", "aaa",
    "é.md",
  ]
  private static let tokens: [String] = [
    "a", "b", "c", "A", "x", "foo", "bar", ".md", "é", " ", "#", "!", "*", "*", "*", "?", "**",
    "**/",
    "/**", "/**/", "/", "/", "[ab]", "[!a]", "[^b]", "[a-c]", "[A-C]", "[[:alpha:]]", "[[:upper:]]",
    "[[:space:]]", "[![:punct:]]", "[[:xdigit:]-z]", "[]a]", "[!]a]", "[a\\]b]", "[a-", "[", "]",
    "-",
    "\\", "\\*", "\\?", "\\[", "\\ ", "\\a", "\\A", "\\/", "\t", "\r", "[[:bad:]]", "[[:a]", "***",
    "[/]",
    "[z-a]", "[\\a-\\c]", "[--0]",
  ]

  private struct World {
    /// In rising precedence: name as git reports it, and content.
    var global: [(source: String, rules: IgnoreRules)] = []
    var nested: [RelativePath: IgnoreRules] = [:]
    var paths: [(path: RelativePath, isFolder: Bool)] = []
  }

  private static func pattern(_ generator: inout SeededGenerator) -> String {
    // Half of the patterns are near a real name, so that something matches.
    var text = generator.chance(3) ? "!" : ""
    if generator.chance(4) { text += "/" }
    for part in 0..<Int.random(in: 1...3, using: &generator) {
      if part > 0, generator.chance(2) { text += "/" }
      if generator.chance(2) {
        text += names.randomElement(using: &generator) ?? ""
      } else {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          text += tokens.randomElement(using: &generator) ?? ""
        }
      }
    }
    return text + (generator.chance(5) ? "/" : "") + (generator.chance(8) ? "  " : "")
  }

  private static func file(_ generator: inout SeededGenerator) -> [UInt8] {
    var text = generator.chance(10) ? "\u{FEFF}" : ""
    let lineEnd = generator.chance(5) ? "\r\n" : "\n"
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      text += generator.chance(10) ? "" : pattern(&generator)
      text += lineEnd
    }
    if generator.chance(3) { text.removeLast() }
    return Array(text.utf8)
  }

  /// Fills a scratch repository and remembers what it holds.
  private static func world(
    _ generator: inout SeededGenerator, in scratch: Scratch, ignoringCase: Bool
  ) throws -> World {
    var world = World()
    func write(_ path: String) throws -> IgnoreRules {
      let bytes = file(&generator)
      try scratch.write(bytes, to: Array(path.utf8))
      return IgnoreRules(parsing: bytes, base: .root, ignoringCase: ignoringCase)
    }
    world.global = [
      (scratch.at(".git/global"), try write(".git/global")),
      (".git/info/exclude", try write(".git/info/exclude")),
    ]
    var folders: [RelativePath] = [.root]
    while world.paths.count < 250 {
      guard let folder = folders.randomElement(using: &generator) else { continue }
      let path = folder.appending(Array((names.randomElement(using: &generator) ?? "a").utf8))
      if world.paths.contains(where: { $0.path == path }) { continue }
      let isFolder = path.components.count < 5 && !generator.chance(3)
      world.paths.append((path, isFolder))
      if !isFolder { try scratch.write([], to: path.bytes) }
      guard isFolder else { continue }
      folders.append(path)
      // The file that makes the folder; folders without rules are as interesting.
      let content = generator.chance(3) ? file(&generator) : []
      try scratch.write(content, to: path.appending(Array(".gitignore".utf8)).bytes)
      world.nested[path] = IgnoreRules(parsing: content, base: path, ignoringCase: ignoringCase)
    }
    let content = file(&generator)
    try scratch.write(content, to: Array(".gitignore".utf8))
    world.nested[.root] = IgnoreRules(parsing: content, base: .root, ignoringCase: ignoringCase)
    return world
  }

  /// The answer in git's words: source, line; empty where no line decides.
  private static func answer(_ world: World, _ path: RelativePath, isFolder: Bool) -> String {
    let global = world.global.filter { !$0.rules.isEmpty }
    var sources = global.map(\.source)
    var stack = IgnoreStack(global: global.map(\.rules))
    var folder = RelativePath.root
    var decision: IgnoreStack.Match?
    let components = path.components
    for (index, name) in components.enumerated() {
      if let rules = world.nested[folder], !rules.isEmpty {
        stack = stack.entering(rules)
        sources.append(
          String(decoding: folder.appending(Array(".gitignore".utf8)).bytes, as: UTF8.self))
      }
      let isLast = index == components.count - 1
      decision = name.withUnsafeBytes {
        stack.match($0, in: folder, isFolder: !isLast || isFolder)
      }
      if let decision, !decision.isNegated { break }
      folder = folder.appending(name)
    }
    return decision.map { "\(sources[$0.level]):\($0.line)" } ?? ":"
  }

  @Test(arguments: seeds(isFullRun ? 400 : 40))
  func `250 paths under random rules are decided by the line that git names`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let scratch = try Scratch()
    try scratch.git("init", "-q")
    let ignoringCase = generator.chance(4)
    let world = try Self.world(&generator, in: scratch, ignoringCase: ignoringCase)
    let outcome = try run(
      [
        "git", "-c", "core.excludesFile=\(scratch.at(".git/global"))",
        "-c", "core.ignoreCase=\(ignoringCase)",
        "check-ignore", "-v", "-n", "--no-index", "--stdin", "-z",
      ], in: scratch.path, input: Array(world.paths.map { $0.path.bytes + [0] }.joined()))
    try #require(outcome.status == 0 || outcome.status == 1, "\(outcome.error)")
    let fields = outcome.output.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    try #require(fields.count == 4 * world.paths.count + 1)
    var decided = 0
    for (index, item) in world.paths.enumerated() {
      let theirs = "\(fields[4 * index]):\(fields[4 * index + 1])"
      let ours = Self.answer(world, item.path, isFolder: item.isFolder)
      #expect(
        ours == theirs,
        "seed \(seed), \(item.path), pattern \(fields[4 * index + 2].debugDescription)")
      if theirs != ":" { decided += 1 }
      // The short form agrees with the long one.
      let isIgnored = IgnoreStack(global: world.global.map(\.rules))
        .isIgnored(path: item.path, isFolder: item.isFolder) { world.nested[$0] }
      let isNegated = fields[4 * index + 2].hasPrefix("!")
      #expect(isIgnored == (theirs != ":" && !isNegated), "seed \(seed), \(item.path)")
    }
    #expect(decided > 0, "seed \(seed) compared hardly anything")
  }
}

import Testing
import VersoGit
import VersoModel
import VersoTestSupport

/// Random attribute files over random folders, each path compared with `git check-attr`.
@Suite struct AttributesAgainstGitTests {
  private static let names = [
    "a", "b", "ab", "A", "x.md", "y.md", "foo", "bar", "a b", "é.md", ".x",
  ]
  private static let parts = [
    "a", "b", "x", "*", "*", "?", "**/", "/**", "/**/", "/", "[ab]", "[!a]", "[a-c]", ".md", "foo",
    "é",
  ]
  private static let values = [
    "filter=f0", "filter=f1", "filter=f2", "-filter", "!filter", "text", "m",
  ]

  private static func file(_ generator: inout SeededGenerator, isTop: Bool) -> String {
    var text = isTop ? "[attr]m filter=f3\n" : ""
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      var pattern = generator.chance(4) ? "/" : ""
      for part in 0..<Int.random(in: 1...3, using: &generator) {
        if part > 0, generator.chance(2) { pattern += "/" }
        let source = generator.chance(2) ? names : parts
        pattern += source.randomElement(using: &generator) ?? ""
      }
      if pattern.contains(" ") { pattern = "\"\(pattern)\"" }
      text += "\(pattern) \(values.randomElement(using: &generator) ?? "")\n"
      if generator.chance(8) { text += "# comment\n\n" }
    }
    return text
  }

  @Test(arguments: seeds(isFullRun ? 100 : 10))
  func `the filter of each path is the one that git names`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let config = Dictionary(uniqueKeysWithValues: (0...3).map { ("filter.f\($0).clean", "cat") })
    let fixture = try FilterFixture("", config: config)
    var paths: [RelativePath] = []
    var folders: [RelativePath] = [.root]
    try fixture.scratch.write(Self.file(&generator, isTop: true), to: ".git/info/attributes")
    while paths.count < 150 {
      guard let folder = folders.randomElement(using: &generator) else { continue }
      let path = folder.appending(Array((Self.names.randomElement(using: &generator) ?? "").utf8))
      if paths.contains(path) || folders.contains(path) { continue }
      if path.components.count < 4, generator.chance(2) {
        folders.append(path)
        try fixture.scratch.write([], to: path.appending(Array("keep".utf8)).bytes)
      } else {
        paths.append(path)
        try fixture.scratch.write([], to: path.bytes)
      }
    }
    for folder in folders where folder.isRoot || generator.chance(2) {
      let text = Self.file(&generator, isTop: folder.isRoot)
      let file = folder.appending(Array(".gitattributes".utf8))
      try fixture.scratch.write(Array(text.utf8), to: file.bytes)
    }
    let filter = try fixture.filter()
    let output = try fixture.git(
      "check-attr", "-z", "--stdin", "filter",
      input: Array(paths.map { $0.bytes + [0] }.joined()))
    let fields = output.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    try #require(fields.count == 3 * paths.count + 1)
    for (index, path) in paths.enumerated() {
      let theirs = fields[3 * index + 2]
      let ours =
        switch try filter.decision(for: path, hasAttributeFiles: true) {
        case .program(let name): name
        default: theirs.hasPrefix("f") ? "none" : theirs
        }
      #expect(ours == theirs, "seed \(seed), \(path)")
    }
    withExtendedLifetime(fixture) {}
  }
}

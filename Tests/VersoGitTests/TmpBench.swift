import Testing
import VersoGit
import VersoModel
import VersoTestSupport
@Suite struct TmpBench {
  @Test func bench() throws {
    let fixture = try FilterFixture("*.md text=auto\n*.png filter=lfs")
    let hex = String(
      decoding: try fixture.git("hash-object", "-w", "--stdin", input: [65]).prefix(40),
      as: UTF8.self)
    var rows = ""
    for n in 0..<100_000 { rows += "100644 \(hex)\ta\(n % 50)/b/note\(n).md\n" }
    try fixture.git("update-index", "--index-info", input: Array(rows.utf8))
    for n in 0..<50 { try fixture.scratch.write("x", to: "a\(n)/b/note.md") }
    let clock = ContinuousClock()
    let repository = try Repository(at: fixture.scratch.path)
    var filter: ContentFilter?
    print("init", try clock.measure { filter = try ContentFilter(repository: repository) })
    let f = try #require(filter)
    print(
      "first",
      try clock.measure { _ = try f.decision(for: "a1/b/note.md", hasAttributeFiles: true) })
    print(
      "10000",
      try clock.measure {
        for n in 0..<10_000 {
          _ = try f.decision(for: RelativePath("a\(n % 50)/b/n\(n).md")!, hasAttributeFiles: true)
        }
      })
    print("refresh", try clock.measure { try f.refresh() })
    withExtendedLifetime(fixture) {}
  }
}

import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// Rewrites that no stat shows.
///
/// Whole seconds are all that git compares, so a file rewritten in the second of its stat looks
/// unchanged. These tests set times instead of being quick.
@Suite struct IndexRacyTests {
  private static let second: Int64 = 1_700_000_000

  /// A repository whose index is as old as the files in it.
  private func racyFixture(files: Int = 1) throws -> IndexFixture {
    // A rewrite always changes the ctime; without it only the rules under test are left.
    let fixture = try IndexFixture(settings: ["core.trustctime=false", "core.checkStat=minimal"])
    for number in 0..<files {
      try fixture.scratch.write("same", to: "racy\(number)")
      try fixture.setModified("racy\(number)", seconds: Self.second)
    }
    try fixture.scratch.write("other", to: "other.md")
    try fixture.setModified("other.md", seconds: Self.second - 100)
    try fixture.commitAll()
    try fixture.setModified(".git/index", seconds: Self.second)
    return fixture
  }

  private func rewriteUnseen(_ name: String, in fixture: IndexFixture) throws {
    try fixture.scratch.write("SAME", to: name)
    try fixture.setModified(name, seconds: Self.second)
  }

  @Test(arguments: [2, 4])
  func `git still sees a rewrite in the second of the old index`(version: Int) throws {
    let fixture = try racyFixture(files: 2)
    try fixture.scratch.git("update-index", "--index-version=\(version)")
    try fixture.setModified(".git/index", seconds: Self.second)
    try rewriteUnseen("racy0", in: fixture)
    let outcome = try fixture.patch([fixture.change("racy", "new")])
    #expect(outcome.smudged == 2)
    let status = try fixture.scratch.git("status", "--porcelain")
    #expect(status == "A  racy\n M racy0")
    // What was only suspected is clean after git's look.
    try fixture.scratch.git("update-index", "-q", "--refresh", "racy1")
  }

  @Test func `without a smudge git would not see it`() throws {
    // The proof that the test above can fail: a caller that vouches wrongly.
    let fixture = try racyFixture()
    try rewriteUnseen("racy0", in: fixture)
    try fixture.patch([fixture.change("new.md", "new")], isClean: { _, _ in true })
    #expect(try fixture.scratch.git("status", "--porcelain") == "A  new.md")
  }

  @Test func `an entry that its caller vouches for stays trusted`() throws {
    let fixture = try racyFixture(files: 3)
    var asked: [RelativePath] = []
    let outcome = try fixture.patch([fixture.change("new.md", "new")]) { path, row in
      asked.append(path)
      return row.size == 4 && path != "racy1"
    }
    #expect(asked == ["racy0", "racy1", "racy2"])
    #expect(outcome.smudged == 1)
    let sizes = try fixture.withTable { table in
      asked.map { table.row(of: $0)?.size }
    }
    #expect(sizes == [4, 0, 4])
  }

  @Test func `at most 64 files are looked at`() throws {
    let fixture = try racyFixture(files: 70)
    var asked = 0
    let outcome = try fixture.patch([fixture.change("new.md", "new")]) { _, _ in
      asked += 1
      return true
    }
    #expect(asked == 64 && outcome.smudged == 6)
    #expect(try fixture.scratch.git("status", "--porcelain") == "A  new.md")
  }

  @Test func `an entry among the changes is not smudged`() throws {
    let fixture = try racyFixture()
    try fixture.scratch.write("SAME", to: "racy0")
    let outcome = try fixture.patch([fixture.recorded("racy0")])
    #expect(outcome.smudged == 0)
    #expect(try fixture.withTable { $0.row(of: "racy0")?.size } == 4)
    #expect(try fixture.scratch.git("diff", "--name-only") == "")
  }

  @Test func `a caller may have its own entry smudged`() throws {
    let fixture = try racyFixture()
    try fixture.scratch.write("SAME", to: "racy0")
    try fixture.setModified("racy0", seconds: Self.second)
    let change = try fixture.recorded("racy0", options: .smudged)
    try fixture.scratch.write("sAmE", to: "racy0")
    try fixture.setModified("racy0", seconds: Self.second)
    try fixture.patch([change])
    #expect(try fixture.scratch.git("diff", "--name-only") == "racy0")
  }

  @Test func `the rewrite through libgit2 smudges too`() throws {
    let fixture = try racyFixture(files: 2)
    try rewriteUnseen("racy0", in: fixture)
    try fixture.rewrite([fixture.change("racy", "new")])
    #expect(try fixture.scratch.git("status", "--porcelain") == "A  racy\n M racy0")
  }
}

import CLinux
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// Programs that take their time to write, on a real disk and the real clock: no version may hold half
/// of what they write.
@Suite struct WatcherWriterTests {
  private static func edited(_ text: String) -> [SavedVersion] {
    [SavedVersion("Edit note.md", ["note.md": text])]
  }

  @Test func `what a slow program writes is saved once, after it has closed the file`()
    async throws
  {
    let text = (1...5).map { "chunk \($0)\n" }.joined()
    try await Scene().play(
      "{ for n in 1 2 3 4 5; do echo chunk $n; sleep 2; done; } > note.md", Self.edited(text))
  }

  @Test func `a file that is truncated and written three seconds later is one edit`() async throws {
    let scene = try await Scene()
    try await scene.play(": > note.md; sleep 3; echo two > note.md", Self.edited("two\n"))
    #expect(scene.vault.distinctChanges == [.modified("note.md")])
  }

  @Test func `a file that is truncated and left so is an edit in the end`() async throws {
    let begin = MonotonicTime.now()
    try await Scene().play(": > note.md", Self.edited(""))
    #expect(MonotonicTime.now() - begin > 5)
  }

  @Test func `a file that two programs write is saved when the second has closed it`()
    async throws
  {
    let scene = try await Scene()
    try await scene.run(
      "{ echo second begins; sleep 4; echo second ends; } >> note.md | echo first >> note.md")
    try await scene.vault.wait("the edit") { !$0.subjects.isEmpty }
    // Whichever of the two began.
    let text = try scene.vault.files(in: "HEAD")["note.md", default: ""]
    #expect(
      Set(text.split(separator: "\n")) == ["one", "first", "second begins", "second ends"])
    try await scene.vault.expect([SavedVersion("Edit note.md", ["note.md": text])])
  }

  @Test func `a note that a program holds open is saved at the limit as it is, others before`()
    async throws
  {
    let scene = try await Scene(adjusting: { $0.rules.settleLimit = 3 })
    let file = open("\(scene.root)/note.md", O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(write(file, "held\n", 5) == 5)
    try scene.vault.scratch.write("other\n", to: "other.md")
    try await scene.vault.wait("the held note") { $0.isSaved("Edit note.md") }
    #expect(scene.vault.subjects == ["Add other.md", "Edit note.md"])
    let held = scene.vault.saves.last
    #expect(held?.changes == [PathChange(.modified, "note.md")])
    close(file)
    try await scene.vault.expect([
      SavedVersion("Add other.md", ["note.md": "one\n", "other.md": "other\n"]),
      SavedVersion("Edit note.md", ["note.md": "one\nheld\n", "other.md": "other\n"]),
    ])
  }

  @Test(arguments: [
    "n=0; until [ -e $OUT/end ]; do n=$((n+1)); echo line $n >> log.md; sleep 0.1; done",
    "{ n=0; until [ -e $OUT/end ]; do n=$((n+1)); echo line $n; sleep 0.1; done; } >> log.md",
  ])
  func `a log that never rests gets whole versions within the limit`(script: String) async throws {
    let scene = try await Scene(
      ["log.md": "line 0\n"], adjusting: { $0.rules.settleLimit = 2 })
    async let writer: Void = scene.run(script)
    // The writer ends only once versions were made beside it, however slow the machine is.
    try await scene.vault.wait("two versions while it is written") { $0.subjects.count >= 2 }
    try scene.outside.write("", to: "end")
    try await writer
    let whole = try #require(scene.vault.scratch.text(of: "log.md"))
    try await scene.vault.wait("the end of the log") {
      try $0.files(in: "HEAD")["log.md"] == whole
    }
    try await scene.vault.waitForLast()
    scene.vault.finish()
    let lines = whole.split(separator: "\n").count
    #expect(whole == (0..<lines).map { "line \($0)\n" }.joined())
    for version in try scene.vault.versions() {
      let text = version.files["log.md", default: ""]
      #expect(whole.hasPrefix(text) && text.hasSuffix("\n"), "\(version)")
    }
    // One for every limit, the last line's, and the last note's: far from one for each line.
    #expect(scene.vault.subjects.count < lines / 2 + 4)
    #expect(try scene.vault.git("status", "--porcelain").text == "")
  }

  @Test func `a store through a mapping is found by the audit and saved when it is unmapped`()
    async throws
  {
    let scene = try await Scene(
      ["note.md": "one\n", "db": "old content\n"],
      adjusting: { ($0.auditInterval, $0.fullAuditInterval) = (0.5, 0.5) })
    let file = open("\(scene.root)/db", O_RDWR | O_CLOEXEC)
    let map = try #require(mmap(nil, 12, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
    close(file)
    memcpy(map, "new", 3)
    try await scene.vault.wait("the audit") { $0.changes == [.modified("db")] }
    try scene.vault.scratch.write("two\n", to: "note.md")
    try await scene.vault.wait("another note") { $0.subjects == ["Edit note.md"] }
    munmap(map, 12)
    let files = ["note.md": "two\n", "db": "new content\n"]
    try await scene.vault.expect([
      SavedVersion("Edit note.md", files.merging(["db": "old content\n"]) { $1 }),
      SavedVersion("Edit db", files),
    ])
    #expect(scene.vault.counters.missed > 0)
  }

  @Test func `a file that gets its name when it is complete is added`() async throws {
    let scene = try await Scene()
    let file = open(scene.root, verso_o_tmpfile | O_WRONLY | O_CLOEXEC, 0o644)
    try #require(file >= 0)
    #expect(write(file, "whole\n", 6) == 6)
    let folder = open(scene.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(verso_link_descriptor(file, folder, "new.md") == 0)
    close(file)
    close(folder)
    try await scene.vault.expect([
      SavedVersion("Add new.md", ["note.md": "one\n", "new.md": "whole\n"])
    ])
    #expect(scene.vault.distinctChanges == [.added("new.md", .file)])
  }

  @Test func `a program that keeps a note open for writing and is idle delays nothing`()
    async throws
  {
    let scene = try await Scene()
    let file = open("\(scene.root)/note.md", O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    try await scene.play("", [])
    #expect(scene.vault.distinctChanges.isEmpty)
  }
}

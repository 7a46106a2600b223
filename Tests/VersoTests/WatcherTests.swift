import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

@Suite struct WatcherTests {
  @Test func `saves an edit, a new folder, a rename and a deletion once each has settled`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let vault = try await WatchedVault(scratch)
    defer { vault.finish() }

    try scratch.write("two\n", to: "note.md")
    try await vault.wait("the edit") { $0.subjects == ["Edit note.md"] }

    try scratch.write("new\n", to: "a/b/c/deep.md")
    try await vault.wait("the new note") { $0.subjects.last == "Add a/b/c/deep.md" }

    rename("\(scratch.path)/a", "\(scratch.path)/z")
    try await vault.wait("the rename") { $0.subjects.count == 3 }
    #expect(
      vault.saves.last?.changes == [PathChange(.renamed, "z/b/c/deep.md", from: "a/b/c/deep.md")])
    #expect(vault.changes.contains(.renamed(from: "a", to: "z")))

    try scratch.write("more\n", to: "z/b/c/deep.md")
    try await vault.wait("the edit below the renamed folder") {
      $0.subjects.last == "Edit z/b/c/deep.md"
    }
    unlink("\(scratch.path)/note.md")
    try await vault.wait("the deletion") { $0.subjects.last == "Delete note.md" }
    #expect(vault.changes.contains(.removed("note.md")))
    try await vault.waitForRest()
    try scratch.git("fsck", "--strict")
  }

  @Test func `a note that was written anew, in a folder that was then renamed, is the same note`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("an old line\nand another\n", to: "ideas/note.md")
    let vault = try await WatchedVault(scratch, settle: 1)
    defer { vault.finish() }

    try run(["sed", "-i", "s/.*/nothing of it is left/", scratch.at("ideas/note.md")])
    rename(scratch.at("ideas"), scratch.at("thoughts"))
    try await vault.wait("the version") { !$0.subjects.isEmpty }
    #expect(vault.subjects == ["Rename ideas/note.md to thoughts/note.md"])
    let message = try scratch.git("log", "-1", "--format=%B")
    #expect(message.contains("Verso-Renamed: ideas/note.md -> thoughts/note.md"), "\(message)")
  }
}

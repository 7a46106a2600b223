import Testing
import Verso
import VersoModel
import VersoTestSupport

@Suite struct VaultTests {
  @Test func `an embedding program makes a vault, saves, reads versions and brings one back`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let vault = try await Vault.create(at: scratch.path)
    #expect(vault.root == scratch.path)
    #expect(try await vault.tree().fileCount == 1)

    try scratch.write("two\n", to: "note.md")
    #expect(try await vault.unsavedChanges() == [PathChange(.modified, "note.md")])
    let save = try await vault.saveSettled(["note.md"])
    #expect(save.subject == "Edit note.md")
    #expect(try await vault.content(of: "note.md") == Array("two\n".utf8))

    let versions = try await vault.versions(of: "note.md")
    #expect(versions.map(\.kind) == [.modified, .added])
    let first = try #require(versions.last)
    try await vault.restore("note.md", from: first.commit)
    #expect(scratch.text(of: "note.md") == "one\n")
    try await vault.undo()
    #expect(scratch.text(of: "note.md") == "two\n")
    #expect(try scratch.git("status", "--porcelain") == "")
    try scratch.git("fsck", "--strict")
  }

  @Test func `a directory without a repository is no vault`() async throws {
    let scratch = try Scratch()
    await #expect(throws: VersoError.self) { try await Vault.open(at: scratch.path) }
  }
}

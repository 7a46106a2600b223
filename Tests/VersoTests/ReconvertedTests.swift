import Testing
import VersoHistory
import VersoModel
import VersoTestSupport

@testable import Verso

/// Files that nobody touched, and that changed attributes make another content.
@Suite struct ReconvertedTests {
  private static let files = [".gitattributes": "*.md -text\n", "note.md": "one\r\ntwo\r\n"]

  /// Has git read a file again each time: it was changed, as it seems, after the index was written.
  private static let doubt = "touch -d 'now + 1 hour' note.md"

  @Test func `after a restore of attributes git has nothing to say, nor after its undo`() throws {
    let scratch = try Scratch()
    for (name, text) in Self.files { try scratch.write(text, to: name) }
    try run(["sh", "-ec", Self.doubt], in: scratch.path)
    _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
    let engine = try Engine(root: scratch.path)
    try scratch.write("*.md text\n", to: ".gitattributes")
    _ = try engine.save(SaveRequest())
    #expect(try stored(scratch) == "one\ntwo\n")

    var request = RestoreRequest(path: ".gitattributes")
    let history = try engine.history()
    request.place = try history.place(of: ".gitattributes", at: history.commit(named: "HEAD~1"))
    let outcome = try engine.restore(request)
    #expect(outcome.save.changes.map(\.path) == [".gitattributes"])
    #expect(try scratch.git("status", "--porcelain") == "")
    #expect(try stored(scratch) == "one\r\ntwo\r\n")

    _ = try engine.undo(redoing: false, isDryRun: false, wait: 10)
    #expect(scratch.text(of: ".gitattributes") == "*.md text\n")
    #expect(try scratch.git("status", "--porcelain") == "")
    #expect(try stored(scratch) == "one\ntwo\n")
    #expect(scratch.text(of: "note.md") == "one\r\ntwo\r\n")
  }

  @Test func `after attributes were edited under a watcher git has nothing to say`() async throws {
    let scene = try await Scene(Self.files)
    try await scene.run("printf 'three\\r\\n' > note.md; " + Self.doubt)
    try await scene.vault.wait("the note") { $0.subjects == ["Edit note.md"] }
    try await scene.run("echo '*.md text' > .gitattributes")
    // Whoever asks git all the time has it write its index all the time.
    try await scene.vault.wait("what they change") { $0.subjects.count == 3 }
    #expect(scene.vault.subjects == ["Edit note.md", "Edit .gitattributes", "Edit note.md"])
    #expect(try stored(scene.vault.scratch) == "three\n")
    #expect(try scene.vault.scratch.git("status", "--porcelain") == "")
    scene.vault.finish()
  }

  private func stored(_ scratch: Scratch) throws -> String {
    try run(["git", "cat-file", "blob", "HEAD:note.md"], in: scratch.path).text
  }
}

import Glibc
import Testing
import VersoDisk
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

  @Test func `after attributes came from another device git has nothing to say`() throws {
    let fleet = try Fleet(["here", "there"])
    fleet.convertsLineEnds = true
    let (here, there) = (fleet["here"], fleet["there"])
    for (name, text) in Self.files { here.write(text, name) }
    here.write("other\n", "other.txt")
    try run(["sh", "-ec", Self.doubt], in: here.root)
    here.clock = 1_700_000_000
    try here.sync()
    try there.sync()
    there.write("*.md text\n", ".gitattributes")
    there.write("other\nthere\n", "other.txt")
    #expect(try there.sync().save.changes.map(\.path) == [".gitattributes", "other.txt"])
    try here.sync()
    #expect(try here.git("status", "--porcelain") == "")
    #expect(try here.git("log", "-1", "--format=%s") == "Edit note.md")
    #expect(try here.git("cat-file", "blob", "HEAD:note.md") == "one\ntwo")
    #expect(try fleet.settle() == [])
    #expect(try here.git("log", "-1", "--format=%s") == "Edit note.md")
  }

  @Test func `a join of attributes that was killed leaves git nothing to say either`() throws {
    let template = try Fleet(["here", "there"])
    template.convertsLineEnds = true
    for (name, text) in Self.files { template["here"].write(text, name) }
    try run(["sh", "-ec", Self.doubt], in: template["here"].root)
    template["here"].clock = 1_700_000_000
    for device in template.devices { try device.sync() }
    template["there"].write("*.md text\n", ".gitattributes")
    try template["there"].sync()
    var (at, kills) = (1, 0)
    while true {
      let fleet = try Fleet(copying: template)
      fleet.convertsLineEnds = true
      let counter = Locked(0)
      let number = at
      let store = FailingFileStore { event in
        counter.withLock { count in
          if FleetWalk.changesDisk(event) || count >= number { count += 1 }
          return count >= number ? EIO : nil
        }
      }
      do { try fleet["here"].sync(store) } catch is VersoError { kills += 1 }
      if counter.withLock({ $0 }) < number { break }
      try fleet["here"].sync()
      #expect(try fleet["here"].git("status", "--porcelain") == "", "killed at \(number)")
      #expect(try fleet.settle() == [], "killed at \(number)")
      at += isFullRun ? 1 : 7
    }
    #expect(kills > 3)
  }

  private func stored(_ scratch: Scratch) throws -> String {
    try run(["git", "cat-file", "blob", "HEAD:note.md"], in: scratch.path).text
  }
}

import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct `Maintenance of the objects` {
  /// Counts what it runs.
  private final class Counter: ProgramRunner {
    let calls = Locked<[[String]]>([])
    func run(_ request: ProgramRequest) -> ProgramOutcome {
      calls.withLock { $0.append(request.arguments) }
      return TestRunner().run(request)
    }
    var gcCount: Int { calls.withLock { $0.filter { $0.contains("gc") }.count } }
  }

  private let desk: ObjectDesk
  private let runner = Counter()

  init() throws {
    desk = try ObjectDesk()
    try desk.scratch.write("", to: ".git/verso/here")
  }

  private func maintain() -> Maintenance.Outcome {
    Maintenance(
      gitDirectory: desk.scratch.at(".git"), objects: desk.objects.number,
      store: SystemFileStore(), runner: runner
    ).runIfNeeded()
  }

  /// Writes so many notes; `referred` puts them in a commit of the branch.
  @discardableResult
  private func addNotes(
    _ count: Int, size: Int = 30, referred: Bool, seed: Int
  ) throws -> [ObjectID] {
    let block = SeededBytes(UInt64(seed)).take(size)
    let writer = desk.loose()
    var edits: [TreeEditor.Edit] = []
    for number in 0..<count {
      let bytes = Array("\(seed) \(number) ".utf8) + block.prefix(size)
      let path = RelativePath(unchecked: Array("n\(String(number + 10_000))".utf8))
      edits.append(
        TreeEditor.Edit(path: path, mode: 0o100644, id: try writer.write(.blob, bytes)))
    }
    let tree = try TreeEditor(edits, repository: desk.repository, writer: writer).apply(to: nil)
    try writer.finish()
    if referred {
      let commit = try desk.scratch.git("commit-tree", tree.root.hex, "-m", "notes")
      try desk.scratch.git("update-ref", "refs/heads/b\(seed)", commit)
    }
    return edits.map(\.id)
  }

  private func looseCount() throws -> Int {
    try desk.files().filter { !$0.hasPrefix("pack/") && !$0.hasPrefix("info/") }.count
  }

  @Test func `runs nothing while there is little`() throws {
    try addNotes(200, referred: true, seed: 1)
    #expect(maintain() == .notNeeded)
    #expect(runner.calls.withLock { $0.isEmpty })
  }

  @Test func `packs many objects, and loses none`() throws {
    let ids = try addNotes(1500, referred: true, seed: 2)
    #expect(maintain() == .packed)
    #expect(try looseCount() < 20)
    let presence = try ObjectPresence(Repository(at: desk.scratch.path))
    for id in ids { #expect(presence.contains(id)) }
    try desk.expectSound()
    #expect(maintain() == .notNeeded)
  }

  @Test func `packs few large objects too`() throws {
    try addNotes(60, size: 500_000, referred: true, seed: 3)
    let outcome = maintain()
    #expect(outcome == .packed)
    #expect(try looseCount() < 20)
  }

  @Test func `keeps what nothing refers to, and is not called again for it`() throws {
    let ids = try addNotes(1500, referred: false, seed: 4)
    #expect(maintain() == .packed)
    let presence = try ObjectPresence(Repository(at: desk.scratch.path))
    for id in ids { #expect(presence.contains(id)) }
    let count = runner.gcCount
    #expect(maintain() == .notNeeded)
    #expect(runner.gcCount == count)
    // As many again are worth another look.
    try addNotes(1500, referred: true, seed: 5)
    #expect(maintain() == .packed)
  }

  @Test func `respects gc.auto of 0`() throws {
    try desk.scratch.git("config", "gc.auto", "0")
    try addNotes(1500, referred: true, seed: 6)
    #expect(maintain() == .notNeeded)
    #expect(runner.gcCount == 0)
  }

  @Test func `without git says why, and changes nothing`() throws {
    struct NoPrograms: ProgramRunner {
      func run(_ request: ProgramRequest) -> ProgramOutcome {
        ProgramOutcome(end: .notStarted("there is no git"))
      }
    }
    try addNotes(1500, referred: true, seed: 7)
    let before = try looseCount()
    let outcome = Maintenance(
      gitDirectory: desk.scratch.at(".git"), objects: desk.objects.number,
      store: SystemFileStore(), runner: NoPrograms()
    ).runIfNeeded()
    #expect(outcome == .failed("there is no git"))
    #expect(try looseCount() == before)
  }

  @Test func `clears away only what is ours`() throws {
    let scratch = desk.scratch
    for name in ["tmp_obj_verso_1", "tmp_obj_other", "pack/tmp_pack_verso_2", "pack/tmp_pack_x"] {
      try scratch.write("x", to: ".git/objects/\(name)")
    }
    try Maintenance.removeDeadTemporaries(objects: desk.objects.number, store: SystemFileStore())
    #expect(try desk.files() == ["pack/tmp_pack_x", "tmp_obj_other"])
  }
}

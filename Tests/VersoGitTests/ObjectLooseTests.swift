import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct `Loose objects` {
  @Test func `are what git makes of the same bytes`() throws {
    let desk = try ObjectDesk()
    let writer = desk.loose()
    var random = SeededGenerator(seed: 1)
    var written: [(id: ObjectID, bytes: [UInt8])] = []
    for size in [0, 1, 15, 16, 1000, 65_536, 300_000] {
      let bytes = random.bytes(size)
      written.append((try writer.write(.blob, bytes), bytes))
    }
    try writer.finish()
    for (id, bytes) in written {
      #expect(try desk.gitID(bytes) == id.hex)
      #expect(try run(["git", "cat-file", "blob", id.hex], in: desk.scratch.path).output == bytes)
      let mode = try run(["stat", "-c", "%a", desk.loosePath(id)], in: desk.scratch.path).text
      #expect(mode == "444\n")
    }
    try desk.expectSound()
  }

  @Test func `may be trees and commits`() throws {
    let desk = try ObjectDesk()
    let writer = desk.loose()
    let blob = try writer.write(.blob, Array("hello\n".utf8))
    let tree = try writer.write(.tree, Array("100644 note.md\0".utf8) + blob.bytes)
    let person = CommitStamp(
      name: "Ada", email: "ada@example.invalid", time: ZonedTime(seconds: 1_700_000_000, zone: 90))
    let text = CommitText(
      tree: tree, parents: [], author: person, committer: person, message: "first")
    let commit = try writer.write(.commit, text.bytes())
    try writer.finish()
    try desk.scratch.git("update-ref", "refs/heads/main", commit.hex)
    #expect(try desk.scratch.git("show", "main:note.md") == "hello")
    try desk.expectSound()
  }

  @Test func `get their names only when they are durable`() throws {
    let events = Locked<[(FailingFileStore.Call, String)]>([])
    let store = FailingFileStore { event in
      events.withLock { $0.append((event.call, event.path)) }
      return nil
    }
    let desk = try ObjectDesk(store: store)
    let writer = desk.loose()
    for number in 0..<5 { _ = try writer.write(.blob, Array("note \(number)".utf8)) }
    let before = try desk.files()
    #expect(before.count == 5)
    #expect(before.allSatisfy { $0.hasPrefix("tmp_obj_verso_") })
    try writer.finish()
    let calls = events.withLock { $0 }
    let lastFileSync = try #require(
      calls.lastIndex { $0.0 == .fsync && $0.1.hasPrefix("tmp_obj_verso_") })
    let firstRename = try #require(calls.firstIndex { $0.0 == .rename })
    #expect(lastFileSync < firstRename)
    #expect(calls.filter { $0.0 == .fsync && $0.1.hasPrefix("tmp_obj_verso_") }.count == 5)
    // And their names are durable before anything may refer to them.
    let lastRename = try #require(calls.lastIndex { $0.0 == .rename })
    #expect(calls[lastRename...].contains { $0.0 == .fsync })
    #expect(try desk.files().count == 5)
  }

  @Test func `are not written again, loose or packed`() throws {
    let desk = try ObjectDesk()
    let old =
      try ObjectID(hex: desk.scratch.git("hash-object", "-w", "--stdin", input: [1])) ?? .zero
    let packed = try desk.scratch.git("hash-object", "-w", "--stdin", input: [2])
    _ = try run(
      ["git", "pack-objects", "-q", ".git/objects/pack/pack"], in: desk.scratch.path,
      input: Array("\(packed)\n".utf8))
    try desk.scratch.git("prune-packed")
    let before = try desk.files()
    let presence = try ObjectPresence(Repository(at: desk.scratch.path))
    let writer = desk.loose(contains: presence.contains)
    #expect(try writer.write(.blob, [1]) == old)
    #expect(try writer.write(.blob, [2]).hex == packed)
    try writer.finish()
    #expect(try desk.files() == before)
  }

  @Test func `that are there already become young again, so that no gc takes them`() throws {
    let desk = try ObjectDesk()
    let id = try desk.scratch.git("hash-object", "-w", "--stdin", input: Array("old".utf8))
    let path = desk.loosePath(try #require(ObjectID(hex: id)))
    _ = try run(["touch", "-d", "2001-01-01", path], in: desk.scratch.path)
    let writer = desk.loose()
    _ = try writer.write(.blob, Array("old".utf8))
    try writer.finish()
    try desk.scratch.git("prune", "--expire=2.weeks.ago")
    #expect(desk.scratch.bytes(of: path) != nil)
  }

  @Test func `that a power cut emptied are written again`() throws {
    let desk = try ObjectDesk()
    let id = try #require(ObjectID(hex: desk.gitID(Array("note".utf8))))
    try desk.scratch.write([], to: Array(desk.loosePath(id).utf8))
    let writer = desk.loose(contains: { _ in true })
    _ = try writer.write(.blob, Array("note".utf8))
    try writer.finish()
    #expect(try desk.scratch.git("cat-file", "blob", id.hex) == "note")
  }

  @Test func `of two writers at once do not meet`() throws {
    let desk = try ObjectDesk()
    let (one, other) = (desk.loose(), desk.loose())
    let first = try one.write(.blob, Array("one".utf8))
    let second = try other.write(.blob, Array("other".utf8))
    let both = try [one.write(.blob, Array("both".utf8)), other.write(.blob, Array("both".utf8))]
    #expect(both[0] == both[1])
    try one.finish()
    try other.finish()
    for id in [first, second, both[0]] { #expect(try desk.repository.contains(id)) }
    try desk.expectSound()
  }

  @Test func `may be many more than files may be open`() throws {
    let desk = try ObjectDesk()
    let writer = desk.loose()
    let ids = try (0..<500).map { try writer.write(.blob, Array("note \($0)".utf8)) }
    try writer.finish()
    #expect(try desk.files().count == 500)
    for id in ids { #expect(try desk.repository.contains(id)) }
  }

  @Test func `stream from a file in pieces`() throws {
    let desk = try ObjectDesk()
    var random = SeededGenerator(seed: 2)
    for size in [0, 1, 262_143, 262_144, 262_145, 3_000_000] {
      let bytes = random.bytes(size)
      let source = try desk.file(bytes)
      let writer = desk.loose()
      let id = try #require(try writer.writeBlob(from: source.number, size: size))
      try writer.finish()
      #expect(try desk.gitID(bytes) == id.hex)
      #expect(try desk.repository.read(id).bytes == bytes)
    }
    try desk.expectSound()
  }

  @Test func `are not made of a file that grew or shrank`() throws {
    let desk = try ObjectDesk()
    for (size, said) in [(10, 11), (11, 10), (0, 1), (1, 0), (600_000, 262_144), (5, 600_000)] {
      let source = try desk.file([UInt8](repeating: 7, count: size))
      let writer = desk.loose()
      #expect(try writer.writeBlob(from: source.number, size: said) == nil)
      try writer.finish()
    }
    #expect(try desk.files() == [])
  }

  @Test(.enabled(if: isFullRun)) func `of two sparse gigabytes take little memory`() throws {
    let desk = try ObjectDesk()
    _ = try run(["truncate", "-s", "2G", "sparse"], in: desk.scratch.path)
    let source = try SystemFileStore().opening(
      Array(desk.scratch.at("sparse").utf8), in: AT_FDCWD, flags: O_RDONLY)
    let writer = desk.loose()
    let before = peakMemory()
    let id = try #require(try writer.writeBlob(from: source.number, size: 2 << 30))
    try writer.finish()
    #expect(peakMemory() - before < 32 << 20)
    #expect(try desk.scratch.git("hash-object", "sparse") == id.hex)
  }

  /// In bytes.
  private func peakMemory() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }

  @Test func `dropped before their end leave nothing`() throws {
    let desk = try ObjectDesk()
    do {
      let writer = desk.loose()
      _ = try writer.write(.blob, Array("gone".utf8))
    }
    #expect(try desk.files() == [])
  }

  @Test(arguments: [ENOSPC, EIO, EACCES, EMFILE])
  func `that any call fails for are whole or not there`(code: Int32) throws {
    let desk = try ObjectDesk()
    for number in 1...60 {
      let store = FailingFileStore(failing: number, with: code)
      desk.store = store
      try desk.empty()
      let source = try desk.file(Array("streamed".utf8))
      var finished = false
      do {
        let writer = desk.loose()
        for number in 0..<3 { _ = try writer.write(.blob, Array("note \(number)".utf8)) }
        _ = try writer.writeBlob(from: source.number, size: 8)
        try writer.finish()
        finished = true
      } catch {}
      let left = try desk.files().filter { !$0.hasPrefix("tmp_obj_verso_") }
      if finished { #expect(left.count == 4, "call \(number)") }
      for file in left {
        let id = try #require(ObjectID(hex: file.filter { $0 != "/" }))
        let (_, bytes) = try desk.repository.read(id)
        #expect(SHA1.id(of: .blob, bytes) == id)
      }
      // What could not be cleared away is, at the next start.
      try Maintenance.removeDeadTemporaries(
        objects: desk.objects.number, store: SystemFileStore())
      #expect(try desk.files() == left)
      if store.callCount < number { return }
    }
    Issue.record("more calls than the test walks through")
  }
}

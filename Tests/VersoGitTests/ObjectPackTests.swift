import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import VersoGit

@Suite struct `Packs` {
  /// Runs `body` on threads of their own, with the number of each.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Work: Sendable {
      let number: Int
      let body: @Sendable (Int) -> Void
      init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
        (self.number, self.body) = (number, body)
      }
    }
    let threads = (0..<count).map { number in
      var thread = pthread_t()
      let work = Unmanaged.passRetained(Work(number, body))
      pthread_create(
        &thread, nil,
        { pointer in
          guard let pointer else { return nil }
          let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
          work.body(work.number)
          return nil
        }, work.toOpaque())
      return thread
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  private func expectVerified(_ desk: ObjectDesk, objects: Int) throws {
    let indexes = try desk.files().filter { $0.hasSuffix(".idx") }
    #expect(indexes.count == 1)
    for index in indexes {
      let outcome = try run(
        ["git", "verify-pack", "-v", ".git/objects/\(index)"], in: desk.scratch.path)
      #expect(outcome.status == 0, "\(outcome.error)")
      let rows = outcome.text.split(separator: "\n").filter { $0.contains(" blob ") }
      #expect(rows.count == objects)
    }
    #expect(try desk.files().allSatisfy { !$0.contains("tmp_") })
    try desk.expectSound()
  }

  @Test(arguments: seeds(3))
  func `of several threads hold each object once`(seed: UInt64) throws {
    print("seed \(seed)")
    let desk = try ObjectDesk()
    let writer = try desk.pack()
    let written = Locked<[ObjectID: [UInt8]]>([:])
    onThreads(4) { thread in
      // Two threads each write the same objects.
      var random = SeededGenerator(seed: seed &* 100 &+ UInt64(thread % 2))
      for _ in 0..<300 {
        let bytes =
          random.chance(100)
          ? SeededBytes(random.next()).take(500_000)
          : random.bytes(Int.random(in: 0..<1000, using: &random))
        do {
          let id = try writer.write(.blob, bytes)
          written.withLock { $0[id] = bytes }
        } catch { Issue.record(error) }
      }
    }
    try writer.finish()
    let all = written.withLock { $0 }
    try expectVerified(desk, objects: all.count)
    for (id, bytes) in all { #expect(try desk.repository.read(id).bytes == bytes) }
  }

  @Test func `take streamed blobs between those of other threads, and drop what changed`() throws {
    let desk = try ObjectDesk()
    let writer = try desk.pack()
    let whole = [UInt8](repeating: 9, count: 900_000)
    _ = try desk.file(whole)
    let path = Array(desk.scratch.at("source").utf8)
    let refused = Locked(0)
    onThreads(3) { thread in
      do {
        for number in 0..<60 {
          if thread == 0 {
            let file = try SystemFileStore().opening(path, in: AT_FDCWD, flags: O_RDONLY)
            // The first is whole, the others are longer or shorter than was said.
            let size = number == 0 ? whole.count : whole.count + (number % 2 == 0 ? 1 : -1)
            if try writer.writeBlob(from: file.number, size: size) == nil {
              refused.withLock { $0 += 1 }
            }
          } else {
            let text = String(repeating: "thread \(thread) note \(number) ", count: 3000)
            _ = try writer.write(.blob, Array(text.utf8))
          }
        }
      } catch { Issue.record(error) }
    }
    try writer.finish()
    #expect(refused.withLock { $0 } == 59)
    try expectVerified(desk, objects: 121)
    let id = SHA1.id(of: .blob, whole)
    #expect(try desk.repository.read(id).bytes == whole)
  }

  @Test func `that end with a blob that changed end where the last whole object does`() throws {
    let desk = try ObjectDesk()
    let writer = try desk.pack()
    _ = try writer.write(.blob, Array("kept".utf8))
    let source = try desk.file(SeededBytes(3).take(2_000_000))
    #expect(try writer.writeBlob(from: source.number, size: 1_999_999) == nil)
    try writer.finish()
    try expectVerified(desk, objects: 1)
  }

  @Test func `hold trees, commits and a note of 50 megabytes`() throws {
    let desk = try ObjectDesk()
    let writer = try desk.pack()
    let large = SeededBytes(4).take(50_000_000)
    let blob = try writer.write(.blob, large)
    let tree = try writer.write(.tree, Array("100644 big\0".utf8) + blob.bytes)
    let stamp = CommitStamp(name: "A", email: "a@b", time: ZonedTime(seconds: 1, zone: 0))
    let text = CommitText(tree: tree, parents: [], author: stamp, committer: stamp, message: "x")
    let commit = try writer.write(.commit, text.bytes())
    try writer.finish()
    try desk.scratch.git("update-ref", "refs/heads/main", commit.hex)
    #expect(try desk.scratch.git("rev-parse", "main:big") == blob.hex)
    try expectVerified(desk, objects: 1)
  }

  @Test func `without objects are not made`() throws {
    let desk = try ObjectDesk()
    let writer = try desk.pack(contains: { _ in true })
    _ = try writer.write(.blob, Array("there".utf8))
    try writer.finish()
    #expect(try desk.files() == [])
  }

  @Test func `dropped before their end leave nothing`() throws {
    let desk = try ObjectDesk()
    do {
      let writer = try desk.pack()
      for number in 0..<4 { _ = try writer.write(.blob, SeededBytes(UInt64(number)).take(900_000)) }
      #expect(try desk.files().count == 1)
    }
    #expect(try desk.files() == [])
  }

  @Test func `are visible only with their index, and durable before`() throws {
    let events = Locked<[(FailingFileStore.Call, String)]>([])
    let store = FailingFileStore { event in
      events.withLock { $0.append((event.call, event.path)) }
      return nil
    }
    let desk = try ObjectDesk(store: store)
    let writer = try desk.pack()
    _ = try writer.write(.blob, [1, 2, 3])
    try writer.finish()
    let calls = events.withLock { $0 }.filter { $0.0 == .fsync || $0.0 == .rename }
    #expect(calls.map(\.0) == [.fsync, .fsync, .rename, .rename, .fsync])
    #expect(calls[2].1.hasSuffix(".pack"))
    #expect(calls[3].1.hasSuffix(".idx"))
  }

  @Test(arguments: [ENOSPC, EIO, EMFILE])
  func `that any call fails for are whole or not there`(code: Int32) throws {
    let desk = try ObjectDesk()
    let notes = (0..<3).map { SeededBytes(UInt64($0)).take(800_000) }
    for number in 1...80 {
      let store = FailingFileStore(failing: number, with: code)
      desk.store = store
      try desk.empty()
      let source = try desk.file(Array("streamed".utf8))
      var finished = false
      do {
        let writer = try desk.pack()
        for note in notes { _ = try writer.write(.blob, note) }
        _ = try writer.writeBlob(from: source.number, size: 8)
        try writer.finish()
        finished = true
      } catch {}
      if finished { try expectVerified(desk, objects: 4) }
      if try desk.files().contains(where: { $0.hasSuffix(".idx") }) { try desk.expectSound() }
      try Maintenance.removeDeadTemporaries(
        objects: desk.objects.number, store: SystemFileStore())
      #expect(try desk.files().allSatisfy { !$0.contains("tmp_") })
      if store.callCount < number { return }
    }
    Issue.record("more calls than the test walks through")
  }

  @Test func `that lack a block are never finished`() throws {
    let store = FailingFileStore(failing: 1, with: ENOSPC, call: .pwrite)
    let desk = try ObjectDesk(store: store)
    let writer = try desk.pack()
    #expect(throws: DiskError.self) {
      for number in 0..<9 { _ = try writer.write(.blob, SeededBytes(UInt64(number)).take(900_000)) }
    }
    #expect(throws: DiskError.self) { try writer.write(.blob, [1]) }
    #expect(throws: DiskError.self) { try writer.finish() }
    #expect(try desk.files().allSatisfy { $0.contains("tmp_") })
  }
}

/// Bytes that hardly compress: one block again and again, longer than zlib looks back.
struct SeededBytes {
  private let block: [UInt8]

  init(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var block: [UInt8] = []
    while block.count < 40_000 { withUnsafeBytes(of: random.next()) { block += $0 } }
    self.block = block
  }

  func take(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
  }
}

@Suite struct `The index of a pack` {
  @Test func `holds offsets beyond two and four gigabytes`() throws {
    var random = SeededGenerator(seed: 5)
    let offsets = [12, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, 5_000_000_000]
    let rows = offsets.map { offset in
      PackRows.Row(
        id: ObjectID(bytes: (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }),
        checksum: UInt32.random(in: 0...(.max), using: &random), offset: offset)
    }.sorted { $0.id < $1.id }
    let pack = ObjectID(bytes: [UInt8](repeating: 0xAB, count: 20))
    var bytes: [UInt8] = []
    PackIndexEncoder.encode(count: rows.count, row: { rows[$0] }, pack: pack) { bytes += $0 }

    func word(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
    #expect(Array(bytes[..<8]) == [0xFF, 0x74, 0x4F, 0x63, 0, 0, 0, 2])
    for first in 0..<256 {
      #expect(word(8 + 4 * first) == rows.filter { Int($0.id.first) <= first }.count)
    }
    let names = 8 + 1024
    let checksums = names + 20 * rows.count
    let small = checksums + 4 * rows.count
    let large = small + 4 * rows.count
    for (rank, row) in rows.enumerated() {
      #expect(Array(bytes[(names + 20 * rank)..<(names + 20 * rank + 20)]) == row.id.bytes)
      #expect(word(checksums + 4 * rank) == Int(row.checksum))
      var offset = word(small + 4 * rank)
      if offset >= 1 << 31 {
        let place = large + 8 * (offset - (1 << 31))
        offset = word(place) << 32 | word(place + 4)
      }
      #expect(offset == row.offset)
    }
    #expect(Array(bytes.suffix(40).prefix(20)) == pack.bytes)
    #expect(Array(bytes.suffix(20)) == SHA1.hash(Array(bytes.dropLast(20))).bytes)
    #expect(bytes.count == large + 8 * offsets.filter { $0 >= 1 << 31 }.count + 40)
  }
}

@Suite struct `The rows of a pack` {
  @Test func `know each id once and sort`() {
    var rows = PackRows()
    var random = SeededGenerator(seed: 6)
    var ids = Set<ObjectID>()
    var mistakes = 0
    for _ in 0..<6_000 {
      // Few values, so that many come twice and many share their first bytes.
      var bytes = [UInt8](repeating: 0, count: 20)
      bytes[0] = UInt8.random(in: 0..<3, using: &random)
      bytes[7] = UInt8.random(in: 0...255, using: &random)
      bytes[19] = UInt8.random(in: 0..<30, using: &random)
      let id = ObjectID(bytes: bytes)
      if rows.contains(id) != ids.contains(id) { mistakes += 1 }
      if (rows.insert(id) != nil) != ids.insert(id).inserted { mistakes += 1 }
    }
    #expect(mistakes == 0)
    #expect(rows.count == ids.count)
    #expect(rows.sorted().map { rows[Int($0)].id } == ids.sorted())
  }
}

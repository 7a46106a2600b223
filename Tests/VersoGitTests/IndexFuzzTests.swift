import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct IndexFuzzTests {
  /// Memory whose last byte lies before a page that traps, so that one byte too far is a crash.
  private final class Guarded {
    let bytes: UnsafeRawBufferPointer
    private let start: UnsafeMutableRawPointer
    private let size: Int

    init(_ content: [UInt8]) throws {
      let page = 4096
      size = (content.count + page - 1) / page * page + page
      guard
        let start = mmap(
          nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        start != MAP_FAILED, mprotect(start + size - page, page, PROT_NONE) == 0
      else { throw Failure("mmap: errno \(errno)") }
      self.start = start
      let first = start + (size - page - content.count)
      first.copyMemory(from: content, byteCount: content.count)
      bytes = UnsafeRawBufferPointer(start: first, count: content.count)
    }

    deinit { munmap(start, size) }
  }

  private static let written = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

  /// Indexes with everything in them, as git writes them.
  private func samples() throws -> [[UInt8]] {
    try [2, 4].map { version in
      let fixture = try IndexFixture(
        version: version,
        settings: IndexPatchTests.threads + ["core.untrackedCache=true"])
      for name in ["a", "b/c", "b/d/e", "b/d/f", "long/longer/longest.md", "z"] {
        try fixture.scratch.write(name, to: name)
      }
      try fixture.makeConflict()
      try fixture.scratch.git("status")
      try fixture.scratch.git("update-index", "--skip-worktree", "b/c")
      return try #require(fixture.scratch.bytes(of: ".git/index"))
    }
  }

  @Test(arguments: seeds(isFullRun ? 20 : 2))
  func `a damaged index is an error or is read, never a crash`(seed: UInt64) throws {
    print("index fuzz: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var (parsed, refused) = (0, 0)
    let sink = try SystemFileStore().opening(
      Array("/dev/null".utf8), in: AT_FDCWD, flags: O_WRONLY)
    for sample in try samples() {
      #expect(try look(at: sample, sink.number), "an undamaged one is read")
      for _ in 0..<(isFullRun ? 20_000 : 3_000) {
        if try look(at: damaged(sample, &random), sink.number) { parsed += 1 } else { refused += 1 }
      }
    }
    #expect(parsed > 100 && refused > 100, "both happen: \(parsed), \(refused)")
  }

  private func damaged(_ sample: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = sample
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
    case 1:
      let start = Int.random(in: 0..<bytes.count, using: &random)
      bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...70, using: &random)))
    case 2:
      let start = Int.random(in: 0..<bytes.count, using: &random)
      bytes.insert(
        contentsOf: (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }, at: start)
    default:
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        bytes[at] = random.chance(2) ? 0xFF : UInt8.random(in: 0...255, using: &random)
      }
    }
    return bytes
  }

  /// Reads all that an index offers and patches it; `false` where it is refused.
  private func look(at bytes: [UInt8], _ sink: Int32) throws -> Bool {
    let memory = try Guarded(bytes)
    let index: IndexFile
    do {
      index = try IndexFile(bytes: memory.bytes, written: Self.written, owner: memory)
    } catch {
      #expect(error.code == .damaged || error.code == .unsupported)
      return false
    }
    var sum = 0
    for row in index.table.rows {
      sum &+= Int(row.size) &+ row.path.bytes.count &+ row.id.hashValue
    }
    for path in ["", "b", "b/d", "long/longer"] as [RelativePath] {
      sum &+= index.cachedTree(of: path)?.hashValue ?? 0
    }
    sum &+= index.unmergedPaths.count + (index.verifyChecksum() ? 1 : 0)
    let entry = StatEntry(mode: 0x0101_0101, id: ObjectID(bytes: [UInt8](repeating: 1, count: 20)))
    let changes = ["a", "b/d/e", "b/d/g", "c/new", "long/longer/longest.md"].map {
      IndexPatch.Change(path: $0, entry: $0 == "b/d/e" ? nil : entry)
    }
    let folders = FolderChange(
      old: index.cacheTreeRoot, new: .emptyBlob,
      children: [Array("b".utf8): FolderChange(old: index.cachedTree(of: "b"), new: .emptyTree)])
    do {
      let patch = try IndexPatch(of: index, changes: changes, folders: folders)
      try patch.write(to: sink, store: SystemFileStore(), path: [])
    } catch { #expect(error.code == .unsupported) }
    return withExtendedLifetime(index) { sum != Int.min }
  }
}

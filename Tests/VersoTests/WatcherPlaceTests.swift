import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// Roots that go and come back, and disks that tell of nothing.
@Suite struct WatcherPlaceTests {
  /// Whether file systems may be mounted here: root may, outside of most containers.
  private static let canMount: Bool = {
    guard geteuid() == 0, let scratch = try? Scratch() else { return false }
    let mounted = try? run(["mount", "-t", "tmpfs", "tmpfs", scratch.path])
    guard mounted?.status == 0 else { return false }
    let ended = try? run(["umount", scratch.path])
    return ended?.status == 0
  }()
  private static let canFormat = canMount && isInstalled("mkfs.ext4")

  /// A vault one or two folders below a scratch folder.
  private func scene(at folder: String = "vault") async throws -> WatchedVault {
    let scratch = try Scratch()
    try fill(scratch, folder)
    return try await watch(scratch, folder)
  }

  private func fill(_ scratch: Scratch, _ folder: String) throws {
    for name in ["a", "b", "c", "d/e"] {
      try scratch.write("\(name) one\n", to: "\(folder)/\(name).md")
    }
  }

  private func watch(
    _ scratch: Scratch, _ folder: String,
    adjusting adjust: @escaping @Sendable (inout Watcher.Options) -> Void = { _ in }
  ) async throws -> WatchedVault {
    try await WatchedVault(
      scratch, at: folder,
      adjusting: {
        $0.rootCheckInterval = 0.2
        adjust(&$0)
      })
  }

  private static let whole = [
    "a.md": "a one\n", "b.md": "b one\n", "c.md": "c one\n", "d/e.md": "d/e one\n",
  ]
  /// What ``edit`` makes of it.
  private static let edits = [
    SavedVersion(
      "Add 1 note, edit 1, delete 1",
      ["a.md": "a two\n", "b.md": "b one\n", "d/e.md": "d/e one\n", "new.md": "new\n"])
  ]
  private static let edit = "echo a two > a.md; rm c.md; echo new > new.md"

  /// Takes the root away by a script, edits it where it is meanwhile, puts it back: exactly the edits
  /// are saved, and nothing while it is away.
  private func takeAway(
    _ vault: WatchedVault, by away: String, editing place: String?, back: String,
    expected: [SavedVersion]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let scratch = vault.scratch.path
    try await shell(away, in: scratch)
    try await vault.wait("it to be noticed") { $0.isOffline }
    if let place { try await shell(Self.edit, in: "\(scratch)/\(place)") }
    try await shell(back, in: scratch)
    try await vault.wait("the root's return") { $0.isOnline }
    try await vault.expect(
      expected ?? (place == nil ? [] : Self.edits), sourceLocation: sourceLocation)
  }

  // MARK: Other names

  @Test func `a root that is renamed is away, and its return shows what was edited`() async throws {
    let vault = try await scene()
    try await takeAway(vault, by: "mv vault x", editing: "x", back: "mv x vault")
  }

  @Test func `a root whose parent is renamed is away, though no event says so`() async throws {
    let vault = try await scene(at: "p/vault")
    try await takeAway(vault, by: "mv p q", editing: "q/vault", back: "mv q p")
  }

  @Test func `an empty folder in the root's place is no vault whose notes were all deleted`()
    async throws
  {
    let vault = try await scene()
    try await takeAway(
      vault, by: "cp -a vault copy; rm -r vault; mkdir vault", editing: nil,
      back: "rmdir vault; mv copy vault")
  }

  @Test func `a root that is deleted is away, and a copy that comes is compared`() async throws {
    let vault = try await scene()
    try await takeAway(
      vault, by: "cp -a vault copy; rm -r vault", editing: "copy", back: "mv copy vault")
  }

  @Test func `another repository in the root's place is left alone`() async throws {
    let vault = try await scene()
    try await takeAway(
      vault,
      by: "mv vault x; git init -q vault; echo other > vault/other.md", editing: "x",
      back: "rm -r vault; mv x vault")
  }

  // MARK: Disks

  @Test(
    .enabled(if: canFormat, "no file system can be made and mounted here"),
    arguments: ["umount disk", "umount -l disk"])
  func `a disk that is unmounted is away, and only what was edited elsewhere is saved`(
    away: String
  ) async throws {
    let scratch = try Scratch()
    try await shell(
      """
      mkdir disk other; truncate -s 16M image; mkfs.ext4 -q image; mount -o loop image disk
      """, in: scratch.path)
    do {
      try fill(scratch, "disk")
      let vault = try await watch(scratch, "disk", adjusting: { $0.idleAfter = 0.3 })
      try await waitUntilIdle(vault)
      try await takeAway(
        vault, by: away, editing: nil,
        back: "mount -o loop image other; cd other; \(Self.edit); cd ..; umount other; "
          + "mount -o loop image disk",
        expected: Self.edits)
    } catch { Issue.record(error) }
    try await shell("umount -l disk", in: scratch.path)
  }

  @Test(.enabled(if: canMount, "nothing can be mounted here"))
  func `a file system that is mounted over the root hides it`() async throws {
    let vault = try await scene()
    try await takeAway(
      vault, by: "mount -t tmpfs tmpfs vault; echo other > vault/other.md", editing: nil,
      back: "umount vault")
  }

  @Test(.enabled(if: canMount, "nothing can be mounted here"))
  func `a file system that is mounted over a folder hides its notes, which stay saved`()
    async throws
  {
    let scratch = try Scratch()
    try fill(scratch, "vault")
    let vault = try await watch(
      scratch, "vault", adjusting: { ($0.auditInterval, $0.fullAuditInterval) = (0.3, 0.3) })
    try await shell(
      "mount -t tmpfs tmpfs vault/d; echo other > vault/d/other.md; echo x > vault/x.md",
      in: scratch.path)
    try await vault.wait("the note beside it") { $0.isSaved("Add x.md") }
    try await shell("umount vault/d; echo e two > vault/d/e.md", in: scratch.path)
    let files = Self.whole.merging(["x.md": "x\n"]) { $1 }
    try await vault.expect([
      SavedVersion("Add x.md", files),
      SavedVersion("Edit d/e.md", files.merging(["d/e.md": "e two\n"]) { $1 }),
    ])
    #expect(!vault.changes.contains(.removed("d")))
    #expect(!vault.changes.contains(.removed("d/e.md")))
  }

  @Test(.enabled(if: canMount, "nothing can be mounted here"))
  func `a watcher at rest holds nothing open, so that a disk can be unmounted`() async throws {
    let scratch = try Scratch()
    try await shell("mkdir disk; mount -t tmpfs tmpfs disk", in: scratch.path)
    do {
      try fill(scratch, "disk")
      // The root is compared now and then; that must not be what notices here.
      let vault = try await WatchedVault(
        scratch, at: "disk",
        adjusting: {
          ($0.idleAfter, $0.rootCheckInterval, $0.auditInterval) = (0.3, 600, 1)
        })
      try scratch.write("a two\n", to: "disk/a.md")
      try await vault.wait("the edit") { $0.isSaved("Edit a.md") }
      try await waitUntilIdle(vault)
      #expect(try await shell("umount disk", in: scratch.path) == "")
      try await vault.wait("it to be noticed") { $0.isOffline }
      let end = MonotonicTime.now() + 3
      try await vault.wait("some time to pass") { _ in MonotonicTime.now() > end }
      vault.finish()
      #expect(vault.processorTime < 1, "it does not sleep while the disk is away")
    } catch {
      Issue.record(error)
      try await shell("umount -l disk", in: scratch.path)
    }
  }

  /// Waits until nothing below the root is open in this process.
  private func waitUntilIdle(_ vault: WatchedVault) async throws {
    try await vault.wait("rest") { vault in
      var buffer = [CChar](repeating: 0, count: 4096)
      return !(0..<1024).contains { number in
        let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
        guard count > 0 else { return false }
        let target = String(decoding: buffer[..<count].map(UInt8.init), as: UTF8.self)
        return target == vault.root || target.hasPrefix(vault.root + "/")
      }
    }
  }

  // MARK: Polling

  @Test func `a disk that tells nothing is looked at, and nothing is missed`() async throws {
    let scratch = try Scratch()
    try fill(scratch, "vault")
    let vault = try await watch(
      scratch, "vault", adjusting: { ($0.polls, $0.pollInterval) = (true, 0.3) })
    func then(_ script: String, _ subject: String) async throws {
      try await shell(script, in: vault.root)
      try await vault.wait(subject) { $0.subjects.last == subject }
    }
    try await then("echo a two > a.md", "Edit a.md")
    try await then("mkdir -p n/o; echo new > n/o/p.md", "Add n/o/p.md")
    try await then("mv n m", "Rename n/o/p.md to m/o/p.md")
    try await then("mv b.md m/b.md", "Rename b.md to m/b.md")
    try await then("rm c.md", "Delete c.md")
    try await then("printf 'a 222\\n' > a.md", "Edit a.md")
    try await then("git reset -q HEAD~1; git commit -q --allow-empty -m mine", "Edit a.md")
    try await vault.waitForLast()
    vault.finish()
    #expect(try vault.git("status", "--porcelain").text == "")
    #expect(
      try vault.files(in: "HEAD") == [
        "a.md": "a 222\n", "m/b.md": "b one\n", "d/e.md": "d/e one\n", "m/o/p.md": "new\n",
        "last.md": "last\n",
      ])
    #expect(vault.limits.count == 1)
    #expect(vault.changes.contains(.renamed(from: "n", to: "m")))
  }
}

extension WatchedVault {
  var isOffline: Bool {
    for event in events.reversed() {
      if case .offline = event { return true }
      if case .online = event { return false }
    }
    return false
  }
  var isOnline: Bool { !isOffline }
  var limits: [String] {
    events.compactMap { if case .limited(let text) = $0 { text } else { nil } }
  }
  var waits: [VersoError] {
    events.compactMap { if case .waiting(let error) = $0 { error } else { nil } }
  }
}

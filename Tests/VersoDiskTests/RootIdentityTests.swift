import Glibc
import Testing
import VersoDisk
import VersoTestSupport

@Suite struct `Root identity` {
  let desk: Desk
  init() throws {
    desk = try Desk()
    mkdir(desk.at(".git"), 0o755)
    mkdir(desk.scratch.at("gitdir"), 0o755)
  }

  private func look(_ root: String = "vault", inside: Bool = true) throws -> RootIdentity {
    let store = SystemFileStore()
    let root = try store.opening(Array(desk.scratch.at(root).utf8), in: -100, flags: O_RDONLY)
    if inside {
      return try RootIdentity(root: root.number, marker: .inside(Array(".git".utf8)), store: store)
    }
    let folder = try store.opening(
      Array(desk.scratch.at("gitdir").utf8), in: -100, flags: O_RDONLY)
    return try RootIdentity(root: root.number, marker: .outside(folder.number), store: store)
  }

  private func differences(
    _ now: RootIdentity, _ earlier: RootIdentity, _ since: RootIdentity.Since
  ) -> [RootIdentity.Mismatch.Difference]? {
    now.mismatch(with: earlier, since: since)?.differences
  }

  @Test func `is the same as long as nothing happens, and when the root is renamed`() throws {
    let before = try look()
    try desk.write("x", to: "note.md")
    #expect(try look() == before)
    rename(desk.scratch.at("vault"), desk.scratch.at("renamed"))
    #expect(try differences(look("renamed"), before, .thisProcess) == nil)
  }

  @Test(arguments: [true, false])
  func `survives being written down`(inside: Bool) throws {
    let identity = try look(inside: inside)
    #expect(RootIdentity(encoded: identity.encoded) == identity)
    var unborn = identity
    (unborn.root.born, unborn.marker.born) = (nil, nil)
    #expect(RootIdentity(encoded: unborn.encoded) == unborn)
    #expect(unborn != identity)
    // Torn at any byte it is no record, but for the newline.
    for count in 0..<(identity.encoded.count - 1) {
      let read = RootIdentity(encoded: Array(identity.encoded.prefix(count)))
      #expect(read == nil || read?.fileSystem != identity.fileSystem)
    }
    #expect(RootIdentity(encoded: Array("2 ".utf8) + identity.encoded.dropFirst(2)) == nil)
  }

  @Test func `differs when another folder takes the place of the root`() throws {
    let before = try look()
    rename(desk.scratch.at("vault"), desk.scratch.at("old"))
    mkdir(desk.scratch.at("vault"), 0o755)
    // Emptied: the marker is gone, which is an error of its own.
    #expect(throws: DiskError.self) { _ = try look() }
    mkdir(desk.at(".git"), 0o755)
    let found = try #require(try look().mismatch(with: before, since: .thisProcess))
    #expect(found.differences == [.root, .marker])
    #expect(found.description.contains("another folder"))
  }

  @Test func `differs when the git directory is replaced while it is open`() throws {
    let before = try look()
    rmdir(desk.at(".git"))
    mkdir(desk.at(".git"), 0o755)
    #expect(try differences(look(), before, .thisProcess) == [.marker])
  }

  @Test func `differs by device alone while it is open, as after a snapshot swap`() throws {
    let before = try look()
    var now = before
    now.root.device += 1
    #expect(differences(now, before, .thisProcess) == [.fileSystem])
    now = before
    now.fileSystem += 1
    #expect(differences(now, before, .thisProcess) == [.fileSystem])
  }

  @Test(.enabled(if: access("/dev/shm", W_OK) == 0))
  func `tells another disk from this one`() throws {
    let before = try look()
    let other = try Scratch()
    let shm = "/dev/shm/\(other.path.split(separator: "/").last ?? "x")"
    mkdir(shm, 0o755)
    mkdir(shm + "/.git", 0o755)
    defer {
      rmdir(shm + "/.git")
      rmdir(shm)
    }
    let store = SystemFileStore()
    let root = try store.opening(Array(shm.utf8), in: -100, flags: O_RDONLY)
    let now = try RootIdentity(
      root: root.number, marker: .inside(Array(".git".utf8)), store: store)
    #expect(differences(now, before, .thisProcess)?.contains(.fileSystem) == true)
  }

  @Test func `lets a vault be moved, copied and restored between runs`() throws {
    let before = try look()
    try run(["cp", "-a", desk.scratch.at("vault"), desk.scratch.at("copy")])
    let copy = try look("copy")
    #expect(copy.root.inode != before.root.inode)
    #expect(differences(copy, before, .earlierRun) == nil)
  }

  @Test func `lets devices be numbered anew between runs`() throws {
    for inside in [true, false] {
      let before = try look(inside: inside)
      var now = before
      now.root.device += 1
      now.marker.device += 1
      // XFS makes its identity of the device number.
      (now.fileSystemType, now.fileSystem) = (0x5846_5342, 7)
      #expect(differences(now, before, .earlierRun) == nil)
    }
  }

  @Test func `knows an unmounted root by its other inode where the git directory is elsewhere`()
    throws
  {
    let before = try look(inside: false)
    rename(desk.scratch.at("vault"), desk.scratch.at("disk"))
    mkdir(desk.scratch.at("vault"), 0o755)
    #expect(try differences(look(inside: false), before, .earlierRun) == [.root])
  }

  @Test func `knows another disk whose root has the same inode by its birth or identity`() throws {
    let before = try look(inside: false)
    var now = before
    now.root.born = Timestamp(seconds: 1, nanoseconds: 2)
    #expect(differences(now, before, .earlierRun) == [.root])
    now.root.born = nil
    (now.fileSystemType, now.fileSystem) = (0xEF53, before.fileSystem + 1)
    var ext4 = before
    ext4.fileSystemType = 0xEF53
    #expect(differences(now, ext4, .earlierRun) == [.fileSystem])
  }

  @Test func `is an error, not a match, where the disk fails`() throws {
    for call in [FailingFileStore.Call.status, .fileSystem] {
      let store = FailingFileStore(failing: 1, with: EIO, call: call)
      #expect(throws: DiskError.self) {
        _ = try RootIdentity(
          root: desk.root, marker: .inside(Array(".git".utf8)), store: store)
      }
    }
  }
}

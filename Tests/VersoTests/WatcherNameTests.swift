import CLinux
import Foundation
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// Odd names and things that are no notes, on a real disk and the real clock.
@Suite struct WatcherNameTests {
  @Test func `names are saved byte for byte, whatever bytes they are`() async throws {
    let scene = try await Scene(settle: 1)
    let names: [[UInt8]] = [
      Array("two\nlines.md".utf8), [0x66, 0xFF, 0xFE, 0x2E, 0x6D, 0x64],
      Array(repeating: UInt8(ascii: "n"), count: 255), Array("trailing ".utf8),
      Array(" leading".utf8), Array("a\tb\"c\\d".utf8), Array("-rf".utf8),
      // The same letter, composed and not.
      Array("caf\u{E9}.md".utf8), Array("cafe\u{301}.md".utf8),
      Array("fold\ner/\u{1F4DD} deep".utf8) + [0x80],
    ]
    for (number, name) in names.enumerated() {
      try scene.vault.scratch.write(Array("\(number)\n".utf8), to: name)
    }
    try await scene.vault.wait("the names") { !$0.subjects.isEmpty }
    try await scene.vault.waitForLast()
    scene.vault.finish()
    #expect(scene.vault.subjects == ["Add 10 notes", "Add last.md"])
    let listed = try scene.vault.git("ls-tree", "-r", "-z", "--name-only", "HEAD~1").output
    let there = Set(listed.split(separator: 0).map(Array.init))
    #expect(there == Set(names + [Array("note.md".utf8)]))
    for (number, name) in names.enumerated() {
      let revision = Array("HEAD:".utf8) + name + [UInt8(ascii: "\n")]
      if name.contains(UInt8(ascii: "\n")) { continue }
      let content = try scene.vault.git("cat-file", "--batch", input: revision).text
      #expect(content.hasSuffix("\n\(number)\n\n"), "\(name): \(content)")
    }
    #expect(
      Set(scene.vault.changes.compactMap { if case .added(let path, _) = $0 { path } else { nil } })
        == Set((names + [Array("last.md".utf8)]).map { RelativePath(unchecked: $0) }))
    #expect(try scene.vault.git("status", "--porcelain").text == "")
  }

  @Test func `pipes, sockets and devices are never opened, and hold up nothing`() async throws {
    let scene = try await Scene()
    let listener = try Listener(on: scene.root)
    #expect(mkfifo("\(scene.root)/fifo", 0o600) == 0)
    let socketFile = try bindSocket("\(scene.root)/sock")
    defer { close(socketFile) }
    var special: Set<String> = ["fifo", "sock"]
    if mknod("\(scene.root)/null", S_IFCHR | 0o600, makedev(1, 3)) == 0 { special.insert("null") }
    try await scene.play(
      "ln -s fifo link", [SavedVersion("Add link", ["note.md": "one\n", "link": "-> fifo"])])
    let opened = listener.opened()
    #expect(opened.contains("last.md"), "the listener is deaf")
    #expect(opened.isDisjoint(with: special))
  }

  private func makedev(_ major: UInt64, _ minor: UInt64) -> dev_t { dev_t(major << 8 | minor) }

  private func bindSocket(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The path is short or the test's own folder is somewhere odd.
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure("\(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard result == 0 else { throw Failure("bind: errno \(errno)") }
    return descriptor
  }

  /// Hears which names in a folder are opened.
  private final class Listener {
    private let descriptor: Int32

    init(on folder: String) throws {
      descriptor = verso_inotify()
      let open = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(open) }
      let isOpen: UInt32 = 0x20
      guard verso_inotify_add(descriptor, open, isOpen) >= 0 else {
        throw Failure("cannot listen to \(folder)")
      }
    }

    deinit { close(descriptor) }

    func opened() -> Set<String> {
      var names: Set<String> = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return names }
        var offset = 0
        while offset < count {
          let length = Int(buffer[offset + 12]) | Int(buffer[offset + 13]) << 8
          let name = buffer[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
          names.insert(String(decoding: name, as: UTF8.self))
          offset += 16 + length
        }
      }
    }
  }

  @Test func `links are saved as links and never followed, loops included`() async throws {
    let scene = try await Scene(settle: 1)
    try await scene.play(
      """
      mkdir "$OUT/far"; echo far > "$OUT/far/x.md"
      mkdir d; ln -s d d/loop 2> /dev/null; ln -s . self; ln -s loop2 loop1; ln -s loop1 loop2
      ln -s .. d/up; ln -s /nowhere dangling; ln -s "$OUT/far" far
      """,
      [
        SavedVersion(
          "Add 7 notes",
          [
            "note.md": "one\n", "d/loop": "-> d", "self": "-> .", "loop1": "-> loop2",
            "loop2": "-> loop1", "d/up": "-> ..", "dangling": "-> /nowhere",
            "far": "-> \(scene.outside.path)/far",
          ])
      ])
    #expect(scene.vault.changes.contains(.added("self", .link)))
  }

  @Test func `a link that takes a folder's place is one, and what was in the folder is deleted`()
    async throws
  {
    let scene = try await Scene(["note.md": "one\n", "d/x.md": "two\n", "e.md": "three\n"])
    try await scene.play(
      "mv d \"$OUT/d\"; ln -s \"$OUT/d\" d",
      [
        SavedVersion(
          "Add 1 note, delete 1",
          ["note.md": "one\n", "e.md": "three\n", "d": "-> \(scene.outside.path)/d"])
      ])
  }

  /// Takes the right to read everything, which root has, from the calling thread alone.
  @Sendable private static func giveUpRights() {
    typealias Call = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Int32
    guard geteuid() == 0, let symbol = dlsym(nil, "capset") else { return }
    // capset(2): version 3, this thread; two sets each of effective, permitted, inheritable, without
    // CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
    let header: [UInt32] = [0x2008_0522, 0]
    let low: UInt32 = 0x1FF & ~0b110
    let result = unsafeBitCast(symbol, to: Call.self)(header, [low, low, 0, 0, 0, 0] as [UInt32])
    precondition(result == 0, "capset: errno \(errno)")
  }

  @Test func `what cannot be read keeps its last version, and is saved once it can`() async throws {
    let scene = try await Scene(
      ["note.md": "one\n", "a.md": "two\n", "d/x.md": "three\n"], preparing: Self.giveUpRights)
    try await scene.run("echo locked > a.md; chmod 000 a.md; chmod 000 d; echo two > note.md")
    try await scene.vault.wait("the readable note") { $0.isSaved("Edit note.md") }
    try await scene.vault.wait("it to be named") { vault in
      vault.saves.contains { $0.newlySkipped.contains { $0.path == "a.md" } }
    }
    #expect(!scene.vault.changes.contains(.removed("d/x.md")))
    #expect(!scene.vault.changes.contains(.removed("d")))
    #expect(scene.vault.subjects == ["Edit note.md"])
    try await scene.run("chmod 644 a.md")
    try await scene.vault.wait("the note that can be read again") { $0.isSaved("Edit a.md") }
    try await scene.run("echo four > d/y.md")
    try await scene.run("chmod 755 d")
    let files = ["note.md": "two\n", "a.md": "locked\n", "d/x.md": "three\n"]
    try await scene.vault.expect([
      SavedVersion("Edit note.md", files.merging(["a.md": "two\n"]) { $1 }),
      SavedVersion("Edit a.md", files),
      SavedVersion("Add d/y.md", files.merging(["d/y.md": "four\n"]) { $1 }),
    ])
  }
}

import Foundation
import Glibc
import Testing
import VersoDisk
import VersoTestSupport

@testable import Verso

@Suite struct VaultRegistryTests {
  private let home: Scratch
  private let registry: VaultRegistry

  init() throws {
    home = try Scratch("registry")
    registry = Self.registry(["XDG_STATE_HOME": home.path])
  }

  private static func registry(
    _ variables: [String: String], store: any FileStore = SystemFileStore()
  ) -> VaultRegistry {
    VaultRegistry(environment: { variables[$0] }, store: store)
  }

  private func roots() throws -> [String] {
    try registry.all().map { String(decoding: $0.root, as: UTF8.self) }
  }

  @Test func `a vault is noted once, in order, and taken out alone`() throws {
    #expect(try registry.all().isEmpty)
    for root in ["/b", "/a", "/b", "/c c"] { try registry.add(root) }
    #expect(try roots() == ["/b", "/a", "/c c"])
    #expect(home.text(of: "verso/vaults") == "/b\n/a\n/c c\n")
    #expect(try registry.remove(Array("/a".utf8)))
    #expect(try !registry.remove(Array("/a".utf8)))
    #expect(try roots() == ["/b", "/c c"])
  }

  @Test func `any name survives, and what a person wrote is kept`() throws {
    let name = "/ü\n\"x\\\t\u{202E}"
    try registry.add(name)
    #expect(try roots() == [name])
    let line = home.text(of: "verso/vaults") ?? ""
    #expect(line.split(separator: "\n").count == 1)
    try home.write(
      Array("# mine\nrelative\n\n".utf8) + Array(line.utf8) + [0x2F, 0xFF, 0x0A, 0x2F, 0x7A],
      to: Array("verso/vaults".utf8))
    #expect(try registry.all().map(\.root) == [Array(name.utf8), [0x2F, 0xFF], Array("/z".utf8)])
    try registry.add("/new")
    let all = home.bytes(of: "verso/vaults") ?? []
    #expect(all.starts(with: "# mine\nrelative\n".utf8))
    // The one byte that is no UTF-8 stands as it was.
    #expect(all.split(separator: 0x0A).contains([0x2F, 0xFF]))
    #expect(try registry.remove([0x2F, 0xFF]))
    #expect(try registry.all().map(\.root).contains([0x2F, 0xFF]) == false)
  }

  @Test func `a vault that is gone is listed as missing, with the reason`() throws {
    try home.write("", to: "vault/.git/HEAD")
    try home.write("", to: "plain/note.md")
    try home.write("", to: "file")
    for name in ["vault", "plain", "file", "nothing"] { try registry.add(home.at(name)) }
    try home.write(
      Array((home.text(of: "verso/vaults") ?? "").utf8) + [0x2F, 0xFF, 0x0A],
      to: Array("verso/vaults".utf8))
    let states = try registry.all().map(\.state)
    #expect(states[0] == .present(home.at("vault")))
    #expect(states[1] == .missing("no vault is there"))
    #expect(states[2] == .missing("no directory"))
    #expect(states[3] == .missing("No such file or directory"))
    guard case .missing(let reason) = states[4] else { throw Failure("present") }
    #expect(reason.contains("UTF-8"))
  }

  @Test func `many at once lose none`() async throws {
    let registry = registry
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 { group.addTask { try registry.add("/vault/\(number)") } }
      try await group.waitForAll()
    }
    #expect(try Set(roots()) == Set((0..<60).map { "/vault/\($0)" }))
    let left = try FileManager.default.contentsOfDirectory(atPath: home.at("verso"))
    #expect(Set(left) == ["lock", "vaults"])
  }

  @Test func `a failed write leaves the list as it was`() throws {
    try registry.add("/a")
    for call in [FailingFileStore.Call.write, .fsync, .rename] {
      let store = FailingFileStore(failing: 1, with: ENOSPC, call: call)
      let other = Self.registry(["XDG_STATE_HOME": home.path], store: store)
      #expect(throws: VersoError.self, "\(call)") { try other.add("/b") }
      #expect(try roots() == ["/a"])
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: home.at("verso"))
    #expect(Set(left) == ["lock", "vaults"])
  }

  @Test func `the file lies where the environment says, else in the home directory`() throws {
    #expect(registry.file == home.at("verso/vaults"))
    let inHome = Self.registry(["HOME": home.path])
    #expect(inHome.file == home.at(".local/state/verso/vaults"))
    try inHome.add("/a")
    #expect(home.text(of: ".local/state/verso/vaults") == "/a\n")
    // A relative one is to be ignored; nothing set means the user database.
    let relative = Self.registry(["XDG_STATE_HOME": "state", "HOME": home.path])
    #expect(relative.file == inHome.file)
    let record = try #require(getpwuid(geteuid()))
    let base = String(cString: record.pointee.pw_dir)
    #expect(Self.registry([:]).file == "\(base)/.local/state/verso/vaults")
  }

  @Test func `a home directory that is missing is not made`() throws {
    let missing = Self.registry(["HOME": home.at("gone")])
    #expect(throws: VersoError.self) { try missing.add("/a") }
    #expect(try missing.all().isEmpty)
    #expect(access(home.at("gone"), F_OK) != 0)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `root writes nothing below another user's home`() throws {
    #expect(chown(home.path, 65534, 65534) == 0)
    let file = Self.registry(["HOME": home.path]).file
    #expect(file?.hasPrefix(home.path) == false)
  }
}

import Glibc
import Testing
import Verso
import VersoModel
import VersoTestSupport

/// Who may not read a note may not read what Verso makes of it under another name.
@Suite struct ModeMaskTests {
  private static func mode(_ path: String) -> mode_t? {
    Walk.status(of: Array(path.utf8)).map { $0.st_mode & 0o777 }
  }

  private static func mode(_ device: Device, _ path: String) -> mode_t? {
    mode(device.full(path))
  }

  private static func text(_ name: String) -> String {
    (1...20).map { "line \($0) of \(name)\n" }.joined()
  }

  /// Two devices with the same notes; on `here` some are not for everybody.
  private static func devices(
    _ names: [String], private modes: [String: mode_t]
  ) throws -> (fleet: Fleet, here: Device, there: Device) {
    let fleet = try Fleet(["here", "there"])
    for name in names { fleet["here"].write(text(name), name) }
    try fleet["here"].sync()
    try fleet["there"].sync()
    for (path, mode) in modes { #expect(chmod(fleet["here"].full(path), mode) == 0) }
    return (fleet, fleet["here"], fleet["there"])
  }

  @Test func `a private note that others rename and edit stays private`() throws {
    let (fleet, here, there) = try Self.devices(
      ["a.md", "b.md", "c.md"], private: ["a.md": 0o600, "c.md": 0o440])
    there.move("a.md", "d/e.md")
    there.append("more\n", "d/e.md")
    there.move("b.md", "f.md")
    there.move("c.md", "g.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("d/e.md") == Self.text("a.md") + "more\n")
    #expect(Self.mode(here, "d/e.md") == 0o600 && Self.mode(here, "d") == 0o755)
    #expect(Self.mode(here, "f.md") == 0o644 && Self.mode(here, "g.md") == 0o440)
    #expect(Self.mode(there, "d/e.md") == 0o644)
  }

  @Test func `a private folder that others rename stays private, and what goes on below it too`()
    throws
  {
    let (fleet, here, there) = try Self.devices(["a/b/n.md"], private: ["a": 0o500])
    there.move("a/b/n.md", "c/d/n.md")
    there.remove("a/b/n.md")
    // The folder is not for its owner to change either: what is in it may not go.
    chmod(here.full("a"), 0o700)
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["c/d/n.md"])
    #expect(Self.mode(here, "c") == 0o700 && Self.mode(here, "c/d") == 0o700)
    #expect(Self.mode(here, "c/d/n.md") == 0o644)
  }

  @Test func `the conflict copy of a private note is private`() throws {
    let (fleet, here, there) = try Self.devices(["a.md"], private: ["a.md": 0o600])
    chmod(there.full("a.md"), 0o600)
    for device in [here, there] {
      device.write("another text of \(device.name)\n", "a.md")
      chmod(device.full("a.md"), 0o600)
    }
    #expect(try fleet.settle() == [])
    let files = here.files().keys.sorted()
    #expect(files.count == 2)
    for device in [here, there] {
      #expect(files.map { Self.mode(device, $0) } == [0o600, 0o600])
    }
  }

  @Test func `a private program is private under another name, and runs`() throws {
    let (fleet, here, there) = try Self.devices(["a.sh"], private: [:])
    here.write(.init(kind: .executable, bytes: Array(Self.text("a.sh").utf8)), "a.sh")
    #expect(try fleet.settle() == [])
    chmod(here.full("a.sh"), 0o700)
    there.move("a.sh", "b.sh")
    #expect(try fleet.settle() == [])
    #expect(Self.mode(here, "b.sh") == 0o700 && Self.mode(there, "b.sh") == 0o755)
  }

  @Test func `a copy, a move undone and an old version beside it are as private as the note`()
    async throws
  {
    let scratch = try Scratch(inMemory: true)
    for name in ["a.md", "p/q.md"] { try scratch.write(Self.text(name), to: name) }
    let vault = try await Vault.create(at: scratch.path)
    chmod(scratch.at("a.md"), 0o600)
    chmod(scratch.at("p"), 0o700)
    _ = try await vault.perform(.copy([.init("a.md", "b.md"), .init("p", "r")]))
    func modes(_ names: String...) -> [mode_t?] { names.map { Self.mode(scratch.at($0)) } }
    #expect(modes("b.md", "r", "r/q.md") == [0o600, 0o700, 0o644])
    for redoing in [false, true] { _ = try await vault.takeBack(redoing: redoing) }
    _ = try await vault.perform(.move([.init("a.md", "c.md")]))
    _ = try await vault.takeBack(redoing: false)
    #expect(modes("a.md") == [0o600] && !scratch.exists("c.md"))
    _ = try await vault.takeBack(redoing: true)
    #expect(modes("c.md") == [0o600])
    var request = RestoreRequest(path: "p/q.md")
    request.destination = "old/q.md"
    _ = try Engine(root: scratch.path).restore(request)
    #expect(modes("old", "old/q.md") == [0o700, 0o644])
  }
}

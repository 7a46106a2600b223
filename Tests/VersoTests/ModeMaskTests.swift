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
    let (fleet, here, there) = try Self.devices(["a/b/n.md"], private: ["a": 0o700])
    there.move("a/b/n.md", "c/d/n.md")
    there.remove("a/b")
    // What comes first into the new folder, a link too, does not open it for all.
    there.write("new\n", "c/a.md")
    there.write(.init(kind: .link, bytes: Array("d".utf8)), "c/0")
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["c/0", "c/a.md", "c/d/n.md"])
    #expect(Self.mode(here, "c") == 0o700 && Self.mode(here, "c/d") == 0o700)
    #expect(Self.mode(here, "c/d/n.md") == 0o644 && Self.mode(here, "c/a.md") == 0o644)
  }

  @Test func `a note that others take out of a private folder is private by itself`() throws {
    let (fleet, here, there) = try Self.devices(
      ["a/n.md", "a/m.md", "b/x.md", "y.md"], private: ["a": 0o750])
    there.move("a/n.md", "b/n.md")
    there.move("a/m.md", "a/k.md")
    there.move("y.md", "b/y.md")
    #expect(try fleet.settle() == [])
    #expect(Self.mode(here, "b") == 0o755 && Self.mode(here, "b/n.md") == 0o640)
    #expect(Self.mode(here, "a/k.md") == 0o644 && Self.mode(here, "b/y.md") == 0o644)
  }

  @Test func `a copy that others make of a private note is private`() throws {
    let (fleet, here, there) = try Self.devices(["a.md", "b.md"], private: ["a.md": 0o600])
    there.write(Self.text("a.md"), "c.md")
    there.write(Self.text("b.md"), "d.md")
    there.write("", "e.md")
    #expect(try fleet.settle() == [])
    #expect(Self.mode(here, "c.md") == 0o600)
    #expect(Self.mode(here, "d.md") == 0o644 && Self.mode(here, "e.md") == 0o644)
  }

  @Test func `a private note that others rename is private although it may not be looked at`()
    throws
  {
    let (fleet, here, there) = try Self.devices(["p/a.md", "z.md"], private: ["p/a.md": 0o600])
    there.move("p/a.md", "c/a.md")
    there.append("more\n", "z.md")
    try there.sync()
    try here.sync(
      FailingFileStore { event in event.path.hasSuffix("p/a.md") ? EACCES : nil })
    // The others come all the same.
    #expect(here.text("z.md") == Self.text("z.md") + "more\n")
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["c/a.md", "z.md"])
    #expect(Self.mode(here, "c/a.md").map { $0 & 0o077 } == 0)
  }

  @Test func `a private note is private after a kill, too`() throws {
    let before = try Self.devices(["a.md", "b.md"], private: ["a.md": 0o600]).fleet
    before["there"].move("a.md", "c.md")
    before["there"].append("more\n", "c.md")
    try before["there"].sync()
    var number = 0
    var isDone = false
    while !isDone {
      let fleet = try Fleet(copying: before)
      let here = fleet["here"]
      number += 1
      let (at, count) = (number, Locked(0))
      // From the first call that takes a file away or brings one on, all fail.
      let store = FailingFileStore { event in
        guard [.rename, .link, .linkDescriptor, .unlink, .fsync, .write].contains(event.call)
        else { return nil }
        return count.withLock { count in
          count += 1
          return count > at * 3 ? EIO : nil
        }
      }
      do { try here.sync(store) } catch {}  // Whatever it says, the next one goes on.
      isDone = count.withLock { $0 } <= at * 3
      #expect(try fleet.settle() == [])
      #expect(here.files().keys.sorted() == ["b.md", "c.md"])
      #expect(Self.mode(here, "c.md") == 0o600, "\(number)")
    }
    #expect(number > 3)
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

  @Test(arguments: ["here", "there"])
  func `a private note that is renamed and in conflict is private under both names`(
    renaming: String
  ) throws {
    let (fleet, here, there) = try Self.devices(["a.md"], private: ["a.md": 0o600])
    chmod(there.full("a.md"), 0o600)
    for device in [here, there] {
      let text = Self.text("a.md").replacing("line 7 ", with: "seven \(device.name) ")
      device.write(text, "a.md")
      chmod(device.full("a.md"), 0o600)
    }
    fleet[renaming].move("a.md", "e.md")
    #expect(try fleet.settle() == [])
    for device in [here, there] {
      let files = device.files().keys.sorted()
      #expect(files.count == 2 && files.map { Self.mode(device, $0) } == [0o600, 0o600])
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
    let first = try #require(try ObjectID(hex: scratch.git("rev-parse", "HEAD")))
    chmod(scratch.at("a.md"), 0o600)
    chmod(scratch.at("p"), 0o700)
    _ = try await vault.perform(.copy([.init("a.md", "b.md"), .init("p", "r")]))
    func modes(_ names: String...) -> [mode_t?] { names.map { Self.mode(scratch.at($0)) } }
    #expect(modes("b.md", "r", "r/q.md") == [0o600, 0o700, 0o644])
    for redoing in [false, true] { _ = try await vault.takeBack(redoing: redoing) }
    #expect(modes("b.md", "r/q.md") == [0o600, 0o600])
    _ = try await vault.perform(.move([.init("a.md", "c.md")]))
    _ = try await vault.takeBack(redoing: false)
    #expect(modes("a.md") == [0o600] && !scratch.exists("c.md"))
    _ = try await vault.takeBack(redoing: true)
    #expect(modes("c.md") == [0o600])
    var request = RestoreRequest(path: "p/q.md")
    request.destination = "old/q.md"
    _ = try Engine(root: scratch.path).restore(request)
    #expect(modes("old", "old/q.md") == [0o700, 0o644])
    // One that is there no more, of a folder that still is.
    _ = try await vault.perform(.delete(["p/q.md"]))
    request.place = try Engine(root: scratch.path).place(of: "p/q.md", at: first)
    request.destination = "older.md"
    _ = try Engine(root: scratch.path).restore(request)
    #expect(modes("p", "older.md") == [0o700, 0o600])
  }
}

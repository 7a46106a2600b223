import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@Suite struct `Folders of a replaced file` {
  let desk: Desk
  init() throws { desk = try Desk() }

  @Test func `are made from the root down, and told`() throws {
    let safe = desk.replacer()
    #expect(try safe.makeFolders(for: "a/b/c/note.md") == ["a", "a/b", "a/b/c"])
    #expect(try safe.makeFolders(for: "a/b/d/note.md") == ["a/b/d"])
    #expect(try safe.makeFolders(for: "note.md") == [])
    #expect(try desk.list() == ["a", "a/b", "a/b/c", "a/b/d"])
  }

  @Test func `are not made through a link or a file`() throws {
    mkdir(desk.scratch.at("outside"), 0o755)
    symlink("../outside", desk.at("a"))
    try desk.write("x", to: "file")
    let safe = desk.replacer()
    #expect(try refusal { _ = try safe.makeFolders(for: "a/b/n") }.reason == .blocked("a"))
    #expect(try refusal { _ = try safe.makeFolders(for: "file/b/n") }.reason == .blocked("file"))
    #expect(try refusal { _ = try safe.makeFolders(for: ".git/b/n") }.reason == .protected)
    #expect(try desk.list("outside") == [])
  }

  @Test func `are removed while they are empty and allowed`() throws {
    let safe = desk.replacer()
    _ = try safe.makeFolders(for: "a/b/c/d/note.md")
    try desk.write("x", to: "a/b/keep.md")
    #expect(
      try safe.removeEmptyFolders(above: "a/b/c/d/note.md") { _ in true } == ["a/b/c/d", "a/b/c"])
    #expect(try desk.list() == ["a", "a/b", "a/b/keep.md"])
    unlink(desk.at("a/b/keep.md"))
    #expect(try safe.removeEmptyFolders(above: "a/b/x") { $0 == "a/b" } == ["a/b"])
    #expect(try desk.list() == ["a"])
    #expect(try safe.removeEmptyFolders(above: "a/b/x") { _ in true } == ["a"])
  }

  @Test(arguments: [EACCES, EPERM, EROFS, EBUSY])
  func `stay where they may not be removed, which is no failure`(code: Int32) throws {
    _ = try desk.replacer().makeFolders(for: "a/b/note.md")
    let store = FailingFileStore(failing: 1, with: code, call: .unlink)
    #expect(
      try desk.replacer(store: store).removeEmptyFolders(above: "a/b/note.md") { _ in true } == [])
    #expect(try desk.list() == ["a", "a/b"])
  }

  @Test func `are not removed through a link`() throws {
    mkdir(desk.scratch.at("outside"), 0o755)
    mkdir(desk.scratch.at("outside/empty"), 0o755)
    symlink("../outside", desk.at("a"))
    #expect(try desk.replacer().removeEmptyFolders(above: "a/empty/x") { _ in true } == [])
    #expect(try desk.list("outside") == ["empty"])
  }

  @Test func `are synchronised, those that are gone left out`() throws {
    mkdir(desk.at("a"), 0o755)
    let store = FailingFileStore { _ in nil }
    try desk.replacer(store: store).syncFolders(of: ["a/x", "a/y", "b/x", "z"])
    #expect(store.count(of: .fsync) == 2)
    let failing = FailingFileStore(failing: 1, with: EIO, call: .fsync)
    #expect(throws: DiskError.self) {
      try desk.replacer(store: failing).syncFolders(of: ["a/x"])
    }
  }
}

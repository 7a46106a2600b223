import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@Suite struct `Safe replace` {
  let desk: Desk
  init() throws { desk = try Desk() }

  @Test func `replaces a file and drops the old one once it is known to be unedited`() throws {
    try desk.write("old", to: "a/note.md")
    let safe = desk.replacer()
    let done = try safe.replace(
      "a/note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    #expect(desk.text(of: "a/note.md") == "new")
    #expect(try done.status == desk.status(of: "a/note.md"))
    #expect(try desk.list("stage").count == 1)
    let displaced = try #require(done.displaced)
    #expect(!displaced.looksEdited)
    #expect(safe.settle([displaced])[0].isDropped)
    #expect(try desk.list("stage") == [])
    #expect(try desk.list() == ["a", "a/note.md"])
  }

  @Test func `does without reading where the status is the one that was seen`() throws {
    try desk.write("old", to: "note.md")
    let known = KnownContent(kind: .file, status: try desk.status(of: "note.md")) { _ in false }
    let done = try desk.replacer().replace(
      "note.md", number: 1, with: NewContent("new"), expecting: .known(known))
    #expect(done.status != nil)
  }

  @Test(arguments: [Item.Kind.file, .executable, .link])
  func `writes a new file or link where nothing is`(kind: Item.Kind) throws {
    let time = Timestamp(seconds: 1_000_000_000, nanoseconds: 123_456_789)
    let done = try desk.replacer().replace(
      "new", number: 1, with: NewContent("target", kind, modified: time), expecting: .absent)
    let status = try #require(try desk.status(of: "new"))
    #expect(done.displaced == nil)
    #expect(done.status == status)
    #expect(status.itemKind == kind)
    #expect(status.modified == time)
    #expect(status.links == 1)
    #expect(try desk.content(of: "new") == Array("target".utf8))
    #expect(try desk.list("stage") == [])
  }

  @Test func `gives a new file the group and the ACL of its folder`() throws {
    mkdir(desk.at("shared"), 0o755)
    chown(desk.at("shared"), getuid(), 12345)
    chmod(desk.at("shared"), 0o2775)
    let denied = try desk.status(of: "shared")?.group != 12345
    let noAnonymous = FailingFileStore { event in
      event.call == .open && event.flags & O_WRONLY != 0 && event.flags & O_CREAT == 0
        ? EOPNOTSUPP : nil
    }
    for (number, store) in [SystemFileStore() as any FileStore, noAnonymous].enumerated() {
      let path = RelativePath.root.appending("shared".utf8).appending("f\(number)".utf8)
      _ = try desk.replacer(store: store).replace(
        path, number: number, with: NewContent("x"), expecting: .absent)
      #expect(try desk.status(of: "shared/f\(number)")?.group == 12345 || denied)
    }
    #expect(noAnonymous.count(of: .linkDescriptor) == 0)
  }

  @Test(arguments: [Item.Kind.file, .executable, .link], [Item.Kind.file, .executable, .link])
  func `turns any kind into any other`(from: Item.Kind, to: Item.Kind) throws {
    let safe = desk.replacer()
    _ = try safe.replace("x", number: 1, with: NewContent("old", from), expecting: .absent)
    let done = try safe.replace(
      "x", number: 2, with: NewContent("new", to), expecting: .known(KnownContent("old", from)))
    #expect(try desk.status(of: "x")?.itemKind == to)
    #expect(try desk.content(of: "x") == Array("new".utf8))
    #expect(safe.settle([try #require(done.displaced)])[0].isDropped)
    #expect(try desk.list("stage") == [])
  }

  @Test func `keeps mode, attributes and group, and sets the time asked for`() throws {
    try desk.write("old", to: "note.md")
    let path = desk.at("note.md")
    #expect(setAttribute("user.tag", "blue", path))
    #expect(setAttribute("user.long", String(repeating: "y", count: 500), path))
    chmod(path, 0o4640)
    chown(path, UInt32.max, 12345)
    chmod(path, 0o4640)
    let before = try #require(try desk.status(of: "note.md"))
    let time = Timestamp(seconds: 1_500_000_000, nanoseconds: 5)
    _ = try desk.replacer().replace(
      "note.md", number: 1, with: NewContent("new", modified: time),
      expecting: .known(KnownContent("old")))
    let after = try #require(try desk.status(of: "note.md"))
    #expect(after.mode == before.mode)
    #expect(after.group == before.group)
    #expect(after.owner == before.owner)
    #expect(after.modified == time)
    #expect(attribute("user.tag", path) == Array("blue".utf8))
    #expect(attribute("user.long", path)?.count == 500)
  }

  @Test func `keeps an access list, and takes none from the folder`() throws {
    // Version 2; user::rw-, user:12345:r--, group::r--, mask::r--, other::r-- (acl(5), the layout of
    // the kernel's posix_acl_xattr.h).
    var list: [UInt8] = [2, 0, 0, 0]
    for (tag, permission, id) in [
      (1, 6, UInt32.max), (2, 4, 12345), (4, 4, .max), (16, 4, .max), (32, 4, .max),
    ] {
      list += [UInt8(tag), 0, UInt8(permission), 0]
      withUnsafeBytes(of: id.littleEndian) { list += $0 }
    }
    try desk.write("old", to: "note.md")
    try desk.write("old", to: "plain.md")
    #expect(setAttribute("system.posix_acl_access", list, desk.at("note.md")))
    #expect(setAttribute("system.posix_acl_default", list, desk.at("")))
    try desk.write("", to: "inherits")
    try #require(attribute("system.posix_acl_access", desk.at("inherits")) != nil)
    let safe = desk.replacer()
    for name in ["note.md", "plain.md"] {
      _ = try safe.replace(
        RelativePath.root.appending(name.utf8), number: 1, with: NewContent("new"),
        expecting: .known(KnownContent("old")))
    }
    #expect(attribute("system.posix_acl_access", desk.at("note.md")) == list)
    #expect(attribute("system.posix_acl_access", desk.at("plain.md")) == nil)
  }

  @Test func `leaves a file alone whose attributes cannot be kept`() throws {
    try desk.write("old", to: "note.md")
    #expect(setAttribute("user.tag", "blue", desk.at("note.md")))
    let store = FailingFileStore(failing: 1, with: ENOSPC, call: .setAttribute)
    let refused = try refusal {
      _ = try desk.replacer(store: store).replace(
        "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    }
    guard case .attribute("user.tag", let error) = refused.reason else {
      throw Failure("\(refused)")
    }
    #expect(error.code == ENOSPC)
    #expect(refused.description.contains("user.tag"))
    #expect(desk.text(of: "note.md") == "old")
    #expect(try desk.list("stage") == [])
  }

  @Test func `leaves other names of the file their content and says so`() throws {
    try desk.write("old", to: "note.md")
    link(desk.at("note.md"), desk.scratch.at("elsewhere"))
    let safe = desk.replacer()
    let done = try safe.replace(
      "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    #expect(done.brokeHardLink)
    #expect(safe.settle([try #require(done.displaced)])[0].isDropped)
    #expect(desk.scratch.text(of: "elsewhere") == "old")
    #expect(desk.text(of: "note.md") == "new")
  }

  @Test func `refuses what is not as expected, and touches nothing`() throws {
    try desk.write("other", to: "note.md")
    mkdir(desk.at("folder"), 0o755)
    symlink("other", desk.at("link"))
    let safe = desk.replacer()
    let old = Expected.known(KnownContent("old"))
    func reason(_ path: RelativePath, _ expected: Expected) throws -> ReplaceRefusal.Reason {
      try refusal {
        _ = try safe.replace(path, number: 1, with: NewContent("new"), expecting: expected)
      }.reason
    }
    #expect(try reason("note.md", old) == .changed)
    #expect(try reason("note.md", .known(KnownContent("other", .executable))) == .changed)
    #expect(try reason("note.md", .absent) == .changed)
    #expect(try reason("folder", .absent) == .changed)
    #expect(try reason("folder", old) == .changed)
    #expect(try reason("link", .known(KnownContent("other"))) == .changed)
    #expect(try reason("link", .known(KnownContent("old", .link))) == .changed)
    #expect(try reason("none", old) == .vanished)
    #expect(try reason("none/note.md", .absent) == .vanished)
    #expect(try reason("note.md/below", .absent) == .blocked("note.md"))
    #expect(try reason("link/below", .absent) == .blocked("link"))
    #expect(try reason(".git/config", .absent) == .protected)
    #expect(try reason("a/.GIT/hooks", .absent) == .protected)
    #expect(desk.text(of: "note.md") == "other")
    #expect(try desk.list() == ["folder", "link", "note.md"])
    #expect(try desk.list("stage") == [])
  }

  @Test func `removes a file, and keeps it until it is known to be unedited`() throws {
    try desk.write("old", to: "note.md")
    let safe = desk.replacer()
    let displaced = try safe.remove("note.md", number: 1, expecting: KnownContent("old"))
    #expect(try desk.list() == [])
    #expect(try desk.list("stage") == ["op1-1.old"])
    #expect(safe.settle([displaced])[0].isDropped)
    #expect(try desk.list("stage") == [])
  }

  @Test func `does not remove what is not the expected file`() throws {
    try desk.write("other", to: "note.md")
    let refused = try refusal {
      _ = try desk.replacer().remove("note.md", number: 1, expecting: KnownContent("old"))
    }
    #expect(refused.reason == .changed)
    #expect(desk.text(of: "note.md") == "other")
  }

  @Test func `says which disk and which system are to blame`() throws {
    let refused = try refusal {
      let store = FailingFileStore(failing: 1, with: EXDEV, call: .rename)
      try desk.write("old", to: "note.md")
      _ = try desk.replacer(store: store).replace(
        "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    }
    #expect(refused.reason == .otherFileSystem)
    #expect(try desk.list("stage") == [])
  }

  @Test(.enabled(if: getuid() == 0))
  func `leaves an immutable file alone`() throws {
    try desk.write("old", to: "note.md")
    try #require(try run(["chattr", "+i", desk.at("note.md")]).status == 0)
    defer { _ = try? run(["chattr", "-i", desk.at("note.md")]) }
    let refused = try refusal {
      _ = try desk.replacer().replace(
        "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    }
    guard case .disk(let error) = refused.reason else { throw Failure("\(refused)") }
    #expect(error.code == EPERM)
    #expect(desk.text(of: "note.md") == "old")
    #expect(try desk.list("stage") == [])
  }
}

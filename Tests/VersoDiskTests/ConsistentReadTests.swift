import CLinux
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@Suite struct `Consistent read` {
  let desk: Desk
  init() throws { desk = try Desk() }

  func reason(
    _ path: RelativePath, reader: ConsistentRead? = nil, seen: FileStatus? = nil,
    writers: ConsistentRead.WriterRule = .ignore
  ) throws -> ReadRefusal.Reason {
    do {
      _ = try (reader ?? desk.reader()).content(of: path, seen: seen, writers: writers)
    } catch { return error.reason }
    throw Failure("was read")
  }

  @Test func `returns the bytes and the status that they had`() throws {
    try desk.write("one\n", to: "a/note.md")
    let content = try desk.reader().content(of: "a/note.md", writers: .ignore)
    #expect(content.bytes == Array("one\n".utf8))
    #expect(try content.status == desk.status(of: "a/note.md"))
    #expect(try desk.writersSettled("a/note.md") == .none)
  }

  @Test func `reads an empty file`() throws {
    try desk.write("", to: "empty")
    #expect(try desk.content(of: "empty") == [])
  }

  @Test func `reads the target of a link and does not follow it`() throws {
    mkdir(desk.at("a"), 0o755)
    symlink("../../secret", desk.at("a/link"))
    let content = try desk.reader().content(of: "a/link")
    #expect(content.bytes == Array("../../secret".utf8))
    #expect(content.status.kind == .link)
  }

  @Test func `does not go through a folder that is a link`() throws {
    try desk.scratch.write("secret", to: "outside/note.md")
    symlink("../outside", desk.at("a"))
    #expect(try reason("a/note.md") == .changed)
  }

  @Test func `never opens a FIFO, and does not wait where one appears`() throws {
    try desk.write("", to: "file")
    mkfifo(desk.at("pipe"), 0o644)
    let store = FailingFileStore { _ in nil }
    #expect(try reason("pipe", reader: desk.reader(store: store)) == .notAFile(.special))
    #expect(store.count(of: .open) + store.count(of: .openBeneath) == 0)
    let seen = try desk.status(of: "file")
    #expect(try reason("pipe", seen: seen) == .notAFile(.special))
  }

  @Test func `refuses sockets and folders`() throws {
    mkdir(desk.at("folder"), 0o755)
    #expect(try reason("folder") == .notAFile(.folder))
    #expect(mknod(desk.at("socket"), S_IFSOCK | 0o644, 0) == 0)
    #expect(try reason("socket") == .notAFile(.special))
    try desk.write("", to: "file")
    let seen = try desk.status(of: "file")
    #expect(try reason("socket", seen: seen) == .notAFile(.special))
  }

  @Test func `refuses a file that is open for writing`() throws {
    try desk.write("half", to: "note.md")
    let writer = open(desk.at("note.md"), O_WRONLY | O_CLOEXEC)
    #expect(try reason("note.md", writers: .refuse) == .hasWriter)
    #expect(try desk.reader().content(of: "note.md", writers: .ignore).writers == .some)
    close(writer)
    #expect(try desk.writersSettled("note.md") == .none)
  }

  @Test func `sees a writable mapping whose descriptor is closed`() throws {
    try desk.write("mapped", to: "note.md")
    let file = open(desk.at("note.md"), O_RDWR | O_CLOEXEC)
    let mapping = mmap(nil, 6, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    #expect(mapping != MAP_FAILED)
    #expect(try reason("note.md", writers: .refuse) == .hasWriter)
    munmap(mapping, 6)
    #expect(try desk.writersSettled("note.md") == .none)
  }

  @Test(arguments: [EACCES, EINVAL])
  func `does not know the writers where leases do not work`(code: Int32) throws {
    try desk.write("one", to: "note.md")
    let store = FailingFileStore(failing: 1, with: code, call: .setLease, onwards: true)
    #expect(try desk.reader(store: store).content(of: "note.md").writers == .unknown)
  }

  @Test(arguments: ["one", "longer than before", ""])
  func `notices a change during the read`(text: String) throws {
    try desk.write("old", to: "note.md")
    let path = desk.at("note.md")
    let store = FailingFileStore { event in
      guard event.call == .read, event.numberOfKind == 1 else { return nil }
      let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
      _ = write(file, text, text.utf8.count)
      close(file)
      return nil
    }
    #expect(try reason("note.md", reader: desk.reader(store: store)) == .changed)
  }

  @Test func `does not follow a file that grows for ever`() throws {
    try desk.write("x", to: "log")
    let path = desk.at("log")
    let store = FailingFileStore { event in
      guard event.call == .read else { return nil }
      let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      _ = write(file, "more", 4)
      close(file)
      return nil
    }
    #expect(try reason("log", reader: desk.reader(store: store)) == .changed)
    #expect(store.count(of: .read) <= 2)
  }

  @Test func `tells absence from a failure`() throws {
    try desk.write("x", to: "note.md")
    #expect(try reason("none") == .vanished)
    #expect(try reason("note.md/below") == .vanished)
    for call in [FailingFileStore.Call.status, .openBeneath, .read] {
      let reader = desk.reader(store: FailingFileStore(failing: 1, with: EIO, call: call))
      guard case .unreadable(let error) = try reason("note.md", reader: reader) else {
        throw Failure("\(call) is not unreadable")
      }
      #expect(error.code == EIO)
    }
  }

  @Test func `refuses what is over the limit without reading it`() throws {
    try desk.write("12345", to: "big")
    let store = FailingFileStore { _ in nil }
    #expect(try reason("big", reader: desk.reader(limit: 4, store: store)) == .tooLarge(5))
    #expect(store.count(of: .read) == 0)
    #expect(try desk.reader(limit: 5).content(of: "big", writers: .ignore).bytes.count == 5)
  }

  @Test func `streams a file and checks it afterwards`() throws {
    try desk.write("stream", to: "note.md")
    let (count, status) = try desk.reader().withOpenFile("note.md", writers: .ignore) {
      file, status in
      try SystemFileStore().readingAll(file.number, expected: Int(status.size), path: []).count
    }
    #expect(count == 6)
    #expect(try status == desk.status(of: "note.md"))
    #expect(throws: ReadRefusal(path: "note.md", reason: .changed)) {
      try desk.reader().withOpenFile("note.md", writers: .ignore) { _, _ in
        try desk.write("other", to: "note.md")
      }
    }
  }

  @Test func `notices a link that is pointed elsewhere during the read`() throws {
    symlink("one", desk.at("link"))
    let path = desk.at("link")
    let store = FailingFileStore { event in
      guard event.call == .readLink else { return nil }
      unlink(path)
      symlink("two", path)
      return nil
    }
    #expect(try reason("link", reader: desk.reader(store: store)) == .changed)
  }
}

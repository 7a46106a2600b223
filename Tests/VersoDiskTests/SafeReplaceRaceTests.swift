import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

/// What a user's program does to `a/note.md` in one instant.
enum Act: CaseIterable {
  case editInPlace, renameSave, remove, becomeFolder, becomeLink, becomePipe, swapParent, makeItRun

  /// The user's bytes; what other tools and Verso write differs.
  static let edit = "the user's own words"

  func perform(in scratch: Scratch) {
    let path = scratch.at("vault/a/note.md")
    switch self {
    case .editInPlace: put(Self.edit, path)
    case .renameSave:
      put(Self.edit, scratch.at("beside"))
      rename(scratch.at("beside"), path)
    case .remove: unlink(path)
    case .becomeFolder:
      unlink(path)
      mkdir(path, 0o755)
      put(Self.edit, path + "/inner.md")
    case .becomeLink:
      unlink(path)
      symlink("../../outside/note.md", path)
    case .becomePipe:
      unlink(path)
      mkfifo(path, 0o644)
    case .swapParent:
      rename(scratch.at("vault/a"), scratch.at("vault/moved"))
      symlink("../outside", scratch.at("vault/a"))
    case .makeItRun: chmod(path, 0o755)
    }
  }

  private func put(_ text: String, _ path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    _ = write(file, text, text.utf8.count)
    close(file)
  }
}

/// What the file system under a vault cannot do.
enum Lack: CaseIterable {
  case nothing, exchange, renameFlags, anonymousFiles

  func code(_ event: FailingFileStore.Event) -> Int32? {
    switch (self, event.call) {
    // Nobody cuts the power here. EINVAL counts as "nothing to synchronise".
    case (_, .fsync): EINVAL
    case (.exchange, .rename) where event.flags == 2: EINVAL
    case (.renameFlags, .rename) where event.flags != 0: EINVAL
    case (.anonymousFiles, .open) where event.flags & (O_WRONLY | O_CREAT) == O_WRONLY: EOPNOTSUPP
    default: nil
    }
  }
}

/// What Verso does to `a/note.md`, which holds "old" unless it is to be made.
enum Step: CaseIterable {
  case replace, make, remove, turnIntoLink

  func perform(_ safe: SafeReplace) throws(ReplaceRefusal) -> [Displaced] {
    let old = KnownContent("old")
    let path: RelativePath = "a/note.md"
    switch self {
    case .remove: return [try safe.remove(path, number: 1, expecting: old)]
    case .make:
      _ = try safe.replace(path, number: 1, with: NewContent("new"), expecting: .absent)
      return []
    case .replace, .turnIntoLink:
      let content = NewContent("new", self == .replace ? .file : .link)
      let done = try safe.replace(path, number: 1, with: content, expecting: .known(old))
      return [done.displaced].compactMap { $0 }
    }
  }
}

@Suite struct `Safe replace beside other programs` {
  /// Every act at every call of every step on every file system.
  @Test(arguments: Step.allCases, Lack.allCases)
  func `loses nothing, whatever happens between any two calls`(step: Step, lack: Lack) throws {
    let desk = try Desk()
    for act in Act.allCases {
      var number = 1
      while try race(step, lack, act, at: number, desk) { number += 1 }
      #expect(number > 5)
    }
  }

  /// Returns whether the run had so many calls.
  private func race(_ step: Step, _ lack: Lack, _ act: Act, at number: Int, _ desk: Desk) throws
    -> Bool
  {
    try desk.clear()
    try desk.scratch.write("outside", to: "outside/note.md")
    mkdir(desk.at("a"), 0o755)
    if step != .make { try desk.write("old", to: "a/note.md") }
    let scratch = desk.scratch
    let acted = Locked(false)
    let store = FailingFileStore { event in
      // While the lease is held an open for writing waits, and here nobody would give it back.
      let isLeased = event.call == .setLease && event.flags == F_UNLCK
      let isDue = acted.withLock { acted in
        defer { if event.number >= number, !isLeased { acted = true } }
        return event.number >= number && !isLeased && !acted
      }
      if isDue { act.perform(in: scratch) }
      return lack.code(event)
    }
    let safe = desk.replacer(store: store)
    var displaced: [Displaced]
    var isDone = true
    do throws(ReplaceRefusal) { displaced = try step.perform(safe) } catch {
      isDone = false
      displaced = error.displaced
    }
    var settled = safe.settle(displaced)
    let captured = settled.compactMap(\.edit)
    settled = settled.map(safe.release)
    let place = Comment("\(step) \(lack) \(act) at call \(number)")
    let disk = try desk.list().compactMap { desk.text(of: $0) }
    let wasDisturbed = acted.withLock { $0 }

    switch act {
    case _ where !wasDisturbed: #expect(isDone, place)
    case .editInPlace, .renameSave:
      // What the user wrote is there, or handed over.
      #expect(disk.contains(Act.edit) || captured.contains(Act.edit), place)
    case .becomeFolder: #expect(desk.text(of: "a/note.md/inner.md") == Act.edit, place)
    case .becomeLink:
      #expect(
        isLink(desk.at("a/note.md")) || captured.contains("../../outside/note.md"), place)
    case .becomePipe: #expect(try desk.status(of: "a/note.md")?.kind == .special, place)
    case .remove, .swapParent, .makeItRun: break
    }
    // Nothing outside was followed into.
    #expect(scratch.text(of: "outside/note.md") == "outside", place)
    #expect(try desk.list("outside") == ["note.md"], place)
    // No temporary name is seen, and every displaced file was accounted for.
    // "a/new" is made by an editor that follows the link which was written.
    let names = ["a", "a/note.md", "a/note.md/inner.md", "moved", "moved/note.md", "a/new"]
    #expect(try desk.list().allSatisfy(names.contains), place)
    #expect(try desk.replacer().leftovers().allSatisfy { $0.role == .staged }, place)
    return wasDisturbed
  }

  private func isLink(_ path: String) -> Bool {
    var target = [CChar](repeating: 0, count: 64)
    return readlink(path, &target, 64) == 21
  }
}

@Suite struct `Settling displaced files` {
  let desk: Desk
  init() throws {
    desk = try Desk()
    try desk.write("old", to: "note.md")
  }

  private func replaced(_ safe: SafeReplace) throws -> Displaced {
    let done = try safe.replace(
      "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    return try #require(done.displaced)
  }

  @Test func `hands over what a program wrote through a descriptor it held`() throws {
    let safe = desk.replacer()
    let writer = open(desk.at("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    let displaced = try replaced(safe)
    write(writer, " and more", 9)
    close(writer)
    let settled = safe.settle([displaced])[0]
    #expect(settled.edit == "old and more")
    // It stays until the caller has saved it.
    #expect(try desk.list("stage").count == 1)
    #expect(safe.release(settled).isDropped)
    #expect(try desk.list("stage") == [])
    #expect(desk.text(of: "note.md") == "new")
  }

  @Test func `keeps a file that stays open for writing, and tells what it holds`() throws {
    var limits = Desk.limits
    limits.writers = 0.02
    let safe = desk.replacer(limits)
    let writer = open(desk.at("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(writer) }
    let displaced = try replaced(safe)
    guard case .inUse(nil) = safe.settle([displaced])[0].result else { throw Failure("not in use") }
    write(writer, "!", 1)
    guard case .inUse(let found?) = safe.settle([displaced])[0].result else {
      throw Failure("not in use")
    }
    #expect(found.bytes == Array("old!".utf8))
    let leftover = try #require(try safe.leftovers().first)
    #expect(leftover.role == .displaced)
    #expect(leftover.number == 1)
    #expect(leftover.operation == Array("op1".utf8))
  }

  @Test func `does not drop a file that is still mapped`() throws {
    var limits = Desk.limits
    limits.writers = 0.02
    let safe = desk.replacer(limits)
    let file = open(desk.at("note.md"), O_RDWR | O_CLOEXEC)
    let mapping = try #require(mmap(nil, 3, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
    close(file)
    let displaced = try replaced(safe)
    guard case .inUse = safe.settle([displaced])[0].result else { throw Failure("not in use") }
    mapping.storeBytes(of: UInt8(ascii: "O"), as: UInt8.self)
    munmap(mapping, 3)
    #expect(safe.settle([displaced])[0].edit == "Old")
  }

  @Test func `puts a removed file back that was edited or is held open`() throws {
    var limits = Desk.limits
    limits.writers = 0.02
    let safe = desk.replacer(limits)
    let writer = open(desk.at("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    let first = try safe.remove("note.md", number: 1, expecting: KnownContent("old"))
    #expect(safe.settle([first])[0].isPutBack)
    #expect(desk.text(of: "note.md") == "old")
    let second = try safe.remove("note.md", number: 2, expecting: KnownContent("old"))
    write(writer, "!", 1)
    close(writer)
    #expect(safe.settle([second])[0].isPutBack)
    #expect(desk.text(of: "note.md") == "old!")
  }

  @Test func `hands over a removed and edited file whose place is taken`() throws {
    let safe = desk.replacer()
    let writer = open(desk.at("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    let displaced = try safe.remove("note.md", number: 1, expecting: KnownContent("old"))
    write(writer, "!", 1)
    close(writer)
    try desk.write("another", to: "note.md")
    let settled = safe.settle([displaced])[0]
    #expect(settled.edit == "old!")
    #expect(desk.text(of: "note.md") == "another")
    #expect(safe.release(settled).isDropped)
  }

  @Test func `hands over a file again that is edited after it was handed over`() throws {
    let safe = desk.replacer()
    let displaced = try replaced(safe)
    let name = desk.scratch.at("stage/\(String(decoding: displaced.name, as: UTF8.self))")
    let writer = open(name, O_WRONLY | O_APPEND | O_CLOEXEC)
    write(writer, "1", 1)
    close(writer)
    let settled = safe.settle([displaced])[0]
    #expect(settled.edit == "old1")
    let again = open(name, O_WRONLY | O_APPEND | O_CLOEXEC)
    write(again, "2", 1)
    close(again)
    #expect(safe.release(settled).edit == "old12")
  }

  @Test func `needs two equal looks where the kernel does not name writers`() throws {
    var limits = Desk.limits
    (limits.quiet, limits.writers) = (0.05, 10)
    let store = FailingFileStore(failing: 1, with: EACCES, call: .setLease, onwards: true)
    let safe = desk.replacer(limits, store: store)
    let displaced = try replaced(safe)
    let began = MonotonicTime.now()
    #expect(safe.settle([displaced])[0].isDropped)
    #expect(MonotonicTime.now() - began >= 0.05)
  }

  @Test func `keeps a displaced file for the grace, even if nobody has it open`() throws {
    var limits = Desk.limits
    limits.grace = 0.1
    let safe = desk.replacer(limits)
    let displaced = try replaced(safe)
    #expect(safe.settle([displaced])[0].isDropped)
    #expect(MonotonicTime.now() - displaced.since >= 0.1)
  }

  @Test func `waits for a program to finish before it looks, and refuses if told so`() throws {
    var limits = Desk.limits
    (limits.patience, limits.refusesWriters) = (0.02, true)
    let writer = open(desk.at("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    let refused = try refusal { _ = try replaced(desk.replacer(limits)) }
    #expect(refused.reason == .hasWriter)
    close(writer)
    #expect(try !replaced(desk.replacer(limits)).looksEdited)
  }
}

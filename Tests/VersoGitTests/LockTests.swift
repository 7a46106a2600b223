import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoTestSupport

@Suite struct IndexLockTests {
  @Test func `git cannot write the index while the lock is held, and can afterwards`() throws {
    let fixture = try LockFixture()
    try fixture.scratch.write("a", to: "a.md")
    let lock = try IndexLock.take(gitDirectory: fixture.git, store: SystemFileStore(), wait: 0)
    #expect(try lock.isStillHeld())
    let refused = try run(["git", "add", "a.md"], in: fixture.scratch.path)
    #expect(refused.status == 128)
    #expect(refused.error.contains("index.lock"))
    try lock.release()
    try fixture.scratch.git("add", "a.md")
    #expect(try fixture.leftovers().isEmpty)
  }

  @Test func `a lock that is dropped is released`() throws {
    let fixture = try LockFixture()
    func takeAndDrop() throws {
      _ = try IndexLock.take(gitDirectory: fixture.git, store: SystemFileStore(), wait: 0)
    }
    try takeAndDrop()
    #expect(try fixture.leftovers().isEmpty)
  }

  @Test(arguments: [true, false])
  func `somebody else's lock is waited for and named, never taken`(hasLinks: Bool) throws {
    let fixture = try LockFixture()
    let store: any FileStore = hasLinks ? SystemFileStore() : storeWithoutLinks()
    try fixture.scratch.write("theirs", to: ".git/index.lock")
    let error = #expect(throws: LockError.self) {
      _ = try IndexLock.take(gitDirectory: fixture.git, store: store, wait: 0.05)
    }
    #expect("\(try #require(error))".contains(fixture.scratch.at(".git/index.lock")))
    #expect(fixture.scratch.text(of: ".git/index.lock") == "theirs")
    guard case .held(_, let age) = error else { throw Failure("not .held") }
    #expect(age >= 0 && age < 60)
  }

  @Test func `the lock is had as soon as the other one is gone`() throws {
    let fixture = try LockFixture()
    let theirs = try fixture.scratch.write("", to: ".git/index.lock")
    let store = FailingFileStore { event in
      // The other program ends before the third attempt.
      if event.call == .link, event.numberOfKind == 3 { unlink(theirs) }
      return nil
    }
    let lock = try IndexLock.take(gitDirectory: fixture.git, store: store, wait: 30)
    #expect(store.count(of: .link) == 3)
    try lock.release()
  }

  @Test func `what somebody put in place of a removed lock is not ours to remove`() throws {
    let fixture = try LockFixture()
    let lock = try IndexLock.take(gitDirectory: fixture.git, store: SystemFileStore(), wait: 0)
    unlink(fixture.scratch.at(".git/index.lock"))
    try fixture.scratch.write("git's now", to: ".git/index.lock")
    #expect(try !lock.isStillHeld())
    try lock.release()
    #expect(fixture.scratch.text(of: ".git/index.lock") == "git's now")
  }

  /// The lock of a process that was killed: taken by a store that can unlink nothing.
  private func leaveDeadLock(
    _ fixture: LockFixture,
    rule:
      @escaping @Sendable (
        FailingFileStore.Event
      ) -> Int32?
  ) throws {
    let store = FailingFileStore { event in
      event.call == .unlink && event.path == "index.lock" ? EIO : rule(event)
    }
    _ = try IndexLock.take(gitDirectory: fixture.git, store: store, wait: 0)
    try #require(fixture.scratch.bytes(of: ".git/index.lock") != nil)
  }

  @Test(arguments: [0, 1, 2])
  func `our dead lock is removed, however it was made`(way: Int) throws {
    let fixture = try LockFixture()
    try leaveDeadLock(fixture) { event in
      if way > 0, event.call == .link { return EPERM }
      return way > 1 && event.call == .rename && event.flags == 1 ? EINVAL : nil
    }
    #expect(try IndexLock.recover(gitDirectory: fixture.git, store: SystemFileStore()))
    #expect(try fixture.leftovers().isEmpty)
    #expect(try !IndexLock.recover(gitDirectory: fixture.git, store: SystemFileStore()))
  }

  @Test func `recovery leaves a lock of git's, even one of the token's size`() throws {
    let fixture = try LockFixture()
    try leaveDeadLock(fixture) { _ in nil }
    try fixture.recover()
    for text in ["", String(repeating: "x", count: 39)] {
      try fixture.scratch.write(text, to: ".git/index.lock")
      #expect(try !IndexLock.recover(gitDirectory: fixture.git, store: SystemFileStore()))
      #expect(fixture.scratch.text(of: ".git/index.lock") == text)
    }
  }

  @Test func `a token that a crash left unfinished is made again`() throws {
    let fixture = try LockFixture()
    try fixture.scratch.write("", to: ".git/verso/token")
    let lock = try IndexLock.take(gitDirectory: fixture.git, store: SystemFileStore(), wait: 0)
    #expect(fixture.scratch.text(of: ".git/verso/token")?.hasPrefix("verso ") == true)
    try lock.release()
  }

  @Test func `a failing disk at any call leaves no lock that cannot be recovered`() throws {
    var number = 1
    while true {
      let fixture = try LockFixture(commits: 0)
      let store = FailingFileStore(failing: number, with: EIO, onwards: true)
      do {
        let lock = try IndexLock.take(gitDirectory: fixture.git, store: store, wait: 0)
        try lock.release()
        break
      } catch {}
      try fixture.recover()
      let lock = try IndexLock.take(gitDirectory: fixture.git, store: SystemFileStore(), wait: 0)
      try lock.release()
      #expect(try fixture.leftovers().isEmpty, "call \(number)")
      number += 1
    }
    #expect(number > 5)
  }
}

import Foundation
import Glibc
import Testing
import VersoDisk
import VersoTestSupport

@Suite struct `The vault's lock` {
  let desk: Desk
  init() throws { desk = try Desk() }

  private func take(
    wait: Double = 0, command: String = "verso save", store: any FileStore = SystemFileStore()
  ) throws(VaultLockError) -> VaultLock {
    try VaultLock.acquire(in: desk.staging, wait: wait, command: command, store: store)
  }

  private func reason(_ store: any FileStore = SystemFileStore()) -> VaultLockError.Reason? {
    do throws(VaultLockError) {
      _ = try take(store: store)
      return nil
    } catch { return error.reason }
  }

  @Test func `keeps a second one out and says who has it`() throws {
    let lock = try take(command: "verso restore")
    let holder = VaultLock.Holder(process: getpid(), command: "verso restore")
    #expect(reason() == .held(by: holder))
    #expect(VaultLockError(reason: .held(by: holder)).description.contains("verso restore"))
    #expect(
      try SystemFileStore().status(of: VaultLock.fileName, in: desk.staging)?.mode == 0o100600)
    _ = consume lock
    #expect(reason() == nil)
    #expect(desk.scratch.text(of: "stage/lock") == "")
  }

  @Test func `is waited for until it is let go`() async throws {
    let desk = desk
    let gate = DispatchSemaphore(value: 0)
    let held = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        let lock = try VaultLock.acquire(
          in: desk.staging, wait: 0, command: "first", store: SystemFileStore())
        held.signal()
        gate.wait()
        _ = consume lock
      } catch { Issue.record("\(error)") }
    }
    hold(held)
    // The second one is let in by its own third attempt.
    let store = FailingFileStore { event in
      if event.call == .tryLock, event.numberOfKind == 3 { gate.signal() }
      return nil
    }
    _ = try take(wait: 60, store: store)
    #expect(store.count(of: .tryLock) >= 3)
  }

  private func hold(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test func `gives up when the wait is over`() throws {
    let lock = try take()
    let began = MonotonicTime.now()
    #expect(throws: VaultLockError.self) { _ = try take(wait: 0.05) }
    #expect(MonotonicTime.now() - began >= 0.05)
    _ = consume lock
  }

  @Test func `goes with the process that held it`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let ready = desk.scratch.at("ready")
    // The shell becomes what holds the lock: nothing is left when it is killed.
    process.arguments = [
      "flock", "--no-fork", desk.scratch.at("stage/lock"), "sh", "-c",
      "touch \(ready); exec sleep 60",
    ]
    try process.run()
    let deadline = MonotonicTime.now() + 30
    while access(ready, F_OK) != 0 {
      try #require(MonotonicTime.now() < deadline)
      MonotonicTime.pause(0.005)
    }
    #expect(reason() == .held(by: nil))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(reason() == nil)
  }

  @Test func `is not fooled by a lock file that was deleted`() throws {
    let first = try take()
    unlink(desk.scratch.at("stage/lock"))
    let second = try take()
    #expect(reason() != nil)
    _ = consume first
    _ = consume second
    // One that is deleted between open and lock keeps nobody out, and is opened anew.
    let path = desk.scratch.at("stage/lock")
    let store = FailingFileStore { event in
      if event.call == .tryLock, event.numberOfKind == 1 { unlink(path) }
      return nil
    }
    let third = try take(wait: 60, store: store)
    #expect(store.count(of: .tryLock) == 2)
    #expect(reason() != nil)
    _ = consume third
  }

  @Test(arguments: [ENOLCK, ENOSYS, EOPNOTSUPP])
  func `says so where the file system has no locks`(code: Int32) throws {
    let store = FailingFileStore(failing: 1, with: code, call: .tryLock)
    guard case .unsupported(let error) = reason(store) else { throw Failure("not unsupported") }
    #expect(error.code == code)
    #expect(VaultLockError(reason: .unsupported(error)).description.contains("no locks"))
  }

  @Test func `works on a full disk, and tells a failing one`() throws {
    let full = FailingFileStore(failing: 1, with: ENOSPC, call: .pwrite, onwards: true)
    _ = try take(store: full)
    let readOnly = FailingFileStore(failing: 1, with: EROFS, call: .open)
    guard case .disk(let error) = reason(readOnly) else { throw Failure("not a disk error") }
    #expect(error.code == EROFS)
  }

  @Test func `does not follow a link`() throws {
    symlink("../elsewhere", desk.scratch.at("stage/lock"))
    guard case .disk(let error) = reason() else { throw Failure("followed") }
    #expect(error.code == ELOOP)
    #expect(access(desk.scratch.at("elsewhere"), F_OK) != 0)
  }
}

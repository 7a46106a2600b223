import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct ReferenceFailureTests {
  @Test func `a full disk leaves no half line in a log`() throws {
    let fixture = try LockFixture(commits: 2)
    let (old, new) = (try fixture.tip(), try fixture.commit(on: [try fixture.tip()]))
    let logs = ["logs/HEAD", "logs/refs/heads/main"].map { ".git/" + $0 }
    let before = logs.map { fixture.scratch.bytes(of: $0) }
    // Half a line finds room, the rest does not.
    let folder = fixture.scratch.at(".git")
    let store = FailingFileStore { event in
      guard event.call == .write, event.path.hasPrefix("logs/") else { return nil }
      let file = open("\(folder)/\(event.path)", O_WRONLY | O_APPEND | O_CLOEXEC)
      defer { close(file) }
      return write(file, "half a li", 9) == 9 ? ENOSPC : EIO
    }
    #expect(throws: DiskError.self) { try fixture.move(to: new, from: old, store: store) }
    #expect(logs.map { fixture.scratch.bytes(of: $0) } == before)
    #expect(try fixture.tip() == old)
    try fixture.recover()
    #expect(try fixture.leftovers().isEmpty)
    try fixture.move(to: new, from: old)
    #expect(try fixture.tip() == new)
  }

  @Test func `a branch that is another name of a branch moves that one`() throws {
    let fixture = try LockFixture()
    try fixture.scratch.git("branch", "-m", "main", "trunk")
    try fixture.scratch.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
    try fixture.scratch.git("symbolic-ref", "HEAD", "refs/heads/main")
    let old = try fixture.tip("trunk")
    let new = try fixture.commit(on: [old])
    try fixture.move(to: new, from: old)
    #expect(try fixture.tip("trunk") == new)
    #expect(try fixture.scratch.git("symbolic-ref", "refs/heads/main") == "refs/heads/trunk")
    for log in ["trunk", "HEAD"] {
      #expect(try fixture.scratch.git("reflog", "-1", log).contains("verso: a move"))
    }
  }

  @Test(arguments: [ENOSPC, EIO, EACCES])
  func `any call may fail, and the branch is old or new`(code: Int32) throws {
    let fixture = try LockFixture(commits: 1)
    for number in 1...80 {
      let old = try fixture.tip()
      let new = try fixture.commit(on: [old], "\(number)")
      let store = FailingFileStore(failing: number, with: code)
      var moved = false
      do {
        try fixture.move(to: new, from: old, store: store)
        moved = true
      } catch {}
      let tip = try fixture.tip()
      #expect(tip == new || (tip == old && !moved), "call \(number)")
      try fixture.recover()
      #expect(try fixture.leftovers().isEmpty, "call \(number)")
      if store.callCount < number { break }
      #expect(number < 80)
    }
    try fixture.scratch.git("fsck", "--strict")
    for line in try fixture.scratch.git("reflog", "main").split(separator: "\n") {
      #expect(line.contains("main@{"))
    }
  }
}

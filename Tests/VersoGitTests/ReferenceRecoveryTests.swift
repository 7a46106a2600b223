import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@Suite struct ReferenceRecoveryTests {
  /// Which hard link or rename the disk lacks.
  enum Disk: CaseIterable, Sendable { case usual, withoutLinks, withoutBoth }

  /// A store on which everything stops at the `number`th call, as at a kill.
  private func dying(at number: Int, _ disk: Disk) -> FailingFileStore {
    FailingFileStore { event in
      if event.number >= number { return EIO }
      if disk != .usual, event.call == .link { return EPERM }
      return disk == .withoutBoth && event.call == .rename && event.flags != 0 ? EINVAL : nil
    }
  }

  @Test(arguments: Disk.allCases)
  func `a kill at any step leaves a branch that is old or new, and nothing to do`(
    disk: Disk
  ) throws {
    let fixture = try LockFixture()
    let seed = try fixture.tip()
    var number = 1
    var moved = 0
    var isDone = false
    while !isDone {
      let old = try fixture.tip()
      let new = try fixture.commit(on: [seed], "\(disk) \(number)")
      do {
        try fixture.move(to: new, from: old, store: dying(at: number, disk))
        isDone = true
      } catch {}
      // In the narrow step that LockFiles.swift describes, an empty lock proves nothing.
      let lock = fixture.scratch.bytes(of: ".git/refs/heads/main.lock")
      if disk == .withoutBoth, lock?.isEmpty == true {
        unlink(fixture.scratch.at(".git/refs/heads/main.lock"))
      }
      try fixture.recover()
      let now = try fixture.tip()
      #expect(now == old || now == new, "call \(number)")
      moved += now == new ? 1 : 0
      #expect(try fixture.leftovers().isEmpty, "call \(number)")
      let next = try fixture.commit(on: [now], "after \(disk) \(number)")
      try fixture.move(to: next, from: now)
      try fixture.scratch.git("update-ref", "-m", "by git", "refs/heads/main", now.hex, next.hex)
      number += 1
    }
    // The last one, and the kills after the rename.
    #expect(moved >= 2)
    #expect(number > 20)
    try fixture.scratch.git("fsck", "--strict", "--no-dangling")
  }

  @Test func `a lock of git's on our branch is left, whatever we were doing`() throws {
    let fixture = try LockFixture()
    let old = try fixture.tip()
    let new = try fixture.commit(on: [old])
    let store = FailingFileStore { event in
      event.call == .link || event.call == .rename ? EIO : nil
    }
    #expect(throws: DiskError.self) { try fixture.move(to: new, from: old, store: store) }
    try fixture.scratch.write("\(old)\n", to: ".git/refs/heads/main.lock")
    try fixture.recover()
    #expect(fixture.scratch.text(of: ".git/refs/heads/main.lock") == "\(old)\n")
    unlink(fixture.scratch.at(".git/refs/heads/main.lock"))
    #expect(try fixture.leftovers().isEmpty)
  }

  @Test func `a move that only failed to tidy up has moved`() throws {
    let fixture = try LockFixture()
    let old = try fixture.tip()
    let new = try fixture.commit(on: [old])
    let store = FailingFileStore { event in
      // The tidying comes after the folder of the branch was made durable.
      event.call == .unlink && event.numberOfKind > 2 ? EIO : nil
    }
    try fixture.move(to: new, from: old, store: store)
    #expect(try fixture.tip() == new)
    let next = try fixture.commit(on: [new])
    try fixture.move(to: next, from: new)
    #expect(try fixture.tip() == next)
    #expect(try fixture.leftovers().isEmpty)
  }

  @Test func `nothing is lost in a race with git commit`() throws {
    let fixture = try LockFixture()
    let theirs = isFullRun ? 100 : 20
    let ours = isFullRun ? 200 : 40
    let loop = """
      n=0
      while [ $n -lt \(theirs) ]; do
        echo $n > theirs.md
        git add theirs.md 2>/dev/null && git commit -qm theirs 2>/dev/null && n=$((n+1))
      done
      """
    try fixture.scratch.write(loop, to: ".git/loop")
    let path = fixture.scratch.path
    let thread = Racer { try run(["sh", ".git/loop"], in: path, deadline: 100).status }
    var done = 0
    while done < ours {
      do {
        let lock = try IndexLock.take(
          gitDirectory: fixture.git, store: SystemFileStore(), wait: 60)
        let old = try #require(try fixture.repository.id(ofReference: "refs/heads/main"))
        let new = try commit(on: old, number: done, fixture)
        try fixture.move(to: new, from: old, wait: 10)
        try lock.release()
        done += 1
      } catch let error as ReferenceUpdate.Failure where error.isModified {
        // git gives index.lock back before it moves its branch: then ours is the one to start anew.
        continue
      }
    }
    #expect(try thread.wait() == 0)
    let count = try fixture.scratch.git("rev-list", "--count", "main")
    #expect(count == "\(1 + ours + theirs)")
    try expectChain(in: fixture)
    try fixture.scratch.git("fsck", "--strict", "--no-dangling")
    #expect(try fixture.leftovers().isEmpty)
  }

  /// A commit with the same tree as `old`, as git's index is not to see a difference.
  private func commit(on old: ObjectID, number: Int, _ fixture: LockFixture) throws -> ObjectID {
    let text = CommitText(
      tree: try fixture.repository.commit(old).tree, parents: [old], author: LockFixture.stamp,
      committer: LockFixture.stamp, message: "ours \(number)")
    let hex = try run(
      ["git", "hash-object", "-t", "commit", "-w", "--stdin"], in: fixture.scratch.path,
      input: text.bytes()
    ).text.prefix(40)
    return try #require(ObjectID(hex: String(hex)))
  }

  /// Each line of the branch's log begins where the one before it ended.
  private func expectChain(in fixture: LockFixture) throws {
    let log = try #require(fixture.scratch.text(of: ".git/logs/refs/heads/main"))
    var before = ObjectID.zero.hex
    for line in log.split(separator: "\n") {
      #expect(line.hasPrefix(before))
      before = String(line.dropFirst(41).prefix(40))
    }
    #expect(before == (try fixture.tip().hex))
  }
}

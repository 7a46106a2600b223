import Testing
import VersoDisk
import VersoModel
import VersoWatch

/// The cases in which events are lost, or the disk goes.
@Suite struct LossRowTests {
  private func many(_ count: Int, in folder: String = "") -> [String: String] {
    var files: [String: String] = [:]
    for number in 0..<count { files["\(folder)\(number).md"] = "\(number)" }
    return files
  }

  @Test func `row 51: 20,000 files made while nobody reads are all found, and nothing is deleted`()
  {
    let desk = Desk(["old.md": "old"])
    for number in 0..<20_000 { desk.disk.write("\(number).md", "\(number)") }
    desk.wait(60)
    #expect(desk.reconciler.counters.overflows == 1)
    #expect(desk.saved.count == 20_001)
    #expect(!desk.history.joined().contains("D "))
    desk.expectRest()
  }

  @Test func `row 51: deletions are held while events may be missing`() {
    let desk = Desk(["a.md": "a", "b.md": "b", "log": ""])
    let log = desk.disk.open("log")
    desk.disk.remove("a.md")
    desk.disk.loseEvents()
    desk.step()
    desk.disk.remove("b.md")
    // Never quiet, so the rescan comes when it has waited long enough.
    for _ in 0..<15 {
      log.write("line\n")
      desk.wait(0.1)
      #expect(desk.reconciler.isSuspect && desk.changes.allSatisfy { !$0.contains("- ") })
    }
    for _ in 0..<50 {
      log.write("line\n")
      desk.wait(0.1)
    }
    #expect(!desk.reconciler.isSuspect)
    log.close()
    desk.wait(10)
    #expect(desk.saved.keys.map(\.description) == ["log"])
    desk.expectRest()
  }

  @Test func `row 52: an overflow during the rescan means another one, later each time`() {
    let desk = Desk(["a.md": "a", "d/x.md": "x"])
    var losses = 0
    var times: [Double] = []
    desk.meanwhile = {
      // While the rescan lists.
      guard losses < 6, desk.reconciler.counters.rescans == times.count + 1 else { return }
      times.append(desk.now)
      losses += 1
      desk.disk.append("d/x.md", "\(losses)")
      desk.disk.loseEvents()
    }
    desk.disk.loseEvents()
    desk.wait(200)
    desk.meanwhile = {}
    #expect(times.count == 6)
    let gaps = zip(times.dropFirst(), times).map { ($0 - $1).rounded() }
    #expect(gaps == [1, 2, 4, 8, 16])
    desk.wait(60)
    desk.expectRest()
  }

  @Test func `row 53: without enough watches everything is found by polling, and watches stay`() {
    let disk = FakeDisk()
    disk.watchLimit = 3
    let desk = Desk(
      many(1, in: "a/").merging(["b/x.md": "x", "c/y.md": "y", "d/z.md": "z"]) {
        old, _ in old
      }, disk: disk)
    desk.polls = true
    desk.disk.append("a/0.md", "more")
    desk.disk.append("d/z.md", "more")
    desk.disk.rename("c/y.md", "c/w.md")
    desk.wait(10)
    #expect(desk.changes.joined(separator: ", ").contains("c/y.md -> c/w.md"))
    #expect(desk.reconciler.folderCounts == (3, 5))
    #expect(desk.reconciler.counters.overflows == 0 && !desk.reconciler.isSuspect)
    desk.audit()
    desk.wait(1)
    #expect(desk.reconciler.folderCounts == (3, 5))
    desk.expectRest()
    // Row 55: the limit is raised.
    disk.watchLimit = 100
    desk.audit()
    desk.polls = false
    #expect(desk.reconciler.folderCounts == (5, 5))
    desk.expectRest()
  }

  @Test func `row 53: listing a watched folder without asking for a watch keeps its watch`() {
    let reconciler = Desk(["a/x.md": "x"]).reconciler
    let folder = reconciler.root
    let watch = folder.watch
    #expect(watch != nil)
    reconciler.expectListings(1)
    reconciler.handle([(folder, .unreadable)], at: FakeDisk.begin + 2)
    #expect(folder.watch == watch)
  }

  @Test func `row 54: with no watches at all everything is found by polling`() {
    let disk = FakeDisk()
    disk.watchLimit = 0
    let desk = Desk(["a.md": "a", "d/x.md": "x"], disk: disk)
    desk.polls = true
    desk.disk.write("a.md", "b")
    desk.disk.remove("d/x.md")
    desk.disk.write("d/new.md", "new")
    desk.wait(15)
    #expect(Set(desk.saved.keys) == ["a.md", "d/new.md"])
    desk.expectRest()
  }

  @Test func `row 56: a root that is removed is doubted, and nothing of it is a deletion`() {
    let desk = Desk(["a.md": "a", "d/x.md": "x"])
    desk.disk.unmount()
    desk.wait(100)
    #expect(desk.isOffline)
    #expect(desk.changes.isEmpty && desk.history.isEmpty)
  }

  @Test func `row 58: a root that is unmounted without an event makes no deletion`() {
    let desk = Desk(["a.md": "a", "d/x.md": "x"])
    desk.disk.unmount(silently: true)
    desk.wait(100)
    #expect(desk.isOffline)
    #expect(desk.changes.isEmpty && desk.history.isEmpty)
  }

  @Test func `row 58: a folder that something is mounted over is hidden, not gone`() {
    let desk = Desk(["d/e/x.md": "x", "a.md": "a"])
    let file = desk.disk.open("d/e/x.md")
    let hidden = desk.disk.mount(over: "d")
    file.write("more")
    desk.wait(10)
    desk.audit()
    desk.wait(100)
    #expect(desk.changes.isEmpty && desk.history.isEmpty)
    #expect(desk.saved.count == 2)
    desk.disk.unmount(hidden)
    file.close()
    desk.wait(10)
    desk.audit()
    desk.wait(10)
    #expect(desk.changes == ["M d/e/x.md"])
    #expect(desk.history == ["M d/e/x.md"])
    desk.expectRest()
  }

  @Test(arguments: [true, false])
  func `row 60: a disk that is back after an hour has exactly the changes made to it`(
    silently: Bool
  ) {
    let desk = Desk(many(50).merging(["d/x.md": "x", "d/y.md": "y"]) { old, _ in old })
    desk.disk.unmount(silently: silently)
    desk.wait(3600)
    #expect(desk.isOffline && desk.history.isEmpty)
    desk.disk.append("7.md", "more")
    desk.disk.remove("d/y.md")
    desk.disk.write("d/new.md", "new")
    desk.disk.isMounted = true
    desk.wait(10)
    #expect(desk.history == ["M 7.md, A d/new.md, D d/y.md"])
    desk.expectRest()
  }

  @Test func `row 60: what seemed gone when the disk went is not`() {
    let desk = Desk(["a.md": "a", "d/x.md": "x"])
    let file = desk.disk.open("d/x.md")
    file.write("more")
    file.close()
    desk.disk.unmount(silently: true)
    desk.wait(1)
    desk.wait(10)
    desk.disk.isMounted = true
    desk.wait(10)
    #expect(desk.history == ["M d/x.md"])
    desk.expectRest()
  }

  @Test func `row 63: what cannot be read is kept, and looked at when it can be`() {
    let desk = Desk(["d/e/x.md": "x", "a.md": "a"])
    desk.disk.setMode("d", 0o000)
    desk.disk.append("d/e/x.md", "more")
    desk.wait(30)
    desk.audit()
    desk.wait(30)
    #expect(desk.changes.isEmpty && desk.history.isEmpty)
    desk.disk.setMode("d", 0o755)
    desk.wait(10)
    #expect(desk.changes == ["M d/e/x.md"])
    #expect(desk.history == ["M d/e/x.md"])
    desk.expectRest()
  }

  @Test func `row 67: changes during the first listing are seen, in folders done and not yet done`()
  {
    let disk = FakeDisk()
    for folder in ["a", "b/c", "d"] { disk.makeFolders(folder) }
    for path in ["a/x.md", "b/c/y.md", "d/z.md", "r.md"] { disk.write(path, "old") }
    let desk = Desk(disk)
    var count = 0
    desk.meanwhile = {
      count += 1
      if count > 9 { return }
      disk.append("a/x.md", "\(count)")
      disk.append("r.md", "\(count)")
      disk.write("b/c/\(count).md", "new")
      if count == 3 { disk.rename("d", "b/moved") }
      if count == 5 { disk.makeFolders("late/er") }
    }
    desk.wait(30)
    desk.meanwhile = {}
    desk.audit()
    desk.wait(10)
    // What was there before the start is for the scan that a watcher begins with.
    #expect(desk.mirror == desk.model.mapValues(\.isFolder))
    #expect(Set(desk.model.keys) == Set(disk.everything.keys))
    #expect(desk.saved["r.md"] != nil && desk.saved["a/x.md"] != nil)
  }

  @Test func `row 73: with the clock set back changes are seen as ever`() {
    let desk = Desk(["a.md": "a"])
    guard let inode = desk.disk.entry("a.md")?.inode else { return }
    desk.disk.append("a.md", "b")
    inode.modified -= 3_600_000_000_000
    inode.changed -= 3_600_000_000_000
    desk.wait(10)
    #expect(desk.history == ["M a.md"])
    desk.expectRest()
  }

  @Test
  func `row 74: an event of a watch that nobody knows means a rescan, and no deletion before`() {
    let desk = Desk(["a.md": "a"])
    desk.disk.write("quiet.md", "x")
    _ = desk.disk.takeEvents()
    desk.reconciler.receive([WatchEvent(watch: 999, mask: .created, name: [0x61])], at: desk.now)
    #expect(desk.reconciler.isSuspect)
    desk.wait(10)
    #expect(desk.history == ["A quiet.md"])
    desk.expectRest()
  }

  @Test func `a failed save is tried again when it may be, and not before`() {
    let desk = Desk(["a.md": "a"])
    let reconciler = desk.reconciler
    desk.disk.append("a.md", "b")
    desk.wait(0.1)
    let time = desk.now + 5
    let places = reconciler.placesToSettle(at: time)
    guard let inode = desk.disk.entry("a.md")?.inode,
      let batch = reconciler.settle(
        places.map { ($0, .init(.file(FakeDisk.status(inode)), writers: .none)) }, at: time)
    else {
      Issue.record("nothing to save")
      return
    }
    reconciler.failed(batch, retryAt: time + 60)
    #expect(!reconciler.isSettled(at: time + 59))
    #expect(reconciler.nextDeadline == time + 60)
    #expect(reconciler.nextDeadline(savingFrom: time + 90) == time + 90)
    #expect(reconciler.isSettled(at: time + 60))
  }
}

import Testing
import VersoModel
import VersoWatch

/// The cases in which a file does not come to rest.
@Suite struct PatienceRowTests {
  @Test func `row 21: a file written in pieces with pauses is one version after its close`() {
    let desk = Desk(["note.md": "one"])
    let file = desk.disk.open("note.md", truncating: true)
    for _ in 0..<5 {
      file.write("chunk ")
      desk.wait(2)
    }
    #expect(desk.history.isEmpty)
    #expect(desk.reconciler.unsavedPaths == ["note.md"])
    file.close()
    desk.wait(0.4)
    #expect(desk.commits.map(\.contents) == [["note.md": "chunk chunk chunk chunk chunk "]])
    desk.expectRest()
  }

  @Test func `row 22: a file that two programs hold open waits for both`() {
    let desk = Desk(["note.md": "one"])
    let first = desk.disk.open("note.md")
    let second = desk.disk.open("note.md")
    first.write(" two")
    first.close()
    desk.wait(10)
    #expect(desk.history.isEmpty)
    second.write(" three")
    second.close()
    desk.wait(1)
    #expect(desk.commits.map(\.contents) == [["note.md": "one two three"]])
    desk.expectRest()
  }

  @Test func `row 23: an endless log is saved after 30 s, and keeps nobody else waiting`() {
    let desk = Desk(["log": "", "note.md": "one"])
    let start = desk.now
    let log = desk.disk.open("log")
    func go(_ seconds: Int) {
      for _ in 0..<(seconds * 10) {
        log.write("line\n")
        desk.wait(0.1)
      }
    }
    go(35)
    #expect(desk.commits.count == 1)
    #expect(desk.commits[0].time - start < 31 && desk.commits[0].openFiles == ["log"])
    let edited = desk.now
    desk.disk.write("note.md", "two")
    go(4)
    #expect(desk.commits.contains { $0.contents["note.md"] == "two" && $0.time < edited + 2.2 })
    #expect(desk.changes.count < 60)
    log.close()
    desk.wait(2)
    desk.expectRest()
  }

  @Test func `a log that is saved again and again is saved at 1, 2, 4 to 30 minutes`() {
    let desk = Desk(["log": ""])
    let log = desk.disk.open("log")
    for _ in 0..<(8 * 3600 / 5) {
      log.write("line\n")
      desk.wait(5)
    }
    let times = desk.commits.map(\.time)
    let gaps = zip(times.dropFirst(), times).map { (($0 - $1) / 60).rounded() }
    #expect(gaps.prefix(9) == [1, 1, 1, 2, 4, 8, 16, 30, 30])
    log.close()
    desk.wait(1)
    #expect(desk.saved["log"]?.content == desk.disk.entry("log")?.inode.content)
    desk.expectRest()
  }

  @Test func `a log that is opened for every line is spaced as well`() {
    let desk = Desk(["log": ""])
    for _ in 0..<(2 * 3600 * 5) {
      desk.disk.append("log", "line\n")
      desk.wait(0.2)
    }
    #expect(desk.commits.count < 12)
    desk.wait(10)
    desk.expectRest()
  }

  @Test func `versions of one path above 100 MB a day are spaced`() {
    let desk = Desk(["big": "", "note.md": "one"])
    let text = String(repeating: "x", count: 30 << 20)
    for number in 0..<8 {
      desk.disk.write("big", text + "\(number)")
      desk.wait(60)
    }
    #expect(desk.commits.count == 4)
    #expect(desk.reconciler.spacedOut(at: desk.now) == ["big"])
    desk.disk.write("note.md", "two")
    desk.wait(5)
    #expect(desk.commits.last?.contents.keys.contains("note.md") ?? false)
    desk.wait(1800)
    desk.expectRest()
    #expect(desk.reconciler.spacedOut(at: desk.now) == ["big"])
    #expect(desk.reconciler.spacedOut(at: desk.now + 86_400) == [], "that was yesterday")
  }

  @Test func `row 24: a file that is held open for hours without writes is nothing`() {
    let desk = Desk(["note.md": "one"])
    let file = desk.disk.open("note.md")
    desk.wait(7200)
    #expect(desk.changes.isEmpty && desk.history.isEmpty && desk.probes.isEmpty)
    file.close()
    desk.wait(5)
    desk.expectRest()
  }

  @Test func `row 24: one that was written once and is held open is saved after 30 s`() {
    let desk = Desk(["note.md": "one"])
    let start = desk.now
    let file = desk.disk.open("note.md")
    file.write(" two")
    desk.wait(40)
    #expect(desk.commits.map(\.openFiles) == [["note.md"]])
    #expect((desk.commits.first?.time ?? 0) - start < 31)
    #expect(desk.probes.count < 40)
    let probes = desk.probes.count
    desk.wait(7200)
    #expect(desk.commits.count == 1 && desk.probes.count == probes)
    file.close()
    desk.wait(5)
    desk.expectRest()
  }

  @Test func `row 25: a store through a mapping is found by the audit`() {
    let desk = Desk(["note.md": "one"])
    desk.disk.storeByMapping("note.md", "two")
    desk.wait(100)
    #expect(desk.changes.isEmpty)
    desk.audit()
    #expect(desk.reconciler.counters.missed == 1)
    desk.wait(5)
    #expect(desk.history == ["M note.md"])
    desk.expectRest()
  }

  @Test func `row 26: a file that became empty is saved five seconds later than others`() {
    let desk = Desk(["note.md": "one"])
    let start = desk.now
    desk.disk.write("note.md", "")
    desk.wait(5)
    #expect(desk.history.isEmpty)
    desk.wait(5)
    #expect(desk.commits.map(\.contents) == [["note.md": ""]])
    #expect((desk.commits.first?.time ?? 0) >= start + 5)
    desk.expectRest()
  }

  @Test func `a file that was truncated and is written minutes later is never an empty version`() {
    let desk = Desk(["note.md": "one"])
    let file = desk.disk.open("note.md", truncating: true)
    desk.wait(300)
    #expect(desk.history.isEmpty)
    // Asked for again ever more seldom.
    #expect(desk.probes.count < 50)
    file.write("result")
    file.close()
    desk.wait(3)
    #expect(desk.commits.map(\.contents) == [["note.md": "result"]])
    desk.expectRest()
  }

  @Test func `a new folder with a file that is being written is saved without that file`() {
    let desk = Desk([:])
    desk.disk.makeFolder("d")
    desk.disk.write("d/done.md", "done")
    let file = desk.disk.open("d/half.md")
    file.write("ha")
    desk.wait(5)
    #expect(desk.history == ["A d/done.md"])
    file.write("lf")
    file.close()
    desk.wait(5)
    #expect(desk.commits.last?.contents == ["d/half.md": "half"])
    desk.expectRest()
  }

  @Test func `a new folder with a file that was just truncated has no empty version of it`() {
    let desk = Desk(["d/note.md": "one"])
    desk.disk.rename("d", "e")
    desk.wait(1.9)
    let file = desk.disk.open("e/note.md", truncating: true)
    desk.wait(4)
    #expect(desk.history.isEmpty)
    file.write("two")
    file.close()
    desk.wait(5)
    #expect(desk.history == ["A e/note.md, D d/note.md"])
    #expect(desk.commits.first?.contents == ["e/note.md": "two"])
    desk.expectRest()
  }

  @Test func `a deleted log is a deletion soon, however long it was spaced for`() {
    let desk = Desk(["log": ""])
    let log = desk.disk.open("log")
    for _ in 0..<3000 {
      log.write("line\n")
      desk.wait(1)
    }
    log.close()
    desk.wait(1)
    desk.disk.remove("log")
    desk.wait(5)
    #expect(desk.history.last == "D log")
    desk.expectRest()
  }
}

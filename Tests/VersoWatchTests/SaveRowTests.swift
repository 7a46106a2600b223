import Testing
import VersoModel
import VersoWatch

/// The cases of editors and other programs that save one note. The numbers are those of the list of
/// cases that the watcher was designed by.
@Suite struct SaveRowTests {
  private func desk() -> Desk { Desk(["note.md": "one\n", "other.md": "other\n"]) }

  private func expect(
    _ desk: Desk, _ changes: [String], _ history: [String],
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    desk.wait(10)
    #expect(desk.changes == changes, sourceLocation: sourceLocation)
    #expect(desk.history == history, sourceLocation: sourceLocation)
    desk.expectRest(sourceLocation)
  }

  @Test func `row 01: a new file is one addition`() {
    let desk = desk()
    desk.disk.write("new.md", "x\n")
    expect(desk, ["+ new.md"], ["A new.md"])
    #expect(desk.commits.first?.contents == ["new.md": "x\n"])
  }

  @Test func `row 02: truncate and write is one edit and never an empty version`() {
    let desk = desk()
    desk.disk.write("note.md", "two\n")
    expect(desk, ["M note.md"], ["M note.md"])
    #expect(desk.commits.first?.contents == ["note.md": "two\n"])
  }

  @Test func `a change is in the model after 30 ms and saved after two seconds of rest`() {
    let desk = desk()
    let start = desk.now
    desk.disk.write("note.md", "two\n")
    desk.wait(0.029)
    #expect(desk.changes.isEmpty)
    desk.wait(0.002)
    #expect(desk.changes == ["M note.md"])
    desk.wait(10)
    #expect(desk.commits.map { ($0.time - start) - 2 }.allSatisfy { abs($0) < 0.001 })
    #expect(desk.commits.count == 1)
  }

  @Test func `row 03: an appended line is one edit`() {
    let desk = desk()
    desk.disk.append("note.md", "two\n")
    expect(desk, ["M note.md"], ["M note.md"])
    #expect(desk.commits.first?.contents == ["note.md": "one\ntwo\n"])
  }

  @Test func `row 04: the same bytes written again are nothing`() {
    let desk = desk()
    desk.disk.write("note.md", "one\n")
    expect(desk, [], [])
  }

  @Test func `row 04: the same bytes in a new file are nothing`() {
    let desk = desk()
    desk.disk.write(".temp", "one\n")
    desk.disk.rename(".temp", "note.md")
    expect(desk, [], [])
  }

  @Test func `row 04: an edit that is taken back before it is saved is told twice and not saved`() {
    let desk = desk()
    desk.disk.write("note.md", "two\n")
    desk.wait(0.5)
    desk.disk.write("note.md", "one\n")
    expect(desk, ["M note.md", "M note.md"], [])
  }

  @Test func `row 05: touch is nothing`() {
    let desk = desk()
    desk.disk.touch("note.md")
    expect(desk, [], [])
  }

  @Test func `row 06: the execute bit is an edit and other bits are nothing`() {
    let desk = desk()
    desk.disk.setMode("note.md", 0o600)
    desk.wait(5)
    #expect(desk.changes.isEmpty)
    desk.disk.setMode("note.md", 0o755)
    expect(desk, ["M note.md"], ["M note.md"])
  }

  /// What vim 9 does with `backupcopy=auto`.
  private func saveByVim(_ desk: Desk, keepsBackup: Bool = false) {
    let disk = desk.disk
    disk.write("4913", "")
    disk.setMode("4913", 0o644)
    disk.remove("4913")
    if disk.entry("note.md~") != nil { disk.remove("note.md~") }
    disk.rename("note.md", "note.md~")
    let file = disk.open("note.md")
    file.write("tw")
    file.write("o\n")
    disk.setMode("note.md", 0o644)
    file.close()
    disk.setMode("note.md", 0o644)
    if !keepsBackup { disk.remove("note.md~") }
  }

  @Test func `row 07: a default vim save is one edit`() {
    let desk = desk()
    desk.disk.write(".note.md.swp", "swap")
    desk.disk.write(".note.md.swx", "")
    desk.disk.remove(".note.md.swx")
    saveByVim(desk)
    desk.disk.remove(".note.md.swp")
    expect(desk, ["M note.md"], ["M note.md"])
    #expect(desk.commits.first?.contents == ["note.md": "two\n"])
  }

  @Test func `row 07: a vim save is one edit too where backups are not ignored`() {
    let desk = desk()
    desk.isIgnored = { _ in false }
    saveByVim(desk)
    expect(desk, ["M note.md"], ["M note.md"])
  }

  @Test(arguments: 0..<16)
  func `row 07: a vim save is one edit wherever the reader stops between its events`(cut: Int) {
    let desk = desk()
    desk.isIgnored = { _ in false }
    saveByVim(desk)
    var first = true
    desk.eventsAtOnce = {
      defer { first = false }
      return first ? cut : .max
    }
    desk.step()
    desk.disk.now += 0.01
    expect(desk, ["M note.md"], ["M note.md"])
  }

  @Test(arguments: [false, true])
  func `row 09: vim with backupcopy=yes is one edit, of all names of a hard link`(links: Bool) {
    let desk = desk()
    if links { desk.disk.hardLink("note.md", as: "linked.md") }
    desk.wait(5)
    let before = desk.history.count
    desk.disk.write("note.md~", "one\n")
    desk.disk.remove("note.md~")
    let inode = desk.disk.entry("note.md")?.inode.number
    desk.disk.write("note.md", "two\n")
    desk.wait(10)
    // The other name got no event: it is looked at because the file has more names than one.
    #expect(desk.history.dropFirst(before) == [links ? "M linked.md, M note.md" : "M note.md"])
    #expect(desk.disk.entry("note.md")?.inode.number == inode)
    desk.expectRest()
    #expect(desk.history.count == before + 1)
  }

  @Test func `row 10: vim with a backup is one edit, and an addition where backups are wanted`() {
    let desk = desk()
    saveByVim(desk, keepsBackup: true)
    expect(desk, ["M note.md"], ["M note.md"])
    let wanting = self.desk()
    wanting.isIgnored = { _ in false }
    saveByVim(wanting, keepsBackup: true)
    expect(wanting, ["+ note.md~, M note.md"], ["M note.md, A note.md~"])
  }

  @Test func `row 11: vim left open is nothing and blocks nothing`() {
    let desk = desk()
    let swap = desk.disk.open(".note.md.swp")
    for _ in 0..<100 {
      swap.write("x")
      desk.wait(4)
    }
    #expect(desk.changes.isEmpty)
    let start = desk.now
    desk.disk.write("note.md", "two\n")
    for _ in 0..<40 {
      swap.write("x")
      desk.wait(0.1)
    }
    #expect(desk.history == ["M note.md"])
    #expect(desk.commits.allSatisfy { $0.time < start + 2.1 })
    desk.expectRest()
  }

  @Test func `row 12: the first save of emacs is an edit and not a rename to the backup`() {
    let desk = desk()
    desk.isIgnored = { $0.description.hasPrefix(".#") || $0.description.hasPrefix("#") }
    let disk = desk.disk
    disk.makeLink(".#note.md", to: "ada@host.1:2")
    disk.write("#note.md#", "tw")
    disk.rename("note.md", "note.md~")
    disk.now += 0.0004
    disk.write("note.md", "two\n")
    disk.remove(".#note.md")
    disk.remove("#note.md#")
    expect(desk, ["+ note.md~, M note.md"], ["M note.md, A note.md~"])
  }

  @Test func `row 13: later saves of emacs are edits, in place or by rename`() {
    let desk = desk()
    desk.disk.write("note.md", "two\n")
    desk.wait(5)
    desk.disk.write("tmpA1b2C3", "three\n")
    desk.disk.rename("tmpA1b2C3", "note.md")
    desk.disk.setMode("note.md", 0o644)
    expect(desk, ["M note.md", "M note.md"], ["M note.md", "M note.md"])
  }

  @Test func `row 14: a save of nano is one edit`() {
    let desk = desk()
    desk.disk.write(".note.md.swp", "lock")
    desk.disk.write("note.md~", "one\n")
    desk.disk.write("note.md", "two\n")
    desk.disk.remove(".note.md.swp")
    expect(desk, ["M note.md"], ["M note.md"])
  }

  @Test func `row 15: sed -i is one edit`() {
    let desk = desk()
    desk.disk.write("sedXy12Ab", "two\n")
    desk.disk.setMode("sedXy12Ab", 0o644)
    desk.disk.rename("sedXy12Ab", "note.md")
    expect(desk, ["M note.md"], ["M note.md"])
  }

  @Test func `row 16: sed -i.bak is an edit and an addition, not a rename`() {
    let desk = desk()
    desk.disk.write("sedXy12Ab", "two\n")
    desk.disk.rename("note.md", "note.md.bak")
    desk.disk.rename("sedXy12Ab", "note.md")
    expect(desk, ["+ note.md.bak, M note.md"], ["M note.md, A note.md.bak"])
  }

  @Test(arguments: [0.001, 0.5, 4])
  func `row 18: a temporary file and a rename are one edit, however slow`(pause: Double) {
    let desk = desk()
    let file = desk.disk.open("note.md.aBcDeF")
    file.write("tw")
    desk.wait(pause)
    file.write("o\n")
    file.close()
    desk.disk.rename("note.md.aBcDeF", "note.md")
    desk.wait(10)
    #expect(desk.history == ["M note.md"])
    #expect(desk.commits.first?.contents == ["note.md": "two\n"])
    #expect(desk.changes.joined(separator: " ").contains("M note.md"))
    #expect(!desk.changes.joined(separator: " ").contains("->"))
    desk.expectRest()
  }

  @Test func `row 19: rsync is one edit, by rename or in place`() {
    let desk = desk()
    desk.disk.write(".note.md.x1y2z3", "two\n")
    desk.disk.rename(".note.md.x1y2z3", "note.md")
    desk.wait(10)
    desk.disk.append("note.md", "three\n")
    desk.disk.touch("note.md")
    expect(desk, ["M note.md", "M note.md"], ["M note.md", "M note.md"])
  }

  @Test func `row 20: a truncation that is written to after 0.9 ms is never an empty version`() {
    let desk = desk()
    let file = desk.disk.open("note.md", truncating: true)
    desk.wait(0.0009)
    file.write("two\n")
    file.close()
    expect(desk, ["M note.md"], ["M note.md"])
    #expect(desk.commits.first?.contents == ["note.md": "two\n"])
  }

  @Test func `gedit closes the note twice without a write, which is nothing`() {
    let desk = desk()
    let old = desk.disk.open("note.md")
    old.close()
    let file = desk.disk.open(".goutputstream-A1")
    file.write("two\n")
    let late = desk.disk.open("note.md")
    desk.disk.rename(".goutputstream-A1", "note.md")
    late.close()
    file.close()
    expect(desk, ["M note.md"], ["M note.md"])
  }
}

import Testing
import VersoModel
import VersoWatch

/// The cases in which something moves, comes or goes.
@Suite struct RenameRowTests {
  private func expect(
    _ desk: Desk, _ changes: [String], _ history: [String],
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    desk.wait(10)
    #expect(desk.changes == changes, sourceLocation: sourceLocation)
    #expect(desk.history == history, sourceLocation: sourceLocation)
    desk.expectRest(sourceLocation)
  }

  @Test func `row 28: a hard link and an unlink are a rename`() {
    let desk = Desk(["a.md": "one"])
    desk.disk.hardLink("a.md", as: "b.md")
    desk.disk.remove("a.md")
    expect(desk, ["a.md -> b.md"], ["R a.md -> b.md"])
  }

  @Test(arguments: ["a.md", "b.md"])
  func `the name that was moved is the one that is told, and its other name is gone`(moved: String)
  {
    let desk = Desk(["a.md": "one"])
    desk.disk.hardLink("a.md", as: "b.md")
    desk.wait(10)
    let other = moved == "a.md" ? "b.md" : "a.md"
    desk.disk.rename(moved, "c.md")
    desk.disk.remove(other)
    desk.wait(10)
    #expect(desk.changes == ["+ b.md", "\(moved) -> c.md", "- \(other)"])
    #expect(desk.history.count == 2)
    desk.expectRest()
  }

  @Test func `row 29: mv is a rename, in one folder or across`() {
    let desk = Desk(["a.md": "one", "d/c.md": "c"])
    desk.disk.rename("a.md", "b.md")
    desk.wait(5)
    desk.disk.rename("b.md", "d/a.md")
    expect(desk, ["a.md -> b.md", "b.md -> d/a.md"], ["R a.md -> b.md", "R b.md -> d/a.md"])
  }

  @Test func `row 29: a rename is one where no times of birth are known, by its events`() {
    let desk = Desk(["a.md": "one", "d/c.md": "c"], disk: FakeDisk(hasBirthTimes: false))
    desk.disk.rename("a.md", "d/b.md")
    desk.disk.rename("d", "e")
    desk.wait(10)
    #expect(desk.changes.last?.contains("d -> e") ?? false)
    #expect(desk.history == ["R a.md -> e/b.md, R d/c.md -> e/c.md"])
    desk.expectRest()
  }

  @Test func `row 30: mv over an existing file is an edit of it, and the source is gone`() {
    let desk = Desk(["a.md": "one", "b.md": "two"])
    desk.disk.rename("a.md", "b.md")
    expect(desk, ["M b.md", "- a.md"], ["M b.md, D a.md"])
  }

  @Test func `what is moved out of a folder that is then removed is renamed`() {
    let desk = Desk(["d/a.md": "one", "d/e/b.md": "two", "c.md": "three"])
    desk.disk.rename("d/a.md", "a.md")
    desk.disk.rename("d/e/b.md", "b.md")
    desk.disk.removeAll("d")
    desk.wait(10)
    #expect(desk.changes.joined(separator: ", ") == "d/a.md -> a.md, d/e/b.md -> b.md, - d")
    #expect(desk.history == ["R d/a.md -> a.md, R d/e/b.md -> b.md"])
    desk.expectRest()
  }

  @Test func `a note that makes way for a folder is renamed, and so is the folder`() {
    let desk = Desk(["b": "one", "d/a.md": "two"])
    desk.disk.rename("b", "c")
    // So far apart that the looks at the ends of the two do not fall together by chance.
    desk.disk.now += 0.02
    desk.step()
    desk.disk.rename("d", "b")
    desk.wait(10)
    #expect(desk.changes == ["d -> b, b -> c"])
    #expect(desk.history.count == 1)
    desk.expectRest()
  }

  @Test func `row 31: mv of a folder is one rename, without a look at what is in it`() {
    var files: [String: String] = [:]
    for number in 0..<2000 { files["a/\(number % 20)/\(number).md"] = "\(number)" }
    let desk = Desk(files)
    desk.disk.rename("a", "b")
    desk.wait(10)
    #expect(desk.changes == ["a -> b"])
    #expect(desk.commits.count == 1)
    #expect(desk.looks < 10)
    desk.expectRest()
  }

  @Test func `row 32: an edit below a moved folder is seen at its new path`() {
    let desk = Desk(["a/sub/deep/f.md": "one"])
    desk.disk.rename("a", "b")
    desk.step()
    desk.disk.append("b/sub/deep/f.md", "two")
    desk.wait(5)
    #expect(desk.changes == ["a -> b", "M b/sub/deep/f.md"])
    desk.disk.append("b/sub/deep/f.md", "three")
    desk.wait(10)
    #expect(desk.changes.last == "M b/sub/deep/f.md")
    desk.expectRest()
  }

  @Test func `row 33: a folder that is moved out is gone after a while, with its watches`() {
    let desk = Desk(["d/e/f.md": "f", "a.md": "a"])
    let start = desk.now
    _ = desk.disk.moveOut("d")
    desk.wait(0.9)
    #expect(desk.changes.isEmpty)
    expect(desk, ["- d"], ["D d/e/f.md"])
    #expect(desk.commits.allSatisfy { $0.time >= start + 2 })
  }

  @Test func `row 34: what is written in a folder that was moved out is nothing`() {
    let desk = Desk(["d/e/f.md": "f", "a.md": "a"])
    let file = desk.disk.open("d/e/f.md")
    _ = desk.disk.moveOut("d")
    for _ in 0..<50 {
      file.write("more")
      desk.wait(0.1)
    }
    file.close()
    expect(desk, ["- d"], ["D d/e/f.md"])
  }

  @Test func `a folder that is moved out and back within a second is as it was`() {
    let desk = Desk(["d/e/f.md": "f", "a.md": "a"])
    let folder = desk.disk.moveOut("d")
    desk.wait(0.5)
    desk.disk.moveIn(folder, "d")
    expect(desk, [], [])
    let again = desk.disk.moveOut("d")
    desk.wait(0.5)
    desk.disk.moveIn(again, "g")
    expect(desk, ["d -> g"], ["R d/e/f.md -> g/e/f.md"])
  }

  @Test func `row 36: a folder that is moved in is added with all that is in it`() {
    let desk = Desk(["d/e/f.md": "f", "a.md": "a"])
    let folder = desk.disk.moveOut("d")
    desk.wait(10)
    desk.disk.moveIn(folder, "g")
    desk.wait(10)
    #expect(desk.changes.last?.contains("+ g/e/f.md") ?? false)
    #expect(desk.history == ["D d/e/f.md", "A g/e/f.md"])
    desk.expectRest()
  }

  @Test(arguments: [true, false])
  func `row 37: two files or folders that are exchanged are two renames`(isAtomic: Bool) {
    let desk = Desk(["a.md": "one", "b.md": "two", "d/x.md": "x", "e/y.md": "y"])
    for (a, b) in [("a.md", "b.md"), ("d", "e")] {
      if isAtomic {
        desk.disk.exchange(a, b)
      } else {
        desk.disk.rename(a, "t")
        desk.disk.rename(b, a)
        desk.disk.rename("t", b)
      }
    }
    desk.wait(10)
    let told = desk.changes.joined(separator: ", ")
    for change in ["b.md -> a.md", "a.md -> b.md", "e -> d", "d -> e"] {
      #expect(told.contains(change))
    }
    #expect(!told.contains("-> t") && !told.contains("+") && !told.contains("- "))
    #expect(desk.commits.count == 1)
    desk.disk.append("d/y.md", "z")
    desk.wait(10)
    #expect(desk.history.last == "M d/y.md")
    desk.expectRest()
  }

  @Test func `row 38: a chain of renames is one rename`() {
    let desk = Desk(["a.md": "one", "d/x.md": "x"])
    for (old, new) in [("a.md", "b.md"), ("b.md", "c.md"), ("d", "e"), ("e", "f")] {
      desk.disk.rename(old, new)
    }
    expect(desk, ["d -> f", "a.md -> c.md"], ["R a.md -> c.md, R d/x.md -> f/x.md"])
  }

  @Test func `row 39: a rename that changes only the case is a rename`() {
    let desk = Desk(["Note.md": "one"])
    desk.disk.rename("Note.md", "note.md")
    expect(desk, ["Note.md -> note.md"], ["R Note.md -> note.md"])
  }

  @Test func `row 40: a rename and an edit within a second are one version`() {
    let desk = Desk(["a.md": "one"])
    desk.disk.rename("a.md", "b.md")
    desk.wait(0.5)
    desk.disk.append("b.md", "two")
    expect(desk, ["a.md -> b.md", "M b.md"], ["A b.md, D a.md"])
  }

  @Test func `row 40: a renamed note that is still being written is not saved by halves`() {
    let desk = Desk(["a.md": "one"])
    desk.disk.rename("a.md", "b.md")
    let file = desk.disk.open("b.md")
    for _ in 0..<10 {
      file.write("more")
      desk.wait(1)
    }
    #expect(desk.history.isEmpty)
    file.close()
    desk.wait(5)
    #expect(desk.history == ["A b.md, D a.md"])
    desk.expectRest()
  }

  @Test(arguments: [0, 1, 2, 3], [0, 0.01, 0.3])
  func `row 41: the halves of a rename may come apart, with others between`(
    cut: Int, pause: Double
  ) {
    let desk = Desk(["a.md": "one", "o.md": "o", "d/x.md": "x"])
    desk.disk.rename("a.md", "b.md")
    desk.disk.append("o.md", "p")
    desk.disk.rename("d", "e")
    var first = true
    desk.eventsAtOnce = {
      defer { first = false }
      return first ? cut : 0
    }
    desk.wait(pause)
    desk.eventsAtOnce = { .max }
    desk.wait(10)
    let told = desk.changes.joined(separator: ", ")
    #expect(told.contains("a.md -> b.md") && told.contains("d -> e"))
    #expect(desk.history == ["R a.md -> b.md, R d/x.md -> e/x.md, M o.md"])
    desk.expectRest()
  }

  @Test func `row 42: a rename whose second half was lost is one after the rescan`() {
    let desk = Desk(["a.md": "one", "d/x.md": "x"])
    desk.disk.rename("a.md", "b.md")
    desk.disk.rename("d", "e")
    desk.disk.append("e/x.md", "y")
    desk.disk.loseEvents(after: 1)
    desk.step()
    #expect(desk.reconciler.isSuspect)
    desk.wait(10)
    #expect(desk.changes.joined(separator: ", ") == "a.md -> b.md, d -> e, M e/x.md")
    #expect(desk.commits.count == 1)
    desk.expectRest()
  }

  @Test func `row 43: a new file with the inode of the deleted one is no rename`() {
    let desk = Desk(["a.md": "one"])
    let inode = desk.disk.entry("a.md")?.inode.number
    desk.disk.remove("a.md")
    desk.disk.write("b.md", "two")
    #expect(desk.disk.entry("b.md")?.inode.number == inode)
    expect(desk, ["+ b.md", "- a.md"], ["A b.md, D a.md"])
  }

  @Test func `row 44: folders and files that are made at once are all added once`() {
    let desk = Desk([:])
    var random = 7
    desk.meanwhile = {
      random = (random * 31 + 11) % 1009
      guard random % 3 == 0 else { return }
      let path = "t\(random)/b/c"
      if desk.disk.entry("t\(random)") != nil { return }
      for folder in ["t\(random)", "t\(random)/b", path] {
        desk.disk.makeFolder(folder)
        desk.disk.write(folder + "/f.md", "f")
      }
    }
    for number in 0..<300 {
      for folder in ["\(number)", "\(number)/b", "\(number)/b/c"] {
        desk.disk.makeFolder(folder)
        desk.disk.write(folder + "/f.md", "f")
      }
      if number % 7 == 0 { desk.step() }
      if number % 70 == 0 { desk.wait(0.05) }
    }
    desk.meanwhile = {}
    desk.wait(60)
    let added = desk.changes.joined(separator: ", ").split(separator: ", ")
    #expect(Set(added).count == added.count)
    #expect(added.count == desk.disk.everything.count)
    desk.expectRest()
  }

  @Test func `row 45: a folder that is gone within a millisecond is nothing`() {
    let desk = Desk(["a.md": "a"])
    desk.disk.makeFolder("d")
    desk.disk.write("d/x.md", "x")
    desk.disk.removeAll("d")
    expect(desk, [], [])
  }

  @Test(arguments: [true, false])
  func `row 46: a folder that is removed and made again is watched again`(hasBirthTimes: Bool) {
    let desk = Desk(["d/x.md": "x"], disk: FakeDisk(hasBirthTimes: hasBirthTimes))
    desk.disk.removeAll("d")
    desk.disk.makeFolder("d")
    desk.wait(70)
    desk.disk.write("d/y.md", "y")
    desk.wait(10)
    #expect(desk.history == ["D d/x.md", "A d/y.md"])
    desk.expectRest()
  }

  @Test func `row 49: links are leaves, to folders, to themselves and to nothing`() {
    let desk = Desk(["d/x.md": "x"])
    desk.disk.makeLink("d/loop", to: "..")
    desk.disk.makeLink("dangling", to: "nothing")
    expect(desk, ["+ d/loop, + dangling"], ["A d/loop, A dangling"])
  }

  @Test func `row 50: git checkout of 200 files is 200 edits and no deletion`() {
    var files: [String: String] = [:]
    for number in 0..<200 { files["\(number).md"] = "old \(number)" }
    let desk = Desk(files)
    for number in 0..<200 {
      desk.disk.remove("\(number).md")
      desk.step()
      desk.disk.now += 0.0006
      desk.disk.write("\(number).md", "new \(number)")
    }
    desk.wait(10)
    let told = desk.changes.joined(separator: ", ").split(separator: ", ")
    #expect(told.count == 200 && told.allSatisfy { $0.hasPrefix("M ") })
    #expect(desk.commits.count == 1)
    #expect(desk.history.first?.contains("D ") == false)
    desk.expectRest()
  }

  @Test func `row 70: names are bytes`() {
    let desk = Desk([:])
    for name in ["a\nb", " trailing ", "caf\u{e9}.md", "cafe\u{301}.md"] {
      desk.disk.write(name, name)
    }
    desk.wait(10)
    #expect(desk.saved.count == 4)
    desk.expectRest()
  }

  @Test func `row 71: a FIFO is nothing, and takes the place of a note as its deletion`() {
    let desk = Desk(["a.md": "a"])
    desk.disk.makeFIFO("pipe")
    desk.wait(5)
    #expect(desk.changes.isEmpty && desk.history.isEmpty)
    desk.disk.remove("a.md")
    desk.disk.makeFIFO("a.md")
    expect(desk, ["- a.md"], ["D a.md"])
  }

  @Test func `a file that becomes a folder, and back, is what it is`() {
    let desk = Desk(["a": "file"])
    desk.disk.remove("a")
    desk.disk.makeFolder("a")
    desk.wait(10)
    #expect(desk.history == ["D a"])
    desk.disk.write("a/b", "below")
    desk.wait(10)
    desk.disk.removeAll("a")
    desk.disk.write("a", "file")
    desk.wait(10)
    #expect(desk.history == ["D a", "A a/b", "A a, D a/b"])
    desk.expectRest()
  }

  @Test func `what is written into a folder by its old path's successor is not put down to it`() {
    let desk = Desk(["a/x.md": "old"])
    // The look at a/x.md comes after a folder with the same names took its path, before its events.
    desk.disk.append("a/x.md", "er")
    desk.step()
    desk.disk.rename("a", "b")
    desk.disk.makeFolder("a")
    desk.disk.write("a/x.md", "new")
    desk.eventsAtOnce = { 0 }
    desk.wait(0.1)
    desk.eventsAtOnce = { .max }
    desk.wait(10)
    #expect(desk.changes.joined(separator: ", ").contains("a -> b"))
    desk.expectRest()
  }
}

import Testing
import Verso
import VersoBrowser
import VersoModel

/// Unsaved text against the disk, by the rows of the specification.
@Suite struct BrowserUnsavedTests {
  private func editing(_ text: String = "one\ntwo\n", _ size: CellSize = .desk) -> BrowserDesk {
    var desk = BrowserDesk(size, ["f/n.md": text, "f/other.md": "other\n"])
    desk.press("j Enter Enter l i")
    return desk
  }

  @Test func `U1: a clean note that others wrote is read again`() {
    var desk = BrowserDesk(.desk, ["f/n.md": "one\n"])
    desk.press("j Enter Enter")
    desk.writeOutside("f/n.md", "two\n")
    #expect(desk.text.contains("two") && !desk.text.contains("one"))
    #expect(!desk.text.contains("another program"))
  }

  @Test func `U2: a note that was only touched stays`() {
    var desk = editing()
    desk.writeOutside("f/n.md", "one\ntwo\n")
    #expect(!desk.text.contains("another program"))
  }

  @Test func `U3: unsaved text meets other text in a banner, and is not saved over it`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    #expect(desk.text.contains("changed by another program"))
    #expect(desk.text.contains("xone"))
    desk.press("Ctrl-S")
    #expect(desk.disk["f/n.md"] == .some(Array("theirs\n".utf8)))
    #expect(desk.status.contains("not saved"))
  }

  @Test func `U3: keeping mine makes theirs a version first`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.press("Esc m")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\n".utf8)))
    let version = desk.effects.lastIndex { if case .version = $0 { true } else { false } }
    let write = desk.effects.lastIndex { if case .perform = $0 { true } else { false } }
    #expect((version ?? .max) < (write ?? .min))
    #expect(!desk.text.contains("another program"))
  }

  @Test func `U3: taking theirs keeps mine as a draft`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.press("Esc t")
    #expect(desk.draftTexts.contains(Array("xone\ntwo\n".utf8)))
    #expect(desk.text.contains("theirs") && !desk.text.contains("another program"))
    #expect(desk.disk["f/n.md"] == .some(Array("theirs\n".utf8)))
  }

  @Test func `U3: both are joined, theirs being a version, and saved when asked`() {
    var desk = editing("one\ntwo\nthree\nfour\n")
    desk.type("x")
    desk.writeOutside("f/n.md", "one\ntwo\nthree\nFOUR\n")
    desk.press("Esc g")
    #expect(!desk.text.contains("another program") && desk.status.contains("modified"))
    desk.press("Ctrl-S")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\nthree\nFOUR\n".utf8)))
    #expect(desk.effects.contains { if case .version = $0 { true } else { false } })
  }

  @Test func `U4: a file that becomes equal to the text is saved`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "xone\ntwo\n")
    #expect(!desk.status.contains("modified") && !desk.text.contains("another program"))
  }

  @Test func `U6: the unsaved text of a note that others deleted is a draft, and offered`() {
    var desk = editing()
    desk.type("x")
    desk.removeOutside("f/n.md")
    #expect(desk.draftTexts == [Array("xone\ntwo\n".utf8)])
    #expect(desk.model.gotoLog.last == "noSelection f")
    desk.press("-")
    #expect(desk.text.contains("The unsaved text of n.md was kept"))
  }

  @Test func `U7: unsaved text follows a renamed note and a renamed folder`() {
    var desk = editing()
    desk.type("x")
    desk.moveOutside("f/n.md", "f/m.md")
    desk.moveOutside("f", "g")
    #expect(desk.text.contains("xone"))
    desk.press("Ctrl-S")
    #expect(desk.disk["g/m.md"] == .some(Array("xone\ntwo\n".utf8)))
    #expect(!desk.model.gotoLog.dropFirst(2).contains { $0.hasPrefix("noSelection") })
  }

  @Test func `U8: the unsaved text of a note whose folder others deleted is a draft`() {
    var desk = editing()
    desk.type("x")
    desk.removeOutside("f")
    #expect(desk.draftTexts == [Array("xone\ntwo\n".utf8)])
    #expect(desk.model.gotoLog.last == "noSelection nothing")
  }

  @Test func `U5: a clean note that others deleted leaves its folder open`() {
    var desk = BrowserDesk(.desk, ["f/n.md": "alpha\n", "f/other.md": "other\n"])
    desk.press("j Enter Enter")
    #expect(desk.text.contains("alpha"))
    desk.removeOutside("f/n.md")
    #expect(desk.model.gotoLog.last == "noSelection f")
    #expect(desk.draftTexts.isEmpty && !desk.text.contains("alpha"))
  }

  @Test func `U6: a draft is restored as the note that it was, and selected`() {
    var desk = editing()
    desk.type("x")
    desk.removeOutside("f/n.md")
    desk.send(
      .drafts([Draft(name: "d", path: "f/n.md", bytes: Array("xone\ntwo\n".utf8), time: 0)]))
    desk.press("U Enter")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\n".utf8)))
    #expect(desk.model.gotoLog.last == "fileSelected f/n.md")
    #expect(desk.text.contains("xone"))
  }

  @Test func `U9: a folder in the note's place leaves a draft, restored under a free name`() {
    var desk = editing()
    desk.type("x")
    desk.disk["f/n.md"] = .some(nil)
    desk.send(
      .changed(
        DiskBatch(
          removed: ["f/n.md"], added: [Item(path: "f/n.md", kind: .folder, content: nil)])))
    #expect(desk.draftTexts == [Array("xone\ntwo\n".utf8)])
    #expect(desk.model.gotoLog.last == "noSelection f")
    desk.send(
      .drafts([Draft(name: "d", path: "f/n.md", bytes: Array("xone\ntwo\n".utf8), time: 0)]))
    desk.press("U Enter")
    let restored = desk.disk.filter { $0.value == Array("xone\ntwo\n".utf8) }.keys
    #expect(restored.count == 1 && restored.first?.parent == "f" && restored.first != "f/n.md")
  }

  @Test func `U10: text whose file cannot be read or written stays, with the reason`() {
    var desk = editing()
    desk.type("x")
    desk.send(.changed(DiskBatch(modified: [Item(path: "f/n.md", kind: .file, content: nil)])))
    let asked = desk.effects.compactMap { effect -> Int? in
      if case .readNote(let ticket, _) = effect { ticket } else { nil }
    }
    desk.send(
      .noteRead(ticket: asked.last ?? 0, "f/n.md", .unreadable("Permission denied"), nil))
    #expect(desk.text.contains("xone") && desk.status.contains("Permission denied"))
    desk.trouble = "Read-only file system"
    desk.press("Ctrl-S")
    #expect(desk.text.contains("xone") && desk.status.contains("Read-only file system"))
    #expect(desk.model.gotoLog.last == "fileSelected f/n.md")
  }

  @Test func `U11: a note in conflict that others delete leaves a draft of mine`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.removeOutside("f/n.md")
    #expect(desk.draftTexts == [Array("xone\ntwo\n".utf8)])
    #expect(desk.model.gotoLog.last == "noSelection f")
    #expect(!desk.text.contains("another program:"))
  }

  @Test func `U12: undoing the deletion brings back the note and its unsaved text`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.press("Esc Esc d y")
    #expect(desk.disk["f/n.md"] == nil)
    desk.press("u")
    #expect(desk.disk["f/n.md"] != nil)
    #expect(desk.model.gotoLog.last == "fileSelected f/n.md")
    #expect(desk.text.contains("xone") && desk.text.contains("unsaved text"))
    desk.press("3 Ctrl-S")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\n".utf8)))
  }

  @Test func `U12: deleting a note with unsaved text says so, and keeps a draft`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.press("Esc Esc d")
    #expect(desk.status.contains("draft"))
    desk.press("y")
    #expect(desk.draftTexts.last == Array("xone\ntwo\n".utf8))
    #expect(desk.disk["f/n.md"] == nil)
  }

  @Test func `U13: quitting saves what was edited, and ends`() {
    var desk = editing()
    desk.type("x")
    desk.send(.screen(.ended(.signal(15))))
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\n".utf8)))
    #expect(desk.model.hasQuit)
  }

  @Test func `U14: drafts of a start before are offered`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    let draft = Draft(name: "d", path: "lost.md", bytes: Array("text\n".utf8), time: 0)
    desk.send(.drafts([draft]))
    #expect(desk.status.contains("draft"))
    desk.press("U Enter")
    #expect(desk.disk["lost.md"] == .some(Array("text\n".utf8)))
  }

  @Test func `U15: text that could not be written stays unsaved`() {
    var desk = editing()
    desk.type("x")
    desk.trouble = "the disk is full"
    desk.press("Ctrl-S")
    #expect(desk.status.contains("the disk is full") && desk.status.contains("modified"))
    #expect(desk.disk["f/n.md"] == .some(Array("one\ntwo\n".utf8)))
    desk.press("Ctrl-S")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\n".utf8)))
  }

  @Test func `U13 and U15: text that cannot be saved at the end is a draft, and it ends`() {
    var desk = editing()
    desk.type("x")
    desk.trouble = "the disk is full"
    desk.send(.screen(.ended(.signal(1))))
    #expect(desk.draftTexts == [Array("xone\ntwo\n".utf8)])
    #expect(desk.model.hasQuit)
  }

  @Test func `text whose save fails after its note was left is a draft`() {
    var desk = editing()
    desk.type("x")
    let saving = desk.model.update(.screen(.key(KeyEvent(.escape))), at: desk.time)
    let purposes = saving.compactMap { effect -> OperationPurpose? in
      if case .perform(_, let purpose) = effect { purpose } else { nil }
    }
    #expect(purposes.count == 1)
    desk.press("h j Enter")
    #expect(desk.model.gotoLog.last == "fileSelected f/other.md")
    for purpose in purposes {
      desk.send(.done(purpose, .failed("f/n.md was changed", isRefusal: true)))
    }
    #expect(desk.draftTexts == [Array("xone\ntwo\n".utf8)])
    #expect(desk.status.contains("kept as a draft"))
  }

  @Test func `text that is being saved is not saved twice, and more of it is saved after it`() {
    var desk = editing()
    desk.type("x")
    let first = desk.model.update(.screen(.key(KeyEvent(name: "Ctrl-S") ?? .init(.enter))), at: 200)
    let again = desk.model.update(.screen(.key(KeyEvent(name: "Ctrl-S") ?? .init(.enter))), at: 200)
    _ = desk.model.update(.screen(.key(KeyEvent(.character("y")))), at: 201)
    let more = desk.model.update(.screen(.key(KeyEvent(.escape))), at: 202)
    func writes(_ effects: [BrowserEffect]) -> [VaultOperation] {
      effects.compactMap { if case .perform(let operation, _) = $0 { operation } else { nil } }
    }
    let (old, x, xy) = ("one\ntwo\n", "xone\ntwo\n", "xyone\ntwo\n")
    #expect(writes(first) == [.write("f/n.md", Array(x.utf8), expecting: Array(old.utf8))])
    #expect(writes(again).isEmpty)
    #expect(writes(more) == [.write("f/n.md", Array(xy.utf8), expecting: Array(x.utf8))])
  }

  @Test func `leaving a note saves it`() {
    var desk = editing()
    desk.type("x")
    desk.press("Esc")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\n".utf8)))
  }

  @Test func `a caret survives a change of width both ways`() {
    var desk = editing("one\ntwo\nthree\n")
    desk.press("Down Down Right Right")
    let before = desk.model.frame.cursor
    desk.resize(59, 22)
    #expect(desk.text.contains("three"))
    desk.resize(100, 38)
    #expect(desk.model.frame.cursor == before)
    desk.type("X")
    #expect(desk.text.contains("thXree"))
  }
}

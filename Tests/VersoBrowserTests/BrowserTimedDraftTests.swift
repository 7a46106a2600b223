import Testing
import Verso
import VersoBrowser
import VersoModel

/// What becomes of the drafts that the clock makes.
@Suite struct BrowserTimedDraftTests {
  private func editing(_ text: String = "one\n") -> BrowserDesk {
    var desk = BrowserDesk(.desk, ["f/n.md": text, "f/other.md": "other\n"])
    desk.press("j Enter Enter l i")
    return desk
  }

  private static func wait(_ seconds: Double, _ desk: inout BrowserDesk) {
    desk.time += seconds
    desk.send(.tick)
  }

  private static func texts(_ desk: BrowserDesk) -> [String] {
    desk.drafts.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func `one that was kept on purpose stays when theirs is taken and edited`() {
    var desk = editing()
    desk.type("MINE ")
    Self.wait(4, &desk)
    desk.writeOutside("f/n.md", "theirs\n")
    desk.press("Esc t i")
    desk.type("more ")
    Self.wait(4, &desk)
    desk.press("Ctrl-S")
    #expect(Self.texts(desk) == ["MINE one\n"])
  }

  @Test func `one of a note that is left goes when the save is answered`() {
    var desk = editing()
    desk.type("x")
    Self.wait(4, &desk)
    #expect(Self.texts(desk) == ["xone\n"])
    desk.type("y")
    // The save is answered when another note is open.
    let effects = desk.model.update(.screen(.key(KeyEvent(.escape))), at: desk.time)
    desk.press("h j Enter")
    for case .perform(_, let purpose) in effects {
      desk.send(.done(purpose, .done(subject: "s", DiskBatch(), left: nil)))
    }
    #expect(Self.texts(desk) == [])
  }

  @Test func `one follows its note to another name, and goes with its save`() {
    var desk = editing()
    desk.type("x")
    Self.wait(4, &desk)
    desk.moveOutside("f/n.md", "f/m.md")
    desk.press("Esc")
    #expect(desk.disk["f/m.md"] == .some(Array("xone\n".utf8)))
    #expect(Self.texts(desk) == [])
  }

  @Test func `one of a text that is taken back goes`() {
    var desk = editing()
    desk.type("x")
    Self.wait(4, &desk)
    #expect(Self.texts(desk) == ["xone\n"])
    desk.press("Ctrl-Z")
    #expect(Self.texts(desk) == [])
  }

  @Test func `text that replaces as much text is kept too`() {
    var desk = editing()
    desk.type("x")
    Self.wait(4, &desk)
    desk.press("Shift-Left")
    desk.type("y")
    Self.wait(4, &desk)
    #expect(Self.texts(desk) == ["yone\n"])
  }

  @Test func `a full disk is told of once, and what was saved meanwhile is no loss`() {
    var desk = editing()
    desk.draftTrouble = "the disk is full"
    desk.type("x")
    Self.wait(4, &desk)
    #expect(desk.status.contains("could not be kept yet"))
    desk.press("End")
    for _ in 0..<3 { Self.wait(5.1, &desk) }
    #expect(!desk.status.contains("could not be kept"))
    desk.press("Ctrl-S")
    desk.press("Esc q")
    #expect(desk.model.hasQuit && desk.model.lostTexts == [])
  }

  @Test func `deleting, making and saving a note anew leaves no old text to come back`() {
    var desk = editing()
    desk.type("OLD ")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.press("Esc Esc d y")
    desk.press("a")
    desk.type("n.md")
    desk.press("Enter Enter l i")
    desk.type("new")
    desk.press("Esc h")
    desk.press("d y u")
    #expect(desk.disk["f/n.md"] == .some(Array("new".utf8)))
    #expect(!desk.text.contains("OLD"))
  }

  @Test func `a draft of the note that is open comes into its editor`() {
    var desk = BrowserDesk(.desk, ["a.md": "now\n"])
    desk.press("Enter Enter l")
    desk.send(.drafts([Draft(name: "d", path: "a.md", bytes: Array("then\n".utf8), time: 0)]))
    desk.press("U Enter")
    #expect(desk.text.contains("then") && desk.text.contains("unsaved text"))
  }

  @Test func `keys for a note that could not be made reach no other`() {
    var model = BrowserModel(.desk)
    _ = model.start()
    let items = ["a.md", "b.md"].map { Item(path: $0, kind: .file, content: nil) }
    _ = model.update(.snapshot(items, Catalogue(items)), at: 1)
    var purposes: [OperationPurpose] = []
    func press(_ names: String) {
      for name in names.split(separator: " ") {
        guard let key = KeyEvent(name: String(name)) else { continue }
        for case .perform(_, let purpose) in model.update(.screen(.key(key)), at: 1) {
          purposes.append(purpose)
        }
      }
    }
    press("Enter a x Enter d y")
    for purpose in purposes {
      _ = model.update(.done(purpose, .failed("locked", isRefusal: false)), at: 1)
    }
    #expect(purposes.count == 1 && model.operations == 0)
    #expect(!FrameText.plain(model.frame).contains("Delete a.md"))
  }

  @Test func `panes without rows are scrolled without harm`() {
    let copy = "a (conflict phone 2027-01-15 0801 850c244).md"
    for text in ["", "x\n"] {
      var desk = BrowserDesk(.desk, ["a.md": text, copy: text])
      desk.press("Enter Enter j k PgDn PgUp Home End ] [ Ctrl-D")
      desk.resize(59, 22)
      desk.press("PgDn G j")
      desk.resize(100, 38)
      desk.mouse(.wheelDown, 10, 10)
      #expect(desk.text.contains("the copy"))
    }
    var model = BrowserModel(.desk)
    _ = model.start()
    let items = ["a.md", copy].compactMap { RelativePath($0) }
      .map { Item(path: $0, kind: .file, content: nil) }
    _ = model.update(.snapshot(items, Catalogue(items)), at: 1)
    for name in ["Enter", "Enter", "j", "PgDn", "G", "]"] {
      guard let key = KeyEvent(name: name) else { continue }
      // Nothing is answered: it is being read.
      _ = model.update(.screen(.key(key)), at: 1)
    }
    #expect(FrameText.plain(model.frame).contains("reading…"))
  }
}

import Testing
import Verso
import VersoBrowser
import VersoModel

/// No text is lost, whatever fails and whenever it ends.
@Suite struct BrowserKeepTests {
  private func editing(_ text: String = "one\ntwo\n") -> BrowserDesk {
    var desk = BrowserDesk(.desk, ["f/n.md": text, "f/other.md": "other\n"])
    desk.press("j Enter Enter l i")
    return desk
  }

  private static let typed = Array("xone\ntwo\n".utf8)

  private static func wait(_ seconds: Double, _ desk: inout BrowserDesk) {
    desk.time += seconds
    desk.send(.tick)
  }

  private static func drops(_ desk: BrowserDesk) -> Int {
    desk.effects.count { if case .dropDraft = $0 { true } else { false } }
  }

  @Test func `U14: what is typed is kept after three seconds, and forgotten once it is saved`() {
    var desk = editing()
    desk.type("x")
    #expect((desk.model.pause(at: desk.time) ?? 9) <= 3)
    Self.wait(2.9, &desk)
    #expect(desk.draftTexts.isEmpty)
    Self.wait(0.2, &desk)
    #expect(desk.draftTexts == [Self.typed])
    // Nothing is said of it, and it is kept once.
    #expect(!desk.status.contains("draft") && desk.model.pause(at: desk.time) == nil)
    Self.wait(60, &desk)
    #expect(desk.draftTexts.count == 1)
    desk.type("y")
    Self.wait(4, &desk)
    #expect(desk.draftTexts.count == 2 && Self.drops(desk) == 1)
    desk.press("Esc")
    #expect(desk.disk["f/n.md"] == .some(Array("xyone\ntwo\n".utf8)))
    #expect(Self.drops(desk) == 2)
  }

  @Test func `who types without a pause is kept every twenty seconds`() {
    var desk = editing()
    for _ in 0..<30 {
      desk.type("x")
      Self.wait(1, &desk)
    }
    #expect(desk.draftTexts.count == 1)
  }

  @Test func `a vault that goes away keeps the text in mind until it is back`() {
    var desk = editing()
    desk.type("x")
    desk.draftTrouble = "the directory is not there"
    desk.send(.offline("it was moved away"))
    #expect(desk.draftTexts.isEmpty && desk.text.contains("The vault is not there"))
    // Whoever quits now is told, once.
    desk.press("q")
    #expect(!desk.model.hasQuit && desk.status.contains("q again loses"))
    desk.draftTrouble = nil
    desk.send(.online)
    desk.send(.snapshot(desk.items, Catalogue(desk.items)))
    Self.wait(0.1, &desk)
    #expect(desk.draftTexts == [Self.typed])
    desk.press("q")
    #expect(desk.model.hasQuit)
  }

  @Test func `a draft that cannot be kept is tried again, though its note was left`() {
    var desk = editing()
    desk.type("x")
    desk.trouble = "the disk is full"
    desk.draftTrouble = "the disk is full"
    desk.press("Esc")
    desk.trouble = "the disk is full"
    desk.press("h j Enter")
    #expect(desk.model.gotoLog.last == "fileSelected f/other.md")
    #expect(desk.draftTexts.isEmpty)
    #expect(desk.status.contains("could not be kept yet"))
    Self.wait(5.1, &desk)
    #expect(desk.draftTexts.isEmpty)
    desk.draftTrouble = nil
    Self.wait(5.1, &desk)
    #expect(desk.draftTexts == [Self.typed])
  }

  @Test func `what could not be kept once does not stop later text from being saved`() {
    var desk = editing()
    desk.type("x")
    desk.writeOutside("f/n.md", "theirs\n")
    desk.draftTrouble = "somebody holds the vault"
    desk.press("Esc t")
    desk.draftTrouble = nil
    desk.press("i")
    desk.type("MORE ")
    desk.send(.screen(.ended(.signal(15))))
    let saved = desk.disk["f/n.md"].flatMap { $0 } ?? []
    #expect(String(decoding: saved, as: UTF8.self).contains("MORE "))
    #expect(desk.draftTexts.contains(Self.typed) && desk.model.hasQuit)
  }

  @Test func `at the end of the terminal a draft is tried until it can be kept`() {
    var desk = editing()
    desk.type("x")
    desk.trouble = "the disk is full"
    desk.draftTrouble = "the disk is full"
    desk.send(.screen(.ended(.closed)))
    #expect(!desk.model.hasQuit)
    desk.draftTrouble = nil
    Self.wait(5.1, &desk)
    #expect(desk.draftTexts == [Self.typed] && desk.model.hasQuit)
  }

  @Test func `keys after q do nothing while it saves`() {
    var model = BrowserModel(.desk)
    _ = model.start()
    let item = Item(path: "a.md", kind: .file, content: nil)
    _ = model.update(.snapshot([item], Catalogue([item])), at: 1)
    func press(_ names: String) -> [BrowserEffect] {
      names.split(separator: " ").flatMap { name in
        KeyEvent(name: name).map { model.update(.screen(.key($0)), at: 1) } ?? []
      }
    }
    let reads = press("Enter Enter l").compactMap { effect -> Int? in
      if case .readNote(let ticket, _) = effect { ticket } else { nil }
    }
    _ = model.update(
      .noteRead(ticket: reads.last ?? 0, "a.md", .content(Array("a\n".utf8), modified: 1), nil),
      at: 1)
    _ = press("i x")
    _ = press("Esc q")
    #expect(!model.hasQuit && model.operations == 1)
    _ = press("i L A T E R")
    #expect(!FrameText.plain(model.frame).contains("LATER"))
    #expect(!FrameText.plain(model.frame).contains("EDIT"))
  }

  @Test func `a save that fails while a day of the past is looked at leaves a draft`() {
    var desk = editing()
    desk.type("x")
    let saving = desk.model.update(.screen(.key(KeyEvent(.escape))), at: desk.time)
    let purposes = saving.compactMap { effect -> OperationPurpose? in
      if case .perform(_, let purpose) = effect { purpose } else { nil }
    }
    desk.press("@")
    desk.type("today")
    desk.press("Enter")
    let ticket = desk.effects.compactMap { effect -> Int? in
      if case .day(let ticket, _) = effect { ticket } else { nil }
    }
    let commit = ObjectID(hex: String(repeating: "a", count: 40))
    guard let ticket = ticket.last, let commit else {
      Issue.record("no day was asked for")
      return
    }
    desk.send(.day(ticket: ticket, Vault.Day(commit: commit, time: 86_400, items: desk.items)))
    #expect(desk.text.contains("READ-ONLY"))
    for purpose in purposes {
      desk.send(.done(purpose, .failed("it was changed", isRefusal: true)))
    }
    #expect(desk.draftTexts == [Self.typed])
  }

  @Test func `keys that wait too long are dropped, and reach nothing else`() {
    var model = BrowserModel(.desk)
    _ = model.start()
    let items = ["a.md", "b.md"].map { Item(path: $0, kind: .file, content: nil) }
    _ = model.update(.snapshot(items, Catalogue(items)), at: 1)
    func press(_ names: String, at time: Double) {
      for name in names.split(separator: " ") {
        if let key = KeyEvent(name: String(name)) { _ = model.update(.screen(.key(key)), at: time) }
      }
    }
    press("Enter Enter", at: 1)
    // The note is never read.
    press("l i", at: 2)
    press("d y", at: 3)
    _ = model.update(.screen(.paste("text")), at: 3)
    _ = model.update(.tick, at: 30)
    let text = FrameText.plain(model.frame)
    #expect(text.contains("3 keys were dropped") && !text.contains("Delete"))
    #expect(model.operations == 0)
  }

  @Test func `a draft over a note that has another text is put into its editor`() {
    var desk = BrowserDesk(.desk, ["a.md": "newer\n"])
    desk.send(.drafts([Draft(name: "d", path: "a.md", bytes: Array("older\n".utf8), time: 0)]))
    desk.press("U Enter")
    #expect(desk.model.gotoLog.last == "fileSelected a.md")
    #expect(desk.text.contains("older") && desk.text.contains("unsaved text"))
    #expect(desk.disk["a.md"] == .some(Array("newer\n".utf8)))
    desk.press("Ctrl-S")
    #expect(desk.disk["a.md"] == .some(Array("older\n".utf8)))
    #expect(Self.drops(desk) == 1)
  }

  // MARK: What was wrong once

  @Test func `editing begins where the eye is, and ends where the caret was seen`() {
    let text = (1...200).map { "line \($0)\n\n" }.joined()
    var desk = BrowserDesk(.desk, ["a.md": text])
    desk.press("Enter Enter l PgDn PgDn")
    let top = desk.rows[2]
    desk.press("i")
    desk.type("HERE ")
    #expect(desk.rows.prefix(6).contains { $0.contains("HERE") }, "\(top)\n\(desk.text)")
    desk.press("Esc")
    #expect(desk.rows.prefix(8).contains { $0.contains("HERE") })
  }

  @Test func `a filter shows its rows whatever the order is`() {
    var desk = BrowserDesk(.desk, ["za.md": "a\n", "b.md": "b\n", "zoo.md": "c\n"])
    desk.facts = [
      "za.md": ItemFacts(modified: 1, size: 9), "zoo.md": ItemFacts(modified: 2, size: 1),
    ]
    desk.press("Enter f")
    desk.type("z")
    desk.press("Enter , s")
    #expect(desk.text.contains("za.md") && desk.text.contains("zoo.md"))
    #expect(!desk.rows.dropFirst(2).contains { $0.contains("b.md") })
  }

  @Test func `an order holds for the lists that are opened later`() {
    var desk = BrowserDesk(
      .desk, ["f/a.md": "a\n", "f/b.md": "b\n", "g/c.md": "c\n", "g/d.md": "d\n"])
    desk.facts = [
      "f/a.md": ItemFacts(modified: 1, size: 1), "f/b.md": ItemFacts(modified: 1, size: 2),
      "g/c.md": ItemFacts(modified: 1, size: 1), "g/d.md": ItemFacts(modified: 1, size: 2),
    ]
    desk.press("j Enter , s h j Enter")
    let rows = desk.rows.dropFirst(2)
    let c = rows.firstIndex { $0.contains("c.md") }
    let d = rows.firstIndex { $0.contains("d.md") }
    #expect((d ?? 99) < (c ?? 0))
  }

  @Test func `a day that is none leaves the line to be mended`() {
    var desk = BrowserDesk(.desk, ["a.md": "a\n"])
    desk.press("@")
    desk.type("nonsense")
    desk.press("Enter")
    let tickets = desk.effects.compactMap { effect -> Int? in
      if case .day(let ticket, _) = effect { ticket } else { nil }
    }
    desk.send(.failed(ticket: tickets.last ?? 0, "no such day"))
    #expect(desk.status.contains("no such day") && desk.status.contains("nonsense"))
    desk.press("d y")
    #expect(desk.operations.isEmpty && desk.disk["a.md"] != nil)
  }

  @Test func `the banner says to leave the editor first, at every width`() {
    for size in [CellSize.phone, .tablet, CellSize(width: 80, height: 24), .desk] {
      var desk = BrowserDesk(size, ["f/n.md": "one\n"])
      desk.press(size == .phone ? "j Enter Enter i" : "j Enter Enter l i")
      desk.type("x")
      desk.writeOutside("f/n.md", "theirs\n")
      #expect(desk.text.contains("Esc, then m mine"), "\(size)\n\(desk.text)")
      desk.press("Esc")
      #expect(desk.text.contains("m mine") && !desk.text.contains("Esc, then"))
    }
  }

  @Test func `what differs within a paragraph that is higher than the screen can be read`() {
    let words = (1...600).map { "word\($0)" }.joined(separator: " ")
    let copy: RelativePath = "a (conflict phone 2027-01-15 0801 850c244).md"
    var desk = BrowserDesk(
      .tablet, ["a.md": words + " end\n", copy.description: words + " other\n"])
    desk.press("Enter Enter")
    #expect(desk.text.contains("word1 ") && !desk.text.contains("other"))
    for _ in 0..<12 { desk.press("PgDn") }
    #expect(desk.text.contains("end") && desk.text.contains("other"))
    desk.press("Home")
    #expect(desk.text.contains("word1 "))
  }

  @Test func `a passage is put back from the version that is seen`() throws {
    var desk = BrowserDesk(.desk, ["a.md": "b\n"])
    desk.press("Enter Enter H")
    let tickets = desk.effects.compactMap { effect -> Int? in
      if case .timeline(let ticket, _) = effect { ticket } else { nil }
    }
    let commits = try ["a", "b"].map {
      try #require(ObjectID(hex: String(repeating: $0, count: 40)))
    }
    let versions = commits.enumerated().map { index, commit in
      Vault.TimelineVersion(
        version: .init(
          commit: commit, time: Int64(1000 - index), device: "desk", subject: "s", path: "a.md",
          kind: .modified), addedWords: 1, removedWords: 1)
    }
    desk.send(.timeline(ticket: tickets.last ?? 0, versions, isLast: true))
    func pastTicket() -> Int {
      desk.effects.compactMap { effect -> Int? in
        if case .past(let ticket, _, _, _) = effect { ticket } else { nil }
      }.last ?? 0
    }
    let view = PastView.comparison(
      Array("a\n".utf8), try PastComparison(from: Array("a\n".utf8), to: Array("b\n".utf8)))
    desk.send(.past(ticket: pastTicket(), view))
    desk.press("j p")
    #expect(desk.status.contains("still reading"))
    desk.send(.past(ticket: pastTicket(), view))
    desk.press("p")
    let restored = desk.effects.compactMap { effect -> ObjectID? in
      if case .restore(_, let commit, _) = effect { commit } else { nil }
    }
    #expect(restored == [commits[1]])
  }

  @Test func `numbers that are none do nothing`() {
    var desk = BrowserDesk(CellSize(width: 80, height: 24), ["a.md": "a\n"]) {
      ($0.isAccessible, $0.isLinear) = (true, true)
    }
    for text in ["0", "-1", "-9223372036854775808", "9223372036854775807", "99999999999999999999"] {
      desk.send(.screen(.line(text)))
    }
    #expect(desk.model.gotoLog.isEmpty)
    desk.send(.screen(.line("no such thing")))
    let count = desk.model.sayingCount
    desk.send(.screen(.line("no such thing")))
    #expect(desk.model.sayingCount == count + 1)
  }
}

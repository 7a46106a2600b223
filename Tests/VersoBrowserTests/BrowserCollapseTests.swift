import Testing
import VersoBrowser
import VersoModel

/// A terminal that becomes narrow and wide again (section 2.5 of the specification).
@Suite struct BrowserCollapseTests {
  private static let notes = [
    "f/n.md": "one\ntwo\nthree\n", "f/other.md": "other\n", "g/x.md": "x\n",
  ]

  private static func desk(_ size: CellSize = .desk, _ keys: String) -> BrowserDesk {
    var desk = BrowserDesk(size, notes)
    desk.press(keys)
    return desk
  }

  @Test func `2.5: an editor with unsaved text stays as it is, and says nothing of it`() {
    var desk = Self.desk(.desk, "j Enter Enter l i")
    desk.type("x")
    desk.press("Down")
    let before = (log: desk.model.gotoLog, cursor: desk.model.frame.cursor)
    desk.resize(59, 22)
    #expect(desk.text.contains("xone") && desk.text.contains("EDIT") && !desk.text.contains("│"))
    desk.resize(100, 38)
    #expect(desk.text.contains("│") && desk.text.contains("xone") && desk.text.contains("EDIT"))
    #expect(desk.model.frame.cursor == before.cursor && desk.model.gotoLog == before.log)
    // Nothing was saved by it.
    #expect(desk.disk["f/n.md"] == .some(Array("one\ntwo\nthree\n".utf8)))
    desk.press("Ctrl-Z")
    #expect(!desk.text.contains("xone"))
  }

  @Test func `2.5: back while narrow, then wide, is the folder with its placeholder`() {
    var desk = Self.desk(.desk, "j Enter Enter l i")
    desk.type("x")
    desk.resize(59, 22)
    desk.press("Esc h")
    #expect(desk.model.gotoLog.last == "folderSelected f")
    #expect(desk.disk["f/n.md"] == .some(Array("xone\ntwo\nthree\n".utf8)))
    desk.resize(100, 38)
    #expect(desk.text.contains("n.md") && desk.rows[1].contains("Preview"))
    #expect(desk.model.gotoLog.last == "folderSelected f")
  }

  @Test func `2.5: a folder keeps its list, cursor and scroll`() {
    var files: [String: String] = [:]
    for number in 10..<90 { files["f/\(number).md"] = "\(number)\n" }
    var desk = BrowserDesk(.desk, files)
    desk.press("j Enter G k k")
    let cursor = desk.rows.first { $0.contains("> 87.md") }
    #expect(cursor != nil)
    desk.resize(59, 22)
    #expect(desk.rows.contains { $0.contains("> 87.md") } && !desk.text.contains("│"))
    desk.resize(100, 38)
    #expect(desk.rows.contains { $0.contains("> 87.md") && $0.contains("│") })
  }

  @Test func `2.5: with nothing selected the folders stand beside their placeholder at a third`() {
    var desk = Self.desk(.desk, "j")
    desk.resize(59, 22)
    #expect(desk.rows.contains { $0.hasPrefix("> f/") })
    desk.resize(100, 38)
    #expect(desk.text.contains("Choose a folder"))
    #expect(
      desk.rows[5].firstIndex(of: "│").map {
        desk.rows[5].distance(from: desk.rows[5].startIndex, to: $0)
      } == 33)
  }

  @Test func `2.5: a lost note while narrow is its folder's list, and the placeholder when wide`() {
    var desk = Self.desk(.phone, "j Enter j Enter")
    #expect(desk.text.contains("other"))
    desk.removeOutside("f/other.md")
    #expect(desk.model.gotoLog.last == "noSelection f")
    #expect(desk.rows.contains { $0.contains("n.md") } && desk.status.contains("other.md is gone"))
    desk.resize(100, 38)
    #expect(desk.text.contains("│") && desk.text.contains("n.md"))
    #expect(!desk.rows[1].contains("other.md"))
  }

  @Test func `2.5: deleting the note that is read while narrow leads to its list`() {
    var desk = Self.desk(.phone, "j Enter j Enter")
    desk.press("d y")
    #expect(desk.disk["f/other.md"] == nil && desk.model.gotoLog.last == "noSelection f")
    #expect(desk.rows.contains { $0.contains("> n.md") })
    desk.resize(100, 38)
    #expect(desk.text.contains("n.md") && !desk.rows[1].contains("other.md"))
  }

  @Test func `2.5: the folder lost while narrow leads to the folders in one step`() {
    var desk = Self.desk(.phone, "j Enter Enter")
    desk.removeOutside("f")
    #expect(desk.model.gotoLog.last == "noSelection nothing")
    #expect(desk.model.gotoLog.filter { $0.hasPrefix("noSelection") }.count == 1)
    #expect(desk.rows.contains { $0.contains("g/") })
  }

  @Test func `2.5: a prompt and the help keep what was typed, and are in the middle again`() {
    var desk = Self.desk(.desk, "a")
    desk.type("new na")
    for (width, height) in [(59, 22), (30, 12), (200, 60), (100, 38)] {
      desk.resize(width, height)
      #expect(desk.status.contains("new na"), "\(width)")
    }
    desk.press("Esc ?")
    for (width, height) in [(59, 22), (200, 60), (100, 38)] {
      desk.resize(width, height)
      let box = desk.rows.first { $0.contains("┌ Help") }
      let left = box.map { Glyph.columns($0.prefix { $0 != "┌" }) } ?? -1
      let right = box.map { width - Glyph.columns($0) } ?? -1
      #expect(abs(left - right) <= 1, "\(width): \(left) \(right)")
    }
  }
}

import Testing
import Verso
import VersoModel
import VersoTestSupport

@testable import VersoBrowser

/// Random keys, clicks, sizes and changes of the disk.
@Suite struct BrowserWalkTests {
  private static let keys = [
    "j", "k", "Enter", "l", "h", "Tab", "Shift-Tab", "1", "2", "3", "g g", "G", "Ctrl-D", "-", "z",
    "\\",
    "S", "P", "?", "Esc", "Esc", "i", "a", "A", "r", "d", "y", "n", "x", "p", "u", "Space", "v",
    ".", "/",
    "f", "Ctrl-P", ":", "q", "Ctrl-W <", "Ctrl-W >", "Ctrl-W =", "Backspace", "Delete", "Ctrl-S",
    "Ctrl-Z", "M", "T", "m", "t", "D", "Left", "Right", "Up", "Down",
  ]

  @Test(arguments: seeds(isFullRun ? 400 : 40))
  func `whatever is done, a frame fits its screen and the lists are those of the disk`(seed: UInt64)
  {
    var random = SeededGenerator(seed: seed)
    var desk = BrowserDesk(.desk, ["a/x.md": "x\n", "a/b/y.md": "# y\n", "r.md": "r\n"])
    for step in 0..<200 where !desk.model.hasQuit {
      Self.act(on: &desk, &random)
      let frame = desk.model.frame
      #expect(frame.grid.size == desk.model.size, "seed \(seed), step \(step)")
      if let cursor = frame.cursor {
        #expect(
          CellRect(frame.grid.size).contains(cursor), "seed \(seed), step \(step): \(cursor)")
      }
      let catalogue = desk.model.selection.catalogue
      let (shown, there) = (Set(catalogue.allItems), Set(desk.items))
      guard shown == there else {
        Issue.record(
          """
          seed \(seed), step \(step): \(shown.subtracting(there).map(\.path)) is shown, \
          \(there.subtracting(shown).map(\.path)) is not
          """)
        return
      }
      for pane in [desk.model.folders, desk.model.files].compactMap({ $0 }) {
        let list = pane.list
        let fresh = ItemList(
          list.role, of: list.folder, in: catalogue, order: .name, showsHidden: list.showsHidden)
        let rows = Set(list.items.map(\.path))
        #expect(
          rows.isSuperset(of: fresh.items.map(\.path))
            && rows.allSatisfy { desk.disk[$0] != nil || $0.isRoot },
          "seed \(seed), step \(step): \(list.folder.path)")
      }
      if let item = desk.model.selection.selection.item, !item.isVault {
        #expect(desk.disk[item.path] != nil, "seed \(seed), step \(step): \(item.path)")
      }
    }
  }

  private static func act(on desk: inout BrowserDesk, _ random: inout SeededGenerator) {
    let paths = desk.disk.keys.sorted()
    func some() -> RelativePath? { paths.randomElement(using: &random) }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<12:
      let key = keys.randomElement(using: &random) ?? "j"
      if key != "q" || random.chance(10) { desk.press(key) }
    case 12: desk.type("n\(Int.random(in: 0..<9, using: &random))")
    case 13:
      desk.click(Int.random(in: 0..<100, using: &random), Int.random(in: 0..<38, using: &random))
    case 14:
      desk.resize(Int.random(in: 1...130, using: &random), Int.random(in: 1...40, using: &random))
    case 15:
      if let path = some(), desk.disk[path] != .some(nil) {
        desk.writeOutside(path, "\(random.next())\n")
      }
    case 16: if let path = some() { desk.removeOutside(path) }
    case 17:
      if let path = some(), let new = RelativePath("moved-\(random.next() % 100)"),
        desk.disk[new] == nil
      {
        desk.moveOutside(path, new)
      }
    case 18:
      if let path = RelativePath("a/new-\(random.next() % 9).md"), desk.disk["a"] == .some(nil) {
        desk.writeOutside(path, "new\n")
      }
    default: desk.send(.tick)
    }
  }
}

import VersoModel
import VersoSplitView

/// The menu of a row: by a right click, by `m`, or by the button in the title of the folders.
extension BrowserModel {
  /// What can be done with a row.
  struct Menu {
    let point: CellPoint
    let item: Item
    var cursor = 0

    struct Entry {
      let action: Action
      let label: String
    }

    static let entries = [
      Entry(action: .enter, label: "Open"),
      Entry(action: .editElsewhere, label: "Open in $EDITOR"),
      Entry(action: .rename, label: "Rename"),
      Entry(action: .delete, label: "Delete"),
      Entry(action: .copy, label: "Copy"),
      Entry(action: .cut, label: "Cut"),
      Entry(action: .mark, label: "Mark"),
      Entry(action: .history, label: "History"),
    ]
  }

  /// Opens the menu of a row that was clicked on.
  mutating func openMenu(at point: CellPoint, of column: Column, row: Int) {
    guard picker == nil, help == nil, history == nil, prompt == nil, comparison == nil else {
      return
    }
    leaveEditing()
    _ = split.setFocus(column)
    changeList(column) { $0.moveCursor(to: row) }
    guard let item = focusedList?.cursorItem else { return }
    menu = Menu(point: point, item: item)
  }

  /// Opens the menu of the row under the cursor.
  mutating func openMenu() {
    guard let list = focusedList, let item = list.cursorItem else { return say("nothing selected") }
    let rect = BrowserGeometry(self).content(focus)
    let row = (list.cursor ?? 0) - list.top
    menu = Menu(point: CellPoint(x: rect.x + 2, y: rect.y + max(0, row)), item: item)
  }

  /// Takes a key while a menu is open; `false` where it means what it does otherwise.
  mutating func pressInMenu(_ key: KeyEvent) -> Bool {
    guard let menu else { return false }
    if key.key == .enter {
      choose(menu.cursor, of: menu)
      return true
    }
    // The keys of the entries are those of the list.
    guard case .action(let action) = options.keymap.match([key], in: .list),
      let row = Menu.entries.firstIndex(where: { $0.action == action })
    else { return false }
    choose(row, of: menu)
    return true
  }

  mutating func performInMenu(_ action: Action) {
    guard var shown = menu else { return }
    switch action {
    case .cursorDown: shown.cursor = min(shown.cursor + 1, Menu.entries.count - 1)
    case .cursorUp: shown.cursor = max(0, shown.cursor - 1)
    case .first: shown.cursor = 0
    case .last: shown.cursor = Menu.entries.count - 1
    case .close: return menu = nil
    default: break
    }
    menu = shown
  }

  /// Does what an entry says.
  mutating func choose(_ row: Int, of menu: Menu) {
    self.menu = nil
    guard focusedList?.cursorItem?.path == menu.item.path else {
      return say("\(shown(menu.item.path)) is gone")
    }
    perform(Menu.entries[row].action)
  }
}

import VersoModel

/// A list of the browser: its rows, and which of them are shown.
struct ListPane {
  var list: ItemList
  /// The ticket under which the rows are being sorted; the list is empty meanwhile.
  var building: Int?
  /// What happened to the folder meanwhile.
  var missed: [ListEdit] = []
  /// Where the cursor is to go when the rows are there.
  var wanted: RelativePath?
  /// Only rows whose names hold this are shown.
  private(set) var filter = ""
  /// The rows that are shown; `nil` for all.
  private(set) var shown: [Int]?

  init(_ list: ItemList) { self.list = list }

  /// How many rows there are to be seen.
  var count: Int { shown?.count ?? list.count }

  /// The item of a row that is to be seen.
  func item(at row: Int) -> Item? {
    guard let shown else { return list.object(at: row) }
    return shown.indices.contains(row) ? list.object(at: shown[row]) : nil
  }

  /// The row of the cursor, of those that are to be seen.
  var cursor: Int? {
    guard let cursor = list.cursor else { return nil }
    guard let shown else { return cursor }
    return shown.firstIndex(of: cursor) ?? (shown.isEmpty ? nil : 0)
  }

  /// The item under the cursor.
  var cursorItem: Item? { cursor.flatMap(item(at:)) }

  /// The first row that is to be seen.
  var top: Int {
    guard let shown else { return list.top }
    return shown.firstIndex { $0 >= list.top } ?? 0
  }

  mutating func moveCursor(to row: Int) {
    guard count > 0 else { return }
    let row = min(max(0, row), count - 1)
    list.moveCursor(to: shown.map { $0[row] } ?? row)
  }

  mutating func moveCursor(by rows: Int) { moveCursor(to: (cursor ?? 0) + rows) }

  mutating func moveCursor(to path: RelativePath) {
    if building != nil { return wanted = path }
    if let row = list.row(of: path) { list.moveCursor(to: row) }
  }

  /// Scrolls as little as shows the cursor.
  mutating func reveal(height: Int) {
    guard let shown else {
      list.revealCursor(height: height)
      // No room is left empty that rows above could take.
      let last = max(0, list.count - height)
      if height > 0, list.top > last { list.scroll(to: last) }
      return
    }
    guard let cursor, height > 0 else { return }
    let first = min(max(top, cursor - height + 1), cursor)
    list.scroll(to: shown[first])
  }

  mutating func scroll(by rows: Int, height: Int) {
    let first = min(max(0, top + rows), max(0, count - height))
    list.scroll(to: shown.map { $0.indices.contains(first) ? $0[first] : 0 } ?? first)
  }

  mutating func setFilter(_ text: String) {
    filter = text
    refresh()
  }

  /// Finds the rows to be shown anew.
  mutating func refresh() {
    guard !filter.isEmpty else { return shown = nil }
    let (items, wanted) = (list.items, NameSearch(filter))
    shown = items.indices.filter { wanted.matches(items[$0].path.name) }
    if let cursor = list.cursor, let shown, !shown.contains(cursor), let first = shown.first {
      list.moveCursor(to: first)
    }
  }

  mutating func apply(_ edits: [ListEdit]) {
    if building != nil { missed += edits }
    list.apply(edits)
    refresh()
  }

  /// Takes the sorted rows.
  mutating func take(_ built: ItemList) {
    list = built
    building = nil
    list.apply(missed)
    missed = []
    if let wanted, let row = list.row(of: wanted) { list.moveCursor(to: row) }
    wanted = nil
    refresh()
  }

  /// The next row whose name holds a text, after the cursor or before it; round the ends.
  func match(_ text: String, forward: Bool, fromCursor: Bool) -> Int? {
    guard count > 0, !text.isEmpty else { return nil }
    let start = cursor ?? 0
    let wanted = NameSearch(text)
    for step in (fromCursor ? 0 : 1)...count {
      let row = forward ? (start + step) % count : (start - step + 2 * count) % count
      if let item = item(at: row), wanted.matches(item.path.name) { return row }
    }
    return nil
  }
}

/// A text that names are looked through for; its case counts only where it has a capital letter.
struct NameSearch {
  private let wanted: [UInt8]
  private let text: String
  private let ignoresCase: Bool

  init(_ text: String) {
    self.text = text
    ignoresCase = text == text.lowercased()
    wanted = Array(text.utf8)
  }

  /// Whether a name holds the text; an empty text is in none.
  func matches(_ name: ArraySlice<UInt8>) -> Bool {
    guard let first = wanted.first, name.count >= wanted.count else { return false }
    // Letters beyond ASCII have capitals that only Unicode knows.
    guard !ignoresCase || wanted.allSatisfy({ $0 < 0x80 }) else {
      return String(decoding: name, as: UTF8.self).lowercased().contains(text)
    }
    return name.withUnsafeBufferPointer { name in
      for start in 0...(name.count - wanted.count) where fold(name[start]) == first {
        var at = 1
        while at < wanted.count, fold(name[start + at]) == wanted[at] { at += 1 }
        if at == wanted.count { return true }
      }
      return false
    }
  }

  private func fold(_ byte: UInt8) -> UInt8 {
    ignoresCase && 0x41...0x5A ~= byte ? byte | 0x20 : byte
  }
}

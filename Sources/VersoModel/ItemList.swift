/// The rows of one list: what a folder holds, sorted, with a cursor and a first visible row that stay on
/// their items while the list changes.
public struct ItemList: Sendable {
  /// Which list of the split view it is.
  public enum Role: Sendable {
    /// The list of folders. At the top it starts with the vault itself; files are not in it.
    case folders
    /// What a folder holds; of the vault itself only the files, as its folders have rows of their own.
    case files
  }

  /// The folder whose items these are.
  public private(set) var folder: Item
  /// Which list it is.
  public let role: Role
  /// The highlighted row, which is not the selected one; `nil` where there are no rows.
  public private(set) var cursor: Int?
  /// The first row to be seen.
  public private(set) var top = 0
  /// Whether the folder can be read; if not there are no rows.
  public private(set) var isReadable = true
  /// Names that start with a dot.
  public private(set) var showsHidden: Bool
  /// How it is sorted.
  public private(set) var order: ItemOrder
  private var facts: [RelativePath: ItemFacts] = [:]
  private var rows: [ItemRow] = []
  /// Hidden items, which come into view by a change of ``showsHidden`` alone.
  private var hidden: [Item] = []
  /// The name that is shown though it is hidden, as it is selected.
  private var pinned: [UInt8]?

  /// The list of a folder, with the cursor on the first row.
  public init(
    _ role: Role, of folder: Item, in catalogue: Catalogue, order: ItemOrder = .name,
    showsHidden: Bool = false, facts: [RelativePath: ItemFacts] = [:]
  ) {
    self.folder = folder
    self.role = role
    self.order = order
    self.showsHidden = showsHidden
    self.facts = facts
    isReadable = catalogue.isReadable(folder.path)
    insert(catalogue.items(in: folder.path))
    if role == .folders, folder.isVault { insert([.vault]) }
    cursor = rows.isEmpty ? nil : 0
  }

  /// The number of rows.
  public var count: Int { rows.count }

  /// The items, row by row.
  public var items: [Item] { rows.map(\.item) }

  /// The item of a row; `nil` beyond the rows.
  public func object(at row: Int) -> Item? {
    rows.indices.contains(row) ? rows[row].item : nil
  }

  /// The row of the item at `path`.
  public func row(of path: RelativePath) -> Int? { rows.firstIndex { $0.item.path == path } }

  /// Puts the cursor on a row, the nearest where there is none.
  public mutating func moveCursor(to row: Int) {
    cursor = rows.isEmpty ? nil : min(max(0, row), rows.count - 1)
  }

  /// Scrolls to a first row.
  public mutating func scroll(to row: Int) { top = min(max(0, row), max(0, rows.count - 1)) }

  /// Scrolls as little as shows the cursor in a window of `height` rows.
  public mutating func revealCursor(height: Int) {
    guard let cursor, height > 0 else { return }
    top = min(max(top, cursor - height + 1), cursor)
  }

  /// Keeps the row of `item` in the list while its name is hidden; `nil` keeps none.
  public mutating func pin(_ item: Item?) {
    let old = pinned
    pinned = item.map { Array($0.path.name) }
    if pinned != old { refill() }
  }

  /// Sorts by something else.
  public mutating func sort(by order: ItemOrder, facts: [RelativePath: ItemFacts] = [:]) {
    self.order = order
    self.facts = facts
    refill()
  }

  /// Shows or hides names that start with a dot.
  public mutating func showHidden(_ showsHidden: Bool) {
    self.showsHidden = showsHidden
    refill()
  }

  /// Follows the folder to another path; rows, cursor and scroll stay.
  public mutating func follow(_ folder: Item) {
    let old = self.folder.path
    guard folder.path != old else { return }
    self.folder = folder
    let move = { (item: Item) in
      Item(path: folder.path.appending(item.path.name), kind: item.kind, content: item.content)
    }
    rows = rows.map { ItemRow(move($0.item), order, facts[$0.item.path]) }
    hidden = hidden.map(move)
  }

  /// Makes the edits of one batch: everything that goes, then everything that comes.
  ///
  /// The cursor stays on its item, or goes to the next row, else the one before; the first visible row
  /// likewise.
  public mutating func apply(_ edits: [ListEdit]) {
    var (gone, come, successors): (Set<[UInt8]>, [Item], [[UInt8]: [UInt8]]) = ([], [], [:])
    for edit in edits {
      switch edit {
      case .removed(let item): gone.insert(Array(item.path.name))
      case .added(let item): come.append(item)
      case .renamed(let old, let new):
        gone.insert(Array(old.path.name))
        come.append(new)
        successors[Array(old.path.name)] = Array(new.path.name)
        if pinned == Array(old.path.name) { pinned = Array(new.path.name) }
      case .modified: break
      case .unreadable: isReadable = false
      case .readable: isReadable = true
      }
    }
    if gone.isEmpty, come.isEmpty { return }
    change(gone, come, successors)
  }
}

extension ItemList {
  private typealias Mark = (names: [[UInt8]], row: Int)

  /// Rows that may replace the one at `row`, best first: itself, those after it, those before it.
  private func mark(_ row: Int?, _ gone: Set<[UInt8]>, _ successors: [[UInt8]: [UInt8]]) -> Mark? {
    guard let row, rows.indices.contains(row) else { return nil }
    let own = Array(rows[row].item.path.name)
    if let successor = successors[own] { return ([successor], row) }
    let isKept = { (row: ItemRow) in !gone.contains(Array(row.item.path.name)) }
    let next = rows[row...].first(where: isKept) ?? rows[..<row].last(where: isKept)
    return (next.map { [Array($0.item.path.name)] } ?? [], row)
  }

  private func row(of mark: Mark?) -> Int? {
    guard let mark, !rows.isEmpty else { return nil }
    for name in mark.names {
      if let row = rows.firstIndex(where: { $0.item.path.name.elementsEqual(name) }) { return row }
    }
    return min(mark.row, rows.count - 1)
  }

  private mutating func change(
    _ gone: Set<[UInt8]>, _ come: [Item], _ successors: [[UInt8]: [UInt8]]
  ) {
    let (cursorMark, topMark) = (mark(cursor, gone, successors), mark(top, gone, successors))
    let replaced = gone.union(come.map { Array($0.path.name) })
    rows.removeAll { !$0.item.isVault && replaced.contains(Array($0.item.path.name)) }
    hidden.removeAll { replaced.contains(Array($0.path.name)) }
    // An item that is announced twice is one row.
    var names: Set<[UInt8]> = []
    insert(come.reversed().filter { names.insert(Array($0.path.name)).inserted })
    cursor = row(of: cursorMark) ?? (rows.isEmpty ? nil : 0)
    // A list that shows its beginning goes on doing so.
    top = top == 0 ? 0 : row(of: topMark) ?? 0
  }

  private mutating func refill() {
    let (cursorMark, topMark) = (mark(cursor, [], [:]), mark(top, [], [:]))
    let items = rows.map(\.item) + hidden
    (rows, hidden) = ([], [])
    insert(items)
    cursor = row(of: cursorMark) ?? (rows.isEmpty ? nil : 0)
    top = top == 0 ? 0 : row(of: topMark) ?? 0
  }

  private func belongs(_ item: Item) -> Bool {
    switch role {
    case .folders: item.isFolder || !folder.isVault
    case .files: !item.isFolder || !folder.isVault
    }
  }

  private mutating func insert(_ items: [Item]) {
    let items = items.filter(belongs)
    let isShown = { [showsHidden, pinned] (item: Item) in
      showsHidden || !item.isHidden || pinned.map { item.path.name.elementsEqual($0) } ?? false
    }
    hidden += items.filter { !isShown($0) }
    var new = items.filter(isShown).map { ItemRow($0, order, facts[$0.path]) }
    new.sort(by: ItemRow.precedes)
    rows = Self.merged(rows, new)
  }

  private static func merged(_ a: [ItemRow], _ b: [ItemRow]) -> [ItemRow] {
    if a.isEmpty { return b }
    if b.isEmpty { return a }
    var merged: [ItemRow] = []
    merged.reserveCapacity(a.count + b.count)
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      if ItemRow.precedes(b[j], a[i]) {
        merged.append(b[j])
        j += 1
      } else {
        merged.append(a[i])
        i += 1
      }
    }
    return merged + a[i...] + b[j...]
  }
}

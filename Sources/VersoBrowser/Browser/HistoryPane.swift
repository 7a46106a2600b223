import Verso
import VersoModel

/// The timeline of a note or folder, and the version of it that is looked at.
struct HistoryPane {
  /// A line of the timeline: versions of one device in quick succession.
  struct Row: Hashable {
    /// Newest first.
    var versions: [Vault.TimelineVersion]

    var newest: Vault.Version? { versions.first?.version }
    var addedWords: Int { versions.reduce(0) { $0 + $1.addedWords } }
    var removedWords: Int { versions.reduce(0) { $0 + $1.removedWords } }
    var grownBytes: Int? {
      let grown = versions.compactMap(\.grownBytes)
      return grown.isEmpty ? nil : grown.reduce(0, +)
    }
  }

  var path: RelativePath
  let isFolder: Bool
  let ticket: Int
  private(set) var rows: [Row] = []
  var isComplete = false
  var cursor = 0
  var top = 0
  /// Whether versions are compared with today's text, or with the version before.
  var comparesWithNow = true
  /// The ticket of the version that was asked for.
  var shownTicket = 0
  /// The version that was asked for.
  var shownCommit: ObjectID?
  /// What was found; `nil` while it is being read.
  var view: PastView? {
    didSet { wrapped = WrappedRows(count: comparison?.rows.count ?? 0) }
  }
  /// Whether ``view`` is still that of the version before.
  var isStale = false
  /// Whether the version has the keys, where only one of both is seen.
  var showsVersion = false
  /// The first item of a folder that is seen.
  private(set) var scroll = 0
  /// The lines of the version that are seen.
  private(set) var visible: [WrappedRows<StyledLine>.Seen] = []
  private var wrapped = WrappedRows<StyledLine>(count: 0)
  private var height = 0
  /// The passage that is marked.
  var passage: Int?

  init(path: RelativePath, isFolder: Bool, ticket: Int) {
    (self.path, self.isFolder, self.ticket) = (path, isFolder, ticket)
  }

  /// Adds older versions, folded as `verso log` folds.
  mutating func add(_ versions: [Vault.TimelineVersion]) {
    for version in versions {
      if let last = rows.last?.versions.last, last.foldsWithOlder {
        rows[rows.count - 1].versions.append(version)
      } else {
        rows.append(Row(versions: [version]))
      }
    }
  }

  /// Whether the line under the cursor stands for several versions.
  var isFolded: Bool { rows.indices.contains(cursor) && rows[cursor].versions.count > 1 }

  /// Gives each version of the line under the cursor a line of its own.
  mutating func unfold() {
    guard isFolded else { return }
    rows.replaceSubrange(cursor...cursor, with: rows[cursor].versions.map { Row(versions: [$0]) })
  }

  /// Puts the cursor on a version, in a line of its own; `false` where it is not there.
  mutating func moveCursor(to commit: ObjectID) -> Bool {
    let row = rows.firstIndex { $0.versions.contains { $0.version.commit == commit } }
    guard let row else { return false }
    cursor = row
    unfold()
    cursor = rows.firstIndex { $0.newest?.commit == commit } ?? row
    return true
  }

  /// The version under the cursor.
  var current: Vault.Version? { rows.indices.contains(cursor) ? rows[cursor].newest : nil }

  /// The version that came before the one under the cursor.
  var older: Vault.Version? {
    rows.indices.contains(cursor + 1) ? rows[cursor + 1].newest : nil
  }

  mutating func moveCursor(to row: Int) {
    cursor = rows.isEmpty ? 0 : min(max(0, row), rows.count - 1)
  }

  mutating func reveal(height: Int) {
    guard height > 0 else { return }
    top = min(max(top, cursor - height + 1), cursor)
  }

  private var wrap: (Int, Int) -> [StyledLine] {
    { [comparison] row, width in
      guard let comparison else { return [] }
      return StyledLine.wrapped(comparison.rows[row].pieces, to: max(1, width - 2))
    }
  }

  /// Makes ready what is seen of the version in so many columns and rows.
  mutating func layOut(_ size: CellSize) {
    let isNew = height == 0
    height = size.height
    wrapped.layOut(width: size.width)
    if isNew { revealPassage() }
    visible = wrapped.visible(height: height, wrap)
  }

  mutating func scrollVersion(by count: Int) {
    if case .folder(let items)? = view {
      scroll = min(max(0, scroll + count), max(0, items.count - 1))
    } else {
      wrapped.scroll(by: count, wrap)
    }
  }

  /// Shows the version from its start, and its first passage where that is not seen then.
  mutating func showStart() {
    scroll = 0
    wrapped.move(to: 0)
    revealPassage()
  }

  mutating func revealPassage() {
    guard let lines = passageLines, let comparison else { return }
    let rows = comparison.rows.indices.filter {
      comparison.rows[$0].oldLine.map(lines.contains) ?? false
    }
    guard let first = rows.first, let last = rows.last else { return }
    wrapped.reveal(first..<last + 1, height: height, wrap)
  }

  var comparison: PastComparison? {
    if case .comparison(_, let comparison) = view { comparison } else { nil }
  }

  /// The lines of the passage that is marked.
  var passageLines: ClosedRange<Int>? {
    guard let comparison, let passage, comparison.passages.indices.contains(passage) else {
      return nil
    }
    return comparison.passages[passage]
  }
}

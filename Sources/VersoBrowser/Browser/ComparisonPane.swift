import Verso
import VersoModel

/// Two texts beside each other, over all panes: a note and a conflict copy of it, or what a person and
/// another program made of one note.
struct ComparisonPane {
  enum Subject: Hashable {
    case copy(RelativePath, of: RelativePath)
    /// The unsaved text of the selected note, and what the disk has.
    case unsaved
  }

  /// One line of the screen: what stands left and right, or in the one place there is.
  struct Pair {
    let left: StyledLine?
    let right: StyledLine?
  }

  /// Narrower than this, the lines of both stand below each other, in columns.
  static let roomForTwo = 60
  /// Columns before a text, for its mark.
  static let margin = 2

  let subject: Subject
  let titles: (left: String, right: String)
  /// `nil` while they are being read.
  private(set) var texts: SideBySide?
  private(set) var rows: [SideBySide.Row] = []
  /// Runs of rows that differ.
  private(set) var changes: [Range<Int>] = []
  private(set) var isNarrow = false
  /// What is seen.
  private(set) var visible: [WrappedRows<Pair>.Seen] = []
  private var wrapped = WrappedRows<Pair>(count: 0)
  private var height = 0
  /// Which of the changes is marked.
  private(set) var change: Int?

  init(_ subject: Subject, left: String, right: String) {
    self.subject = subject
    titles = (left, right)
  }

  mutating func take(_ texts: SideBySide) {
    self.texts = texts
    arrange()
    change = changes.isEmpty ? nil : 0
    revealChange()
  }

  /// The widths of both texts, marks included, where there is room for two.
  static func widths(of width: Int) -> (left: Int, right: Int) {
    let left = (width - 1) / 2
    return (left, width - left - 1)
  }

  /// Arranges the rows for so many columns and rows.
  mutating func layOut(_ size: CellSize) {
    // Only what was never seen is looked for: other sizes keep the row on top.
    var isNew = height == 0
    height = size.height
    let isNarrow = size.width < Self.roomForTwo
    if isNarrow != self.isNarrow {
      self.isNarrow = isNarrow
      arrange()
      isNew = true
    }
    wrapped.layOut(width: size.width)
    if isNew { revealChange() }
    visible = wrapped.visible(height: height, wrap)
  }

  private mutating func arrange() {
    guard let texts else { return }
    let width = wrapped.width
    (rows, changes) = isNarrow ? Self.stacked(texts) : (texts.rows, texts.changes)
    wrapped = WrappedRows(count: rows.count)
    wrapped.layOut(width: width)
  }

  /// What differs of both below each other.
  private static func stacked(
    _ texts: SideBySide
  ) -> (rows: [SideBySide.Row], changes: [Range<Int>]) {
    var (rows, changes): ([SideBySide.Row], [Range<Int>]) = ([], [])
    var reached = 0
    for run in texts.changes {
      rows += texts.rows[reached..<run.lowerBound]
      let start = rows.count
      let changed = texts.rows[run]
      rows += changed.filter { $0.left != nil }
        .map { .init(left: $0.left, right: nil, isChanged: true) }
      rows += changed.filter { $0.right != nil }
        .map { .init(left: nil, right: $0.right, isChanged: true) }
      changes.append(start..<rows.count)
      reached = run.upperBound
    }
    return (rows + texts.rows[reached...], changes)
  }

  private var wrap: (Int, Int) -> [Pair] {
    { [rows, isNarrow] row, width in
      let row = rows[row]
      func lines(_ line: SideBySide.Line?, _ width: Int) -> [StyledLine] {
        line.map { StyledLine.wrapped($0.pieces, to: max(1, width - Self.margin)) } ?? []
      }
      guard !isNarrow else {
        // A line that both have is one.
        return lines(row.left ?? row.right, width).map { Pair(left: $0, right: nil) }
      }
      let widths = Self.widths(of: width)
      let (left, right) = (lines(row.left, widths.left), lines(row.right, widths.right))
      return (0..<max(1, left.count, right.count)).map { index in
        Pair(
          left: index < left.count ? left[index] : nil,
          right: index < right.count ? right[index] : nil)
      }
    }
  }

  mutating func scroll(by count: Int) { wrapped.scroll(by: count, wrap) }

  mutating func scrollToStart() { wrapped.move(to: 0) }

  mutating func scrollToEnd() { wrapped.moveToEnd(height: height, wrap) }

  /// Marks the next change, or the one before; whether there is any.
  mutating func stepChange(by step: Int) -> Bool {
    guard !changes.isEmpty else { return false }
    change = ((change ?? -step) + step + changes.count) % changes.count
    revealChange()
    return true
  }

  private mutating func revealChange() {
    if let marked = markedRows { wrapped.reveal(marked, height: height, wrap) }
  }

  /// The keys that end it.
  var choices: String {
    switch subject {
    case .copy: "m left, t right, g both joined, b two notes"
    case .unsaved: "m yours, t theirs, g both joined"
    }
  }

  /// The rows of the marked change.
  var markedRows: Range<Int>? {
    change.flatMap { changes.indices.contains($0) ? changes[$0] : nil }
  }
}

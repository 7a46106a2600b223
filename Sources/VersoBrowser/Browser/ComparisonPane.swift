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

  /// Narrower than this, the lines of both stand below each other, in columns.
  static let roomForTwo = 60

  let subject: Subject
  let titles: (left: String, right: String)
  /// `nil` while they are being read.
  private(set) var texts: SideBySide?
  private(set) var rows: [SideBySide.Row] = []
  /// Runs of rows that differ.
  private(set) var changes: [Range<Int>] = []
  private(set) var isNarrow = false
  private var height = 0
  /// The first row that is seen.
  private(set) var scroll = 0
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

  /// Arranges the rows for so many columns and rows.
  mutating func layOut(_ size: CellSize) {
    height = size.height
    let isNarrow = size.width < Self.roomForTwo
    guard isNarrow != self.isNarrow else { return }
    self.isNarrow = isNarrow
    arrange()
    revealChange()
  }

  private mutating func arrange() {
    guard let texts else { return }
    guard isNarrow else {
      (rows, changes) = (texts.rows, texts.changes)
      return
    }
    (rows, changes) = ([], [])
    var reached = 0
    for run in texts.changes {
      rows += texts.rows[reached..<run.lowerBound]
      let start = rows.count
      let changed = texts.rows[run]
      rows += changed.filter { $0.left != nil }.map {
        .init(left: $0.left, right: nil, isChanged: true)
      }
      rows += changed.filter { $0.right != nil }.map {
        .init(left: nil, right: $0.right, isChanged: true)
      }
      changes.append(start..<rows.count)
      reached = run.upperBound
    }
    rows += texts.rows[reached...]
  }

  mutating func scroll(by count: Int) {
    scroll = min(max(0, scroll + count), max(0, rows.count - 1))
  }

  /// Marks the next change, or the one before; whether there is any.
  mutating func stepChange(by step: Int) -> Bool {
    guard !changes.isEmpty else { return false }
    change = ((change ?? -step) + step + changes.count) % changes.count
    revealChange()
    return true
  }

  /// Where it would not be seen, what differs comes below two rows of what does not.
  private mutating func revealChange() {
    guard let marked = markedRows else { return scroll(by: 0) }
    if marked.lowerBound < scroll || marked.upperBound > scroll + height {
      scroll = max(0, marked.lowerBound - 2)
    }
  }

  /// The rows of the marked change.
  var markedRows: Range<Int>? {
    change.flatMap { changes.indices.contains($0) ? changes[$0] : nil }
  }
}

import VersoModel

/// A note in the detail pane: what it holds, and what of it is seen.
struct NotePane {
  enum Content {
    case loading
    /// Text that can be edited, unless it is a preview or of the past.
    case text(isMarkdown: Bool)
    /// What is said of a file that is no text.
    case statement([StyledLine])
    case failure(String)
  }

  /// The identity of the selected file; `nil` for a preview.
  let id: SelectionID?
  var path: RelativePath
  /// The ticket of the newest read.
  var ticket: Int
  var content = Content.loading
  /// Seconds since 1970.
  var modified: Int64?
  /// Whether the file may not be written.
  var isReadOnly = false
  /// Whether the note is shown as it is written, not rendered.
  var isRaw = false
  /// The first row of the rendered text.
  var scroll = 0

  var buffer = TextBuffer()
  /// What the disk held when it was read or written last.
  var base: [UInt8] = []
  /// What is being written at the moment.
  var saving: [UInt8]?
  /// What another program wrote under unsaved text.
  var theirs: [UInt8]?
  /// The last edit, and the first that is not kept.
  var lastEdit: Double?
  var firstUnkeptEdit: Double?
  /// Text that was not saved when the note was deleted, until it is read again.
  var revived: [UInt8]?
  /// Whether the banner of a conflict was put off.
  var isPostponed = false
  var isEditing = false
  var viewport = TextViewport(height: 1)
  /// The rows that the reader sees.
  private(set) var rows: [TextRow] = []
  /// The rows that the editor sees.
  private(set) var editorRows: [WrappedRow] = []
  var search: TextPattern?
  private var rendered: Rendered?
  private var document: MarkdownDocument?

  init(id: SelectionID?, path: RelativePath, ticket: Int) {
    (self.id, self.path, self.ticket) = (id, path, ticket)
  }

  var isText: Bool { if case .text = content { true } else { false } }
  var isConflicted: Bool { theirs != nil }
  var isDirty: Bool { isText && buffer.isModified }

  /// How the buffer stands to the disk.
  var state: UnsavedText.Buffer { isConflicted ? .conflict : isDirty ? .dirty : .clean }

  /// Takes text as the disk has it, with nothing unsaved.
  ///
  /// - Parameter document: The same, parsed, where it is Markdown and somebody has done that already.
  mutating func take(_ bytes: [UInt8], isMarkdown: Bool, document: MarkdownDocument? = nil) {
    if isText { buffer.reload(bytes) } else { buffer = TextBuffer(bytes) }
    self.document = document
    content = .text(isMarkdown: isMarkdown)
    base = bytes
    theirs = nil
    rendered = nil
  }

  /// Forgets the rendered rows: the text is another one.
  mutating func invalidate() { (rendered, document) = (nil, nil) }

  // MARK: Rows

  private struct Rendered {
    let width: Int
    let isRaw: Bool
    var layout: any TextLayout & Sendable
  }

  /// Lays out what a pane of a size shows.
  mutating func layOut(_ size: CellSize) {
    let height = max(1, size.height)
    if isEditing {
      viewport.height = height
      editorRows = viewport.rows(buffer, SoftWrap(width: size.width))
      return
    }
    guard case .text(let isMarkdown) = content else { return rows = [] }
    if rendered?.width != size.width || rendered?.isRaw != isRaw {
      let layout: any TextLayout & Sendable =
        isMarkdown && !isRaw
        ? SendableLayout(
          MarkdownLayout(document ?? MarkdownDocument(buffer.bytes), width: size.width))
        : PlainTextLayout(buffer.bytes, width: size.width)
      rendered = Rendered(width: size.width, isRaw: isRaw, layout: layout)
    }
    guard var layout = rendered?.layout else { return }
    rendered = nil
    var found = Array(layout.rows(scroll..<scroll + height))
    if found.count < height, scroll > 0 {
      scroll = max(0, layout.countAll() - height)
      found = Array(layout.rows(scroll..<scroll + height))
    }
    rows = found
    rendered = Rendered(width: size.width, isRaw: isRaw, layout: layout)
  }

  /// Scrolls the reader; the end of the note stays in view.
  mutating func scroll(by count: Int) { scroll = max(0, scroll + count) }

  /// How many rows there are; only known at the end, as rows are laid out when they are looked at.
  mutating func scrollToEnd(height: Int) {
    guard var layout = rendered?.layout else { return }
    scroll = max(0, layout.countAll() - height)
  }

  /// Scrolls to a line of the note, from 1.
  mutating func scroll(toLine line: Int) {
    guard var layout = rendered?.layout, let row = layout.row(ofSourceLine: line) else { return }
    scroll = row
  }

  /// The row of the reader that holds a text, after or before the one on top.
  mutating func find(_ pattern: String, forward: Bool, includingTop: Bool = false) -> Int? {
    guard var layout = rendered?.layout, !pattern.isEmpty else { return nil }
    let count = layout.countAll()
    guard count > 0 else { return nil }
    let ignoresCase = pattern == pattern.lowercased()
    for step in (includingTop ? 0 : 1)...count {
      let row = ((forward ? scroll + step : scroll - step) % count + count) % count
      let text = layout.rows[row].line.text
      if (ignoresCase ? text.lowercased() : text).contains(pattern) { return row }
    }
    return nil
  }
}

/// A layout of Markdown that one thread uses.
///
/// Unchecked: its document is not changed once it is parsed, and the layout is a value of the pane
/// that holds it.
struct SendableLayout: TextLayout, @unchecked Sendable {
  private var layout: MarkdownLayout
  init(_ layout: MarkdownLayout) { self.layout = layout }
  var rows: [TextRow] { layout.rows }
  var isComplete: Bool { layout.isComplete }
  mutating func layOutMore() { layout.layOutMore() }
}

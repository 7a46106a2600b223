import Verso
package import VersoModel
import VersoSplitView

/// The browser as a value: what is listed, selected, read and edited, and where.
///
/// No disk, no clock and no terminal: messages come in with their time, effects go out. What is drawn is
/// a function of it, ``frame``.
package struct BrowserModel {
  /// How the browser was started.
  package struct Options: Sendable {
    /// What the first row of the folders is called.
    package var vaultName = ""
    package var direction = LayoutDirection.leftToRight
    package var animates = false
    package var theme = Theme.dark
    /// Whether the terminal takes UTF-8; without, an ellipsis is `~`.
    package var isUTF8 = true
    /// One pane at a time, without lines and movement; what happens is told in lines above the status.
    package var isAccessible = false
    /// Whether the terminal takes and shows lines only.
    package var isLinear = false
    package var showsLayout = false
    package var keymap = Keymap()
    package var language = UserLanguage(code: "")

    package init() {}
  }

  /// What the status line says, until something else happens.
  struct Remark: Hashable {
    let text: String
    let label: Style.Label
  }

  /// The whole vault as it stood once.
  struct PastDay {
    let commit: ObjectID
    let time: Int64
    /// What it was like before the day was looked at.
    let present: Catalogue
  }

  var options: Options
  package internal(set) var size: CellSize
  package internal(set) var selection = SelectionModel()
  var split: SplitState
  var animation: Animation?
  var now = 0.0

  var settings = ListSettings()
  var folders: ListPane
  var files: ListPane?
  /// The identity of the folder that ``files`` lists.
  var filesID: SelectionID?
  var note: NotePane?
  var preview: NotePane?
  /// The note under the cursor that is being read.
  var wantedPreview: (path: RelativePath, ticket: Int)?
  var history: HistoryPane?
  var day: PastDay?
  var prompt: Prompt?
  var picker: Picker?
  var help: HelpState?
  var menu: Menu?
  var comparison: ComparisonPane?
  var drafts: [Draft] = []
  /// Whether the drafts of a start before were told of.
  var hasSeenDrafts = false
  /// What was not saved of the note that was deleted last.
  var deletedText: (path: RelativePath, bytes: [UInt8])?
  /// The draft that was kept when the last note went.
  var offeredDraft: Draft?

  var remark: Remark?
  /// What was said, the last of it.
  private(set) var sayings: [String] = []
  /// How much was said until now.
  package private(set) var sayingCount = 0
  var offline: String?
  var marks: Set<RelativePath> = []
  var clipboard: [RelativePath] = []
  var clipboardIsCut = false
  /// What was cut or copied in the editor.
  var textClipboard: [UInt8] = []
  /// What was looked for in a list or a note.
  var searched = ""
  var searchedInNote = ""
  /// The line of the selected note to go to once it is read, from 1.
  var wantedLine: Int?
  var keys: [KeyEvent] = []
  /// Keys that were pressed before what they are meant for was there: a note that is being read, a row
  /// that is being made.
  var held: [ScreenEvent] = []
  /// Until when keys are held at most; `nil` while none are.
  var holdEnd: Double?
  /// Whether the note is to be edited as soon as it is read.
  var wantsEditing = false
  var interrupts = 0
  var followsCursor = false
  /// When the cursor came to rest on its row.
  var cursorMoved: Double?
  var dragged: Column?
  /// Whether the mouse is selecting text in the editor.
  var isSelectingText = false
  /// The list that was scrolled away from its cursor.
  var scrolled: Column?
  var lastClick: (point: CellPoint, time: Double)?
  /// Operations that have not ended.
  package internal(set) var operations = 0
  var undoCount = 0
  /// Folders that were read before the first snapshot.
  var readFolders: Set<RelativePath> = []
  package internal(set) var hasSnapshot = false
  /// Whether it is to end as soon as everything is written.
  var isQuitting = false
  /// Whether nobody is there any more who could press a key.
  var isAlone = false
  /// Whether unsaved text could be neither saved nor kept when it was to end.
  var hasFailedToKeep = false
  /// Texts that are being kept as drafts, or could not be yet: they are nowhere else.
  var unkept: [UnkeptText] = []
  /// The drafts that the clock made, by the present paths of their notes.
  var timed: [RelativePath: TimedDraft] = [:]
  /// When what could not be kept is tried again.
  var keepRetry: Double?
  package internal(set) var hasQuit = false
  /// Which states were gone to, for scripts and tests.
  package internal(set) var gotoLog: [String] = []
  var factsTicket = 0
  /// Whether an order was asked for that is not seen yet.
  var isSorting = false
  var dayTicket = 0
  var compareTicket = 0
  var wantedVersion: ObjectID?
  private var lastTicket = 0
  var effects: [BrowserEffect] = []

  struct HelpState {
    var search = ""
    var isSearching = false
    var top = 0
    let context: Keymap.Context
  }

  /// A browser that knows nothing of its vault yet.
  package init(_ size: CellSize, options: Options = .init()) {
    (self.size, self.options) = (size, options)
    var configuration = SplitConfiguration(
      direction: options.direction == .rightToLeft ? .rightToLeft : .leftToRight)
    // For screen readers one pane at a time, however wide the terminal is.
    if options.isAccessible {
      configuration.breakpoints = Breakpoints(medium: 1 << 20, wide: 1 << 20)
    }
    if !options.animates {
      do throws(SplitError) { try configuration.setAnimationDuration(0) } catch {
        preconditionFailure("0 is a duration")
      }
    }
    split = SplitState(configuration)
    folders = ListPane(ItemList(.folders, of: .vault, in: Catalogue()))
    _ = split.resize(to: splitSize)
    _ = split.setFocus(.primary)
    _ = selection.reduce(.collapsed(layout.isCollapsed))
  }

  /// What is done first.
  package mutating func start() -> [BrowserEffect] {
    readFolders = [.root]
    effects.append(.readFolder(.root))
    effects.append(.readDrafts)
    settle()
    return takeEffects()
  }

  mutating func takeEffects() -> [BrowserEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func ticket() -> Int {
    lastTicket += 1
    return lastTicket
  }

  // MARK: What is where

  /// What the split view has: all rows but those of title and status.
  var splitSize: VersoSplitView.CellSize {
    VersoSplitView.CellSize(width: size.width, height: max(0, size.height - 2 - sayingRows))
  }

  /// The rows above the status that tell what happened: for those who do not see what changes.
  var sayingRows: Int {
    options.isAccessible && !options.isLinear && size.height >= Self.roomForSayings ? 3 : 0
  }

  private static let roomForSayings = 14

  /// Where everything stands in the end; see ``animation`` for where it is now.
  var layout: Layout { split.layout }

  /// The column that keys go to.
  var focus: Column { split.focus ?? layout.top ?? .secondary }

  var isCompact: Bool { layout.isCollapsed }

  /// What is selected.
  var selected: Selection { selection.selection }

  /// Whether nothing can be changed: a day of the past is looked at.
  var isReadOnly: Bool { day != nil }

  /// The note in the detail pane: the selected one, or else the one under the cursor.
  var shownNote: NotePane? { note ?? preview }

  /// What has the focus, as far as keys care.
  var context: Keymap.Context {
    if prompt != nil || picker != nil || help?.isSearching ?? false { return .prompt }
    if help != nil || menu != nil { return .help }
    if comparison != nil { return .comparison }
    if history != nil { return .history }
    guard focus == .secondary else { return .list }
    guard let note else { return .reader }
    if note.isEditing { return .editor }
    return note.isConflicted && !note.isPostponed ? .conflict : .reader
  }

  /// The list that has the focus, or that stands beside the note that has.
  var focusedList: ListPane? {
    switch focus {
    case .primary: folders
    case .supplementary: files
    case .secondary: nil
    }
  }

  /// Changes the list in a column.
  mutating func changeList(_ column: Column, _ change: (inout ListPane) -> Void) {
    if column == .primary { return change(&folders) }
    if var pane = files {
      change(&pane)
      files = pane
    }
  }

  /// The item that keys mean: under the cursor of the list that has the focus, or the selected file.
  var target: Item? {
    focus == .secondary ? selected.selectedFile : focusedList?.cursorItem
  }

  /// What is to be seen.
  package var frame: Frame { BrowserView(self).render().frame }

  /// The key of an action in a list, for a hint.
  func key(_ action: Action) -> String {
    options.keymap.hint(for: action, in: .list) ?? ":\(action.rawValue)"
  }

  mutating func say(_ text: String, _ label: Style.Label = .status) {
    remark = Remark(text: text, label: label)
    sayings.append(text)
    sayingCount += 1
    if sayings.count > Self.keptSayings { sayings.removeFirst() }
  }

  private static let keptSayings = 50

  /// What was said after so much of it.
  package func sayings(after count: Int) -> [String] { sayings.suffix(max(0, sayingCount - count)) }

  /// Says what the screen shows anyway, for those who do not see it.
  mutating func announce(_ text: String) {
    if options.isAccessible { say(text) }
  }

  mutating func warn(_ text: String) {
    say(text, .warning)
    effects.append(.bell)
  }
}

/// What a key, an entry of the palette or a line of a script makes the browser do.
///
/// The raw value is its name in the palette and in a file of key bindings.
package enum Action: String, Sendable, CaseIterable {
  // Lists, and whatever else has rows.
  case cursorDown = "cursor-down"
  case cursorUp = "cursor-up"
  case first, last
  case halfPageDown = "half-page-down"
  case halfPageUp = "half-page-up"
  case pageDown = "page-down"
  case pageUp = "page-up"
  case select
  case enter
  case back
  case deselect
  case search
  case nextMatch = "next-match"
  case previousMatch = "previous-match"
  case filter
  // Files and folders.
  case newFile = "new-file"
  case newFolder = "new-folder"
  case rename, delete, mark
  case invertMarks = "invert-marks"
  case editList = "edit-list"
  case copy, cut, paste, undo, redo
  case hiddenFiles = "hidden-files"
  case sortByName = "sort-by-name"
  case sortByTime = "sort-by-time"
  case sortBySize = "sort-by-size"
  case editElsewhere = "edit-elsewhere"
  case openElsewhere = "open-elsewhere"
  case copyPath = "copy-path"
  // Panes and view.
  case nextPane = "next-pane"
  case previousPane = "previous-pane"
  case firstPane = "first-pane"
  case secondPane = "second-pane"
  case thirdPane = "third-pane"
  case sidebar, zen
  case narrower, wider
  case resetWidths = "reset-widths"
  case nextStyle = "next-style"
  case followCursor = "follow-cursor"
  case history
  case viewDay = "view-day"
  case nextTheme = "next-theme"
  case findFile = "find-file"
  case findText = "find-text"
  case drafts
  case compareCopy = "compare-copy"
  case palette, help, rescan, suspend, close, quit, interrupt
  // The note.
  case edit
  case rawText = "raw-text"
  case stopEditing = "stop-editing"
  case save
  case undoText = "undo-text"
  case redoText = "redo-text"
  case left, right
  case wordLeft = "word-left"
  case wordRight = "word-right"
  case lineStart = "line-start"
  case lineEnd = "line-end"
  case textStart = "text-start"
  case textEnd = "text-end"
  case selectLeft = "select-left"
  case selectRight = "select-right"
  case selectUp = "select-up"
  case selectDown = "select-down"
  case selectAll = "select-all"
  case newLine = "new-line"
  case indent
  case deleteBackward = "delete-backward"
  case deleteForward = "delete-forward"
  case deleteWord = "delete-word"
  case deleteToLineEnd = "delete-to-line-end"
  case deleteToLineStart = "delete-to-line-start"
  // A line that is asked for.
  case accept, cancel, complete
  // History.
  case showVersion = "show-version"
  case restoreVersion = "restore-version"
  case compareWithNow = "compare-with-now"
  case nextPassage = "next-passage"
  case previousPassage = "previous-passage"
  case restorePassage = "restore-passage"
  // The banner of a conflict.
  case keepMine = "keep-mine"
  case takeTheirs = "take-theirs"
  case showDifference = "show-difference"
  case merge, later
  // Two texts side by side.
  case keepBoth = "keep-both"
}

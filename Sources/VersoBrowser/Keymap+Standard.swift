extension Keymap {
  private static let browsing: [Context] = [.list, .reader]
  private static let rows: [Context] = [.list, .reader, .help, .history]
  private static let scrolling: [Context] = rows + [.comparison]
  private static let typing: [Context] = [.editor, .prompt]
  private static let everywhere: [Context] = scrolling

  private static func row(
    _ action: Action, _ keys: [String], _ contexts: [Context], _ text: String
  ) -> Binding {
    let sequences = keys.map { name in
      guard let sequence = KeySequence(name: name) else {
        preconditionFailure("no key is called \(name)")
      }
      return sequence
    }
    return Binding(action: action, contexts: contexts, keys: sequences, text: text)
  }

  static let standard: [Binding] = moving + files + view + editing + prompting + reviewing

  private static let moving = [
    row(.cursorDown, ["j", "Down"], scrolling, "down"),
    row(.cursorUp, ["k", "Up"], scrolling, "up"),
    row(.select, ["Enter"], [.list], "select"),
    row(.enter, ["l", "Right"], [.list], "select, and go into it"),
    row(.back, ["h", "Left", "Backspace"], [.list], "one pane left; back where there is only one"),
    row(.back, ["h", "Left", "Backspace", "Esc"], [.reader], "back to the list"),
    row(.first, ["g g", "Home"], rows, "first row"),
    row(.first, ["Home"], [.comparison], "first row"),
    row(.last, ["G", "End"], scrolling, "last row"),
    row(.halfPageDown, ["Ctrl-D"], scrolling, "half a page down"),
    row(.halfPageUp, ["Ctrl-U"], scrolling, "half a page up"),
    row(.pageDown, ["PgDn"], scrolling, "a page down"),
    row(.pageUp, ["PgUp"], scrolling, "a page up"),
    row(.search, ["/"], rows, "search here as you type"),
    row(.nextMatch, ["n"], rows, "next match"),
    row(.previousMatch, ["N"], rows, "previous match"),
    row(.filter, ["f"], [.list], "show matches only"),
    row(.deselect, ["-"], browsing, "select nothing"),
  ]

  private static let files = [
    row(.newFile, ["a"], [.list], "new note; a slash at the end makes a folder"),
    row(.newFolder, ["A", "F7"], [.list], "new folder"),
    row(.rename, ["r", "F2"], browsing, "rename"),
    row(.delete, ["d", "Delete"], browsing, "delete; can be undone"),
    row(.mark, ["Space"], [.list], "mark"),
    row(.invertMarks, ["v"], [.list], "invert marks"),
    row(.editList, ["m"], [.list], "what can be done with this row"),
    row(.copy, ["y"], [.list], "copy"),
    row(.cut, ["x"], [.list], "cut"),
    row(.paste, ["p"], [.list], "paste"),
    row(.undo, ["u"], browsing, "undo"),
    row(.redo, ["Ctrl-R"], browsing, "redo"),
    row(.hiddenFiles, ["."], [.list], "show or hide hidden files"),
    row(.sortByName, ["Comma n"], [.list], "sort by name"),
    row(.sortByTime, ["Comma m"], [.list], "sort by time"),
    row(.sortBySize, ["Comma s"], [.list], "sort by size"),
    row(.editElsewhere, ["e"], browsing, "open in $EDITOR"),
    row(.openElsewhere, ["o"], browsing, "open with the desktop"),
    row(.copyPath, ["Y"], browsing, "copy the path"),
  ]

  private static let view = [
    row(.nextPane, ["Tab"], [.list, .reader, .history], "next pane"),
    row(.previousPane, ["Shift-Tab"], [.list, .reader, .history], "previous pane"),
    row(.firstPane, ["1"], browsing, "folders"),
    row(.secondPane, ["2"], browsing, "files"),
    row(.thirdPane, ["3"], browsing, "note"),
    row(.sidebar, ["\\", "Ctrl-B"], browsing, "show or hide the sidebar"),
    row(.zen, ["z"], browsing, "the note alone, and back"),
    row(.narrower, ["Ctrl-W <"], browsing, "narrower pane"),
    row(.wider, ["Ctrl-W >"], browsing, "wider pane"),
    row(.resetWidths, ["Ctrl-W ="], browsing, "widths as they were"),
    row(.nextStyle, ["S"], browsing, "sidebar normal, sticky, drawer"),
    row(.followCursor, ["P"], browsing, "select what the cursor rests on"),
    row(.history, ["H"], browsing, "history"),
    row(.viewDay, ["@"], browsing, "all notes as they stood on a day"),
    row(.nextTheme, ["T"], browsing, "next theme"),
    row(.findFile, ["Ctrl-P"], browsing, "find a note by its name"),
    row(.findText, ["F"], browsing, "find text in all notes"),
    row(.drafts, ["U"], browsing, "drafts that were kept"),
    row(.compareCopy, ["c"], browsing, "a conflict copy beside its note"),
    row(.palette, [":"], browsing, "all actions by name"),
    row(.help, ["?", "F1"], [.list, .reader, .history, .comparison], "help"),
    row(.help, ["F1"], [.editor], "help"),
    row(.rescan, ["F5", "Ctrl-L"], [.list, .reader, .history, .editor], "look again, draw anew"),
    row(.suspend, ["Ctrl-Z"], everywhere, "back to the shell for a while"),
    row(.close, ["Esc"], [.list], "close what is on top: help, sidebar, search, marks"),
    row(.quit, ["q"], browsing, "quit; drafts are kept"),
    row(.interrupt, ["Ctrl-C"], everywhere + [.editor], "twice: quit"),
  ]

  private static let editing = [
    row(.edit, ["Enter", "i"], [.reader], "edit"),
    row(.rawText, ["M"], [.reader], "rendered, or as it is written"),
    row(.stopEditing, ["Esc"], [.editor], "stop editing"),
    row(.save, ["Ctrl-S"], [.editor, .reader], "save"),
    row(.undoText, ["Ctrl-Z", "Alt-U"], [.editor], "undo"),
    row(.redoText, ["Ctrl-Y"], [.editor], "redo"),
    row(.cursorDown, ["Down"], [.editor, .prompt], "down"),
    row(.cursorUp, ["Up"], [.editor, .prompt], "up"),
    row(.left, ["Left"], typing, "left"),
    row(.right, ["Right"], typing, "right"),
    row(.wordLeft, ["Ctrl-Left", "Alt-B"], typing, "a word left"),
    row(.wordRight, ["Ctrl-Right", "Alt-F"], typing, "a word right"),
    row(.lineStart, ["Home"], typing, "to the start of the line"),
    row(.lineEnd, ["End", "Ctrl-E"], typing, "to the end of the line"),
    row(.textStart, ["Ctrl-Home"], [.editor], "to the start of the note"),
    row(.textEnd, ["Ctrl-End"], [.editor], "to the end of the note"),
    row(.pageDown, ["PgDn"], [.editor], "a page down"),
    row(.pageUp, ["PgUp"], [.editor], "a page up"),
    row(.selectLeft, ["Shift-Left"], [.editor], "select to the left"),
    row(.selectRight, ["Shift-Right"], [.editor], "select to the right"),
    row(.selectUp, ["Shift-Up"], [.editor], "select up"),
    row(.selectDown, ["Shift-Down"], [.editor], "select down"),
    row(.selectAll, ["Ctrl-A"], [.editor], "select all"),
    row(.newLine, ["Enter"], [.editor], "new line, indented as this one"),
    row(.indent, ["Tab"], [.editor], "indent"),
    row(.deleteBackward, ["Backspace"], typing, "delete what is before"),
    row(.deleteForward, ["Delete"], typing, "delete what is behind"),
    row(.deleteWord, ["Ctrl-W"], typing, "delete the word before"),
    row(.deleteToLineEnd, ["Ctrl-K"], typing, "delete to the end of the line"),
    row(.deleteToLineStart, ["Ctrl-U"], typing, "delete to the start of the line"),
    row(.lineStart, ["Ctrl-A"], [.prompt], "to the start of the line"),
    row(.cut, ["Ctrl-X"], [.editor], "cut the selection"),
    row(.copy, ["Alt-C"], [.editor], "copy the selection"),
    row(.paste, ["Ctrl-V"], [.editor], "paste"),
    row(.search, ["Ctrl-F"], [.editor], "search as you type"),
    row(.nextMatch, ["Ctrl-G", "F3"], [.editor], "next match"),
    row(.previousMatch, ["Shift-F3"], [.editor], "previous match"),
  ]

  private static let prompting = [
    row(.accept, ["Enter"], [.prompt], "accept"),
    row(.cancel, ["Esc", "Ctrl-C"], [.prompt], "cancel"),
    row(.complete, ["Tab"], [.prompt], "complete"),
    row(.close, ["Esc", "?", "F1", "q"], [.help], "close"),
  ]

  private static let reviewing = [
    row(.showVersion, ["Enter", "l", "Right"], [.history], "show this version"),
    row(.restoreVersion, ["R"], [.history], "restore this version"),
    row(.compareWithNow, ["c"], [.history], "compare with today's, or with the version before"),
    row(.nextPassage, ["]"], [.history], "next passage that changed"),
    row(.previousPassage, ["["], [.history], "previous passage that changed"),
    row(.restorePassage, ["p"], [.history], "put this removed passage back"),
    row(.undo, ["u"], [.history], "undo what was restored"),
    row(.viewDay, ["@"], [.history], "all notes as they stood on that day"),
    row(.back, ["h", "Left", "Backspace", "Esc", "q", "H"], [.history], "leave history"),
    row(.keepMine, ["m"], [.conflict], "keep mine"),
    row(.takeTheirs, ["t"], [.conflict], "take theirs; mine is kept as a draft"),
    row(.showDifference, ["d"], [.conflict], "show the difference"),
    row(.merge, ["g"], [.conflict], "merge both"),
    row(.later, ["Esc"], [.conflict], "decide later"),
    row(.nextPassage, ["]", "n"], [.comparison], "next difference"),
    row(.previousPassage, ["[", "N"], [.comparison], "previous difference"),
    row(.keepMine, ["m"], [.comparison], "keep the left text alone"),
    row(.takeTheirs, ["t"], [.comparison], "take the right text"),
    row(.merge, ["g"], [.comparison], "join both texts"),
    row(.keepBoth, ["b"], [.comparison], "keep both, as two notes"),
    row(.close, ["Esc", "q", "c"], [.comparison], "close"),
  ]
}

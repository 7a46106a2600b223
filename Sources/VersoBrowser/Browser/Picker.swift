package import VersoModel

/// A line to choose: of the palette, of names, of what a search found.
package struct PickerRow: Hashable, Sendable {
  package enum Choice: Hashable, Sendable {
    case action(Action)
    /// A file, and the line in it to go to, from 1.
    case file(RelativePath, line: Int?)
    /// A note as it was when it last held what was looked for.
    case past(RelativePath, ObjectID, line: Int?)
    case draft(Draft)
  }

  package let text: String
  package let detail: String
  package let choice: Choice

  package init(_ text: String, detail: String = "", _ choice: Choice) {
    (self.text, self.detail, self.choice) = (text, detail, choice)
  }
}

/// A list to choose from, with a line to type into.
struct Picker {
  enum Kind: Hashable {
    case palette, files, text, drafts
  }

  let kind: Kind
  var line = TextBuffer()
  var rows: [PickerRow] = []
  var cursor = 0
  var top = 0
  /// The ticket of the newest search.
  var ticket = 0
  var isSearching = false
  /// Whether the rows are still those of the search before.
  var isFirstAnswer = true

  var query: String { String(decoding: line.bytes, as: UTF8.self) }

  var title: String {
    switch kind {
    case .palette: "Actions"
    case .files: "Find a note by its name"
    case .text: "Find text in notes and in history"
    case .drafts: "Drafts that were kept"
    }
  }

  mutating func moveCursor(by count: Int) {
    cursor = rows.isEmpty ? 0 : min(max(0, cursor + count), rows.count - 1)
  }

  mutating func reveal(height: Int) {
    guard height > 0 else { return }
    top = min(max(top, cursor - height + 1), cursor)
  }
}

/// A line that is asked for, or a question.
struct Prompt {
  enum Kind: Hashable {
    case newFile(RelativePath)
    case newFolder(RelativePath)
    case rename(Item)
    case search, filter
    case searchEditor
    case day
    /// Yes or no.
    case confirmDelete([RelativePath], unsaved: Bool)

    var isQuestion: Bool { if case .confirmDelete = self { true } else { false } }
  }

  let kind: Kind
  let title: String
  var line: TextBuffer
  /// What the last answer was refused for.
  var problem: String?

  init(_ kind: Kind, _ title: String, text: String = "", caret: Int? = nil) {
    (self.kind, self.title) = (kind, title)
    line = TextBuffer(Array(text.utf8))
    line.move(to: caret ?? line.count)
  }

  var text: String { String(decoding: line.bytes, as: UTF8.self) }
}

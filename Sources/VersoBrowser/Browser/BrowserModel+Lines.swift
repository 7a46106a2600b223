import VersoModel
import VersoSplitView

/// What a terminal that only takes lines shows and sends.
extension BrowserModel {
  // MARK: To be read

  /// The pane that is to be seen, row by row; rows that can be chosen begin with their numbers.
  package var lineView: LineView {
    var view = LineView()
    let result = BrowserView(self).render()
    var numbers: [Int: Int] = [:]
    for target in result.hits {
      switch target.hit {
      case .row(_, let row), .timelineRow(let row), .pickerRow(let row):
        numbers[target.rect.y] = row + 1
      default: break
      }
    }
    let rows = FrameText.rows(of: result.frame.grid)
    let last = rows.lastIndex { !$0.isEmpty } ?? 0
    for y in 1..<max(1, min(rows.count - 1, last + 1)) {
      let number = numbers[y].map { "\($0)" } ?? ""
      view.rows.append(
        numbers.isEmpty
          ? rows[y]
          : String(repeating: " ", count: max(0, LineScreen.numberWidth - 1 - number.count))
            + number + " " + rows[y])
    }
    while view.rows.last?.allSatisfy({ $0 == " " }) ?? false { view.rows.removeLast() }
    if let prompt {
      let text = prompt.problem.map { SafeText.text($0) } ?? prompt.title
      view.question = prompt.kind.isQuestion ? "\(text) " : "\(text): "
    } else if picker != nil {
      view.question = "text or number: "
    } else if context == .editor {
      view.question = "+ "
    }
    return view
  }

  // MARK: Typed

  /// Takes a line that was typed.
  mutating func take(line: String) {
    remark = nil
    keys = []
    let text = line.trimmed
    switch context {
    case .prompt: answer(text)
    case .editor: append(line)
    default: command(String(text))
    }
  }

  private mutating func answer(_ text: Substring) {
    if picker != nil {
      if text.isEmpty { return closeTop() }
      if let row = Self.row(text), let rows = picker?.rows, rows.indices.contains(row) {
        picker?.cursor = row
        return choose()
      }
      return setPickerQuery(String(text))
    }
    if help?.isSearching ?? false {
      help?.search = String(text)
      help?.isSearching = false
      return
    }
    guard let asked = prompt else { return }
    // Nothing is an answer to none of the questions.
    guard !text.isEmpty else { return cancelPrompt() }
    if asked.kind.isQuestion { return typeIntoPrompt(String(text.prefix(1))) }
    answerPrompt(String(text))
  }

  /// A line of a note: it is added at the end, and a single dot ends that.
  private mutating func append(_ line: String) {
    if line.trimmed == "." { return leaveEditing() }
    edit { buffer, time in
      buffer.move(.documentEnd)
      if buffer.count > 0, buffer.bytes(in: buffer.count - 1..<buffer.count) != [0x0A] {
        buffer.paste([0x0A], at: time)
      }
      buffer.paste(Array("\(line)\n".utf8), at: time)
    }
  }

  private mutating func command(_ text: String) {
    if text.isEmpty { return showMore() }
    if let row = Self.row(text[...]) { return choose(row: row) }
    switch text {
    case "help", "?": return explain()
    case "..": return perform([.list, .reader, .history].contains(context) ? .back : .close)
    default: break
    }
    let told = sayingCount
    if let action = Action(rawValue: text) {
      if action == .edit, note == nil { return say("open a note first") }
      if action == .edit { _ = split.setFocus(.secondary) }
      perform(action)
    } else if let sequence = KeySequence(name: text) {
      for key in sequence.keys {
        if let end = holdEnd, now < end, hold(.key(key)) { continue }
        press(key)
      }
    } else {
      return say("“\(SafeText.text(text))” is no command: ? explains, : lists them")
    }
    // There is no bell.
    if case .bell? = effects.last, sayingCount == told { say("that does nothing here") }
  }

  /// The row that a number stands for.
  private static func row(_ text: Substring) -> Int? {
    guard let number = Int(text), number > 0 else { return nil }
    return number - 1
  }

  private mutating func showMore() {
    let before = lineView.rows
    perform(.pageDown)
    if lineView.rows == before { say("that is the end") }
  }

  private mutating func explain() {
    say("A number opens its row. An empty line shows the next page, .. goes back.")
    say(": lists all commands; type a name such as history or new-file, or a key such as H or a.")
    say("edit adds lines to the note, and a single dot ends that; e opens it in $EDITOR. q quits.")
  }

  private mutating func choose(row: Int) {
    if let pane = history {
      guard pane.rows.indices.contains(row) else { return say("there is no such row") }
      history?.moveCursor(to: row)
      return performInHistory(.showVersion)
    }
    guard comparison == nil, help == nil, menu == nil, focusedList?.item(at: row) != nil else {
      return say("there is no such row")
    }
    changeList(focus) { $0.moveCursor(to: row) }
    open(enters: true)
  }
}

import Verso
import VersoModel

/// A conflict copy beside its note, and how the conflict ends.
extension BrowserModel {
  /// Shows a conflict copy beside its note.
  mutating func compareCopy() {
    if isReadOnly { return say("Esc goes back to today, which has the copies") }
    guard let item = target else { return say("nothing selected") }
    guard let conflict = OpenConflict(item.path) else {
      return say("\(shown(item.path)) is no conflict copy")
    }
    guard selection.catalogue[conflict.path] != nil else {
      return say("\(shown(conflict.path)), of which this is a copy, is gone")
    }
    leaveEditing()
    compareTicket = ticket()
    comparison = ComparisonPane(
      .copy(item.path, of: conflict.path), left: shown(conflict.path),
      right: "the copy: \(SafeText.text(conflict.device)), \(SafeText.text(conflict.time))")
    effects.append(.compare(ticket: compareTicket, conflict.path, copy: item.path))
  }

  /// Shows what a person wrote beside what another program did.
  mutating func compareUnsaved(_ pane: NotePane) {
    // What is being read for another one is not meant for this.
    compareTicket = ticket()
    comparison = ComparisonPane(.unsaved, left: "yours", right: "the other program's")
    effects.append(
      .compareTexts(ticket: compareTicket, pane.buffer.bytes, with: pane.theirs ?? pane.base))
  }

  mutating func takeComparison(_ ticket: Int, _ texts: SideBySide) {
    guard ticket == compareTicket, var pane = comparison else { return }
    if texts.isBinary {
      comparison = nil
      return warn(
        pane.subject == .unsaved
          ? "the other program's is no text: m keeps yours, t takes theirs"
          : "these are no texts: verso conflicts resolve keeps one, or both")
    }
    pane.layOut(BrowserGeometry(self).comparison.size)
    pane.take(texts)
    comparison = pane
    say(texts.changes.isEmpty ? "both are the same" : pane.choices)
  }

  mutating func performInComparison(_ action: Action) {
    let page = max(1, BrowserGeometry(self).comparison.height - 1)
    switch action {
    case .cursorDown: comparison?.scroll(by: 1)
    case .cursorUp: comparison?.scroll(by: -1)
    case .halfPageDown: comparison?.scroll(by: page / 2)
    case .halfPageUp: comparison?.scroll(by: -(page / 2))
    case .pageDown: comparison?.scroll(by: page)
    case .pageUp: comparison?.scroll(by: -page)
    case .first: comparison?.scrollToStart()
    case .last: comparison?.scrollToEnd()
    case .nextPassage: stepChange(by: 1)
    case .previousPassage: stepChange(by: -1)
    case .keepMine, .takeTheirs, .merge, .keepBoth: decide(action)
    case .close: comparison = nil
    default: effects.append(.bell)
    }
  }

  private mutating func stepChange(by step: Int) {
    if comparison?.stepChange(by: step) ?? false { return }
    say("both are the same")
  }

  private mutating func decide(_ action: Action) {
    guard let pane = comparison, pane.texts != nil else { return say("still reading") }
    switch pane.subject {
    case .unsaved:
      guard action != .keepBoth else { return say("g joins both texts") }
      comparison = nil
      performInReader(action)
    case .copy(let copy, let path):
      if isReadOnly { return warn("the past is read-only; Esc goes back to today") }
      let choice: ConflictChoice =
        switch action {
        case .keepMine: .this
        case .takeTheirs: .copy
        case .merge: .joined
        default: .both
        }
      // Unsaved text would stand against what is written now.
      guard note?.state ?? .clean == .clean else { return warn("save the note first") }
      comparison = nil
      run(.resolve(copy, choice))
      say("resolving the conflict in \(shown(path))…")
    }
  }
}

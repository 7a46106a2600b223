import Verso
import VersoModel
import VersoSplitView

/// The timeline of a note or folder, and what each version of it held.
extension BrowserModel {
  /// Opens the timeline of what is selected, or under the cursor.
  mutating func openHistory() {
    leaveEditing()
    let item = target ?? selected.item ?? .vault
    openHistory(of: item.path, isFolder: item.isFolder)
  }

  /// Opens the timeline of a path with one of its versions, which may be of a note that is gone.
  mutating func openHistory(of path: RelativePath, at commit: ObjectID) {
    openHistory(of: path, isFolder: false, at: commit)
  }

  private mutating func openHistory(
    of path: RelativePath, isFolder: Bool, at commit: ObjectID? = nil
  ) {
    guard day == nil else { return say("Esc goes back to today, which has the history") }
    wantedVersion = commit
    let ticket = ticket()
    history = HistoryPane(path: path, isFolder: isFolder, ticket: ticket)
    preview = nil
    effects.append(.timeline(ticket: ticket, path))
    if layout.isRegular {
      _ = split.setFocus(layout.shows(.supplementary) ? .supplementary : .secondary)
    }
  }

  mutating func takeTimeline(_ ticket: Int, _ versions: [Vault.TimelineVersion], _ isLast: Bool) {
    guard history?.ticket == ticket else { return }
    let isFirst = history?.rows.isEmpty ?? true
    history?.add(versions)
    history?.isComplete = isLast
    if let wanted = wantedVersion, history?.moveCursor(to: wanted) ?? false {
      wantedVersion = nil
      showVersion()
    } else if isFirst && wantedVersion == nil || isLast && wantedVersion != nil {
      wantedVersion = nil
      showVersion()
    }
    if isLast, history?.rows.isEmpty ?? true {
      say("\(shown(history?.path ?? .root)) was never saved")
    }
  }

  mutating func takePast(_ ticket: Int, _ view: PastView) {
    guard history?.shownTicket == ticket else { return }
    history?.view = view
    history?.isStale = false
    let isUnchanged = history?.comparison?.passages.isEmpty ?? true
    history?.passage = isUnchanged ? nil : 0
    let size = BrowserGeometry(self).version.size
    history?.layOut(size)
    history?.showStart()
  }

  // MARK: Keys

  mutating func performInHistory(_ action: Action) {
    guard let pane = history else { return }
    let height = BrowserGeometry(self).timeline.height
    switch action {
    case .cursorDown: moveInHistory(to: pane.cursor + 1)
    case .cursorUp: moveInHistory(to: pane.cursor - 1)
    case .first: moveInHistory(to: 0)
    case .last: moveInHistory(to: pane.rows.count - 1)
    case .halfPageDown: moveInHistory(to: pane.cursor + height / 2, page: height / 2)
    case .halfPageUp: moveInHistory(to: pane.cursor - height / 2, page: -(height / 2))
    case .pageDown: scrollVersion(by: height)
    case .pageUp: scrollVersion(by: -height)
    case .showVersion: enterVersion()
    case .back: leaveHistory()
    case .compareWithNow: changeGoal()
    case .nextPassage: stepPassage(by: 1)
    case .previousPassage: stepPassage(by: -1)
    case .restoreVersion: restoreVersion()
    case .restorePassage: restorePassage()
    case .undo: run(.undo)
    case .search, .nextMatch, .previousMatch: say("F finds text in notes and in history")
    default: effects.append(.bell)
    }
  }

  /// Whether only one of timeline and version is seen.
  var historyIsNarrow: Bool { isCompact || !layout.shows(.supplementary) }

  private mutating func moveInHistory(to row: Int, page: Int? = nil) {
    guard let pane = history else { return }
    if pane.showsVersion { return scrollVersion(by: page ?? row - pane.cursor) }
    let before = pane.cursor
    history?.moveCursor(to: row)
    if history?.cursor != before { showVersion() }
  }

  mutating func scrollVersion(by rows: Int) {
    history?.scrollVersion(by: rows)
  }

  private mutating func enterVersion() {
    guard let pane = history, pane.current != nil else { return }
    if pane.isFolded, !pane.showsVersion {
      history?.unfold()
      return showVersion()
    }
    history?.showsVersion = true
    if !historyIsNarrow { _ = split.setFocus(.secondary) }
    say("R restores this version, p puts the marked passage back, [ ] step through passages")
  }

  private mutating func leaveHistory() {
    if history?.showsVersion ?? false {
      history?.showsVersion = false
      if !historyIsNarrow { _ = split.setFocus(.supplementary) }
      return
    }
    history = nil
    if note == nil { _ = split.setFocus(restingColumn) }
  }

  private mutating func changeGoal() {
    history?.comparesWithNow.toggle()
    showVersion()
    say(
      history?.comparesWithNow ?? true
        ? "compared with today" : "compared with the version before")
  }

  /// Reads the version under the cursor.
  mutating func showVersion() {
    guard let pane = history, let version = pane.current else { return }
    let ticket = ticket()
    history?.shownTicket = ticket
    history?.shownCommit = version.commit
    history?.isStale = true
    if pane.comparesWithNow {
      effects.append(.past(ticket: ticket, pane.path, version.commit, beside: nil))
    } else if let older = pane.older {
      // What this version did to the one before it.
      effects.append(.past(ticket: ticket, pane.path, older.commit, beside: version.commit))
    } else {
      effects.append(.past(ticket: ticket, pane.path, version.commit, beside: version.commit))
    }
  }

  // MARK: Passages

  private mutating func stepPassage(by step: Int) {
    guard let count = history?.comparison?.passages.count, count > 0 else {
      return say("nothing was removed since this version")
    }
    let next = ((history?.passage ?? -step) + step + count) % count
    history?.passage = next
    history?.revealPassage()
    say("passage \(next + 1) of \(count): p puts it back")
  }

  // MARK: Restoring

  private mutating func restoreVersion() {
    guard let pane = history, let version = pane.current else { return }
    run(.restore(pane.path, version.commit, lines: nil))
    say("restoring…")
  }

  private mutating func restorePassage() {
    guard let pane = history else { return }
    guard pane.comparesWithNow else {
      return say("press c first: passages come back into today's note")
    }
    // The lines are those of the version that is seen.
    guard !pane.isStale, let commit = pane.shownCommit else { return say("still reading…") }
    guard let lines = pane.passageLines else {
      return say("nothing was removed since this version")
    }
    run(.restore(pane.path, commit, lines: lines))
    say("putting the passage back…")
  }

  /// The version that is looked at differs otherwise from today's now.
  mutating func afterRestore() {
    guard let pane = history else { return }
    // There is a version more.
    let ticket = ticket()
    var anew = HistoryPane(path: pane.path, isFolder: pane.isFolder, ticket: ticket)
    anew.comparesWithNow = pane.comparesWithNow
    anew.showsVersion = pane.showsVersion
    anew.view = pane.view
    anew.isStale = true
    history = anew
    wantedVersion = pane.current?.commit
    effects.append(.timeline(ticket: ticket, pane.path))
  }

  mutating func takeFailure(_ ticket: Int, _ reason: String) {
    let isOfHistory = history?.ticket == ticket
    if history?.ticket == ticket { (history, wantedVersion) = (nil, nil) }
    if history?.shownTicket == ticket {
      history?.view = nil
      history?.isStale = false
    }
    if picker?.ticket == ticket { picker?.isSearching = false }
    if compareTicket == ticket { comparison = nil }
    if dayTicket == ticket, prompt?.kind == .day {
      // The line stays, to be mended.
      prompt?.problem = SafeText.text(reason)
      effects.append(.bell)
      return
    }
    if dayTicket == ticket || isOfHistory || history?.ticket == ticket
      || history?.shownTicket == ticket
      || picker?.ticket == ticket || compareTicket == ticket
    {
      warn(SafeText.text(reason))
    }
  }
}

/// The whole vault as it stood on a day: read-only.
extension BrowserModel {
  mutating func askForDay() {
    leaveEditing()
    if let version = history?.current { return openDay(version.commit.hex) }
    prompt = Prompt(.day, "All notes as they stood on (2026-03-14, yesterday, 2 weeks ago)")
  }

  mutating func openDay(_ text: String) {
    guard !text.isEmpty else { return }
    let ticket = ticket()
    dayTicket = ticket
    effects.append(.day(ticket: ticket, text))
    say("looking…")
  }

  mutating func takeDay(_ ticket: Int, _ found: Vault.Day) {
    guard dayTicket == ticket else { return }
    if prompt?.kind == .day { prompt = nil }
    let path = selected.item?.path
    let present = day?.present ?? selection.catalogue
    leaveEditing()
    occur(.left)
    note = nil
    preview = nil
    history = nil
    day = PastDay(commit: found.commit, time: found.time, present: present)
    begin(Catalogue(found.items), selecting: path)
    say("the notes as they stood on \(TimeText.minute(found.time)): read-only, Esc goes back")
  }

  mutating func leaveDay() {
    guard let day else { return }
    let path = selected.item?.path
    self.day = nil
    note = nil
    preview = nil
    begin(day.present, selecting: path)
    // What happened meanwhile was not followed.
    effects.append(.rescan)
    say("today")
  }

  private mutating func begin(_ catalogue: Catalogue, selecting path: RelativePath?) {
    selection = SelectionModel(catalogue, after: selection)
    _ = selection.reduce(.collapsed(isCompact))
    (files, filesID) = (nil, nil)
    wantedPreview = nil
    folders = makeList(.folders, .vault)
    // The nearest that was there then.
    var wanted = path
    while let at = wanted, selection.catalogue[at] == nil { wanted = at.isRoot ? nil : at.parent }
    send(.select(wanted.flatMap { selection.catalogue[$0] }))
    if selected.selectedFile == nil { _ = split.setFocus(restingColumn) }
  }
}

import VersoModel
import Verso
import VersoSplitView

extension BrowserModel {
  /// Takes what happened.
  ///
  /// - Parameter time: Seconds of any clock that does not go back.
  /// - Returns: What is to be done about it, in this order.
  package mutating func update(_ message: BrowserMessage, at time: Double) -> [BrowserEffect] {
    now = time
    if case .screen(.key) = message { scrolled = nil }
    switch message {
    case .screen(let event): take(event)
    case .snapshot(let items, let catalogue): take(items, catalogue)
    case .changed(let batch): takeChange(batch)
    case .saved(let subject): if remark == nil { say("saved: \(subject)") }
    case .news(let text, let isTrouble): say(text, isTrouble ? .warning : .status)
    case .offline(let reason):
      offline = reason
      if day == nil { send(.rootVanished) }
    case .online:
      offline = nil
      if !unkept.isEmpty { keepRetry = now }
    case .folderRead(let path, let items): take(path, items)
    case .listBuilt(let ticket, let list): take(ticket, list)
    case .noteRead(let ticket, let path, let reading, let document):
      takeNote(ticket, path, reading, document)
    case .done(let purpose, let result): takeResult(purpose, result)
    case .facts(let ticket, let facts): takeFacts(ticket, facts)
    case .timeline(let ticket, let versions, let isLast): takeTimeline(ticket, versions, isLast)
    case .past(let ticket, let view): takePast(ticket, view)
    case .day(let ticket, let day): takeDay(ticket, day)
    case .access(let path, let isReadable): takeAccess(path, isReadable)
    case .compared(let ticket, let comparison):
      takeComparison(ticket, comparison)
    case .found(let ticket, let rows, let isLast): takeFound(ticket, rows, isLast)
    case .drafts(let found): takeDrafts(found)
    case .failed(let ticket, let reason): takeFailure(ticket, reason)
    case .returned(let problem): takeReturn(problem)
    case .tick: break
    }
    if let end = holdEnd, now >= end { dropHeld() }
    keepWhatIsDue()
    settle()
    return takeEffects()
  }

  /// How long until something has to be drawn, or done, although nothing happens; `nil` for never.
  package func pause(at time: Double) -> Double? {
    var pauses: [Double] = []
    if let animation, !animation.isFinished(at: time) { pauses.append(Animation.frameInterval) }
    if followsCursor, let cursorMoved {
      pauses.append(max(0, cursorMoved + Self.followDelay - time))
    }
    if let holdEnd { pauses.append(max(0, holdEnd - time)) }
    if let keepDue { pauses.append(max(0, keepDue - time)) }
    if let keepRetry, offline == nil { pauses.append(max(0, keepRetry - time)) }
    return pauses.min()
  }

  /// Whether nothing moves, and nothing that was asked for is waited for.
  package func isAtRest(at time: Double) -> Bool {
    if let animation, !animation.isFinished(at: time) { return false }
    return holdEnd == nil && !(followsCursor && cursorMoved != nil)
  }

  /// How long the cursor rests on a row before that is selected, in seconds.
  static let followDelay = 0.12

  private mutating func take(_ event: ScreenEvent) {
    if isQuitting {
      // What is typed now would come too late to be saved.
      switch event {
      case .key, .mouse, .paste, .line: return
      default: break
      }
    }
    if let end = holdEnd, now < end, hold(event) { return }
    switch event {
    case .key(let key): press(key)
    case .mouse(let mouse): take(mouse)
    case .paste(let text): paste(text)
    case .line(let line): take(line: line)
    case .resized(let size): resize(to: size)
    case .stopRequested: effects.append(.suspend)
    case .continued: effects.append(.redraw)
    case .focused, .woken: break
    case .ended:
      isAlone = true
      quit()
    }
  }

  // MARK: Size

  private mutating func resize(to new: CellSize) {
    size = new
    let wasCompact = isCompact
    run(split.resize(to: splitSize))
    if isCompact != wasCompact, layout.isRegular || isCompact {
      send(.collapsed(isCompact))
      if !isCompact, note == nil, focus == .secondary { _ = split.setFocus(.supplementary) }
      if !isCompact, selected.selectedFile == nil { _ = split.setFocus(restingColumn) }
    }
  }

  /// The column whose list is to be used next: the innermost.
  var restingColumn: Column { files == nil ? .primary : .supplementary }

  /// Starts the movement that a change of the split view leads to.
  mutating func run(_ transition: SplitTransition) {
    guard options.animates, transition.before != transition.after, transition.duration > 0 else {
      animation = nil
      return
    }
    animation = transition.animation(at: now, after: animation)
  }

  // MARK: Making ready to draw

  /// Makes everything ready that a frame shows: rows are laid out, cursors come into view.
  mutating func settle() {
    if let animation, animation.isFinished(at: now) { self.animation = nil }
    followRestingCursor()
    let geometry = BrowserGeometry(self)
    if scrolled != .primary { folders.reveal(height: geometry.content(.primary).height) }
    if scrolled != .supplementary {
      files?.reveal(height: geometry.content(.supplementary).height)
    }
    let detail = geometry.content(.secondary).size
    note?.layOut(detail)
    if let line = wantedLine, note?.isText ?? false {
      wantedLine = nil
      note?.scroll(toLine: line)
      note?.layOut(detail)
    }
    askForPreview()
    preview?.layOut(detail)
    history?.reveal(height: geometry.timeline.height)
    history?.layOut(geometry.version.size)
    comparison?.layOut(geometry.comparison.size)
    if var shown = picker {
      shown.reveal(height: geometry.pickerRows)
      picker = shown
    }
    finishQuitting()
  }

  private mutating func followRestingCursor() {
    guard followsCursor, let moved = cursorMoved, now - moved >= Self.followDelay else { return }
    cursorMoved = nil
    guard prompt == nil, picker == nil, history == nil, let item = focusedList?.cursorItem,
      item.path != selected.item?.path
    else { return }
    let column = focus
    activate(item, enters: false)
    _ = split.setFocus(column)
  }

  /// Reads the note under the cursor while nothing is selected.
  private mutating func askForPreview() {
    guard note == nil, layout.isRegular, history == nil, let item = focusedList?.cursorItem,
      !item.isFolder, selected.selectedFile == nil, offeredDraft == nil
    else {
      if note != nil || layout.isCollapsed || focus != .secondary { preview = nil }
      return
    }
    if preview?.path == item.path || wantedPreview?.path == item.path { return }
    let ticket = ticket()
    wantedPreview = (item.path, ticket)
    effects.append(readEffect(ticket, item.path))
  }

  /// Reads a note of today, or of the day that is looked at.
  func readEffect(_ ticket: Int, _ path: RelativePath) -> BrowserEffect {
    day.map { .pastNote(ticket: ticket, path, $0.commit) } ?? .readNote(ticket: ticket, path)
  }
}

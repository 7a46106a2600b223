import VersoModel
import VersoSplitView

extension BrowserModel {
  /// Takes a key.
  mutating func press(_ key: KeyEvent) {
    remark = nil
    if pressInMenu(key) { return }
    let context = context
    keys.append(key)
    var match = options.keymap.match(keys, in: context, direction: options.direction)
    if context == .conflict, match == .none {
      match = options.keymap.match(keys, in: .reader, direction: options.direction)
    }
    if case .action(.interrupt) = match {} else { interrupts = 0 }
    switch match {
    case .partial: return
    case .action(let action):
      keys = []
      perform(action)
    case .none:
      let isOne = keys.count == 1
      keys = []
      if isOne, let text = key.text { type(String(text)) } else if !isOne { effects.append(.bell) }
    }
  }

  /// So long keys are held at most, in seconds: longer than somebody else may hold the vault.
  private static let longestHold = 15.0

  /// Keeps keys back until what they are meant for is there.
  mutating func holdKeys() { holdEnd = now + Self.longestHold }

  /// Keeps an event back; `false` for what waits for nothing.
  mutating func hold(_ event: ScreenEvent) -> Bool {
    switch event {
    case .key(let key):
      if options.keymap.match([key], in: .list) == .action(.interrupt) {
        dropHeld()
        return true
      }
      held.append(event)
    case .paste, .line: held.append(event)
    case .mouse(let mouse):
      // A click on what is not there yet cannot be meant.
      guard case .pressed = mouse.kind else { return true }
      say("still reading…")
    default: return false
    }
    return true
  }

  /// Lets what was kept back act.
  mutating func releaseKeys() {
    guard holdEnd != nil else { return }
    holdEnd = nil
    var events = held[...]
    held = []
    while let event = events.popFirst() {
      switch event {
      case .key(let key): press(key)
      case .paste(let text): paste(text)
      case .line(let line): take(line: line)
      default: break
      }
      // One of them waits for something in turn: so do those behind it.
      if holdEnd != nil {
        held += events
        return
      }
    }
  }

  /// Forgets what was kept back: done late, it would meet something else.
  mutating func dropHeld() {
    holdEnd = nil
    wantsEditing = false
    let count = held.count
    held = []
    if count > 0 { warn("\(count == 1 ? "1 key was" : "\(count) keys were") dropped: press again") }
  }

  /// Takes what was typed where it is no command.
  private mutating func type(_ text: String) {
    switch context {
    case .editor: edit { $0.type(text, at: $1) }
    case .prompt: typeIntoPrompt(text)
    default: effects.append(.bell)
    }
  }

  mutating func paste(_ text: String) {
    remark = nil
    switch context {
    case .editor: edit { $0.paste(Array(text.utf8), at: $1) }
    case .prompt:
      // A line takes the first line of it.
      let line = text.split(omittingEmptySubsequences: false) { $0.isNewline }.first ?? ""
      typeIntoPrompt(String(line))
    default: warn("start editing before you paste: press i")
    }
  }

  /// Does what a key, the palette or a menu asks for.
  mutating func perform(_ action: Action) {
    if performAnywhere(action) { return }
    switch context {
    case .prompt: performInPrompt(action)
    case .help: performInHelp(action)
    case .history: performInHistory(action)
    case .editor: performInEditor(action)
    case .conflict, .reader: performInReader(action)
    case .list: performInList(action)
    case .comparison: performInComparison(action)
    }
  }

  // MARK: Everywhere

  private mutating func performAnywhere(_ action: Action) -> Bool {
    switch action {
    case .quit where context != .history: quit()
    case .interrupt: interrupt()
    case .suspend: effects.append(.suspend)
    case .rescan:
      effects += [.rescan, .redraw]
      say("looking at everything again")
    case .help where context != .help:
      help = HelpState(context: context)
    case .nextTheme:
      options.theme = options.theme.next
      effects.append(.theme(options.theme))
      say("theme \(options.theme.name)")
    case .palette: openPicker(.palette)
    case .findFile: openPicker(.files)
    case .findText: openPicker(.text)
    case .drafts: openPicker(.drafts)
    case .viewDay: askForDay()
    default: return performOnLayout(action)
    }
    return true
  }

  private mutating func interrupt() {
    if help != nil || picker != nil || prompt != nil {
      closeTop()
      return
    }
    interrupts += 1
    if interrupts > 1 { quit() } else { say("press Ctrl-C again to quit; drafts are kept") }
  }

  private mutating func performOnLayout(_ action: Action) -> Bool {
    guard context != .prompt, context != .editor, context != .help,
      context != .comparison
    else { return false }
    switch action {
    case .sidebar: toggleSidebar()
    case .zen: run(split.toggleZen(animated: options.animates))
    case .narrower: run(split.widen(focus, by: -2))
    case .wider: run(split.widen(focus, by: 2))
    case .resetWidths: run(split.resetWidths(animated: options.animates))
    case .nextStyle: nextStyle()
    case .followCursor:
      followsCursor.toggle()
      say(followsCursor ? "what the cursor rests on is selected" : "the cursor selects nothing")
    case .nextPane: movePane(by: 1)
    case .previousPane: movePane(by: -1)
    case .firstPane: show(.primary)
    case .secondPane: show(.supplementary)
    case .thirdPane: show(.secondary)
    default: return false
    }
    return true
  }

  private mutating func toggleSidebar() {
    guard layout.isRegular else { return say("there is room for one pane only") }
    run(split.toggleSidebar(animated: options.animates))
    // A popover is called up to be used.
    if layout.mode.obstructsSecondary { _ = split.setFocus(.primary) }
  }

  private mutating func nextStyle() {
    let styles = SplitStyle.allCases
    let next = styles[(split.configuration.style.rawValue + 1) % styles.count]
    run(split.setStyle(next, animated: options.animates))
    say("sidebar \(next)")
  }

  private mutating func movePane(by step: Int) {
    let order = layout.focusOrder
    guard let at = order.firstIndex(of: focus), order.count > 1 else { return }
    leaveEditing()
    _ = split.setFocus(order[(at + step + order.count) % order.count])
  }

  /// Moves the keys to a column, showing it if it is hidden.
  private mutating func show(_ column: Column) {
    if column == .supplementary, files == nil { return say("select a folder first") }
    if !layout.shows(column) || layout[column]?.isInteractive == false {
      if isCompact { return say("there is room for one pane only; go back with h") }
      if column == .secondary, let transition = split.dismissOverlay(animated: options.animates) {
        run(transition)
      } else {
        run(split.show(column, animated: options.animates))
      }
    }
    _ = split.setFocus(column)
  }

  /// Closes the topmost of prompt, help, popover, search and marks; nothing more.
  mutating func closeTop() {
    if prompt != nil { return cancelPrompt() }
    if picker != nil { return picker = nil }
    if menu != nil { return menu = nil }
    if help != nil { return help = nil }
    if comparison != nil { return comparison = nil }
    if let transition = split.dismissOverlay(animated: options.animates) { return run(transition) }
    if day != nil, focus != .secondary { return leaveDay() }
    if !(focusedList?.filter.isEmpty ?? true) { return changeList(focus) { $0.setFilter("") } }
    if !searched.isEmpty { return searched = "" }
    if !marks.isEmpty { return marks = [] }
  }

  // MARK: Ending

  mutating func quit() {
    if isAlone { hasFailedToKeep = false }
    if !hasFailedToKeep {
      leaveEditing()
      endNote()
      for text in unkept where !text.isRunning { keep(text.bytes, of: text.path) }
    }
    isQuitting = true
    (held, holdEnd, wantsEditing) = ([], nil, false)
    if operations > 0 { say("saving…") }
  }

  mutating func finishQuitting() {
    guard isQuitting, operations == 0, !hasQuit, unkept.isEmpty || hasFailedToKeep else { return }
    hasQuit = true
    effects.append(.quit)
  }
}

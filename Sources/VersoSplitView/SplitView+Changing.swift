extension SplitView {
  /// A change whose animation is not over.
  struct Running {
    let animation: Animation
    var ending: [SplitEvent]
    let completion: (() -> Void)?
  }

  /// Changes the state, tells what is to be told now, and starts the animation.
  func perform(
    at time: Double, completion: (() -> Void)? = nil,
    _ change: @escaping (inout SplitState) -> SplitTransition
  ) {
    inTurn { [self] in
      takePaneWishes()
      // A copy: the delegate may read the state while the change asks it.
      var next = state
      let transition = change(&next)
      if transition.before == transition.after {
        state = next
        tell(transition.events)
        completion?()
      } else {
        start(transition, to: next, at: time, completion)
      }
    }
  }

  private func start(
    _ transition: SplitTransition, to next: SplitState, at time: Double,
    _ completion: (() -> Void)?
  ) {
    let previous = running
    running = nil
    finish(previous, except: transition.announcements)
    tell(transition.announcements)
    state = next
    if transition.announcements.contains(.willExpand) { button.isValid = layout.showsSidebarButton }
    tell(transition.beginning)
    resizeNested(at: time)
    let animation = transition.animation(at: time, after: previous?.animation)
    running = Running(animation: animation, ending: transition.ending, completion: completion)
    finishIfDue(at: time)
  }

  /// Makes one change after the other.
  private func inTurn(_ change: @escaping () -> Void) {
    waiting.append(change)
    guard !isChanging else { return }
    isChanging = true
    defer { isChanging = false }
    while !waiting.isEmpty { waiting.removeFirst()() }
  }

  /// Tells the split view what time it is, in seconds; ends the animation that is over by then.
  public func advance(to time: Double) {
    nested?.advance(to: time)
    inTurn { [self] in finishIfDue(at: time) }
  }

  private func finishIfDue(at time: Double) {
    guard let running, running.animation.isFinished(at: time) else { return }
    self.running = nil
    finish(running, except: [])
  }

  /// When the next picture is due, in seconds; `nil` while nothing moves.
  public func nextFrame(after time: Double) -> Double? {
    running == nil ? nil : time + Animation.frameInterval
  }

  /// Ends a change. What is no longer true, because another one turned it around, is not told.
  private func finish(_ change: Running?, except news: [SplitEvent]) {
    guard let change else { return }
    let turned = Set(news.compactMap(\.turnedColumn))
    tell(change.ending.filter { $0.endedColumn.map { !turned.contains($0) } ?? true })
    change.completion?()
  }

  private func tell(_ events: [SplitEvent]) {
    for event in events { tell(event) }
  }

  func tell(_ event: SplitEvent) {
    observer?(event)
    switch event {
    case .willResize(let old, let new, let duration):
      delegate?.splitView(self, willResizeFrom: old, to: new, duration: duration)
    case .willCollapse(let top):
      button.isValid = false
      delegate?.splitView(self, willCollapseTo: top)
    case .willExpand: delegate?.splitViewWillExpand(self)
    case .toggleFlips(let toggle): button.toggle = toggle
    default:
      if let (column, notice) = event.notice, let pane = panes[column] { tell(notice, of: pane) }
    }
  }

  private func tell(_ notice: SplitEvent.Notice, of pane: any Pane) {
    let isPrimary = pane === primary
    switch notice {
    case .willShow:
      if isPrimary { button.isValid = false }
      delegate?.splitView(self, willShow: pane, invalidating: button)
    case .willHide:
      if isPrimary { button.isValid = true }
      delegate?.splitView(
        self, willHide: pane, button: button, presenter: SplitPresenter(of: self))
    case .willPresent: delegate?.splitView(self, willPresent: pane)
    case .didShow: delegate?.splitView(self, didShow: pane)
    case .didHide: delegate?.splitView(self, didHide: pane)
    case .willAppear: pane.willAppear()
    case .didAppear: pane.didAppear()
    case .willDisappear: pane.willDisappear()
    case .didDisappear: pane.didDisappear()
    }
  }
}

extension SplitEvent {
  /// An event that concerns a pane.
  fileprivate enum Notice {
    case willShow, willHide, willPresent, didShow, didHide
    case willAppear, didAppear, willDisappear, didDisappear
  }

  fileprivate var notice: (Column, Notice)? {
    switch self {
    case .willShow(let column): (column, .willShow)
    case .willHide(let column): (column, .willHide)
    case .willPresent(let column): (column, .willPresent)
    case .didShow(let column): (column, .didShow)
    case .didHide(let column): (column, .didHide)
    case .willAppear(let column): (column, .willAppear)
    case .didAppear(let column): (column, .didAppear)
    case .willDisappear(let column): (column, .willDisappear)
    case .didDisappear(let column): (column, .didDisappear)
    default: nil
    }
  }

  /// The column that the event begins to show or hide.
  fileprivate var turnedColumn: Column? {
    switch self {
    case .willShow(let column), .willHide(let column): column
    default: nil
    }
  }

  /// The column whose showing or hiding the event ends.
  fileprivate var endedColumn: Column? {
    switch self {
    case .didShow(let column), .didHide(let column), .didAppear(let column),
      .didDisappear(let column), .undrawn(let column):
      column
    case .toggleFlips: .primary
    default: nil
    }
  }
}

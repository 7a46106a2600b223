extension SplitState {
  /// Gives the split view other bounds.
  ///
  /// Another width class ends a popover, applies the normal style again, and closes a drawer if it
  /// is compact. Bounds too small for anything keep everything as it is.
  ///
  /// - Parameters:
  ///   - size: The bounds, in cells.
  ///   - inherited: The class of the split view around this one, if there is one.
  ///   - animated: Whether columns slide to their new places.
  ///   - shouldHide: Asked when the class changes; `nil` leaves it to the style. A sidebar that is
  ///     pinned shut stays so whatever the answer.
  ///   - collapsedTop: Asked when the split view collapses, with the column that would be on top.
  public mutating func resize(
    to size: CellSize, inherited: WidthClass? = nil, animated: Bool = false,
    shouldHide: (WidthClass) -> Bool? = { _ in nil },
    collapsedTop: (Column) -> Column = { $0 }
  ) -> SplitTransition {
    let old = request.size
    var state = self
    state.request.size = size
    state.request.inheritedClass = inherited
    if let widthClass = state.request.widthClass {
      state.enter(widthClass, shouldHide: shouldHide, collapsedTop: collapsedTop)
    }
    lastClass = state.lastClass
    let duration = animated ? configuration.animationDuration : 0
    let isNews = old != size && old != .zero
    return change(
      animated: animated,
      prelude: isNews ? [.willResize(from: old, to: size, duration: duration)] : []
    ) { $0 = state.request }
  }

  private mutating func enter(
    _ widthClass: WidthClass, shouldHide: (WidthClass) -> Bool?, collapsedTop: (Column) -> Column
  ) {
    defer { lastClass = widthClass }
    guard widthClass != lastClass else { return }
    if lastClass != nil { rotate(to: widthClass) }
    // The answer about a sidebar that must be visible does not open one that the user closed.
    switch shouldHide(widthClass) {
    case true?: request.sidebarHidden = true
    case false? where configuration.style == .normal: request.sidebarHidden = false
    default: break
    }
    request.collapsedTop = nil
    if widthClass == .compact, let top = request.stack.last {
      request.collapsedTop = collapsedTop(top)
    }
  }

  private mutating func rotate(to widthClass: WidthClass) {
    request.isPresented = false
    switch configuration.style {
    case .normal: request.sidebarHidden = nil
    case .sticky: break
    case .drawer: if widthClass == .compact { request.sidebarHidden = nil }
    }
  }

  /// Says how deep the content goes: to the primary while nothing is selected, to the
  /// supplementary while a folder is, to the secondary while a file is.
  ///
  /// Content in the secondary ends a popover and closes a drawer.
  public mutating func setDeepest(_ column: Column, animated: Bool = true) -> SplitTransition {
    let isDrawer = configuration.style == .drawer
    return change(animated: animated) { request in
      request.deepest = column
      request.collapsedTop = nil
      guard column == .secondary else { return }
      request.isPresented = false
      if isDrawer { request.sidebarHidden = nil }
    }
  }

  /// Says what panes need at least beyond the configuration, in cells.
  public mutating func setMinimums(_ minimums: [Column: Int]) -> SplitTransition {
    change(animated: false) { $0.minimums = minimums }
  }
}

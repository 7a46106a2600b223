extension SplitState {
  /// Shows the primary; see ``show(_:animated:)``.
  public mutating func show(animated: Bool = true) -> SplitTransition {
    show(.primary, animated: animated)
  }

  /// Hides the primary.
  public mutating func hide(animated: Bool = true) -> SplitTransition {
    hideSidebar(.primary, animated: animated)
  }

  /// Goes to the nearest mode in which a column is visible.
  ///
  /// Where there is no room beside the secondary, the sidebar pushes it aside or lies over it. A
  /// column that is visible, absent, or in a collapsed split view is left as it is; `completed` is
  /// told all the same.
  public mutating func show(_ column: Column, animated: Bool = true) -> SplitTransition {
    let present = layout
    guard present.isRegular, present[column]?.isVisible == false else {
      return change(animated: animated) { _ in }
    }
    let ways =
      column == .primary && request.preferredMode == .automatic
      ? [shown(presented: false), shown(presented: true)] : []
    let modes = modes(showing: column).map { mode in with { $0.preferredMode = mode } }
    let best = (ways + modes).first { Layout($0).shows(column) }
    return change(animated: animated) { if let best { $0 = best } }
  }

  /// Goes to the nearest mode in which a column is hidden.
  ///
  /// - Throws: ``SplitError/Code/secondaryCannotHide`` for the secondary.
  public mutating func hide(_ column: Column, animated: Bool = true) throws(SplitError)
    -> SplitTransition
  {
    guard column != .secondary else {
      throw SplitError(
        .secondaryCannotHide, "the secondary column cannot be hidden; hide the others instead")
    }
    return hideSidebar(column, animated: animated)
  }

  private mutating func hideSidebar(_ column: Column, animated: Bool) -> SplitTransition {
    let present = layout
    guard present.isRegular, present.shows(column) else {
      return change(animated: animated) { _ in }
    }
    let isAutomatic = request.preferredMode == .automatic
    let most = request.sidebars.count - 1 - (request.sidebars.firstIndex(of: column) ?? 0)
    let mode = behavior.nearestMode(to: present.mode.sidebarCount, within: 0...most)
    return change(animated: animated) { request in
      request.isPresented = false
      request.sidebarHidden = true
      if !isAutomatic || column != .primary { request.preferredMode = mode }
    }
  }

  /// Shows the primary if it is hidden, else hides it.
  public mutating func toggleSidebar(animated: Bool = true) -> SplitTransition {
    toggle == .show ? show(animated: animated) : hide(animated: animated)
  }

  /// Shows the primary for a moment: over the secondary, or pushing it aside.
  ///
  /// Selecting a file, ``dismissOverlay(animated:)``, a click on the dimmed secondary, and another
  /// width class end that.
  public mutating func present(animated: Bool = true) -> SplitTransition {
    guard layout.isRegular, isPrimaryHidden else { return change(animated: animated) { _ in } }
    let isPopover = request.preferredMode == .automatic && configuration.style != .drawer
    guard isPopover else { return show(animated: animated).announcing(.willPresent(.primary)) }
    return change(animated: animated, prelude: [.willPresent(.primary)]) { $0.isPresented = true }
  }

  /// Closes a popover, a drawer, or whatever else obstructs the secondary.
  ///
  /// - Returns: `nil` where nothing does.
  public mutating func dismissOverlay(animated: Bool = true) -> SplitTransition? {
    let isObstructed = layout.mode.obstructsSecondary
    guard isObstructed || request.isPresented else { return nil }
    let isDrawer = configuration.style == .drawer
    return change(animated: animated) { request in
      request.isPresented = false
      if isDrawer { request.sidebarHidden = nil }
      if request.preferredMode.actual?.obstructsSecondary == true {
        request.preferredMode = .secondaryOnly
      }
    }
  }

  /// Asks for a mode; it is used where its least widths fit, else the next smaller one.
  public mutating func setDisplayMode(_ mode: DisplayMode, animated: Bool = true)
    -> SplitTransition
  {
    modeBeforeZen = nil
    return change(animated: animated) { $0.preferredMode = mode }
  }

  /// Shows the secondary alone, or brings back the mode from before.
  public mutating func toggleZen(animated: Bool = true) -> SplitTransition {
    let next = modeBeforeZen ?? .secondaryOnly
    modeBeforeZen = modeBeforeZen == nil ? request.preferredMode : nil
    return change(animated: animated) { $0.preferredMode = next }
  }

  /// Changes the style; dimming and dismissal are the style's again, and so is the mode.
  ///
  /// A drawer hides the sidebar, sticky leaves it as it is, and normal applies its rule for the
  /// width class.
  public mutating func setStyle(_ style: SplitStyle, animated: Bool = false) -> SplitTransition {
    modeBeforeZen = nil
    let present = layout
    let kept =
      present.isRegular
      ? !present.shows(.primary) && request.isSidebarHidden : request.sidebarHidden
    return change(animated: animated) { request in
      request.configuration.style = style
      request.configuration.dimsSecondary = nil
      request.configuration.dismissesOnTap = nil
      request.preferredMode = .automatic
      request.isPresented = false
      request.sidebarHidden = style == .sticky ? kept : nil
    }
  }

  /// Changes whether a normal sidebar is shown when medium too.
  public mutating func setShowsPrimaryInMedium(_ shows: Bool, animated: Bool = false)
    -> SplitTransition
  {
    change(animated: animated) { $0.configuration.showsPrimaryInMedium = shows }
  }

  /// How sidebars share the room now.
  private var behavior: SplitBehavior {
    switch layout.mode {
    case .oneOver, .twoOver: .overlay
    case .twoDisplace: .displace
    default: configuration.style == .drawer ? .overlay : .tile
    }
  }

  private func with(_ body: (inout LayoutRequest) -> Void) -> LayoutRequest {
    var request = request
    body(&request)
    return request
  }

  private func shown(presented: Bool) -> LayoutRequest {
    with { request in
      request.sidebarHidden = false
      request.isPresented = presented
    }
  }

  /// The modes that show a column, the best first.
  private func modes(showing column: Column) -> [DisplayMode] {
    let least = request.sidebars.count - (request.sidebars.firstIndex(of: column) ?? 0)
    let count = layout.mode.sidebarCount
    return ([behavior] + [.displace, .overlay]).map {
      $0.nearestMode(to: count, within: min(least, 2)...2)
    }
  }
}

extension SplitTransition {
  /// The same with something told first.
  func announcing(_ event: SplitEvent) -> SplitTransition {
    SplitTransition(
      before: before, after: after, announcements: [event] + announcements, beginning: beginning,
      ending: ending, duration: duration)
  }
}

/// A split view as a value: what was asked of it, and what follows.
///
/// Each change returns a ``SplitTransition`` with what is to be told and in which order. Time and
/// drawing are the caller's.
public struct SplitState: Hashable, Sendable {
  /// What the layout is made of.
  public internal(set) var request: LayoutRequest
  /// The column that the user last moved to.
  var wantedFocus = Column.secondary
  /// The mode to come back to from zen.
  var modeBeforeZen: DisplayMode?
  /// The class of the last bounds that were large enough; `nil` before there were any.
  var lastClass: WidthClass?
  /// Which sidebars were last told to be visible. Before anything is told the primary counts as
  /// visible, so that an app whose sidebar is hidden at launch hears of it.
  var told: [Column: Bool] = [.primary: true]
  /// The widths that a reset brings back.
  let originalWidths: SplitWidths

  public init(_ configuration: SplitConfiguration = .init()) {
    self.init(configuration, originalWidths: configuration.widths)
  }

  init(_ configuration: SplitConfiguration, originalWidths: SplitWidths) {
    request = LayoutRequest(configuration: configuration)
    self.originalWidths = originalWidths
  }

  public var configuration: SplitConfiguration { request.configuration }
  public var layout: Layout { Layout(request) }

  /// Whether the primary cannot be seen, whatever hides it.
  public var isPrimaryHidden: Bool { !layout.shows(.primary) }

  /// Whether the secondary alone is shown by ``toggleZen()``.
  public var isZen: Bool { modeBeforeZen != nil }

  /// The column that keys go to: the one last moved to, else the one furthest inside that takes
  /// keys. `nil` where the bounds are too small.
  public var focus: Column? {
    let order = layout.focusOrder
    return order.contains(wantedFocus) ? wantedFocus : order.last
  }

  /// What the button that toggles the sidebar would do.
  public var toggle: SidebarToggle { isPrimaryHidden ? .show : .hide }

  /// Moves the focus to a column.
  ///
  /// - Returns: `false`, and nothing changes, where the column takes no keys.
  public mutating func setFocus(_ column: Column) -> Bool {
    guard layout.focusOrder.contains(column) else { return false }
    wantedFocus = column
    return true
  }

  /// - Throws: ``SplitError/Code/opacityOutOfRange`` outside 0...1; the old value stays.
  public mutating func setDimOpacity(_ opacity: Double) throws(SplitError) {
    try request.configuration.setDimOpacity(opacity)
  }

  /// - Throws: ``SplitError/Code/durationOutOfRange`` for what is negative or not finite; the old
  ///   value stays.
  public mutating func setAnimationDuration(_ seconds: Double) throws(SplitError) {
    try request.configuration.setAnimationDuration(seconds)
  }

  /// Changes what decides about dimming; `nil` leaves it to the style.
  public mutating func setDimsSecondary(_ dims: Bool?) {
    request.configuration.dimsSecondary = dims
  }

  /// Changes whether a click on the dimmed secondary hides the sidebar; `nil` leaves it to the
  /// style.
  public mutating func setDismissesOnTap(_ dismisses: Bool?) {
    request.configuration.dismissesOnTap = dismisses
  }

  /// Whether a click on the dimmed secondary hides the sidebar.
  public var dismissesOnTap: Bool {
    configuration.dismissesOnTap ?? configuration.style.dismissesOnTapByDefault
  }

  /// Whether the secondary is dimmed while the sidebar stands beside it.
  public var dimsSecondary: Bool {
    configuration.dimsSecondary ?? configuration.style.dimsByDefault
  }
}

extension SplitState {
  /// What a click did.
  public enum ClickOutcome: Hashable, Sendable {
    /// The column has the focus and is to act on the click.
    case column(Column)
    /// The divider of a sidebar was hit; a drag may follow.
    case divider(Column)
    /// The sidebar went away; nothing else is to act on the click.
    case dismissed(SplitTransition)
    /// Nothing is to act on the click.
    case swallowed
  }

  /// Clicks on a cell.
  ///
  /// A click on a secondary that is dimmed or pushed aside never reaches it. It ends a popover; it
  /// hides the sidebar if the split view dismisses on a tap.
  public mutating func click(x: Int, y: Int, animated: Bool = true) -> ClickOutcome {
    switch layout.target(x: x, y: y) {
    case .column(let column):
      wantedFocus = column
      return .column(column)
    case .divider(let column): return .divider(column)
    case .nothing: return .swallowed
    case .inert:
      guard request.isPresented || dismissesOnTap else { return .swallowed }
      return .dismissed(dismissOverlay(animated: animated) ?? hide(animated: animated))
    }
  }
}

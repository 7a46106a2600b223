/// Something that a split view tells while it changes, in the order of telling.
public enum SplitEvent: Hashable, Sendable {
  /// The bounds change from one size to another, in cells, over a duration in seconds.
  case willResize(from: CellSize, to: CellSize, duration: Double)
  /// Columns are about to become a navigation stack with this one on top.
  case willCollapse(top: Column)
  /// The navigation stack is about to become columns.
  case willExpand
  /// A column is about to be shown as a popover.
  case willPresent(Column)
  case willShow(Column)
  case willHide(Column)
  /// The column's pane is about to be seen, or unseen.
  case willAppear(Column)
  case willDisappear(Column)
  /// From here on the column is drawn.
  case drawn(Column)
  /// From here on the column is no longer drawn.
  case undrawn(Column)
  /// The frames begin to move; without an animation they have moved.
  case framesMove
  /// The toggle now says what it would do.
  case toggleFlips(SidebarToggle)
  /// A column was put on the navigation stack, with a transition of so many seconds.
  case push(Column, duration: Double)
  /// A column was taken off the navigation stack, with a transition of so many seconds.
  case pop(Column, duration: Double)
  case didAppear(Column)
  case didDisappear(Column)
  case didShow(Column)
  case didHide(Column)
  /// A pane was given to the secondary.
  case showDetail
  /// All is over; told once for each change, also where there was nothing to change.
  case completed
}

/// What the button that toggles the sidebar would do.
public enum SidebarToggle: Hashable, Sendable { case show, hide }

/// What hears of a split view's changes, and decides some of them.
///
/// Every method has a default that does nothing, or leaves the decision to the style.
public protocol SplitViewDelegate: AnyObject {
  /// The bounds are about to change, before the first new picture.
  ///
  /// - Parameter duration: In seconds; 0 for at once.
  func splitView(
    _ split: SplitView, willResizeFrom old: CellSize, to new: CellSize, duration: Double)

  /// A sidebar is about to be hidden. Once for each real change.
  ///
  /// - Parameters:
  ///   - button: Calls up the primary; always the same object, and valid from now on.
  ///   - presenter: Does the same without a button.
  func splitView(
    _ split: SplitView, willHide pane: any Pane, button: SidebarButton, presenter: SplitPresenter)

  func splitView(_ split: SplitView, didHide pane: any Pane)

  /// A sidebar is about to be shown. Once for each real change.
  ///
  /// - Parameter button: The button that was given when it was hidden; the primary's is no longer
  ///   valid.
  func splitView(_ split: SplitView, willShow pane: any Pane, invalidating button: SidebarButton)

  func splitView(_ split: SplitView, didShow pane: any Pane)

  /// The primary is about to be presented, before any frame changes.
  func splitView(_ split: SplitView, willPresent pane: any Pane)

  /// Whether another width class hides the primary; `nil` leaves it to the style.
  func splitView(_ split: SplitView, shouldHide pane: any Pane, in widthClass: WidthClass) -> Bool?

  /// The column that is on top after a collapse; used if it is in the stack.
  func splitView(_ split: SplitView, topColumnForCollapsingTo proposed: Column) -> Column

  func splitView(_ split: SplitView, willCollapseTo top: Column)
  func splitViewWillExpand(_ split: SplitView)
}

extension SplitViewDelegate {
  public func splitView(
    _ split: SplitView, willResizeFrom old: CellSize, to new: CellSize, duration: Double
  ) {}
  public func splitView(
    _ split: SplitView, willHide pane: any Pane, button: SidebarButton, presenter: SplitPresenter
  ) {}
  public func splitView(_ split: SplitView, didHide pane: any Pane) {}
  public func splitView(
    _ split: SplitView, willShow pane: any Pane, invalidating button: SidebarButton
  ) {}
  public func splitView(_ split: SplitView, didShow pane: any Pane) {}
  public func splitView(_ split: SplitView, willPresent pane: any Pane) {}
  public func splitView(_ split: SplitView, shouldHide pane: any Pane, in widthClass: WidthClass)
    -> Bool?
  { nil }
  public func splitView(_ split: SplitView, topColumnForCollapsingTo proposed: Column) -> Column {
    proposed
  }
  public func splitView(_ split: SplitView, willCollapseTo top: Column) {}
  public func splitViewWillExpand(_ split: SplitView) {}
}

/// A delegate that lets the primary survive changes of the width class.
///
/// Its answer is ``SplitStyle/keepsHidden(_:in:)``; another one may be written instead.
public protocol PrimaryKeeping: SplitViewDelegate {}

extension PrimaryKeeping {
  public func splitView(_ split: SplitView, shouldHide pane: any Pane, in widthClass: WidthClass)
    -> Bool?
  { split.style.keepsHidden(split.isPrimaryHidden, in: widthClass) }
}

/// What stands in a column.
///
/// A reference type, because a pane keeps its identity while it moves between columns and
/// navigation stacks. Only ``title`` and ``split`` must be written; the rest has defaults.
public protocol Pane: AnyObject {
  /// The title above the content.
  var title: String { get }
  /// The title for buttons that lead here: the sidebar's and the one back. As ``title`` by default.
  var shortTitle: String { get }
  /// The least width that the pane needs when regular, in cells; 0 by default.
  var minimumWidth: Int { get }
  /// A size that suits the pane, in cells; `nil` by default. Only a primary's width is heeded.
  var preferredSize: CellSize? { get }
  /// Whether it stands for "nothing is selected"; such a pane is never seen while collapsed.
  /// `false` by default.
  var isPlaceholder: Bool { get }
  /// The split view around the pane, set by it.
  ///
  /// To be declared `weak`: the split view keeps its panes, not the other way round.
  var split: SplitView? { get set }

  func willAppear()
  func didAppear()
  func willDisappear()
  func didDisappear()
}

extension Pane {
  public var shortTitle: String { title }
  public var minimumWidth: Int { 0 }
  public var preferredSize: CellSize? { nil }
  public var isPlaceholder: Bool { false }
  public func willAppear() {}
  public func didAppear() {}
  public func willDisappear() {}
  public func didDisappear() {}
}

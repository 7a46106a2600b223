/// Panes on top of each other, of which the last is seen.
///
/// A reference type, because a split view's column keeps its stack while panes come and go.
public final class NavigationStack: Pane {
  /// How a stack changed.
  public struct Transition: Hashable, Sendable {
    public enum Kind: Sendable { case push, pop, replace }
    public let kind: Kind
    /// In seconds; 0 for at once.
    public let duration: Double
  }

  /// From the bottom to the top.
  public private(set) var panes: [any Pane]
  /// How long a push or a pop takes, in seconds; 0.3.
  public var animationDuration = 0.3
  /// Told of each change after it.
  public var observer: ((Transition) -> Void)?
  public weak var split: SplitView? {
    didSet { for pane in panes { pane.split = split } }
  }

  public init(_ panes: [any Pane] = []) { self.panes = panes }

  public var top: (any Pane)? { panes.last }
  public var depth: Int { panes.count }
  public var title: String { top?.title ?? "" }
  public var shortTitle: String { top?.shortTitle ?? "" }
  public var minimumWidth: Int { top?.minimumWidth ?? 0 }
  public var preferredSize: CellSize? { top?.preferredSize }
  public var isPlaceholder: Bool { top?.isPlaceholder ?? true }

  /// The button back, as it is drawn; `nil` at the bottom.
  public var backLabel: String? {
    depth > 1 ? "[< \(panes[depth - 2].shortTitle)]" : nil
  }

  /// Puts a pane on top.
  public func push(_ pane: any Pane, animated: Bool = true) {
    set(panes + [pane], .push, animated: animated)
  }

  /// Takes panes off until so many are left; at least one stays. Without effect when there are no
  /// more than that.
  public func pop(to depth: Int, animated: Bool = true) {
    guard max(depth, 1) < panes.count else { return }
    set(Array(panes.prefix(max(depth, 1))), .pop, animated: animated)
  }

  /// Puts other panes in the place of all, at once.
  public func replace(with panes: [any Pane]) { set(panes, .replace, animated: false) }

  public func willAppear() { top?.willAppear() }
  public func didAppear() { top?.didAppear() }
  public func willDisappear() { top?.willDisappear() }
  public func didDisappear() { top?.didDisappear() }

  private func set(_ new: [any Pane], _ kind: Transition.Kind, animated: Bool) {
    for pane in panes where !new.contains(where: { $0 === pane }) && pane.split === split {
      pane.split = nil
    }
    panes = new
    for pane in panes { pane.split = split }
    observer?(Transition(kind: kind, duration: animated ? animationDuration : 0))
  }
}

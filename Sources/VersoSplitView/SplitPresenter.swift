/// What presents a hidden primary, and takes it away again.
public struct SplitPresenter {
  private weak var split: SplitView?

  init(of split: SplitView) { self.split = split }

  /// Whether the primary is presented now.
  public var isPresented: Bool { split?.state.request.isPresented ?? false }

  /// - Parameter time: The time now, in seconds of the clock that the split view is told.
  public func present(animated: Bool = true, at time: Double) {
    split?.present(animated: animated, at: time)
  }

  /// - Parameter time: The time now, in seconds of the clock that the split view is told.
  public func dismiss(animated: Bool = true, at time: Double) {
    split?.dismissOverlay(animated: animated, at: time)
  }
}

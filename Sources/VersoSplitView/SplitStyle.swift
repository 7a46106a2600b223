/// How the sidebar behaves when it is shown, hidden, or when the width class changes.
public enum SplitStyle: Int, Sendable, CaseIterable {
  /// Shown when wide, hidden when medium; a change of the width class applies that again.
  case normal
  /// Pinned open or closed, whatever the width class.
  case sticky
  /// Hidden at first; slides over the secondary, which is dimmed meanwhile.
  case drawer

  /// Whether the secondary is dimmed while the sidebar stands beside it.
  public var dimsByDefault: Bool { self == .drawer }

  /// Whether a click on the dimmed secondary hides the sidebar.
  public var dismissesOnTapByDefault: Bool { self == .drawer }

  /// What a delegate answers that wants the sidebar to survive a change of the width class.
  ///
  /// Unlike the style's own rule, a normal sidebar that is shown stays shown when the split view
  /// becomes medium.
  ///
  /// - Parameters:
  ///   - isHidden: Whether the sidebar is hidden now.
  ///   - widthClass: The class that the split view is about to have.
  public func keepsHidden(_ isHidden: Bool, in widthClass: WidthClass) -> Bool {
    switch self {
    case .normal: isHidden && widthClass == .medium
    case .sticky: false
    case .drawer: isHidden
    }
  }
}

/// The arrangement that an app asks for.
///
/// What a split view then does is an ``ActualMode``, which is never automatic.
public enum DisplayMode: String, Sendable, CaseIterable {
  /// The style, the width class and the sidebar's state decide.
  case automatic
  /// The secondary alone.
  case secondaryOnly
  /// The innermost sidebar beside the secondary.
  case oneBeside
  /// Both sidebars beside the secondary.
  case twoBeside
  /// The innermost sidebar over the secondary.
  case oneOver
  /// Both sidebars over the secondary.
  case twoOver
  /// Both sidebars; they push the secondary partly out of the bounds.
  case twoDisplace

  /// The mode as something that can be drawn; `nil` for ``automatic``.
  public var actual: ActualMode? {
    self == .automatic ? nil : ActualMode(rawValue: rawValue)
  }

  init(_ actual: ActualMode) { self = DisplayMode(rawValue: actual.rawValue) ?? .automatic }
}

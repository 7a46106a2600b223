/// How sidebars share the room with the secondary.
public enum SplitBehavior: Sendable, CaseIterable {
  /// Beside each other.
  case tile
  /// Over the secondary.
  case overlay
  /// Pushing the secondary aside.
  case displace

  /// The modes that belong to the behaviour: no sidebar, one, two.
  public var legalModes: [DisplayMode] {
    switch self {
    case .tile: [.secondaryOnly, .oneBeside, .twoBeside]
    case .overlay: [.secondaryOnly, .oneOver, .twoOver]
    case .displace: [.secondaryOnly, .oneBeside, .twoDisplace]
    }
  }

  /// The legal mode nearest to one with `count` sidebars among those with at least, or at most, as
  /// many as `bounds` says.
  func nearestMode(to count: Int, within bounds: ClosedRange<Int>) -> DisplayMode {
    legalModes[min(max(count, bounds.lowerBound), bounds.upperBound)]
  }
}

/// The arrangement that a layout has.
public enum ActualMode: String, Sendable, CaseIterable {
  /// Narrower than 20 cells or lower than 3: nothing is placed.
  case tooSmall
  /// One column at a time, as a navigation stack.
  case collapsed
  /// See ``DisplayMode/secondaryOnly``.
  case secondaryOnly
  /// See ``DisplayMode/oneBeside``.
  case oneBeside
  /// See ``DisplayMode/twoBeside``.
  case twoBeside
  /// See ``DisplayMode/oneOver``.
  case oneOver
  /// See ``DisplayMode/twoOver``.
  case twoOver
  /// See ``DisplayMode/twoDisplace``.
  case twoDisplace

  /// How many sidebars can be seen; 0 where the question has no meaning.
  public var sidebarCount: Int {
    switch self {
    case .tooSmall, .collapsed, .secondaryOnly: 0
    case .oneBeside, .oneOver: 1
    case .twoBeside, .twoOver, .twoDisplace: 2
    }
  }

  /// Whether sidebars lie over the secondary.
  public var isOverlay: Bool { self == .oneOver || self == .twoOver }

  /// Whether the secondary is covered or pushed aside, and so cannot be used.
  public var obstructsSecondary: Bool { isOverlay || self == .twoDisplace }

  /// The mode for a split view that has only two columns to show.
  var withOneSidebar: ActualMode {
    switch self {
    case .twoBeside, .twoDisplace: .oneBeside
    case .twoOver: .oneOver
    default: self
    }
  }

  /// The next mode that needs less room; `nil` where there is none.
  var smaller: ActualMode? {
    switch self {
    case .twoBeside, .twoDisplace: .oneBeside
    case .twoOver: .oneOver
    case .oneBeside, .oneOver: .secondaryOnly
    case .secondaryOnly, .collapsed, .tooSmall: nil
    }
  }
}

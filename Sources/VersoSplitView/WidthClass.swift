/// How much room a split view has, which decides how many of its columns can be seen.
///
/// UIKit knows two horizontal size classes; a terminal needs a third between them, where two
/// columns fit and three do not.
public enum WidthClass: Int, Sendable, CaseIterable, Comparable {
  /// One column: a navigation stack. Fewer than 60 cells.
  case compact
  /// Two columns beside each other. 60 to 79 cells.
  case medium
  /// Three columns. 80 cells or more.
  case wide

  /// The class of a width in cells; what is not positive is compact.
  public init(width: Int, breakpoints: Breakpoints = .standard) {
    self =
      width >= breakpoints.wide ? .wide : width >= breakpoints.medium ? .medium : .compact
  }

  /// Whether more than one column can be seen at once.
  public var isRegular: Bool { self != .compact }

  public static func < (a: WidthClass, b: WidthClass) -> Bool { a.rawValue < b.rawValue }
}

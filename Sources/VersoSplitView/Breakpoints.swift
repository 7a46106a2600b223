/// The widths at which a split view changes its width class, in cells.
public struct Breakpoints: Hashable, Sendable {
  /// 60 and 80: the default terminal shows three columns.
  public static let standard = Breakpoints(medium: 60, wide: 80)

  /// The narrowest medium width; below it the split view collapses.
  public let medium: Int
  /// The narrowest wide width.
  public let wide: Int

  /// - Precondition: `0 < medium <= wide`.
  public init(medium: Int, wide: Int) {
    precondition(0 < medium && medium <= wide, "breakpoints ascend from a positive width")
    self.medium = medium
    self.wide = wide
  }
}

/// The widths of all columns of a split view.
///
/// Left alone they divide the screen 1/3 to 2/3 with two columns, and 25/25/50 with three.
public struct SplitWidths: Hashable, Sendable {
  /// The primary: a third of the width while there are two columns, 16 to 40 cells.
  public var primary: ColumnWidth
  /// The primary's share of the width while there are three columns; a quarter.
  public var primaryFractionOfThree: Double
  /// The supplementary: a third of what the primary leaves, 18 to 48 cells.
  public var supplementary: ColumnWidth
  /// The least width of a secondary with something beside it, in cells; 36.
  public var secondaryMinimum: Int
  /// How much of the secondary sidebars leave uncovered, in cells; 8, so that there is something to
  /// click.
  public var uncoveredMinimum: Int

  public init(
    primary: ColumnWidth = ColumnWidth(fraction: 1.0 / 3, limits: 16...40),
    primaryFractionOfThree: Double = 0.25,
    supplementary: ColumnWidth = ColumnWidth(fraction: 1.0 / 3, limits: 18...48),
    secondaryMinimum: Int = 36, uncoveredMinimum: Int = 8
  ) {
    self.primary = primary
    self.primaryFractionOfThree = primaryFractionOfThree
    self.supplementary = supplementary
    self.secondaryMinimum = secondaryMinimum
    self.uncoveredMinimum = uncoveredMinimum
  }
}

/// How many columns a split view has.
public enum ColumnPreset: String, Sendable, CaseIterable {
  /// Primary and secondary.
  case double
  /// Primary, supplementary and secondary.
  case triple

  /// The columns, in reading order.
  public var columns: [Column] {
    self == .double ? [.primary, .secondary] : Column.allCases
  }
}

/// How wide a sidebar wants to be, and may be.
public struct ColumnWidth: Hashable, Sendable {
  /// The share of the room that is left for it, 0 to 1; what is outside counts as the nearer end.
  public var fraction: Double
  /// A width in cells that goes before the fraction; still held within ``limits``.
  public var cells: Int?
  /// The least and the greatest width, in cells.
  public var limits: ClosedRange<Int>

  public init(fraction: Double, cells: Int? = nil, limits: ClosedRange<Int>) {
    self.fraction = fraction
    self.cells = cells
    self.limits = limits
  }
}

/// The nearest whole number; halves go up, also below zero.
///
/// Without `rounded(_:)`, which calls the C library's `floor`: a program that uses nothing but this
/// module is not linked with `-lm`.
func rounded(_ value: Double) -> Int {
  let shifted = value + 0.5
  let whole = Int(shifted)
  return Double(whole) > shifted ? whole - 1 : whole
}

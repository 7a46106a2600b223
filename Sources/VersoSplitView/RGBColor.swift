/// A colour of 24 bits.
public struct RGBColor: Hashable, Sendable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The colour with each part multiplied by `1 - dim`.
  ///
  /// - Parameter dim: 0 to 1; what is outside counts as the nearer end.
  public func dimmed(by dim: Double) -> RGBColor {
    let kept = 1 - min(max(dim.isNaN ? 0 : dim, 0), 1)
    func part(_ value: UInt8) -> UInt8 { UInt8(rounded(Double(value) * kept)) }
    return RGBColor(red: part(red), green: part(green), blue: part(blue))
  }
}

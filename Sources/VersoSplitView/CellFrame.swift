/// A rectangle in cells; the origin is at the top left.
public struct CellFrame: Hashable, Sendable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The first column of cells right of the frame.
  public var maxX: Int { x + width }
  /// The first row of cells below the frame.
  public var maxY: Int { y + height }

  public func contains(x: Int, y: Int) -> Bool {
    self.x <= x && x < maxX && self.y <= y && y < maxY
  }

  /// The frame as it stands in a mirror of the given width.
  func mirrored(in total: Int) -> CellFrame {
    CellFrame(x: total - x - width, y: y, width: width, height: height)
  }
}

/// A size in cells of a terminal.
public struct CellSize: Hashable, Sendable {
  public static let zero = CellSize(width: 0, height: 0)

  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// A pane that is only its titles; for placeholders, samples and tests.
public final class BasicPane: Pane {
  public var title: String
  public var shortTitle: String
  public var minimumWidth: Int
  public var preferredSize: CellSize?
  public let isPlaceholder: Bool
  public weak var split: SplitView?

  /// - Parameter shortTitle: The title for buttons that lead here; `nil` for the title.
  public init(
    _ title: String, shortTitle: String? = nil, minimumWidth: Int = 0,
    preferredSize: CellSize? = nil, isPlaceholder: Bool = false
  ) {
    self.title = title
    self.shortTitle = shortTitle ?? title
    self.minimumWidth = minimumWidth
    self.preferredSize = preferredSize
    self.isPlaceholder = isPlaceholder
  }
}

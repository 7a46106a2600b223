/// Which mode a layout has, and why it is not the one that was asked for.
public struct ModeChoice: Hashable, Sendable, CustomStringConvertible {
  /// A mode that did not fit, with the widths in cells that it would have needed.
  public struct Obstacle: Hashable, Sendable {
    public let mode: ActualMode
    /// The least width of each column that would be seen.
    public let minimums: [Column: Int]
    /// The least width of all, dividers included.
    public let needed: Int
    public let available: Int
  }

  public let asked: DisplayMode
  public let used: ActualMode
  /// What stood in the way, in the order of trying; empty if nothing did.
  public let obstacles: [Obstacle]

  /// One line for the mode asked and the mode used, and one for each obstacle.
  public var description: String {
    let lines = obstacles.map { obstacle in
      let parts = obstacle.minimums.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      return "\(obstacle.mode.rawValue) needs \(obstacle.needed) cells"
        + " (\(parts.joined(separator: ", "))), there are \(obstacle.available)"
    }
    return (["asked \(asked.rawValue), used \(used.rawValue)"] + lines).joined(separator: "\n")
  }

  /// Chooses the mode for a request.
  public init(_ request: LayoutRequest) {
    var chooser = Chooser(request: request)
    asked = request.preferredMode
    used = chooser.choose()
    obstacles = chooser.obstacles
  }
}

/// Tries modes from the one wanted to those that need less room.
private struct Chooser {
  let request: LayoutRequest
  var obstacles: [ModeChoice.Obstacle] = []

  mutating func choose() -> ActualMode {
    guard let widthClass = request.widthClass else { return .tooSmall }
    guard widthClass.isRegular else { return .collapsed }
    if let mode = request.preferredMode.actual {
      return fitting(request.hasThreeColumns ? mode : mode.withOneSidebar)
    }
    return fitting(automatic())
  }

  private mutating func automatic() -> ActualMode {
    let isShown = !request.isSidebarHidden
    if request.configuration.style == .drawer {
      guard isShown || request.isPresented else { return .secondaryOnly }
      return request.hasThreeColumns ? .twoOver : .oneOver
    }
    guard request.hasThreeColumns else {
      return isShown ? .oneBeside : request.isPresented ? .oneOver : .secondaryOnly
    }
    if isShown, fits(.twoBeside) { return .twoBeside }
    return request.isPresented ? .twoDisplace : .oneBeside
  }

  /// The mode, or the first smaller one that fits; the secondary alone always does.
  private mutating func fitting(_ wanted: ActualMode) -> ActualMode {
    var mode = wanted
    while !fits(mode), let smaller = mode.smaller { mode = smaller }
    return mode
  }

  private mutating func fits(_ mode: ActualMode) -> Bool {
    let sizing = ColumnSizing(request: request)
    if sizing.sizes(in: mode) != nil { return true }
    let (total, parts) = sizing.needed(in: mode)
    obstacles.append(
      .init(
        mode: mode, minimums: Dictionary(uniqueKeysWithValues: parts), needed: total,
        available: request.size.width))
    return false
  }
}

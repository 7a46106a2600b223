/// The way from one layout to another, as a function of the time.
public struct Animation: Hashable, Sendable {
  /// The least time between two pictures, in seconds: 30 a second.
  public static let frameInterval = 1.0 / 30

  /// The layout at the end.
  public let target: Layout
  /// When it begins, in seconds of any clock.
  public let start: Double
  /// In seconds; 0 for at once.
  public let duration: Double
  private let paths: [Column: Path]

  /// A movement that begins from a layout at rest.
  public init(from origin: Layout, to target: Layout, start: Double, duration: Double) {
    let points = origin.columns.mapValues { Point($0, in: origin) }
    self.init(points, collapsed: origin.isCollapsed, to: target, start: start, duration: duration)
  }

  /// A movement that begins where another one is at the time `start`, without a jump.
  public init(from other: Animation, to target: Layout, start: Double, duration: Double) {
    let progress = other.progress(at: start)
    self.init(
      other.paths.mapValues { $0.point(at: progress) }, collapsed: other.target.isCollapsed,
      to: target, start: start, duration: duration)
  }

  private init(
    _ points: [Column: Point], collapsed: Bool, to target: Layout, start: Double, duration: Double
  ) {
    self.target = target
    self.start = start
    self.duration = duration
    let goals = target.columns.mapValues { Point($0, in: target) }
    let isNavigation = collapsed && target.isCollapsed
    var paths: [Column: Path] = [:]
    for column in Column.allCases {
      // A column pushed comes from the trailing edge; one popped leaves there.
      let outside = isNavigation ? Point.outside(target) : nil
      if let goal = goals[column] {
        paths[column] = Path(from: points[column] ?? outside ?? goal, to: goal)
      } else if let origin = points[column], let outside {
        paths[column] = Path(from: origin, to: outside)
      }
    }
    self.paths = paths
  }

  public func isFinished(at time: Double) -> Bool { time - start >= duration }

  /// How far it has come, 0 to 1.
  public func progress(at time: Double) -> Double {
    Easing.out(elapsed: time - start, duration: duration)
  }

  /// The layout at a time; before the start the origin, after the end the target.
  ///
  /// A column that comes or goes is visible on its way. Only what the target lets be used can be
  /// used, and not before it is no longer dimmed.
  public func layout(at time: Double) -> Layout {
    guard !isFinished(at: time) else { return target }
    let progress = progress(at: time)
    var layout = target
    layout.columns = paths.mapValues { $0.placement(at: progress, in: target) }
    layout.dividers = dividers(at: progress)
    if target.isMirrored { layout.mirror() }
    return layout
  }

  private func dividers(at progress: Double) -> [Layout.Divider] {
    var dividers: [Layout.Divider] = []
    for (column, path) in paths where column != .secondary && target.isRegular {
      let x = rounded(path.point(at: progress).divider)
      if (0..<target.size.width).contains(x) { dividers.append(.init(x: x, column: column)) }
    }
    return dividers.sorted { $0.x < $1.x }
  }
}

/// A column on its way, counted from the leading edge, in parts of cells.
private struct Point: Hashable {
  var left: Double
  var right: Double
  /// Where the divider after the column is; a hidden column's lies outside the bounds.
  var divider: Double
  var dim: Double
  var isVisible: Bool
  var isInteractive: Bool
  var z: Int

  init(_ placement: Layout.Placement, in layout: Layout) {
    let width = layout.size.width
    let frame = layout.isMirrored ? placement.frame.mirrored(in: width) : placement.frame
    left = Double(frame.x)
    right = Double(frame.maxX)
    divider = placement.isVisible ? right : min(right, -1)
    dim = placement.dim
    isVisible = placement.isVisible
    isInteractive = placement.isInteractive
    z = placement.z
  }

  /// Just beyond the trailing edge.
  static func outside(_ layout: Layout) -> Point {
    let frame = CellFrame(
      x: layout.size.width, y: 0, width: layout.size.width, height: layout.size.height)
    let placement = Layout.Placement(
      frame: layout.isMirrored ? frame.mirrored(in: layout.size.width) : frame, isVisible: false,
      dim: 0, isInteractive: false, z: 0)
    return Point(placement, in: layout)
  }
}

private struct Path: Hashable {
  let from: Point
  let to: Point

  func point(at progress: Double) -> Point {
    var point = to
    point.left = from.left + (to.left - from.left) * progress
    point.right = from.right + (to.right - from.right) * progress
    point.divider = from.divider + (to.divider - from.divider) * progress
    point.dim = from.dim + (to.dim - from.dim) * progress
    point.isVisible = from.isVisible || to.isVisible
    point.z = max(from.z, to.z)
    return point
  }

  func placement(at progress: Double, in layout: Layout) -> Layout.Placement {
    let point = point(at: progress)
    let left = rounded(point.left)
    return Layout.Placement(
      frame: CellFrame(
        x: left, y: 0, width: rounded(point.right) - left, height: layout.size.height),
      isVisible: point.isVisible, dim: point.dim,
      isInteractive: to.isInteractive && point.dim == 0, z: point.z)
  }
}

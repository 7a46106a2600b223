/// Where every column of a split view stands.
///
/// A pure function of a ``LayoutRequest``: no clock, no terminal, no file is asked.
public struct Layout: Hashable, Sendable {
  /// One column.
  public struct Placement: Hashable, Sendable {
    /// The place, in cells; that of a hidden column lies outside the bounds.
    public var frame: CellFrame
    public var isVisible: Bool
    /// How far it is dimmed, 0 (not at all) to 1 (black).
    public var dim: Double
    /// Whether keys and clicks reach it; then it is visible and not dimmed.
    public var isInteractive: Bool
    /// The layer: 1 over the others, else 0.
    public var z: Int
  }

  /// The line after a sidebar, on the side of the secondary.
  public struct Divider: Hashable, Sendable {
    /// The column of cells that it takes.
    public var x: Int
    /// The sidebar whose width it stands for.
    public var column: Column
  }

  /// How wide a divider is, in cells.
  public static let dividerWidth = 1

  public let size: CellSize
  /// The width class; `nil` where the bounds are too small for anything.
  public let widthClass: WidthClass?
  public let mode: ActualMode
  /// The columns that exist; a column without content has none.
  public internal(set) var columns: [Column: Placement] = [:]
  /// From left to right.
  public internal(set) var dividers: [Divider] = []
  /// The column that is seen while collapsed.
  public let top: Column?
  /// Whether a button that shows the primary is due.
  public let showsSidebarButton: Bool
  /// Whether columns follow each other from right to left.
  public let isMirrored: Bool

  /// Whether one column is shown at a time.
  public var isCollapsed: Bool { mode == .collapsed }

  /// Whether the columns stand beside or over each other: neither collapsed nor too small.
  public var isRegular: Bool { mode != .collapsed && mode != .tooSmall }

  /// The place of a column; `nil` where it is absent.
  public subscript(column: Column) -> Placement? { columns[column] }

  /// Whether a column is there to be seen.
  public func shows(_ column: Column) -> Bool { columns[column]?.isVisible ?? false }

  /// The columns that keys can move to, in reading order.
  public var focusOrder: [Column] {
    Column.allCases.filter { columns[$0]?.isInteractive ?? false }
  }

  /// Lays out columns.
  public init(_ request: LayoutRequest) {
    self.init(request, choice: ModeChoice(request))
  }

  /// Lays out columns and says why they have the mode that they have.
  public static func explained(_ request: LayoutRequest) -> (layout: Layout, choice: ModeChoice) {
    let choice = ModeChoice(request)
    return (Layout(request, choice: choice), choice)
  }

  private init(_ request: LayoutRequest, choice: ModeChoice) {
    size = request.size
    widthClass = request.widthClass
    mode = choice.used
    isMirrored = request.configuration.isMirrored
    top = mode == .collapsed ? request.stack.last : nil
    let hidesPrimary = !request.visibleSidebars(in: mode).contains(.primary)
    showsSidebarButton = mode != .collapsed && mode != .tooSmall && hidesPrimary
    switch mode {
    case .tooSmall: return
    case .collapsed: stack(request.stack)
    default: place(request)
    }
    if isMirrored { mirror() }
  }

  /// Turns the frames around; twice is as before.
  mutating func mirror() {
    for (column, placement) in columns {
      columns[column]?.frame = placement.frame.mirrored(in: size.width)
    }
    dividers = dividers.reversed().map {
      Divider(x: size.width - $0.x - Self.dividerWidth, column: $0.column)
    }
  }
}

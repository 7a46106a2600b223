/// Everything that a layout depends on.
public struct LayoutRequest: Hashable, Sendable {
  /// Narrower than this, in cells, nothing is placed.
  public static let minimumWidth = 20
  /// Lower than this, in cells, nothing is placed.
  public static let minimumHeight = 3

  public var configuration: SplitConfiguration
  /// The bounds, in cells.
  public var size: CellSize
  /// The deepest column that has content of its own.
  ///
  /// ``Column/primary`` while nothing is selected: a supplementary column is absent then.
  /// ``Column/supplementary`` while a folder is selected, and ``Column/secondary`` while a file is.
  public var deepest: Column
  /// Whether the sidebar was hidden or shown on command; `nil` leaves it to the style.
  public var sidebarHidden: Bool?
  /// Whether the sidebar was called up for a moment, as a popover.
  public var isPresented: Bool
  public var preferredMode: DisplayMode
  /// The least widths, in cells, that panes declare beyond those of the configuration.
  public var minimums: [Column: Int]
  /// The class of the split view around this one; `nil` for the outermost.
  ///
  /// A nested split view takes it over: its own bounds say nothing about the device.
  public var inheritedClass: WidthClass?
  /// The column to show when collapsed; only used if it is in the stack.
  public var collapsedTop: Column?

  public init(
    configuration: SplitConfiguration = .init(), size: CellSize = .zero,
    deepest: Column = .primary, sidebarHidden: Bool? = nil, isPresented: Bool = false,
    preferredMode: DisplayMode = .automatic, minimums: [Column: Int] = [:],
    inheritedClass: WidthClass? = nil, collapsedTop: Column? = nil
  ) {
    self.configuration = configuration
    self.size = size
    self.deepest = deepest
    self.sidebarHidden = sidebarHidden
    self.isPresented = isPresented
    self.preferredMode = preferredMode
    self.minimums = minimums
    self.inheritedClass = inheritedClass
    self.collapsedTop = collapsedTop
  }

  /// The class of the bounds; `nil` where they are too small for anything.
  public var widthClass: WidthClass? {
    guard size.width >= Self.minimumWidth, size.height >= Self.minimumHeight else { return nil }
    return inheritedClass
      ?? WidthClass(width: size.width, breakpoints: configuration.breakpoints)
  }

  /// Whether the sidebar is meant to be hidden; it may be so for want of room even if it is not.
  public var isSidebarHidden: Bool { sidebarHidden ?? hiddenByStyle }

  private var hiddenByStyle: Bool {
    switch configuration.style {
    case .sticky: false
    case .drawer: true
    case .normal:
      !(widthClass == .wide || configuration.showsPrimaryInMedium
        || configuration.preset == .triple && !hasThreeColumns)
    }
  }

  /// Whether there are three columns to show; else two.
  var hasThreeColumns: Bool { configuration.preset == .triple && deepest != .primary }

  /// The columns from the outermost to the one before the secondary.
  var sidebars: [Column] { hasThreeColumns ? [.primary, .supplementary] : [.primary] }

  /// The sidebars that a mode shows; they go away from the outside.
  func visibleSidebars(in mode: ActualMode) -> [Column] { sidebars.suffix(mode.sidebarCount) }

  /// The columns of the navigation stack while collapsed, the top one last.
  var stack: [Column] {
    let all = configuration.preset.columns.filter { $0 <= deepest }
    guard let top = collapsedTop, all.contains(top) else { return all }
    return all.filter { $0 <= top }
  }
}

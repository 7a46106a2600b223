/// A split view with its panes: keeps them, tells its delegate, runs its animations.
///
/// A reference type, because it is itself a pane that another split view's secondary may hold, and
/// because its delegate is told who speaks. All decisions are those of ``SplitState``. It has no
/// clock: whoever draws tells the time, in seconds. A change that a callback asks for is made when
/// all has been told of the present one.
public final class SplitView: Pane {
  public internal(set) var state: SplitState
  var panes: [Column: any Pane]
  var running: Running?
  /// Whether a change is being made; those that callbacks ask for wait for its end.
  var isChanging = false
  var waiting: [() -> Void] = []
  private var ownButton: SidebarButton?

  /// Told what happens. Not kept alive.
  public weak var delegate: (any SplitViewDelegate)?
  /// Told each event, before the delegate.
  public var observer: ((SplitEvent) -> Void)?
  public var words = SplitWords()
  /// A row above the secondary's content; takes ``SplitToolbar/height`` from it.
  public var toolbar: SplitToolbar?
  public weak var split: SplitView?

  /// Makes a split view of panes in reading order: the primary first, the secondary last.
  ///
  /// - Precondition: There is one pane for each column of the configuration's preset.
  public init(columns: [any Pane], configuration: SplitConfiguration) {
    let names = configuration.preset.columns
    precondition(
      columns.count == names.count,
      "a \(configuration.preset.rawValue) split view has \(names.count) columns")
    state = SplitState(configuration)
    panes = Dictionary(uniqueKeysWithValues: zip(names, columns))
    for pane in columns { pane.split = self }
    takePaneWishes()
  }

  /// Makes a split view of a master and a detail.
  ///
  /// - Precondition: There are two panes.
  public convenience init(columns: [any Pane], style: SplitStyle = .normal) {
    self.init(columns: columns, configuration: SplitConfiguration(preset: .double, style: style))
  }

  /// The pane of a column; `nil` where there is no such column.
  public subscript(column: Column) -> (any Pane)? { panes[column] }

  public var primary: any Pane { pane(.primary) }
  public var supplementary: (any Pane)? { panes[.supplementary] }

  /// The detail. Another pane takes its place without a change of frames or focus.
  public var secondary: any Pane {
    get { pane(.secondary) }
    set { setSecondary(newValue) }
  }

  /// The secondary pane's title.
  public var title: String { secondary.title }

  /// What the split view needs to have its preferred mode, in cells; 0 where that is automatic.
  public var minimumWidth: Int {
    guard let mode = state.request.preferredMode.actual else { return 0 }
    return ColumnSizing(request: state.request).needed(in: mode).total
  }

  /// The one button that calls up the primary.
  public var button: SidebarButton {
    if let ownButton { return ownButton }
    let button = SidebarButton(of: self)
    ownButton = button
    return button
  }

  /// Whether the primary cannot be seen.
  public var isPrimaryHidden: Bool { state.isPrimaryHidden }

  /// The layout at rest, when all animations are over.
  public var layout: Layout { state.layout }

  /// The layout at a time, in seconds of the clock that the split view is told.
  public func layout(at time: Double) -> Layout {
    running?.animation.layout(at: time) ?? state.layout
  }

  private func pane(_ column: Column) -> any Pane {
    guard let pane = panes[column] else { preconditionFailure("every preset has \(column)") }
    return pane
  }

  private func setSecondary(_ pane: any Pane) {
    let old = secondary
    guard old !== pane else { return }
    if old.split === self { old.split = nil }
    panes[.secondary] = pane
    pane.split = self
    takePaneWishes()
  }

  /// Heeds what panes declare about their widths.
  func takePaneWishes() {
    var widths = state.configuration.widths
    if widths.primary.cells == nil, let width = primary.preferredSize?.width, state.lastClass == nil
    {
      widths.primary.cells = width
      state = SplitState(state.configuration.with(widths))
    }
    // Not through the state's own change: what it means for columns is told with the next one.
    state.request.minimums = panes.mapValues(\.minimumWidth)
  }
}

extension SplitConfiguration {
  fileprivate func with(_ widths: SplitWidths) -> SplitConfiguration {
    var configuration = self
    configuration.widths = widths
    return configuration
  }
}

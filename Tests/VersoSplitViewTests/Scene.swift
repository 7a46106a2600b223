import VersoSplitView

/// A split view's state with bounds and content; a file is selected unless told otherwise.
func scene(
  _ width: Int, _ height: Int = 38, preset: ColumnPreset = .triple, style: SplitStyle = .normal,
  deepest: Column = .secondary, configure: (inout SplitConfiguration) -> Void = { _ in }
) -> SplitState {
  var configuration = SplitConfiguration(preset: preset, style: style)
  configure(&configuration)
  var state = SplitState(configuration)
  _ = state.setDeepest(deepest)
  _ = state.resize(to: CellSize(width: width, height: height))
  return state
}

extension SplitState {
  /// Gives other bounds of the same height.
  @discardableResult
  mutating func resize(_ width: Int) -> SplitTransition {
    resize(to: CellSize(width: width, height: request.size.height))
  }

  var mode: ActualMode { layout.mode }

  /// The widths of the visible columns, in reading order.
  var widths: [Int] { layout.visibleWidths }
}

extension Layout {
  var visibleWidths: [Int] {
    Column.allCases.compactMap { shows($0) ? self[$0]?.frame.width : nil }
  }
}

/// A master and a detail in a split view, with all that its delegate hears.
final class Desk {
  let master = BasicPane("Notes of mine", shortTitle: "Notes")
  let detail = BasicPane("Letter")
  let split: SplitView
  let recorder = Recorder()
  /// All events, in order.
  private(set) var events: [SplitEvent] = []

  init(_ width: Int, style: SplitStyle = .normal, configuration: SplitConfiguration? = nil) {
    split = SplitView(
      columns: [master, detail],
      configuration: configuration ?? SplitConfiguration(preset: .double, style: style))
    split.delegate = recorder
    split.observer = { [unowned self] in events.append($0) }
    split.setDeepest(.secondary)
    split.resize(to: CellSize(width: width, height: 22))
    forget()
  }

  func forget() {
    events = []
    recorder.heard = []
  }

  func resize(_ width: Int) { split.resize(to: CellSize(width: width, height: 22)) }
}

/// A delegate that notes what it hears.
final class Recorder: SplitViewDelegate {
  var heard: [String] = []
  var buttons: [SidebarButton] = []
  var presenters: [SplitPresenter] = []
  var topColumn: Column?
  /// What is done when the primary is about to be hidden.
  var onHide: (SidebarButton) -> Void = { _ in }
  /// What is done when the primary is about to be shown.
  var onShow: (SidebarButton) -> Void = { _ in }

  func splitView(
    _ split: SplitView, willResizeFrom old: CellSize, to new: CellSize, duration: Double
  ) {
    heard.append("willResize \(old.width) \(new.width) \(duration)")
  }

  func splitView(
    _ split: SplitView, willHide pane: any Pane, button: SidebarButton, presenter: SplitPresenter
  ) {
    heard.append("willHide \(pane.title)")
    buttons.append(button)
    presenters.append(presenter)
    onHide(button)
  }

  func splitView(_ split: SplitView, didHide pane: any Pane) {
    heard.append("didHide \(pane.title)")
  }

  func splitView(_ split: SplitView, willShow pane: any Pane, invalidating button: SidebarButton) {
    heard.append("willShow \(pane.title)")
    onShow(button)
  }

  func splitView(_ split: SplitView, didShow pane: any Pane) {
    heard.append("didShow \(pane.title)")
  }

  func splitView(_ split: SplitView, willPresent pane: any Pane) {
    heard.append("willPresent \(pane.title), primary \(split.isPrimaryHidden ? "hidden" : "shown")")
  }

  func splitView(_ split: SplitView, topColumnForCollapsingTo proposed: Column) -> Column {
    topColumn ?? proposed
  }

  func splitView(_ split: SplitView, willCollapseTo top: Column) {
    heard.append("willCollapse \(top)")
  }

  func splitViewWillExpand(_ split: SplitView) { heard.append("willExpand") }
}

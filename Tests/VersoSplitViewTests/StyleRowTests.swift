import Testing
import VersoSplitView

/// The styles, and showing and hiding on command.
@Suite struct StyleRowTests {
  @Test func `D1 two columns have all verbs that three have`() throws {
    for preset in ColumnPreset.allCases {
      var state = scene(100, preset: preset)
      _ = state.hide()
      #expect(state.isPrimaryHidden)
      _ = state.show()
      #expect(!state.isPrimaryHidden)
      _ = state.toggleSidebar()
      #expect(state.isPrimaryHidden)
      _ = state.present()
      #expect(!state.isPrimaryHidden)
      #expect(state.dismissOverlay() != nil && state.isPrimaryHidden)
      _ = state.setDisplayMode(.oneBeside)
      #expect(state.mode == .oneBeside)
      _ = state.setStyle(.drawer)
      #expect(state.mode == .secondaryOnly)
    }
  }

  @Test func `D2 the styles are normal, sticky and drawer`() {
    #expect(SplitStyle.allCases.map { "\($0)" } == ["normal", "sticky", "drawer"])
  }

  @Test func `D3 code, a file and a saved session make the same layouts`() throws {
    var configuration = SplitConfiguration(
      preset: .double, style: .sticky, dimsSecondary: true, edge: .trailing)
    configuration.widths.primary.cells = 30
    try configuration.setDimOpacity(0.25)
    try configuration.setAnimationDuration(0.1)
    let file = try SplitConfiguration(
      text: """
        # the same in a file
        columns = double
        style=sticky
          dims-secondary = true
        edge = trailing
        primary.cells = 30
        dim-opacity = 0.25

        animation-duration = 0.1
        """)
    var used = SplitState(configuration)
    _ = used.resize(to: CellSize(width: 100, height: 38))
    _ = used.widen(.primary, by: 4)
    _ = used.hide()
    var saved = try SplitState(text: used.text)
    #expect(file == configuration)
    let again = try SplitConfiguration(text: configuration.text)
    #expect(again == configuration)
    #expect(saved.text == used.text)
    _ = saved.resize(to: CellSize(width: 100, height: 38))
    #expect(saved.layout == used.layout)
    for width in [59, 70, 100, 200] {
      saved.resize(width)
      used.resize(width)
      #expect(saved.layout == used.layout)
    }
  }

  @Test(arguments: [
    "style = loose", "colour = red", "dim-opacity = 7", "primary.limits = 9 3", "edge",
  ])
  func `D3 a line that cannot be read is named`(line: String) throws {
    let error = #expect(throws: SplitError.self) { _ = try SplitConfiguration(text: line) }
    let key = line.split(separator: " ")[0]
    #expect(error?.code == .unreadableSetting && error?.description.contains(key) == true)
  }

  @Test func `D4 a split without a style is normal`() {
    #expect(SplitView(columns: [BasicPane("m"), BasicPane("d")]).style == .normal)
    #expect(SplitConfiguration().style == .normal)
  }

  @Test(arguments: SplitStyle.allCases)
  func `D5 a style given at first is the same as one set afterwards`(style: SplitStyle) {
    var later = SplitState(SplitConfiguration(preset: .double))
    _ = later.setStyle(style)
    let first = SplitState(SplitConfiguration(preset: .double, style: style))
    #expect(later == first)
    #expect(first.dimsSecondary == (style == .drawer))
    #expect(first.dismissesOnTap == (style == .drawer))
  }

  @Test(arguments: SplitStyle.allCases)
  func `D6 both initialisers make the same split`(style: SplitStyle) {
    let panes = [BasicPane("m"), BasicPane("d")]
    let short = SplitView(columns: panes, style: style)
    let long = SplitView(
      columns: panes, configuration: SplitConfiguration(preset: .double, style: style))
    #expect(short.state == long.state)
  }

  @Test func `D8 a delegate can let the master survive other classes`() {
    let keeper = Keeper()
    let desk = Desk(100)
    desk.split.delegate = keeper
    desk.resize(70)
    #expect(!desk.split.isPrimaryHidden)
    desk.split.hide(at: 0)
    desk.resize(100)
    #expect(!desk.split.isPrimaryHidden)
    desk.split.hide(at: 1)
    desk.resize(70)
    #expect(desk.split.isPrimaryHidden)
    for hidden in [true, false] {
      for widthClass in WidthClass.allCases {
        #expect(!SplitStyle.sticky.keepsHidden(hidden, in: widthClass))
        #expect(SplitStyle.drawer.keepsHidden(hidden, in: widthClass) == hidden)
        #expect(
          SplitStyle.normal.keepsHidden(hidden, in: widthClass)
            == (hidden && widthClass == .medium))
      }
    }
    let own = Desk(100)
    let stubborn = Stubborn()
    own.split.delegate = stubborn
    own.resize(120)
    #expect(!own.split.isPrimaryHidden)
    own.resize(70)
    own.resize(100)
    #expect(own.split.isPrimaryHidden && stubborn.asked == [.medium, .wide])
  }

  @Test func `D9 the master cannot be replaced`() {
    #expect(!isWritable(\SplitView.primary))
    #expect(isWritable(\SplitView.secondary))
  }

  @Test func `D10 another detail keeps the frames and the focus, the same one changes nothing`() {
    let desk = Desk(100)
    let (layout, focus) = (desk.split.layout, desk.split.state.focus)
    desk.forget()
    desk.split.secondary = desk.detail
    #expect(desk.split.secondary === desk.detail && desk.detail.split === desk.split)
    let other = BasicPane("Other")
    desk.split.secondary = other
    #expect(desk.split.secondary === other)
    #expect(desk.split.layout == layout && desk.split.state.focus == focus)
    #expect(desk.split.layout.focusOrder == [.primary, .secondary] && desk.events.isEmpty)
    let counting = CountingPane()
    desk.split.secondary = counting
    desk.split.secondary = counting
    #expect(counting.count == 1)
  }

  @Test func `D13 the master is hidden exactly when it cannot be seen`() {
    #expect(!isWritable(\SplitView.isPrimaryHidden))
    for width in [59, 70, 100] {
      for style in SplitStyle.allCases {
        let desk = Desk(width, style: style)
        for _ in 1...2 {
          let visible = desk.split.placedPanes().contains {
            $0.pane === desk.master && $0.isVisible
          }
          #expect(desk.split.isPrimaryHidden == !visible)
          desk.split.show(at: 0)
        }
      }
    }
  }

  @Test func `D14 the style can be changed at run time`() {
    let desk = Desk(100)
    desk.split.style = .drawer
    #expect(desk.split.layout.mode == .secondaryOnly && desk.split.state.dismissesOnTap)
    #expect(desk.recorder.heard == ["willHide Notes of mine", "didHide Notes of mine"])
    desk.split.style = .normal
    #expect(desk.split.layout.mode == .oneBeside)
  }

  @Test func `D15 the styles have the numbers 0, 1 and 2`() {
    #expect([SplitStyle.normal, .sticky, .drawer].map(\.rawValue) == [0, 1, 2])
  }

  @Test func `D16 a normal sidebar obeys commands until another width class`() {
    var state = scene(100, preset: .double)
    _ = state.hide()
    #expect(state.mode == .secondaryOnly)
    state.resize(120)
    #expect(state.mode == .secondaryOnly)
    state.resize(70)
    _ = state.show()
    #expect(state.mode == .oneBeside)
    state.resize(60)
    #expect(state.mode == .oneBeside)
    state.resize(100)
    state.resize(70)
    #expect(state.mode == .secondaryOnly)
  }

  @Test(arguments: [true, false])
  func `D17 a sticky sidebar is pinned whatever the width class`(isShown: Bool) {
    var state = scene(100, preset: .double, style: .sticky)
    _ = isShown ? state.show() : state.hide()
    for width in [70, 59, 100, 79, 80] {
      state.resize(width)
      #expect(state.request.isSidebarHidden == !isShown)
      if width >= 60 { #expect(state.isPrimaryHidden == !isShown) }
    }
  }

  @Test func `D18 a drawer slides over the detail, which is dimmed meanwhile`() {
    var state = scene(100, style: .drawer)
    let full = CellFrame(x: 0, y: 0, width: 100, height: 38)
    #expect(state.layout[.secondary]?.frame == full && state.layout[.secondary]?.dim == 0)
    _ = state.show()
    #expect(state.layout[.secondary]?.frame == full && state.layout[.secondary]?.dim == 0.4)
    #expect(state.layout[.primary]?.z == 1 && state.layout[.supplementary]?.z == 1)
  }

  @Test func `D19 a click dismisses a drawer, and other styles' sidebars if told to`() {
    #expect(SplitStyle.allCases.map(\.dismissesOnTapByDefault) == [false, false, true])
    var state = scene(100, preset: .double)
    state.setDimsSecondary(true)
    #expect(state.click(x: 80, y: 0) == .swallowed && state.mode == .oneBeside)
    state.setDismissesOnTap(true)
    guard case .dismissed = state.click(x: 80, y: 0) else {
      Issue.record("the click was not taken as a dismissal")
      return
    }
    #expect(state.mode == .secondaryOnly)
    var drawer = scene(100, style: .drawer)
    drawer.setDismissesOnTap(false)
    _ = drawer.show()
    #expect(drawer.click(x: 80, y: 0) == .swallowed && drawer.mode == .twoOver)
  }

  @Test func `D20 the detail dims beside the master where the style or the app says so`() {
    #expect(SplitStyle.allCases.map(\.dimsByDefault) == [false, false, true])
    var state = scene(100, preset: .double)
    #expect(state.layout[.secondary]?.dim == 0)
    state.setDimsSecondary(true)
    #expect(state.layout[.secondary]?.dim == 0.4)
    #expect(state.layout[.secondary]?.isInteractive == false)
    _ = state.hide()
    #expect(state.layout[.secondary]?.dim == 0 && state.layout[.secondary]?.isInteractive == true)
  }

  @Test func `D21 the opacity is 0,4 and without dimming it changes nothing`() throws {
    #expect(SplitConfiguration().dimOpacity == 0.4)
    var state = scene(100, preset: .double, style: .drawer)
    _ = state.show()
    try state.setDimOpacity(0.8)
    #expect(state.layout[.secondary]?.dim == 0.8)
    state.setDimsSecondary(false)
    let before = state.layout
    try state.setDimOpacity(0.1)
    #expect(state.layout == before && before[.secondary]?.isInteractive == false)
  }

  @Test func `D25 a divider is one cell, and a hidden master stands at minus its width`() {
    #expect(Layout.dividerWidth == 1)
    var state = scene(100, preset: .double)
    #expect(state.layout[.secondary]?.frame.x == 34)
    _ = state.hide()
    #expect(state.layout[.primary]?.frame == CellFrame(x: -33, y: 0, width: 33, height: 38))
  }

  @Test func `D26 setting a style has its side effects`() {
    for from in SplitStyle.allCases {
      var drawer = scene(100, style: from)
      _ = drawer.show()
      _ = drawer.setStyle(.drawer)
      #expect(drawer.isPrimaryHidden && drawer.dimsSecondary && drawer.dismissesOnTap)
      var normal = scene(70, preset: .double, style: from)
      _ = normal.show()
      _ = normal.setStyle(.normal)
      #expect(normal.isPrimaryHidden && !normal.dimsSecondary && !normal.dismissesOnTap)
    }
  }

  @Test func `D30 an opacity of 0 is heeded`() throws {
    var state = scene(100, preset: .double, style: .drawer)
    try state.setDimOpacity(0)
    _ = state.show()
    #expect(state.layout[.secondary]?.dim == 0)
    #expect(state.layout[.secondary]?.isInteractive == false)
    #expect(throws: SplitError.self) { try state.setDimOpacity(1.01) }
    #expect(state.configuration.dimOpacity == 0)
  }

  @Test func `D31 at first a normal sidebar is shown if wide, a sticky one always, a drawer never`()
  {
    for preset in ColumnPreset.allCases {
      #expect(!scene(100, preset: preset).isPrimaryHidden)
      #expect(scene(70, preset: preset).isPrimaryHidden)
      #expect(scene(100, preset: preset, style: .drawer).isPrimaryHidden)
    }
    #expect(!scene(70, preset: .double, style: .sticky).isPrimaryHidden)
    #expect(!scene(79, style: .sticky).isPrimaryHidden)
  }
}

/// Counts how often it is given a split view.
private final class CountingPane: Pane {
  var title: String { "counts" }
  var count = 0
  weak var split: SplitView? { didSet { count += 1 } }
}

private func isWritable<Value>(_ path: KeyPath<SplitView, Value>) -> Bool {
  path is ReferenceWritableKeyPath<SplitView, Value>
}

private final class Keeper: PrimaryKeeping {}

/// Hides the master in every class.
private final class Stubborn: SplitViewDelegate {
  var asked: [WidthClass] = []
  func splitView(_ split: SplitView, shouldHide pane: any Pane, in widthClass: WidthClass) -> Bool?
  {
    asked.append(widthClass)
    return true
  }
}

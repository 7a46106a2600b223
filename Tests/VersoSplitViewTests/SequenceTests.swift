import Testing
import VersoSplitView

/// What a split view does when several things are done to it, one after the other.
@Suite struct SequenceTests {
  @Test func `1 another width class shows a normal sidebar that was hidden`() {
    var state = scene(100)
    #expect(state.mode == .twoBeside)
    _ = state.hide()
    #expect(state.mode == .oneBeside)
    state.resize(70)
    state.resize(100)
    #expect(state.mode == .twoBeside)
  }

  @Test func `2 a sticky sidebar that was hidden stays so`() {
    var state = scene(100, style: .sticky)
    _ = state.hide()
    state.resize(70)
    state.resize(100)
    #expect(state.mode == .oneBeside && state.isPrimaryHidden)
  }

  @Test func `3 an open sticky sidebar waits for room`() {
    var state = scene(100, style: .sticky)
    #expect(state.mode == .twoBeside)
    state.resize(70)
    #expect(state.mode == .oneBeside && !state.request.isSidebarHidden)
    state.resize(100)
    #expect(state.mode == .twoBeside)
  }

  @Test func `4 an open drawer stays open until the width is compact`() {
    var state = scene(100, style: .drawer)
    _ = state.show()
    #expect(state.mode == .twoOver)
    state.resize(70)
    #expect(state.mode == .twoOver)
    state.resize(59)
    #expect(state.mode == .collapsed)
    state.resize(100)
    #expect(state.mode == .secondaryOnly)
  }

  @Test func `5 two columns lose the primary when medium and get it back when wide`() {
    let desk = Desk(100)
    #expect(desk.split.layout.mode == .oneBeside)
    desk.resize(70)
    #expect(desk.split.layout.mode == .secondaryOnly)
    #expect(
      desk.recorder.heard.filter { $0.hasPrefix("will") && !$0.contains("Resize") }
        == ["willHide Notes of mine"])
    #expect(desk.split.layout.showsSidebarButton && desk.split.button.isValid)
    desk.forget()
    desk.resize(100)
    #expect(desk.split.layout.mode == .oneBeside)
    #expect(
      desk.recorder.heard.filter { $0.hasPrefix("will") && !$0.contains("Resize") }
        == ["willShow Notes of mine"])
    #expect(!desk.split.layout.showsSidebarButton && !desk.split.button.isValid)
  }

  @Test(arguments: SplitStyle.allCases, [59, 70, 100])
  func `6 becoming a drawer hides the sidebar, dims and dismisses`(from: SplitStyle, width: Int) {
    var state = scene(width, style: from)
    _ = state.show()
    state.setDimsSecondary(false)
    state.setDismissesOnTap(false)
    _ = state.setStyle(.drawer)
    #expect(state.request.isSidebarHidden && state.isPrimaryHidden)
    #expect(state.dimsSecondary && state.dismissesOnTap)
  }

  @Test(arguments: SplitStyle.allCases, [true, false])
  func `7 becoming sticky leaves the sidebar as it is`(from: SplitStyle, isShown: Bool) {
    var state = scene(100, style: from)
    _ = isShown ? state.show() : state.hide()
    state.setDimsSecondary(true)
    state.setDismissesOnTap(true)
    #expect(state.isPrimaryHidden == !isShown)
    _ = state.setStyle(.sticky)
    #expect(state.isPrimaryHidden == !isShown)
    #expect(!state.dimsSecondary && !state.dismissesOnTap)
  }

  @Test func `8 becoming normal applies the rule of the width class`() {
    for (width, deepest, preset, hides) in [
      (100, Column.secondary, ColumnPreset.triple, false), (70, .secondary, .triple, true),
      (70, .primary, .triple, false), (100, .secondary, .double, false),
      (70, .secondary, .double, true),
    ] {
      for hidden in [true, false] {
        var state = scene(width, preset: preset, style: .drawer, deepest: deepest)
        _ = hidden ? state.hide() : state.show()
        _ = state.setStyle(.normal)
        #expect(state.isPrimaryHidden == hides, "\(width) \(deepest) \(preset) \(hidden)")
        #expect(!state.dimsSecondary && !state.dismissesOnTap)
      }
    }
  }

  @Test func `9 another width in the same class leaves a hidden sidebar hidden`() {
    var state = scene(100)
    _ = state.hide()
    state.resize(120)
    #expect(state.isPrimaryHidden && state.mode == .oneBeside)
  }

  @Test func `10 a click beside an open drawer closes it and goes no further`() {
    var state = scene(100, style: .drawer)
    _ = state.show()
    guard case .dismissed(let transition) = state.click(x: 80, y: 5) else {
      Issue.record("the click was not taken as a dismissal")
      return
    }
    #expect(state.mode == .secondaryOnly && transition.after == state.layout)
    #expect(transition.events.contains(.willHide(.primary)))
  }

  @Test func `11 a folder chosen in a drawer leaves it open, a file closes it`() {
    var state = scene(100, style: .drawer)
    _ = state.show()
    #expect(state.click(x: 30, y: 5) == .column(.supplementary))
    _ = state.setDeepest(.supplementary)
    #expect(state.mode == .twoOver)
    _ = state.setDeepest(.secondary)
    #expect(state.mode == .secondaryOnly)
  }

  @Test func `12 a click on a tiled secondary moves the focus there and hides nothing`() {
    var state = scene(100)
    #expect(state.setFocus(.primary) && state.focus == .primary)
    #expect(state.click(x: 80, y: 5) == .column(.secondary))
    #expect(state.focus == .secondary && state.mode == .twoBeside)
  }

  @Test func `13 a dragged divider is held within the limits and the next column follows`() {
    var state = scene(100)
    #expect(state.click(x: 25, y: 3) == .divider(.primary))
    _ = state.moveDivider(of: .primary, to: 10)
    #expect(state.widths == [16, 28, 54])
    _ = state.moveDivider(of: .primary, to: 60)
    #expect(state.widths == [40, 20, 38])
  }

  @Test func `14 a dragged width is kept as a share of the room`() {
    var state = scene(100)
    _ = state.moveDivider(of: .primary, to: 30)
    #expect(state.widths == [30, 23, 45])
    state.resize(120)
    #expect(state.widths == [36, 28, 54])
    state.resize(160)
    #expect(state.widths == [40, 40, 78])
  }

  @Test func `15 a reset brings back the quarters`() {
    var state = scene(100)
    _ = state.moveDivider(of: .primary, to: 33)
    _ = state.moveDivider(of: .supplementary, to: 60)
    #expect(state.widths != [25, 25, 48])
    _ = state.resetWidths()
    #expect(state.widths == [25, 25, 48])
  }

  @Test func `16 showing what is shown tells only the completion`() {
    var state = scene(100)
    #expect(state.show().events == [.completed])
    let desk = Desk(100)
    var completions = 0
    desk.split.show(at: 0) { completions += 1 }
    #expect(completions == 1 && desk.recorder.heard.isEmpty)
  }

  @Test func `17 a movement turned around goes on from where it is`() {
    let desk = Desk(60, style: .sticky)
    desk.split.hide(at: 0)
    let before = desk.split.layout(at: 0.15)
    #expect(before[.primary]?.frame.x == -15)
    desk.split.show(at: 0.15)
    #expect(
      desk.split.layout(at: 0.15).columns.mapValues(\.frame) == before.columns.mapValues(\.frame))
    #expect(desk.split.layout(at: 0.15).dividers == before.dividers)
    #expect(desk.split.layout(at: 0.45)[.primary]?.frame.x == 0)
  }

  @Test(arguments: [1.5, -0.1, .nan, .infinity])
  func `18 an opacity outside 0 and 1 is refused`(opacity: Double) throws {
    var state = scene(100, style: .drawer)
    try state.setDimOpacity(0.7)
    let error = #expect(throws: SplitError.self) { try state.setDimOpacity(opacity) }
    #expect(error?.code == .opacityOutOfRange)
    #expect(state.configuration.dimOpacity == 0.7)
  }

  @Test func `19 going to and fro between two widths changes nothing that is kept`() {
    var state = scene(80)
    _ = state.moveDivider(of: .primary, to: 23)
    let wide = state.layout
    state.resize(79)
    let (medium, configuration) = (state.layout, state.configuration)
    for _ in 1...50 {
      state.resize(80)
      #expect(state.layout == wide)
      state.resize(79)
      #expect(state.layout == medium && state.configuration == configuration)
    }
    #expect(wide != medium)
  }

  @Test func `20 zen gives way to the mode before it, with the file chosen meanwhile`() {
    let desk = Desk(100)
    desk.split.setDisplayMode(.oneOver)
    var state = desk.split.state
    _ = state.toggleZen()
    #expect(state.mode == .secondaryOnly && state.isZen)
    _ = state.setDeepest(.secondary)
    _ = state.toggleZen()
    #expect(state.mode == .oneOver && !state.isZen)

    desk.split.setDisplayMode(.automatic)
    let other = BasicPane("Another")
    desk.split.toggleZen(at: 0)
    desk.split.showDetail(other, at: 1)
    desk.split.toggleZen(at: 2)
    #expect(desk.split.layout.mode == .oneBeside && desk.split.secondary === other)
  }
}

import Testing
import VersoSplitView

/// A primary that is called up for a moment.
@Suite struct PopoverTests {
  private func presented(_ width: Int = 70, preset: ColumnPreset = .triple) -> SplitState {
    var state = scene(width, preset: preset)
    _ = state.present()
    #expect(!state.isPrimaryHidden && state.request.isPresented)
    return state
  }

  @Test func `it pushes three columns aside, and lies over two`() {
    #expect(presented().mode == .twoDisplace)
    #expect(presented(preset: .double).mode == .oneOver)
  }

  @Test func `a folder chosen leaves it, a file ends it`() {
    var state = presented()
    _ = state.setDeepest(.supplementary)
    #expect(state.mode == .twoDisplace)
    let transition = state.setDeepest(.secondary)
    #expect(state.mode == .oneBeside && transition.events.contains(.willHide(.primary)))
  }

  @Test func `a click on the dimmed secondary ends it, in any style`() {
    for preset in ColumnPreset.allCases {
      var state = presented(preset: preset)
      guard case .dismissed = state.click(x: 69, y: 0) else {
        Issue.record("the click was not taken as a dismissal")
        return
      }
      #expect(state.isPrimaryHidden && !state.request.isPresented)
    }
  }

  @Test func `a click in it leaves it`() {
    var state = presented()
    #expect(state.click(x: 2, y: 0) == .column(.primary))
    #expect(state.mode == .twoDisplace && state.focus == .primary)
  }

  @Test func `a dismissal ends it, and where there is nothing to dismiss says so`() {
    var state = presented()
    let first = state.dismissOverlay()
    #expect(first?.after.mode == .oneBeside)
    let second = state.dismissOverlay()
    #expect(second == nil)
    var drawer = scene(100, style: .drawer)
    _ = drawer.show()
    _ = drawer.dismissOverlay()
    #expect(drawer.mode == .secondaryOnly)
    var explicit = scene(100)
    _ = explicit.setDisplayMode(.twoOver)
    _ = explicit.dismissOverlay()
    #expect(explicit.mode == .secondaryOnly)
  }

  @Test func `another width class ends it, another width does not`() {
    var state = presented()
    state.resize(65)
    #expect(state.mode == .twoDisplace)
    state.resize(59)
    state.resize(65)
    #expect(state.mode == .oneBeside && !state.request.isPresented)
    var sticky = scene(70, style: .sticky)
    _ = sticky.present()
    #expect(sticky.mode == .twoDisplace)
    sticky.resize(59)
    sticky.resize(70)
    #expect(sticky.mode == .oneBeside)
  }

  @Test func `the frame before it is there again after it`() {
    var state = scene(70)
    let before = state.layout
    _ = state.present()
    _ = state.dismissOverlay()
    #expect(state.layout == before)
  }
}

import Testing
import VersoSplitView

/// The modes, which of them is chosen, and how wide columns are then.
@Suite struct ModeTests {
  @Test func `every behaviour has its legal modes`() {
    #expect(SplitBehavior.tile.legalModes == [.secondaryOnly, .oneBeside, .twoBeside])
    #expect(SplitBehavior.overlay.legalModes == [.secondaryOnly, .oneOver, .twoOver])
    #expect(SplitBehavior.displace.legalModes == [.secondaryOnly, .oneBeside, .twoDisplace])
    #expect(DisplayMode.automatic.actual == nil)
    #expect(DisplayMode.allCases.compactMap(\.actual).count == 6)
  }

  @Test func `two columns turn modes of two sidebars into modes of one`() {
    for (asked, used) in [
      (DisplayMode.twoBeside, ActualMode.oneBeside), (.twoDisplace, .oneBeside),
      (.twoOver, .oneOver), (.oneOver, .oneOver), (.secondaryOnly, .secondaryOnly),
    ] {
      for (preset, deepest) in [(ColumnPreset.double, Column.secondary), (.triple, .primary)] {
        var state = scene(100, preset: preset, deepest: deepest)
        _ = state.setDisplayMode(asked)
        #expect(state.mode == used, "\(asked) \(preset)")
      }
    }
  }

  @Test func `a mode that does not fit gives way to the next smaller one`() {
    for (asked, width, used) in [
      (DisplayMode.twoBeside, 200, ActualMode.oneBeside), (.twoBeside, 130, .secondaryOnly),
      (.twoDisplace, 130, .secondaryOnly), (.twoOver, 110, .oneOver),
      (.oneOver, 80, .secondaryOnly),
    ] {
      var request = LayoutRequest(
        size: CellSize(width: width, height: 20), deepest: .secondary, preferredMode: asked)
      request.minimums = [.primary: 90, .supplementary: 100]
      #expect(Layout(request).mode == used, "\(asked) \(width)")
    }
  }

  @Test func `the supplementary gives up room before the primary does`() {
    var state = scene(100) { $0.widths.secondaryMinimum = 53 }
    #expect(state.widths == [25, 20, 53])
    state = scene(100) { $0.widths.secondaryMinimum = 55 }
    #expect(state.widths == [25, 18, 55])
    state = scene(100) { $0.widths.secondaryMinimum = 60 }
    #expect(state.widths == [20, 18, 60])
    state = scene(100) { $0.widths.secondaryMinimum = 65 }
    #expect(state.mode == .oneBeside)
  }

  @Test func `hiding goes to the nearest mode without the column`() throws {
    var state = scene(100)
    _ = try state.hide(.supplementary)
    #expect(state.mode == .secondaryOnly)
    _ = state.show(.supplementary)
    #expect(state.mode == .oneBeside)
    _ = state.show(.primary)
    #expect(state.mode == .twoBeside)
    _ = try state.hide(.primary)
    #expect(state.mode == .oneBeside)
    var over = scene(100)
    _ = over.setDisplayMode(.twoOver)
    _ = try over.hide(.primary)
    #expect(over.mode == .oneOver)
    _ = over.show(.primary)
    #expect(over.mode == .twoOver)
    _ = try over.hide(.supplementary)
    #expect(over.mode == .secondaryOnly)
  }

  @Test func `the secondary cannot be hidden`() {
    var state = scene(100)
    let before = state
    let error = #expect(throws: SplitError.self) { _ = try state.hide(.secondary) }
    #expect(error?.code == .secondaryCannotHide && state == before)
  }

  @Test func `showing what is visible leaves the mode to the style`() {
    for column in Column.allCases {
      var state = scene(100)
      let before = state
      #expect(state.show(column).events == [.completed])
      #expect(state == before)
    }
  }

  @Test func `a primary shown where there is no room pushes the secondary aside`() {
    for style in [SplitStyle.normal, .sticky] {
      var state = scene(70, style: style)
      #expect(state.isPrimaryHidden)
      _ = state.show()
      #expect(state.mode == .twoDisplace && !state.isPrimaryHidden)
    }
    var zen = scene(70)
    _ = zen.toggleZen()
    _ = zen.show()
    #expect(!zen.isPrimaryHidden)
  }

  @Test func `while collapsed nothing is shown or hidden`() throws {
    var state = scene(59)
    let before = state
    #expect(state.show().events == [.completed])
    #expect(state.hide().events == [.completed])
    #expect(state.present().events == [.completed])
    #expect(state == before)
  }

  @Test func `a top column that two columns do not have is not used`() {
    var state = scene(100, preset: .double)
    _ = state.resize(
      to: CellSize(width: 59, height: 38), collapsedTop: { _ in .supplementary })
    #expect(state.layout.top == .secondary)
  }

  @Test(arguments: [
    (SplitConfiguration.Direction.rightToLeft, SplitConfiguration.Edge.leading),
    (.leftToRight, .trailing), (.rightToLeft, .trailing),
  ])
  func `dividers can be dragged on either side`(
    direction: SplitConfiguration.Direction, edge: SplitConfiguration.Edge
  ) {
    var state = scene(100) {
      $0.direction = direction
      $0.edge = edge
    }
    let isMirrored = (direction == .rightToLeft) != (edge == .trailing)
    _ = state.moveDivider(of: .primary, to: isMirrored ? 69 : 30)
    #expect(state.widths == [30, 23, 45])
    #expect(state.layout[.primary]?.frame.x == (isMirrored ? 70 : 0))
    let x = isMirrored ? 100 - 1 - (31 + 28) : 31 + 28
    _ = state.moveDivider(of: .supplementary, to: x)
    #expect(state.widths == [30, 28, 40])
    #expect(state.click(x: x, y: 0) == .divider(.supplementary))
  }

  @Test func `a width that found no room is not kept for later`() {
    var state = scene(100)
    _ = state.moveDivider(of: .supplementary, to: 99)
    #expect(state.widths == [25, 37, 36])
    state.resize(120)
    #expect(state.widths == [30, 45, 43])
  }

  @Test func `columns are widened by cells, the secondary by way of its neighbour`() {
    var state = scene(100)
    _ = state.widen(.primary, by: 2)
    #expect(state.widths == [27, 24, 47])
    _ = state.widen(.supplementary, by: -2)
    #expect(state.widths == [27, 22, 49])
    _ = state.widen(.secondary, by: 2)
    #expect(state.widths == [27, 20, 51])
    _ = state.hide()
    let alone = state.widths
    _ = state.widen(.secondary, by: -3)
    #expect(state.widths == [alone[0] + 3, alone[1] - 3])
  }

  @Test func `the focus stays where it can, and goes to the column furthest inside`() {
    var state = scene(100)
    var isMoved = state.setFocus(.primary)
    #expect(isMoved && state.focus == .primary)
    _ = state.hide()
    isMoved = state.setFocus(.primary)
    #expect(state.focus == .secondary && !isMoved)
    _ = state.show()
    #expect(state.focus == .primary)
    var drawer = scene(100, style: .drawer)
    _ = drawer.show()
    #expect(drawer.focus == .supplementary)
    drawer.resize(59)
    #expect(drawer.focus == .secondary)
  }

  @Test func `what lies at a cell is the uppermost layer`() {
    var state = scene(100, style: .drawer)
    _ = state.show()
    let layout = state.layout
    #expect(layout.target(x: 0, y: 0) == .column(.primary))
    #expect(layout.target(x: 25, y: 37) == .divider(.primary))
    #expect(layout.target(x: 26, y: 0) == .column(.supplementary))
    #expect(layout.target(x: 52, y: 0) == .inert(.secondary))
    #expect(layout.target(x: 100, y: 0) == .nothing && layout.target(x: 0, y: 38) == .nothing)
    #expect(layout.target(x: -1, y: 0) == .nothing)
  }
}

import Testing
import VersoSplitView
import VersoTestSupport

/// What holds for every layout, tried with random ones.
@Suite struct InvariantTests {
  private static let rounds = isFullRun ? 20_000 : 1000

  /// Calls `body` with random requests.
  private func forEach(
    _ seed: UInt64, _ body: (LayoutRequest, inout SeededGenerator) throws -> Void
  ) rethrows {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Self.rounds { try body(.random(using: &generator), &generator) }
  }

  @Test(arguments: seeds(3))
  func `tiled columns and their dividers fill the width without a gap`(seed: UInt64) {
    forEach(seed) { request, _ in
      let layout = Layout(request)
      guard layout.mode.rawValue.hasSuffix("Beside") || layout.mode == .secondaryOnly else {
        return
      }
      let filled = layout.visibleWidths.reduce(0, +) + layout.dividers.count
      #expect(filled == request.size.width, "\(request)")
      let cells = layout.drawn()[0]
      #expect(!cells.contains(" "), "\(request)")
    }
  }

  @Test(arguments: seeds(3))
  func `widths stay within their limits while regular`(seed: UInt64) {
    forEach(seed) { request, _ in
      let layout = Layout(request)
      guard layout.isRegular else { return }
      if let primary = layout[.primary] { #expect((16...40).contains(primary.frame.width)) }
      if let supplementary = layout[.supplementary] {
        #expect((18...48).contains(supplementary.frame.width))
      }
      if let secondary = layout[.secondary] {
        #expect(secondary.frame.width >= 36, "\(request)")
      }
    }
  }

  @Test(arguments: seeds(3))
  func `sidebars over the secondary leave 8 cells of it uncovered`(seed: UInt64) {
    forEach(seed) { request, _ in
      let layout = Layout(request)
      guard layout.mode.obstructsSecondary else { return }
      let covered = layout.visibleWidths.dropLast().reduce(0, +) + layout.dividers.count
      #expect(request.size.width - covered >= 8, "\(request)")
    }
  }

  @Test(arguments: seeds(3))
  func `exactly one column is visible while collapsed, and it fills the bounds`(seed: UInt64) {
    forEach(seed) { request, _ in
      let layout = Layout(request)
      guard layout.isCollapsed else { return }
      let visible = layout.columns.filter(\.value.isVisible)
      #expect(visible.count == 1 && visible.keys.first == layout.top, "\(request)")
      let bounds = CellFrame(
        x: 0, y: 0, width: request.size.width, height: request.size.height)
      #expect(visible.values.first?.frame == bounds, "\(request)")
    }
  }

  @Test func `a greater width never shows fewer columns while the mode is automatic`() {
    for seed in seeds(40) {
      var generator = SeededGenerator(seed: seed)
      var request = LayoutRequest.random(using: &generator)
      request.preferredMode = .automatic
      request.size.height = 20
      var most = 0
      for width in 20...300 {
        request.size.width = width
        let count = Layout(request).columns.count(where: \.value.isVisible)
        #expect(count >= most, "seed \(seed): \(request)")
        most = count
      }
    }
  }

  @Test(arguments: seeds(3))
  func `what is interactive is visible and not dimmed, also on its way`(seed: UInt64) {
    forEach(seed) { request, generator in
      var other = LayoutRequest.random(using: &generator)
      other.size = request.size
      let animation = Animation(
        from: Layout(request), to: Layout(other), start: 1, duration: 0.3)
      for time in [0.5, 1, 1.07, 1.15, 1.29, 1.3, 9] {
        for placement in animation.layout(at: time).columns.values where placement.isInteractive {
          #expect(placement.isVisible && placement.dim == 0, "\(request) \(other) \(time)")
        }
      }
    }
  }

  @Test(arguments: seeds(3))
  func `right to left is the exact mirror`(seed: UInt64) {
    forEach(seed) { request, _ in
      var mirrored = request
      mirrored.configuration.direction =
        request.configuration.direction == .leftToRight ? .rightToLeft : .leftToRight
      let (one, other) = (Layout(request), Layout(mirrored))
      #expect(one.columns.keys == other.columns.keys)
      for (column, placement) in one.columns {
        var turned = placement
        turned.frame.x = request.size.width - placement.frame.x - placement.frame.width
        #expect(other[column] == turned, "\(request)")
      }
      let turned = one.dividers.map { request.size.width - 1 - $0.x }.sorted()
      #expect(other.dividers.map(\.x) == turned, "\(request)")
    }
  }

  @Test(arguments: seeds(3))
  func `the height changes heights and nothing else`(seed: UInt64) {
    forEach(seed) { request, generator in
      var higher = request
      higher.size.height = Int.random(in: 3...400, using: &generator)
      guard request.size.height >= 3 else { return }
      let (one, other) = (Layout(request), Layout(higher))
      #expect(one.mode == other.mode && one.dividers == other.dividers)
      for (column, placement) in one.columns {
        var same = placement
        same.frame.height = higher.size.height
        #expect(other[column] == same)
      }
    }
  }

  @Test(arguments: seeds(3))
  func `the same input has the same output`(seed: UInt64) {
    forEach(seed) { request, _ in #expect(Layout(request) == Layout(request)) }
  }

  @Test func `states reached by any way have the layout of what they are made of`() {
    for seed in seeds(20) {
      var generator = SeededGenerator(seed: seed)
      var state = scene(100)
      var shown: [Column: Bool] = [.primary: true, .supplementary: true]
      for step in 0..<300 {
        let before = state.layout
        let transition = state.takeRandomStep(using: &generator)
        #expect(transition.before == before && transition.after == state.layout)
        #expect(transition.events.last == .completed)
        // What was told is, column by column, what is seen.
        for event in transition.events {
          if case .didShow(let column) = event { shown[column] = true }
          if case .didHide(let column) = event { shown[column] = false }
        }
        guard state.layout.isRegular else { continue }
        #expect(
          shown[.primary] == state.layout.shows(.primary), "seed \(seed), step \(step): \(state)")
        #expect(state.focus.map { state.layout.focusOrder.contains($0) } ?? true)
        #expect(state.focus != nil, "seed \(seed), step \(step): \(state)")
      }
    }
  }
}

extension LayoutRequest {
  /// Anything that can be asked with the usual limits.
  static func random(using generator: inout SeededGenerator) -> LayoutRequest {
    func any<T>(_ values: [T]) -> T {
      values[Int.random(in: 0..<values.count, using: &generator)]
    }
    var widths = SplitWidths()
    widths.primary.cells = any([nil, nil, Int.random(in: -5...120, using: &generator)])
    widths.supplementary.cells = any([nil, nil, Int.random(in: -5...120, using: &generator)])
    widths.primary.fraction = any([1.0 / 3, Double.random(in: -1...2, using: &generator), .nan])
    widths.primaryFractionOfThree = any([0.25, Double.random(in: 0...1, using: &generator)])
    widths.supplementary.fraction = any([1.0 / 3, Double.random(in: 0...1, using: &generator)])
    let configuration = SplitConfiguration(
      preset: any(ColumnPreset.allCases), style: any(SplitStyle.allCases), widths: widths,
      dimsSecondary: any([nil, true, false]), direction: any(SplitConfiguration.Direction.allCases),
      edge: any(SplitConfiguration.Edge.allCases), showsPrimaryInMedium: any([true, false]))
    return LayoutRequest(
      configuration: configuration,
      size: CellSize(
        width: Int.random(in: 0...260, using: &generator),
        height: Int.random(in: 0...60, using: &generator)),
      deepest: any(Column.allCases), sidebarHidden: any([nil, true, false]),
      isPresented: any([true, false]), preferredMode: any(DisplayMode.allCases))
  }
}

extension SplitState {
  /// Does one of the things that can be done to a split view.
  fileprivate mutating func takeRandomStep(using generator: inout SeededGenerator)
    -> SplitTransition
  {
    func any<T>(_ values: [T]) -> T {
      values[Int.random(in: 0..<values.count, using: &generator)]
    }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0...2: return resize(any([19, 40, 59, 60, 71, 72, 79, 80, 100, 160]))
    case 3: return show(any(Column.allCases))
    case 4: return hide()
    case 5: return present()
    case 6: return toggleSidebar()
    case 7: return setStyle(any(SplitStyle.allCases))
    case 8: return setDisplayMode(any(DisplayMode.allCases))
    case 9: return toggleZen()
    case 10: return setDeepest(any(Column.allCases))
    case 11: return moveDivider(of: .primary, to: Int.random(in: -9...200, using: &generator))
    case 12: return widen(any(Column.allCases), by: any([-2, 2]))
    default: return resetWidths()
    }
  }
}

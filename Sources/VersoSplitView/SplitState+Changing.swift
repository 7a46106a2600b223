extension SplitState {
  /// Changes the request and finds what is to be told.
  mutating func change(
    animated: Bool, prelude: [SplitEvent] = [], _ body: (inout LayoutRequest) -> Void
  ) -> SplitTransition {
    let before = layout
    body(&request)
    let after = layout
    let duration = animated && before != after ? configuration.animationDuration : 0
    let shifts = noteShifts(in: after)
    return SplitTransition(
      before: before, after: after,
      beginning: prelude + navigation(before, after, duration) + shifts.flatMap(\.beginning)
        + (shifts.isEmpty ? [] : [.framesMove]),
      ending: shifts.compactMap(\.undrawing) + shifts.compactMap(\.flip) + shifts.flatMap(\.ending)
        + [.completed],
      duration: duration)
  }

  /// The sidebars whose visibility is not what was last told. While collapsed nothing is told of
  /// it: there columns are pushed and popped, not shown and hidden.
  private mutating func noteShifts(in layout: Layout) -> [Shift] {
    guard layout.isRegular else { return [] }
    var shifts: [Shift] = []
    for column in [Column.primary, .supplementary] {
      let isVisible = layout[column]?.isVisible
      if let isVisible, let old = told[column], old != isVisible {
        shifts.append(Shift(column: column, appears: isVisible))
      }
      told[column] = isVisible
    }
    return shifts
  }

  private func navigation(_ before: Layout, _ after: Layout, _ duration: Double) -> [SplitEvent] {
    switch (before.top, after.top) {
    case (nil, let top?): return [.willCollapse(top: top)]
    case (_?, nil): return after.isRegular ? [.willExpand] : []
    case (let old?, let new?) where old < new: return [.push(new, duration: duration)]
    case (let old?, let new?) where old > new: return [.pop(old, duration: duration)]
    default: return []
    }
  }
}

/// A sidebar that begins or ends to be visible.
private struct Shift {
  let column: Column
  let appears: Bool

  var beginning: [SplitEvent] {
    appears
      ? [.willShow(column), .willAppear(column), .drawn(column)]
      : [.willHide(column), .willDisappear(column)]
  }
  /// A pane stops being drawn just before its button flips.
  var undrawing: SplitEvent? { appears ? nil : .undrawn(column) }
  var flip: SplitEvent? {
    column == .primary ? .toggleFlips(appears ? .hide : .show) : nil
  }
  var ending: [SplitEvent] {
    appears
      ? [.didAppear(column), .didShow(column)] : [.didDisappear(column), .didHide(column)]
  }
}

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
      announcements: prelude + adaptation(before, after) + shifts.flatMap(\.announcements),
      beginning: navigation(before, after, duration) + shifts.compactMap(\.drawing)
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

  private func adaptation(_ before: Layout, _ after: Layout) -> [SplitEvent] {
    switch (before.top, after.top) {
    case (nil, let top?): [.willCollapse(top: top)]
    case (_?, nil) where after.isRegular: [.willExpand]
    default: []
    }
  }

  private func navigation(_ before: Layout, _ after: Layout, _ duration: Double) -> [SplitEvent] {
    guard let old = before.top, let new = after.top, old != new else { return [] }
    return [old < new ? .push(new, duration: duration) : .pop(old, duration: duration)]
  }
}

/// A sidebar that begins or ends to be visible.
private struct Shift {
  let column: Column
  let appears: Bool

  var announcements: [SplitEvent] {
    appears
      ? [.willShow(column), .willAppear(column)] : [.willHide(column), .willDisappear(column)]
  }
  var drawing: SplitEvent? { appears ? .drawn(column) : nil }
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

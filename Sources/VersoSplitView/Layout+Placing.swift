extension Layout {
  /// Shows the last column of a navigation stack; those below it are off the leading edge.
  mutating func stack(_ stack: [Column]) {
    for column in stack {
      let isTop = column == stack.last
      columns[column] = Placement(
        frame: frame(x: isTop ? 0 : -size.width, width: size.width), isVisible: isTop, dim: 0,
        isInteractive: isTop, z: 0)
    }
  }

  /// Places the columns from left to right.
  mutating func place(_ request: LayoutRequest) {
    guard let sizes = ColumnSizing(request: request).sizes(in: mode) else { return }
    let shown = request.visibleSidebars(in: mode)
    hide(request.sidebars.dropLast(shown.count), sizes)
    let x = show(shown, sizes)
    placeSecondary(at: mode.isOverlay ? 0 : x, width: sizes.secondary, request)
  }

  private func frame(x: Int, width: Int) -> CellFrame {
    CellFrame(x: x, y: 0, width: width, height: size.height)
  }

  /// Puts sidebars off the leading edge with the widths they will have, so that a move to their
  /// places is all that an animation has to do.
  private mutating func hide(_ sidebars: ArraySlice<Column>, _ sizes: ColumnSizes) {
    var edge = 0
    for column in sidebars.reversed() {
      let width = sizes.sidebars[column, default: 0]
      columns[column] = Placement(
        frame: frame(x: edge - width, width: width), isVisible: false, dim: 0,
        isInteractive: false, z: 0)
      edge -= width + Self.dividerWidth
    }
  }

  /// Places visible sidebars; returns where the next column begins.
  private mutating func show(_ sidebars: [Column], _ sizes: ColumnSizes) -> Int {
    var x = 0
    for column in sidebars {
      let width = sizes.sidebars[column, default: 0]
      columns[column] = Placement(
        frame: frame(x: x, width: width), isVisible: true, dim: 0, isInteractive: true,
        z: mode.isOverlay ? 1 : 0)
      dividers.append(Divider(x: x + width, column: column))
      x += width + Self.dividerWidth
    }
    return x
  }

  /// Places the secondary, which is dimmed when something is in its way, or when the app wants it.
  private mutating func placeSecondary(at x: Int, width: Int, _ request: LayoutRequest) {
    let configuration = request.configuration
    let isObstructed = mode.obstructsSecondary
    let dimsBeside = configuration.dimsSecondary ?? configuration.style.dimsByDefault
    let isDimmed =
      isObstructed ? configuration.dimsSecondary != false : dimsBeside && shows(.primary)
    columns[.secondary] = Placement(
      frame: frame(x: x, width: width), isVisible: true,
      dim: isDimmed ? configuration.dimOpacity : 0, isInteractive: !isObstructed && !isDimmed,
      z: 0)
  }
}

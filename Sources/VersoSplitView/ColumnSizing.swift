/// The widths that columns have in one display mode, in cells.
struct ColumnSizes: Equatable {
  var sidebars: [Column: Int]
  var secondary: Int
}

/// Finds the widths of columns.
struct ColumnSizing {
  let request: LayoutRequest

  private var width: Int { request.size.width }
  private var widths: SplitWidths { request.configuration.widths }

  /// The widths in a mode; `nil` where the least widths do not fit.
  ///
  /// Sidebars give up room from the inside: first the supplementary, then the primary.
  func sizes(in mode: ActualMode) -> ColumnSizes? {
    var sidebars = wanted(in: mode)
    let shown = request.visibleSidebars(in: mode)
    let room = width - reserve(in: mode) - shown.count * Layout.dividerWidth
    var excess = shown.reduce(0) { $0 + sidebars[$1, default: 0] } - room
    for column in shown.reversed() where excess > 0 {
      let given = min(excess, sidebars[column, default: 0] - limits(of: column).lowerBound)
      sidebars[column, default: 0] -= given
      excess -= given
    }
    guard shown.isEmpty || excess <= 0 else { return nil }
    guard let secondary = secondary(in: mode, beside: shown.compactMap { sidebars[$0] }) else {
      return nil
    }
    return ColumnSizes(sidebars: sidebars, secondary: secondary)
  }

  /// The least width that a mode needs, in cells, and of what it is made.
  func needed(in mode: ActualMode) -> (total: Int, parts: [(Column, Int)]) {
    var parts = request.visibleSidebars(in: mode).map { ($0, limits(of: $0).lowerBound) }
    let dividers = parts.count * Layout.dividerWidth
    parts.append((.secondary, reserve(in: mode)))
    return (parts.reduce(dividers) { $0 + $1.1 }, parts)
  }

  func limits(of column: Column) -> ClosedRange<Int> {
    let own = rule(of: column).limits
    let least = max(own.lowerBound, request.minimums[column] ?? 0)
    return least...max(own.upperBound, least)
  }

  /// How much room the fraction of a sidebar is taken of.
  func room(for column: Column, in mode: ActualMode) -> Int {
    guard column == .supplementary, sharesRoom(in: mode) else { return width }
    return width - Layout.dividerWidth - wanted(.primary, of: width)
  }

  /// Whether the supplementary gets a share of what the primary leaves, not of all.
  ///
  /// Where it stands alone, or where the secondary keeps the width it has beside it alone, the
  /// primary takes nothing from it.
  private func sharesRoom(in mode: ActualMode) -> Bool {
    mode == .twoBeside || mode == .twoOver || mode == .secondaryOnly
  }

  private func wanted(in mode: ActualMode) -> [Column: Int] {
    var sizes: [Column: Int] = [:]
    for column in request.sidebars {
      sizes[column] = wanted(column, of: room(for: column, in: mode))
    }
    return sizes
  }

  private func wanted(_ column: Column, of room: Int) -> Int {
    let limits = limits(of: column)
    let cells = rule(of: column).cells ?? rounded(Double(room) * fraction(of: column))
    return min(max(cells, limits.lowerBound), limits.upperBound)
  }

  private func fraction(of column: Column) -> Double {
    let isSmall = column == .primary && request.hasThreeColumns
    let fraction = isSmall ? widths.primaryFractionOfThree : rule(of: column).fraction
    return fraction.isNaN ? 0 : min(max(fraction, 0), 1)
  }

  private func rule(of column: Column) -> ColumnWidth {
    column == .primary ? widths.primary : widths.supplementary
  }

  /// How much of the secondary must stay to be seen.
  private func reserve(in mode: ActualMode) -> Int {
    switch mode {
    case .oneBeside, .twoBeside:
      max(widths.secondaryMinimum, request.minimums[.secondary] ?? 0)
    case .oneOver, .twoOver, .twoDisplace: widths.uncoveredMinimum
    case .secondaryOnly, .collapsed, .tooSmall: 0
    }
  }

  private func secondary(in mode: ActualMode, beside sidebars: [Int]) -> Int? {
    switch mode {
    case .oneBeside, .twoBeside: width - sidebars.reduce(0) { $0 + $1 + Layout.dividerWidth }
    case .twoDisplace: sizes(in: .oneBeside)?.secondary
    default: width
    }
  }
}

extension SplitState {
  /// Moves the divider of a sidebar.
  ///
  /// The width is held within the limits, and kept as a share of the room, so that it follows other
  /// bounds. A sidebar that is not visible keeps its width.
  ///
  /// - Parameters:
  ///   - column: The sidebar whose width the divider stands for.
  ///   - x: Where the divider is wanted, in cells from the left.
  public mutating func moveDivider(of column: Column, to x: Int) -> SplitTransition {
    let present = layout
    guard column != .secondary, let placement = present[column], placement.isVisible,
      present.isRegular
    else { return change(animated: false) { _ in } }
    let frame =
      present.isMirrored ? placement.frame.mirrored(in: present.size.width) : placement.frame
    return setWidth(of: column, present.leading(x) - frame.x)
  }

  /// Makes a column wider, or narrower with a negative number of cells; the secondary by way of the
  /// sidebar beside it.
  public mutating func widen(_ column: Column, by cells: Int) -> SplitTransition {
    let present = layout
    let beside = request.visibleSidebars(in: present.mode).last
    let sidebar = column == .secondary ? beside : column
    guard let sidebar, present.isRegular, present.shows(sidebar), let placement = present[sidebar]
    else { return change(animated: false) { _ in } }
    let change = column == .secondary ? -cells : cells
    return setWidth(of: sidebar, placement.frame.width + change)
  }

  /// Brings back the widths that the split view began with.
  public mutating func resetWidths(animated: Bool = true) -> SplitTransition {
    let widths = originalWidths
    return change(animated: animated) { $0.configuration.widths = widths }
  }

  /// Changes what columns want and may have.
  public mutating func setWidths(_ widths: SplitWidths, animated: Bool = false) -> SplitTransition {
    change(animated: animated) { $0.configuration.widths = widths }
  }

  private mutating func setWidth(of column: Column, _ cells: Int) -> SplitTransition {
    var wish = request
    wish.setCells(cells, of: column)
    // What is kept is the width that came out, not the one wished for: else other bounds would
    // bring out the rest of the wish.
    let width = Layout(wish)[column]?.frame.width ?? cells
    let room = ColumnSizing(request: request).room(for: column, in: layout.mode)
    return change(animated: false) { request in
      request.setFraction(Double(width) / Double(max(room, 1)), of: column)
    }
  }
}

extension LayoutRequest {
  fileprivate mutating func setCells(_ cells: Int?, of column: Column) {
    if column == .primary {
      configuration.widths.primary.cells = cells
    } else {
      configuration.widths.supplementary.cells = cells
    }
  }

  fileprivate mutating func setFraction(_ fraction: Double, of column: Column) {
    setCells(nil, of: column)
    if column == .supplementary {
      configuration.widths.supplementary.fraction = fraction
    } else if hasThreeColumns {
      configuration.widths.primaryFractionOfThree = fraction
    } else {
      configuration.widths.primary.fraction = fraction
    }
  }
}

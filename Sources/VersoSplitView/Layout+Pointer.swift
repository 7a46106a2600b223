extension Layout {
  /// What lies at a cell.
  public enum Target: Hashable, Sendable {
    /// A column that takes clicks.
    case column(Column)
    /// A column that is seen and takes none, because it is dimmed, covered or pushed aside.
    case inert(Column)
    /// The divider of a sidebar.
    case divider(Column)
    /// Outside the bounds, or nothing.
    case nothing
  }

  /// What lies at a cell; the uppermost layer comes first.
  public func target(x: Int, y: Int) -> Target {
    guard CellFrame(x: 0, y: 0, width: size.width, height: size.height).contains(x: x, y: y) else {
      return .nothing
    }
    if let divider = dividers.first(where: { $0.x == x }) { return .divider(divider.column) }
    let hits = columns.filter { $0.value.isVisible && $0.value.frame.contains(x: x, y: y) }
    guard let hit = hits.max(by: { $0.value.z < $1.value.z }) else { return .nothing }
    return hit.value.isInteractive ? .column(hit.key) : .inert(hit.key)
  }

  /// An `x` counted from the leading edge instead of from the left, and the other way round.
  func leading(_ x: Int) -> Int { isMirrored ? size.width - 1 - x : x }
}

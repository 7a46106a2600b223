/// A pane and where it stands.
public struct PlacedPane {
  public let pane: any Pane
  /// In cells of the outermost split view.
  public let frame: CellFrame
  public let isVisible: Bool
  /// 0 (not at all) to 1 (black).
  public let dim: Double
  public let isInteractive: Bool
  public let z: Int
}

extension SplitView {
  /// The split view in the secondary, if there is one.
  public var nested: SplitView? { secondary as? SplitView }

  /// All panes in reading order; a nested split view's in its place.
  ///
  /// - Parameter time: In seconds; `nil` for when all animations are over.
  public func placedPanes(at time: Double? = nil) -> [PlacedPane] {
    let layout = time.map { self.layout(at: $0) } ?? layout
    return layout.columns.sorted { $0.key < $1.key }.flatMap { column, placement in
      panes[column].map { placed($0, placement, at: time) } ?? []
    }
  }

  private func placed(_ pane: any Pane, _ placement: Layout.Placement, at time: Double?)
    -> [PlacedPane]
  {
    guard let inner = pane as? SplitView else { return [PlacedPane(pane, placement)] }
    return inner.placedPanes(at: time).map { $0.inside(placement) }
  }

  /// Gives a nested split view the bounds of the secondary, and this one's width class.
  func resizeNested(at time: Double) {
    guard let nested, let frame = layout[.secondary]?.frame else { return }
    nested.resize(
      to: CellSize(width: frame.width, height: contentFrame(of: .secondary)?.height ?? 0),
      inherited: layout.widthClass, at: time)
  }

  /// Where a column's content stands: its frame without the toolbar. `nil` where it is absent.
  public func contentFrame(of column: Column) -> CellFrame? {
    guard var frame = layout[column]?.frame else { return nil }
    guard column == .secondary, toolbar != nil, frame.height > SplitToolbar.height else {
      return frame
    }
    frame.y += SplitToolbar.height
    frame.height -= SplitToolbar.height
    return frame
  }

  /// The buttons at the leading end of the title row: the sidebar's, and the one back.
  ///
  /// While regular, both can be there: one calls up the primary, the other leads back in the
  /// secondary's own navigation stack. While collapsed it is the one back.
  public var leadingButtons: [String] {
    let layout = layout
    let sidebar = layout.showsSidebarButton ? [button.label] : []
    return sidebar + (backLabel(in: layout).map { [$0] } ?? [])
  }

  private func backLabel(in layout: Layout) -> String? {
    let column = layout.top ?? .secondary
    if let label = (panes[column] as? NavigationStack)?.backLabel { return label }
    guard layout.isCollapsed, let below = state.request.stack.dropLast().last else { return nil }
    return panes[below].map { "[< \($0.shortTitle)]" }
  }
}

extension PlacedPane {
  fileprivate init(_ pane: any Pane, _ placement: Layout.Placement) {
    self.init(
      pane: pane, frame: placement.frame, isVisible: placement.isVisible, dim: placement.dim,
      isInteractive: placement.isInteractive, z: placement.z)
  }

  /// The pane as it stands when its split view stands in a place of another one.
  fileprivate func inside(_ outer: Layout.Placement) -> PlacedPane {
    var frame = frame
    frame.x += outer.frame.x
    frame.y += outer.frame.y
    return PlacedPane(
      pane: pane, frame: frame, isVisible: isVisible && outer.isVisible,
      dim: max(dim, outer.dim), isInteractive: isInteractive && outer.isInteractive,
      z: max(z, outer.z))
  }
}

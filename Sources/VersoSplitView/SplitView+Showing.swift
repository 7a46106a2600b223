extension SplitView {
  /// Gives the split view other bounds, in cells.
  ///
  /// - Parameters:
  ///   - inherited: The width class of the split view around this one; `nil` for the outermost.
  ///   - time: The time now, in seconds.
  public func resize(
    to size: CellSize, inherited: WidthClass? = nil, animated: Bool = false, at time: Double = 0
  ) {
    perform(at: time) { [self] state in
      state.resize(
        to: size, inherited: inherited, animated: animated,
        shouldHide: { delegate?.splitView(self, shouldHide: primary, in: $0) },
        collapsedTop: { delegate?.splitView(self, topColumnForCollapsingTo: $0) ?? $0 })
    }
  }

  /// Shows the primary.
  ///
  /// - Parameters:
  ///   - time: The time now, in seconds.
  ///   - completion: Called once: when the animation is over or another one takes its place, at
  ///     once where there is nothing to show.
  public func show(
    animated: Bool = true, at time: Double, completion: (() -> Void)? = nil
  ) {
    perform(at: time, completion: completion) { $0.show(animated: animated) }
  }

  /// Hides the primary; see ``show(animated:at:completion:)``.
  public func hide(
    animated: Bool = true, at time: Double, completion: (() -> Void)? = nil
  ) {
    perform(at: time, completion: completion) { $0.hide(animated: animated) }
  }

  /// Presents the primary for a moment.
  public func present(animated: Bool = true, at time: Double) {
    perform(at: time) { $0.present(animated: animated) }
  }

  /// Takes away what obstructs the secondary; returns whether something did.
  @discardableResult
  public func dismissOverlay(animated: Bool = true, at time: Double) -> Bool {
    let isDismissed = layout.mode.obstructsSecondary || state.request.isPresented
    perform(at: time) { state in
      state.dismissOverlay(animated: animated) ?? state.change(animated: false) { _ in }
    }
    return isDismissed
  }

  /// How the sidebar behaves.
  ///
  /// A new value sets dimming and dismissal to what the style has, and acts on the sidebar at once;
  /// see ``SplitState/setStyle(_:animated:)``.
  public var style: SplitStyle {
    get { state.configuration.style }
    set { perform(at: 0) { $0.setStyle(newValue) } }
  }

  /// Asks for a mode.
  public func setDisplayMode(_ mode: DisplayMode, animated: Bool = false, at time: Double = 0) {
    perform(at: time) { $0.setDisplayMode(mode, animated: animated) }
  }

  /// Shows the secondary alone, or brings back the mode from before.
  public func toggleZen(animated: Bool = false, at time: Double) {
    perform(at: time) { $0.toggleZen(animated: animated) }
  }

  /// Says how deep the content goes; see ``SplitState/setDeepest(_:animated:)``.
  public func setDeepest(_ column: Column, animated: Bool = false, at time: Double = 0) {
    perform(at: time) { $0.setDeepest(column, animated: animated) }
  }

  /// Puts a pane into the secondary and, unless it is a placeholder, goes there.
  public func showDetail(_ pane: any Pane, animated: Bool = false, at time: Double = 0) {
    tell(.showDetail)
    secondary = pane
    let deepest = pane.isPlaceholder ? state.request.deepest : .secondary
    perform(at: time) { $0.setDeepest(deepest, animated: animated) }
    resizeNested(at: time)
  }

  /// The primary's share of the width, 0 to 1.
  public var primaryFraction: Double {
    get { state.configuration.widths.primary.fraction }
    set {
      var widths = state.configuration.widths
      widths.primary.fraction = newValue
      perform(at: 0) { $0.setWidths(widths) }
    }
  }
}

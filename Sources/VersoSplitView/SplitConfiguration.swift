/// What an app decides about a split view before there is one.
public struct SplitConfiguration: Hashable, Sendable {
  /// The direction in which columns follow each other.
  public enum Direction: String, Sendable, CaseIterable { case leftToRight, rightToLeft }

  /// The side on which the sidebars stand.
  public enum Edge: String, Sendable, CaseIterable { case leading, trailing }

  public var preset: ColumnPreset
  public var style: SplitStyle
  public var widths: SplitWidths
  public var breakpoints: Breakpoints
  /// Whether the secondary is dimmed while the sidebar is shown; `nil` leaves it to the style.
  ///
  /// `nil` and `true` also dim a secondary that is covered or pushed aside; `false` never does.
  public var dimsSecondary: Bool?
  /// Whether a click on the dimmed secondary hides the sidebar; `nil` leaves it to the style.
  public var dismissesOnTap: Bool?
  /// How far the secondary is dimmed, 0 (not at all) to 1 (black); 0.4. See ``setDimOpacity(_:)``.
  public private(set) var dimOpacity = 0.4
  /// How long showing and hiding take, in seconds; 0.3, and 0 for at once. See
  /// ``setAnimationDuration(_:)``.
  public private(set) var animationDuration = 0.3
  public var direction: Direction
  public var edge: Edge
  /// Whether a normal sidebar is shown when medium too; it changes nothing when wide.
  public var showsPrimaryInMedium: Bool

  public init(
    preset: ColumnPreset = .triple, style: SplitStyle = .normal, widths: SplitWidths = .init(),
    breakpoints: Breakpoints = .standard, dimsSecondary: Bool? = nil, dismissesOnTap: Bool? = nil,
    direction: Direction = .leftToRight, edge: Edge = .leading, showsPrimaryInMedium: Bool = false
  ) {
    self.preset = preset
    self.style = style
    self.widths = widths
    self.breakpoints = breakpoints
    self.dimsSecondary = dimsSecondary
    self.dismissesOnTap = dismissesOnTap
    self.direction = direction
    self.edge = edge
    self.showsPrimaryInMedium = showsPrimaryInMedium
  }

  /// The split view of 2010: two columns, the master 320 of 1024 points wide, which is 40 of 128
  /// cells; when medium the master is a popover.
  public static var classic2010: SplitConfiguration {
    var widths = SplitWidths()
    widths.primary.cells = 40
    return SplitConfiguration(preset: .double, widths: widths)
  }

  /// - Throws: ``SplitError/Code/opacityOutOfRange`` outside 0...1; the old value stays.
  public mutating func setDimOpacity(_ opacity: Double) throws(SplitError) {
    guard (0...1).contains(opacity) else {
      throw SplitError(.opacityOutOfRange, "the opacity \(opacity) is not within 0 and 1")
    }
    dimOpacity = opacity
  }

  /// - Throws: ``SplitError/Code/durationOutOfRange`` below 0 and for what is not finite; the old
  ///   value stays.
  public mutating func setAnimationDuration(_ seconds: Double) throws(SplitError) {
    guard seconds >= 0, seconds.isFinite else {
      throw SplitError(.durationOutOfRange, "an animation cannot take \(seconds) seconds")
    }
    animationDuration = seconds
  }

  /// Whether the columns stand in a mirror; right to left and a trailing edge cancel out.
  var isMirrored: Bool { (direction == .rightToLeft) != (edge == .trailing) }
}

/// A change of a split view: where it leads, and what is to be told on the way.
public struct SplitTransition: Hashable, Sendable {
  public let before: Layout
  public let after: Layout
  /// Told before anything changes.
  public let announcements: [SplitEvent]
  /// Told as soon as it has changed, before the first new picture.
  public let beginning: [SplitEvent]
  /// Told when the animation is over.
  public let ending: [SplitEvent]
  /// In seconds; 0 for at once.
  public let duration: Double

  /// All that is told, in order.
  public var events: [SplitEvent] { announcements + beginning + ending }

  /// The way to the new layout.
  ///
  /// - Parameters:
  ///   - start: The time now, in seconds of any clock.
  ///   - running: An animation that is not over yet; the new one begins where that is.
  public func animation(at start: Double, after running: Animation? = nil) -> Animation {
    guard let running, !running.isFinished(at: start) else {
      return Animation(from: before, to: after, start: start, duration: duration)
    }
    return Animation(from: running, to: after, start: start, duration: duration)
  }
}

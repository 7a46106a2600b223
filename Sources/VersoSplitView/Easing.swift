/// How far a movement has come.
public enum Easing {
  /// Fast at first, then slower: `1 - (1 - t)²` of the part `t` of the duration that is over.
  ///
  /// - Parameters:
  ///   - elapsed: Seconds since the start; what is negative counts as 0.
  ///   - duration: Seconds; with 0 or less the movement is over at once.
  /// - Returns: 0 to 1.
  public static func out(elapsed: Double, duration: Double) -> Double {
    guard duration > 0, elapsed < duration else { return 1 }
    let left = 1 - max(elapsed, 0) / duration
    return 1 - left * left
  }
}

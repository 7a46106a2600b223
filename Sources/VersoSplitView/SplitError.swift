/// What a split view refuses.
public struct SplitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons, for a program.
  public enum Code: Hashable, Sendable {
    /// An opacity outside 0...1, or not a number.
    case opacityOutOfRange
    /// A duration that is negative or not finite.
    case durationOutOfRange
    /// The secondary cannot be hidden.
    case secondaryCannotHide
    /// A split view was put in a dialog.
    case splitInDialog
    /// A line of a configuration that cannot be read.
    case unreadableSetting
  }

  public let code: Code
  /// What was attempted and what to do, for a person.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

/// A failure of a vault's operation: programs branch on ``code``, people read ``message`` and
/// ``hint``.
public struct VersoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure; kinds may be added, so always keep a default branch.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Something did not work; the message says what, on which path.
    public static let failed = Code(rawValue: "failed")
    /// There is no vault where one was expected.
    public static let noVault = Code(rawValue: "noVault")
    /// Another process holds the vault's lock, or a lock of git's that does not go away.
    public static let locked = Code(rawValue: "locked")
    /// Refused for safety; nothing was changed.
    public static let refused = Code(rawValue: "refused")
    /// The remote could not be reached or refused us, or there is no git program; everything local is
    /// saved.
    public static let unreachable = Code(rawValue: "unreachable")
    /// Somebody who was asked on the terminal broke it off with Ctrl-C; everything local is saved.
    public static let interrupted = Code(rawValue: "interrupted")
    /// The request itself makes no sense for this vault, such as a line range past the end.
    public static let usage = Code(rawValue: "usage")
  }

  /// What kind of failure it is.
  public let code: Code
  /// What failed, on which path: a full sentence without a full stop.
  public let message: String
  /// What to do about it, where something can be done.
  public let hint: String?

  /// Makes an error.
  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Message and hint.
  public var description: String { hint.map { "\(message) (\($0))" } ?? message }
}

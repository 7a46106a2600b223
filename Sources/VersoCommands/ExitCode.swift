/// How a command ended, for scripts: the exit code of the process.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// Done, or nothing to do.
  case done = 0
  /// Failed; stderr says what, on which path, and what to do.
  case failed = 1
  /// The command line was wrong.
  case usage = 2
  /// Done, but there is something new to look at.
  case attention = 3
  /// Another process holds a lock.
  case locked = 4
  /// Refused or held back for safety.
  case refused = 5
  /// The remote could not be reached; everything local is saved.
  case unreachable = 6

  /// One line for help and manual.
  package var meaning: String {
    switch self {
    case .done: "Done, or nothing to do or to show."
    case .failed: "Failed; standard error says what, on which path, and what to do."
    case .usage: "The command line was wrong."
    case .attention:
      "Done, but look: new conflict copies, or files unreadable or skipped for the first time."
    case .locked: "Another process holds the vault's lock, or a git lock that does not go away."
    case .refused:
      "Refused or held back for safety, such as a mass deletion, an open merge or rebase, a "
        + "detached HEAD, or a place nobody should version."
    case .unreachable:
      "The remote could not be reached or refused us, or there is no git program; everything "
        + "local is saved."
    }
  }

  /// From the one that outweighs all others to the one that says nothing.
  ///
  /// A usage error ends a command before it starts, so it never meets another code; its place here
  /// is arbitrary.
  private static let byWeight: [ExitCode] = [
    .failed, .usage, .refused, .unreachable, .locked, .attention, .done,
  ]

  /// The code for several causes: the first of 1, 5, 6, 4 and 3 among them, else 0.
  package static func combined(_ codes: some Sequence<ExitCode>) -> ExitCode {
    let codes = Set(codes)
    return byWeight.first(where: codes.contains) ?? .done
  }
}

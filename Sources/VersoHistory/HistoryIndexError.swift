package import VersoGit

/// Why a history could not be indexed, or read from its index.
package enum HistoryIndexError: Error, Hashable, Sendable {
  case database(DatabaseError)
  case git(GitError)
  /// The index holds what no history can: it must be made anew.
  case inconsistent(String)

  /// Whether the index is what is wrong, and a new one the remedy.
  package var isDamage: Bool {
    switch self {
    case .database(let error): error.isDamage
    case .git: false
    case .inconsistent: true
    }
  }

  /// Whether there is nothing in it yet: it is for whoever makes it, and not to be deleted.
  package var isUnmade: Bool {
    if case .database(let error) = self { return error.code == .unmade }
    return false
  }

  init(_ error: any Error) {
    self =
      switch error {
      case let error as HistoryIndexError: error
      case let error as DatabaseError: .database(error)
      case let error as GitError: .git(error)
      default: .inconsistent("\(error)")
      }
  }
}

extension HistoryIndexError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .database(let error): error.description
    case .git(let error): error.description
    case .inconsistent(let what): "the history index is damaged: \(what)"
    }
  }
}

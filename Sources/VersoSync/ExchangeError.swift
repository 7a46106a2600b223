/// Why a remote could not be asked, read or written.
package struct ExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; kinds may be added, so always keep a default branch.
  package enum Reason: Hashable, Sendable {
    /// There is no `git` program.
    case noGit
    /// The machine is not there, or nobody listens.
    case unreachable
    case timedOut(Phase)
    /// ssh has never seen this machine, and nobody is there to say that it is the right one.
    case hostKeyUnknown
    /// The machine has another key than before.
    case hostKeyChanged
    /// The certificate of an https server is not trusted.
    case certificate
    /// The remote wants a key, a passphrase or a password.
    case authentication
    /// There is no repository at that address.
    case notFound
    /// This account may not read the remote.
    case noAccess
    /// The remote may be read, not written.
    case readOnly
    /// A hook of the remote said no.
    case rejectedByHook
    /// A file, or the whole push, is larger than the remote takes.
    case tooLarge
    case remoteDiskFull
    /// No room left on this machine.
    case localDiskFull
    /// What was fetched cannot be written into the repository here.
    case localReadOnly
    /// The remote lets nobody push to this branch.
    case protectedBranch
    /// The remote has a work tree, and this branch is checked out there.
    case nonBareCheckedOut
    /// The remote is a shallow clone, or does not take commits from one.
    case shallow
    /// The remote speaks of objects that this git or this repository does not know (SHA-256).
    case foreignFormat
    /// Another user owns the remote's folder, and git's `safe.directory` does not name it.
    case foreignOwner
    /// An address or branch that is not used, because of what it looks like.
    case badAddress
    /// No remote has that name.
    case unknownRemote
    /// Something else is where a repository was to be made.
    case occupied
    /// A folder for the new repository cannot be made, or the server makes none.
    case cannotCreate
    /// The caller took it back, or this signal of the terminal did.
    case interrupted(signal: Int32)
    case other
  }

  /// What took too long.
  package enum Phase: Hashable, Sendable {
    case connecting
    /// It went quiet in the middle.
    case talking
    /// The time for all of it was over.
    case whole
  }

  package let reason: Reason
  /// One sentence, without a full stop, that ends in what to do where there is something to do.
  package let message: String
  /// The last lines of git, ssh and the remote's hooks; no credentials, but whatever a stranger wrote.
  package let detail: [String]
  /// What to run by hand, once, with somebody there to answer.
  package let byHand: String?

  package init(
    _ reason: Reason, _ message: String, detail: [String] = [], byHand: String? = nil
  ) {
    self.reason = reason
    self.message = message
    self.detail = detail
    self.byHand = byHand
  }

  /// Whether it may go by itself: worth trying again, and no news to anybody.
  package var isTransient: Bool {
    switch reason {
    case .unreachable, .timedOut: true
    default: false
    }
  }

  package var description: String { message }
}

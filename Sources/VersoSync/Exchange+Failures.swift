import Glibc
import VersoGit
import VersoModel

extension Exchange {
  /// What went wrong with a program that talked to `side`.
  ///
  /// - Parameters:
  ///   - row: What `push --porcelain` said of the branch.
  ///   - isPush: Whether it was to write there, or only to read.
  func error(
    of run: Attendance.Result, at side: RemoteSide, row: String? = nil, isPush: Bool = false
  ) -> ExchangeError {
    let text = run.result.errorText + (row.map { "\n" + $0 } ?? "")
    switch run.interference {
    case .silent: return failure(.timedOut(.connecting), at: side, text)
    case .stalled: return failure(.timedOut(.talking), at: side, text)
    case .late: return failure(.timedOut(.whole), at: side, text)
    case .cancelled: return failure(.interrupted(signal: SIGTERM), at: side, text)
    case .flooding: return failure(.other, at: side, text)
    case nil: break
    }
    switch run.result.ending {
    case .killed(let signal) where [SIGINT, SIGTERM, SIGHUP].contains(signal):
      return failure(.interrupted(signal: signal), at: side, text)
    default: return failure(reason(in: text, isPush: isPush), at: side, text)
    }
  }

  /// The system says the same of both ends: which one it is of shows in who reports it.
  private func reason(in text: String, isPush: Bool) -> ExchangeError.Reason {
    let reason = RemoteWords.reason(in: text) ?? .other
    let line = text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }
      .map { String($0) }.first { RemoteWords.reason(in: $0) == reason }
    let isRemote = line.map { $0.hasPrefix("remote: ") || $0.contains("remote unpack") } ?? true
    switch reason {
    case .remoteDiskFull where !isRemote: return .localDiskFull
    case .readOnly where !isPush:
      let isLocal = ["adding an object", "Read-only file system"].contains { text.contains($0) }
      return isLocal && !isRemote ? .localReadOnly : .noAccess
    default: return reason
    }
  }

  func failure(
    _ reason: ExchangeError.Reason, at side: RemoteSide, _ text: String = ""
  ) -> ExchangeError {
    ExchangeError(
      reason, side.redaction(message(reason, at: side)),
      detail: RemoteWords.lastLines(of: text).map { side.redaction($0) },
      byHand: byHand(reason, at: side))
  }

  private func message(_ reason: ExchangeError.Reason, at side: RemoteSide) -> String {
    let place = side.place
    return switch reason {
    case .noGit: "there is no git program here; install it (apt install git)"
    case .unreachable: "\(place) cannot be reached"
    case .timedOut(.connecting): "\(place) does not answer"
    case .timedOut(.talking): "\(place) stopped answering for \(Int(limits.stall)) s"
    case .timedOut(.whole): "\(place) took longer than \(limits.total.map { Int($0) } ?? 0) s"
    case .hostKeyUnknown: "ssh does not know the key of \(place) yet"
    case .hostKeyChanged:
      "\(place) has another key than before: find out why before you trust it"
    case .certificate: "the certificate of \(place) is not trusted"
    case .authentication:
      "\(place) wants a key or password, and none that works is there without asking"
    case .notFound: "there is no git repository at \(side.address.text)"
    case .noAccess: "\(side.address.text) may not be read by this account"
    case .readOnly: "\(side.address.text) may be read, not written, by this account"
    case .rejectedByHook: "a hook of \(place) refused the push"
    case .tooLarge: "\(place) takes no file or push of that size"
    case .remoteDiskFull: "the disk of \(place) is full"
    case .localDiskFull: "the disk of this machine is full"
    case .localReadOnly: "the repository here, \(git.gitDirectory), cannot be written"
    case .protectedBranch:
      "\(place) lets nobody push to '\(branch)': unprotect it there, or sync another branch"
    case .nonBareCheckedOut:
      "'\(branch)' is checked out at \(side.address.text): sync to a bare repository"
    case .shallow:
      "\(place) takes no push from a shallow clone: run 'git fetch --unshallow' first"
    case .foreignFormat:
      "\(place) has a repository of another object format (SHA-256), which is not supported"
    case .foreignOwner:
      "\(side.address.text) belongs to another user: name it in git's safe.directory"
    case .badAddress: "the address \(side.address.text) is not used"
    case .unknownRemote: "there is no such remote"
    case .occupied:
      "\(side.address.text) has other things in it: name an empty or a new folder"
    case .cannotCreate: "no repository can be made at \(side.address.text)"
    case .interrupted: "the exchange with \(place) was interrupted"
    case .other: "the exchange with \(place) failed"
    }
  }

  private func byHand(_ reason: ExchangeError.Reason, at side: RemoteSide) -> String? {
    switch reason {
    case .hostKeyUnknown, .hostKeyChanged, .authentication, .noAccess, .unreachable,
      .timedOut(.connecting):
      if let command = side.shell?.byHand { return side.redaction(command) }
    case .certificate, .other, .timedOut(.talking), .foreignOwner: break
    default: return nil
    }
    let folder = ShellText.quote(git.directory)
    if let name = side.name { return "git -C \(folder) fetch \(ShellText.quote(name))" }
    return "git -C \(folder) ls-remote \(ShellText.quote(side.address.text))"
  }
}

/// What git, ssh, curl and servers say when something fails, and what it means.
///
/// Read only where neither an exit code nor `push --porcelain` tells. All are in English, since the
/// programs run with `LC_ALL=C`; each is in lower case here and looked for anywhere. The first match
/// counts: a line that says more stands before one that says less.
enum RemoteWords {
  struct Pattern {
    let words: String
    let reason: ExchangeError.Reason
    /// The program or service that writes it.
    let source: String
  }

  static let patterns: [Pattern] = [
    // ssh
    .init("remote host identification has changed", .hostKeyChanged, "OpenSSH 9.2 sshconnect.c"),
    .init("host key verification failed", .hostKeyUnknown, "OpenSSH 9.2 sshconnect2.c"),
    .init("no matching host key type", .hostKeyChanged, "OpenSSH 9.2 kex.c"),
    .init("permission denied (", .authentication, "OpenSSH 9.2 sshconnect2.c"),
    .init("too many authentication failures", .authentication, "OpenSSH 9.2 auth.c"),
    .init("could not resolve hostname", .unreachable, "OpenSSH 9.2 ssh.c"),
    .init("timed out during banner exchange", .timedOut(.connecting), "OpenSSH 9.2 kex.c"),
    .init(": connection timed out", .timedOut(.connecting), "strerror(ETIMEDOUT)"),
    .init("timeout, server ", .timedOut(.talking), "OpenSSH 9.2 clientloop.c"),
    .init("connection refused", .unreachable, "strerror(ECONNREFUSED)"),
    .init("no route to host", .unreachable, "strerror(EHOSTUNREACH)"),
    .init("network is unreachable", .unreachable, "strerror(ENETUNREACH)"),
    .init("kex_exchange_identification", .unreachable, "OpenSSH 9.2 kex.c"),
    .init("connection closed by ", .unreachable, "OpenSSH 9.2 packet.c"),
    .init("connection reset by ", .unreachable, "OpenSSH 9.2 packet.c, strerror(ECONNRESET)"),
    // http and https
    .init("could not read username", .authentication, "git 2.39 credential.c"),
    .init("could not read password", .authentication, "git 2.39 credential.c"),
    .init("authentication failed for", .authentication, "git 2.39 remote-curl.c"),
    .init("invalid credentials", .authentication, "Gitea 1.21"),
    .init("returned error: 401", .authentication, "curl 7.88"),
    .init("returned error: 403", .readOnly, "curl 7.88"),
    .init("returned error: 404", .notFound, "curl 7.88"),
    .init("returned error: 413", .tooLarge, "curl 7.88"),
    .init("returned error: 429", .unreachable, "curl 7.88"),
    .init("returned error: 5", .unreachable, "curl 7.88"),
    .init("http 413", .tooLarge, "git 2.39 remote-curl.c"),
    .init("http 5", .unreachable, "git 2.39 remote-curl.c"),
    .init("could not resolve host", .unreachable, "curl 7.88"),
    .init("could not resolve proxy", .unreachable, "curl 7.88"),
    .init("failed to connect to", .unreachable, "curl 7.88"),
    .init("couldn't connect to server", .unreachable, "curl 7.88"),
    .init("empty reply from server", .unreachable, "curl 7.88"),
    .init("operation too slow", .timedOut(.talking), "curl 7.88"),
    .init("ssl certificate", .certificate, "curl 7.88"),
    .init("certificate verif", .certificate, "curl 7.88 with GnuTLS"),
    .init("certificate subject name", .certificate, "curl 7.88"),
    .init("from redirection", .badAddress, "git 2.39 http.c, http.followRedirects"),
    // What the remote's disk and owner allow
    .init("detected dubious ownership", .foreignOwner, "git 2.39.5 setup.c"),
    .init("no space left on device", .remoteDiskFull, "strerror(ENOSPC)"),
    .init("disk quota exceeded", .remoteDiskFull, "strerror(EDQUOT)"),
    .init("read-only file system", .readOnly, "strerror(EROFS)"),
    .init("insufficient permission for adding an object", .readOnly, "git 2.39 object-file.c"),
    // Hosts
    .init("protected branch", .protectedBranch, "GitHub GH006, GitLab, Gitea"),
    .init("exceeds github's file size limit", .tooLarge, "GitHub GH001"),
    .init("large files detected", .tooLarge, "GitHub GH001"),
    .init("exceeds maximum allowed size", .tooLarge, "git 2.39 index-pack.c, unpack-objects.c"),
    .init("pack exceeds maximum", .tooLarge, "git 2.39 receive.maxInputSize"),
    .init("key you are authenticating with has been marked as read only", .readOnly, "GitHub"),
    .init("deploy key does not have write access", .readOnly, "Bitbucket, GitLab"),
    .init("you are not allowed to push", .readOnly, "GitLab"),
    .init("write access to repository not granted", .readOnly, "GitHub"),
    .init("permission to ", .readOnly, "GitHub over ssh"),
    .init("fatal: unrecognized command", .cannotCreate, "git 2.39 shell.c"),
    .init("is not enabled", .readOnly, "git 2.39 daemon.c: service not enabled"),
    // Repositories
    .init("access denied or repository not exported", .notFound, "git 2.39 daemon.c"),
    .init("repository not found", .notFound, "GitHub"),
    .init("could not be found", .notFound, "GitLab"),
    .init("does not appear to be a git repository", .notFound, "git 2.39 upload-pack.c"),
    .init("not a git repository", .notFound, "git 2.39 setup.c"),
    .init("' not found", .notFound, "git 2.39 remote-curl.c"),
    .init("does not exist", .notFound, "git 2.39 connect.c; GitLab"),
    .init("mismatched algorithms", .foreignFormat, "git 2.39 fetch-pack.c, send-pack.c"),
    .init("unknown object format", .foreignFormat, "git 2.39 connect.c"),
    .init("shallow update not allowed", .shallow, "git 2.39 receive-pack.c"),
    .init("permission denied", .readOnly, "strerror(EACCES)"),
    .init("unable to create temporary object directory", .readOnly, "git 2.39 receive-pack.c"),
    .init("' not allowed", .badAddress, "git 2.39 transport.c: protocol.allow"),
    .init("unable to find remote helper", .badAddress, "git 2.39 transport-helper.c"),
    // Says that something ended, not why: last.
    .init("broken pipe", .unreachable, "strerror(EPIPE)"),
    .init("unable to access", .unreachable, "git 2.39 http.c"),
    .init("early eof", .unreachable, "git 2.39 index-pack.c"),
    .init("the remote end hung up unexpectedly", .unreachable, "git 2.39 pkt-line.c"),
    .init("unexpected disconnect", .unreachable, "git 2.39 fetch-pack.c"),
    .init("remote failed to report status", .unreachable, "git 2.39 transport.c"),
  ]

  /// What a failed program's words mean; `nil` where none of them is known.
  static func reason(in text: String) -> ExchangeError.Reason? {
    let text = text.lowercased()
    return patterns.first { text.contains($0.words) }?.reason
  }

  /// What `push --porcelain` says in the parentheses of a refused reference, and what it means
  /// (git 2.39 receive-pack.c, send-pack.c, transport.c).
  static let refusals: [(words: String, meaning: PushRefusal)] = [
    ("protected branch", .failure(.protectedBranch)),
    ("hook declined", .failure(.rejectedByHook)),
    ("branch is currently checked out", .failure(.nonBareCheckedOut)),
    ("shallow update not allowed", .failure(.shallow)),
    ("fetch first", .raced), ("non-fast-forward", .raced), ("stale info", .raced),
    ("incorrect old value provided", .raced), ("reference already exists", .raced),
    ("failed to lock", .raced), ("cannot lock ref", .raced), ("failed to update ref", .raced),
    ("reference conflict due to concurrent update", .raced),
  ]

  enum PushRefusal {
    case raced
    case failure(ExchangeError.Reason)
  }

  /// What is worth showing of a program's last words: no progress, no advice, ten lines at most.
  static func lastLines(of text: String) -> [String] {
    // By scalars: a return and a newline together are one character.
    let lines = text.unicodeScalars.split(separator: "\n").compactMap { line -> String? in
      // Progress overwrites itself: what stands after the last return is what is left of it.
      var line = line.split(separator: "\r").last.map { String($0) } ?? ""
      while let last = line.last, last == " " || last == "\t" { line.removeLast() }
      let isNoise =
        line.isEmpty || line == "remote:" || line.hasPrefix("hint:")
        || line.hasPrefix("To ") || line.hasPrefix("From ") || isProgress(line)
      return isNoise ? nil : line
    }
    return Array(lines.suffix(10))
  }

  /// `Receiving objects:  12% (12/100)` and the like (git's progress.c), or what a remote says of it.
  private static func isProgress(_ line: String) -> Bool {
    let words = line.hasPrefix("remote: ") ? String(line.dropFirst(8)) : line
    let tasks = [
      "Enumerating objects:", "Counting objects:", "Compressing objects:", "Writing objects:",
      "Receiving objects:", "Resolving deltas:", "Unpacking objects:", "Total ",
      "Delta compression using ", "Checking connectivity:", "Updating files:",
      "Finding sources:", "Getting sizes:", "Pushing to ",
    ]
    return tasks.contains { words.hasPrefix($0) }
  }
}

extension RemoteWords.Pattern {
  init(_ words: String, _ reason: ExchangeError.Reason, _ source: String) {
    self.init(words: words, reason: reason, source: source)
  }
}

import VersoGit

/// One direction of a remote: its address, and how git is told of it.
struct RemoteSide: Sendable {
  enum Direction { case fetch, push }

  /// The remote's name; `nil` where it is known by its address alone.
  let name: String?
  let address: RemoteAddress
  /// The machine, where it is one that ssh goes to.
  let shell: SecureShell?
  let redaction: Redaction
  /// Settings for git; some must not be seen in a list of processes.
  private(set) var settings: [(key: String, value: String)] = []
  /// Variables of the environment that these settings read.
  private(set) var secretVariables: [String: String] = [:]

  init(
    _ remote: String, _ direction: Direction, git: GitProgram, shared: SharedConnection?
  ) throws(ExchangeError) {
    let known = git.settings
    let spelling = try Self.spelling(remote, direction, known)
    name = spelling.isName ? remote : nil
    address = try RemoteAddress(spelling.text)
    redaction = Redaction([(spelling.text, address)])
    if case .ssh(let target) = address.transport {
      shell = SecureShell(
        target: target, settings: known, surroundings: git.surroundings, shared: shared,
        directory: git.directory)
    } else {
      shell = nil
    }
    // A mirror pushes everything, or nothing at all (git-push(1)).
    if name != nil { settings.append(("remote.\(remote).mirror", "false")) }
    hideCredentials(configured: name, direction, known)
  }

  /// Whether pushing goes to the very address that is fetched from.
  static func isOne(_ remote: String, _ known: GitSettings) throws(ExchangeError) -> Bool {
    try spelling(remote, .fetch, known).text == spelling(remote, .push, known).text
  }

  /// The address as the settings or the user spell it, `url.*.insteadOf` applied.
  private static func spelling(
    _ remote: String, _ direction: Direction, _ known: GitSettings
  ) throws(ExchangeError) -> (text: String, isName: Bool) {
    let configured =
      direction == .fetch
      ? known.fetchAddress(ofRemote: remote) : known.pushAddress(ofRemote: remote)
    if let configured {
      guard known["remote.\(remote).vcs"] == nil else {
        throw ExchangeError(
          .badAddress, "the remote '\(remote)' is not used: it needs a program of its own")
      }
      return (configured, true)
    }
    let pushed = direction == .push ? known.rewritten(remote, by: "pushinsteadof") : nil
    let text = pushed ?? known.rewritten(remote)
    guard text != remote || remote.contains("/") || remote.contains(":") || remote.hasPrefix(".")
    else {
      throw ExchangeError(
        .unknownRemote, "there is no remote called '\(remote)'; 'git remote -v' lists them")
    }
    return (text, false)
  }

  /// Gives git the address without the password, and the password by a helper of its own.
  ///
  /// git starts `git-remote-https` with the address as an argument, which everybody on the machine can
  /// read; variables of the environment only this user can.
  private mutating func hideCredentials(
    configured remote: String?, _ direction: Direction, _ known: GitSettings
  ) {
    guard let credentials = address.credentials, case .web(let host) = address.transport else {
      return
    }
    if let remote {
      // What is in the file, whole, is longer than any other prefix of it.
      let urls = known.all("remote.\(remote).url")
      let pushed = direction == .push ? known.all("remote.\(remote).pushurl") : []
      if let url = (pushed + urls).first {
        settings.append(("url.\(address.text).insteadOf", url))
      }
    }
    let scheme = address.text.prefix { $0 != ":" }
    let key = "credential.\(scheme)://\(host).helper"
    let script =
      "!f() { test \"$1\" = get && "
      + "printf 'username=%s\\npassword=%s\\n' \"$VERSO_USERNAME\" \"$VERSO_PASSWORD\"; }; f"
    // An empty helper takes back those before it (gitcredentials(7)): none is to store this.
    settings += [(key, ""), (key, script)]
    secretVariables = [
      "VERSO_USERNAME": credentials.user, "VERSO_PASSWORD": credentials.password,
    ]
  }

  /// What stands for the remote on git's command line.
  var argument: String { name ?? address.text }

  /// Its machine or path, for people.
  var place: String {
    switch address.transport {
    case .path(let path): path
    case .ssh(let target): target.host
    case .web(let host): host
    case .daemon: address.text
    }
  }
}

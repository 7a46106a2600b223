import Glibc
import VersoGit
import VersoModel

/// A connection that several exchanges use, one after the other (ssh_config(5), `ControlMaster`).
package struct SharedConnection: Hashable, Sendable {
  /// A folder of this user's alone (0700) for the sockets; looked at again before each use.
  package var folder: String
  /// Seconds that the connection stays open without use.
  package var seconds: Int

  package init(folder: String, seconds: Int = 60) {
    self.folder = folder
    self.seconds = seconds
  }
}

/// The ssh command that git would use for one machine, and what Verso adds to it.
///
/// `GIT_SSH_COMMAND`, `core.sshCommand` and `GIT_SSH` count in git's own order (git(1)). Options are
/// appended only to what is OpenSSH by its name or by `ssh.variant`; a wrapper is left as it is, and
/// cannot ask either, as it has no terminal.
struct SecureShell: Sendable {
  /// What git would run, as text for a shell.
  let command: String
  let takesOptions: Bool
  let target: SecureShellTarget
  /// Where ssh runs. A connection that stays open keeps this folder in use, so it is one of the user's
  /// only where the user's own command may name files from there.
  let directory: String
  private let isUsersOwn: Bool
  private let surroundings: Surroundings
  /// What `ssh -G` says; empty where it could not be asked.
  private var configuration: [String: String] = [:]
  /// Where the shared connection listens; `nil` without one.
  private(set) var controlPath: String?
  private var persistence = 60

  init(
    target: SecureShellTarget, settings: GitSettings, surroundings: Surroundings,
    shared: SharedConnection?, directory: String
  ) {
    self.target = target
    self.surroundings = surroundings
    let given = surroundings["GIT_SSH_COMMAND"] ?? settings["core.sshcommand"]
    let program = surroundings["GIT_SSH"].map { ShellText.quote($0) }
    isUsersOwn = (given ?? program) != nil
    self.directory = isUsersOwn ? directory : "/"
    command = given ?? program ?? "ssh"
    takesOptions = Self.isOpenSSH(
      command, variant: surroundings["GIT_SSH_VARIANT"] ?? settings["ssh.variant"])
    guard takesOptions else { return }
    let listing = ask(["-G"] + target.arguments, limit: 5) ?? []
    for line in listing.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard parts.count == 2 else { continue }
      configuration[String(decoding: parts[0], as: UTF8.self)] =
        String(decoding: parts[1], as: UTF8.self)
    }
    if let shared, !listing.isEmpty {
      controlPath = usablePath(in: shared.folder, listing: listing)
      persistence = shared.seconds
    }
  }

  private static func isOpenSSH(_ command: String, variant: String?) -> Bool {
    // What comes after such a character need not be an argument of ssh.
    if command.utf8.contains(where: { ";|&<>()#`\n".utf8.contains($0) }) { return false }
    if let variant, variant != "auto" { return variant == "ssh" }
    let word = command.prefix { $0 != " " && $0 != "\t" }.filter { $0 != "'" && $0 != "\"" }
    return word.split(separator: "/").last == "ssh"
  }

  /// Runs the command by itself; `nil` where it fails or takes too long.
  private func ask(_ arguments: [String], limit: Double) -> [UInt8]? {
    let words = arguments.map { Subprocess.Argument(Array($0.utf8)) }
    let isPlain = command == "ssh"
    let program = Subprocess(
      isPlain ? "ssh" : "sh",
      isPlain ? words : ["-c", .init(Array("exec \(command) \"$@\"".utf8)), "sh"] + words,
      environment: surroundings.changes, directory: directory, timeLimit: limit)
    do throws(SubprocessError) {
      let result = try program.run()
      return result.succeeded ? result.output : nil
    } catch {
      return nil  // No ssh: git will say so in a moment.
    }
  }

  // MARK: The shared connection

  /// ssh binds the socket under the name with a dot and 16 characters more, then renames it
  /// (OpenSSH's mux.c); 108 bytes with the NUL are the limit of such an address (unix(7)).
  private static let pathLimit = 108 - 1 - 17

  private func usablePath(in folder: String, listing: [UInt8]) -> String? {
    // The user shares connections already, or has said that there is to be none.
    guard configuration["controlpath"] == nil, configuration["controlmaster"] == "false" else {
      return nil
    }
    // Whatever the configuration says of this machine is part of the name: another key or jump host
    // never goes over a connection that was made without.
    let name = FNV.digits(of: Array("\(command)\n\(target.arguments)\n".utf8) + listing)
    let path = "\(folder)/ssh-\(name)"
    guard path.utf8.count <= Self.pathLimit, path.utf8.allSatisfy(Self.isPlain) else { return nil }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), status.st_mode & 0o077 == 0
    else { return nil }
    return path
  }

  /// What neither the shell nor ssh's own `%` and quotes change.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/._+-".utf8.contains(byte)
    }
  }

  /// Whether somebody has left an open connection, so far as its socket tells.
  var isShared: Bool {
    guard let controlPath else { return false }
    var status = stat()
    return lstat(controlPath, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Whether the open connection answers.
  var isConnected: Bool { isShared && control("check") }

  private func control(_ order: String) -> Bool {
    guard let controlPath else { return false }
    let words = ["-o", "ControlPath=\(controlPath)", "-O", order, target.destination]
    return ask(words, limit: 2) != nil
  }

  /// Closes the shared connection, also one that does not answer any more.
  func disconnect() {
    guard isShared, let controlPath, !control("exit") else { return }
    // The name goes, so that nobody connects to what does not answer; ssh ends by itself when its
    // server has been silent for long enough.
    unlink(controlPath)
  }

  // MARK: What git is given

  /// The command with Verso's options; `nil` where git is to use its own.
  ///
  /// - Parameter sharing: Whether to make or use the shared connection.
  func fullCommand(connect: Double, mayAsk: Bool, sharing: Bool) -> String? {
    guard takesOptions else { return nil }
    var options: [String] = []
    if !mayAsk { options.append("BatchMode=yes") }
    let limit = max(1, Int(connect.rounded(.up)))
    let own = configuration["connecttimeout"].flatMap { Int($0) }
    if own.map({ $0 > limit }) ?? true { options.append("ConnectTimeout=\(limit)") }
    // A connection whose other end is gone is noticed after 45 seconds, also a shared one.
    if configuration["serveraliveinterval"] ?? "0" == "0" {
      options.append("ServerAliveInterval=15")
    }
    if sharing, let controlPath {
      // Forwarded ports are for the user's own sessions, and would stay taken.
      options += [
        "ControlMaster=auto", "ControlPersist=\(persistence)", "ControlPath=\(controlPath)",
        "ClearAllForwardings=yes",
      ]
    }
    return ([command] + options.map { "-o \($0)" }).joined(separator: " ")
  }

  /// The command to type for a first look at the machine; `nil` where only git can say.
  var byHand: String? {
    guard takesOptions else { return nil }
    return ([command, "-T"] + target.arguments.map { ShellText.quote($0) }).joined(separator: " ")
  }

  /// Runs a command on the other machine by way of a shell there.
  func remoteCommand(
    _ text: String, connect: Double, mayAsk: Bool
  ) -> (program: String, arguments: [String]) {
    let full = fullCommand(connect: connect, mayAsk: mayAsk, sharing: true) ?? command
    return ("sh", ["-c", "exec \(full) \"$@\"", "sh"] + target.arguments + [text])
  }
}

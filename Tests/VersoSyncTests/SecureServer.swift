import Foundation
import Glibc
import VersoSync
import VersoTestSupport

/// A real sshd on the loopback, with a host key, a user key and a client's configuration of its own.
///
/// `notesbox` is the server's name in that configuration.
final class SecureServer {
  let desk: RemoteDesk
  let port: Int
  private let server: Background
  private let user: String

  /// Tells git to use the private configuration.
  var environment: [String: String?] { ["GIT_SSH_COMMAND": "ssh -F \(path("config"))"] }

  /// - Parameter command: What the account is limited to; the shell's `$SSH_ORIGINAL_COMMAND` is
  ///   what was asked for.
  init(_ desk: RemoteDesk, only command: String? = nil) throws {
    self.desk = desk
    port = try Listener.freePort()
    guard let entry = getpwuid(getuid()) else { throw Failure("no user") }
    user = String(cString: entry.pointee.pw_name)
    try desk.scratch.write("", to: "ssh/known_hosts")
    for key in ["host", "key", "other"] {
      try run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", desk.scratch.at("ssh/\(key)")])
    }
    let limit = command.map { "restrict,command=\"\($0)\" " } ?? ""
    try desk.scratch.write(
      limit + (desk.scratch.text(of: "ssh/key.pub") ?? ""), to: "ssh/authorized")
    let folder = desk.scratch.at("ssh")
    try desk.scratch.write(
      """
      Port \(port)
      ListenAddress 127.0.0.1
      HostKey \(folder)/host
      AuthorizedKeysFile \(folder)/authorized
      PidFile none
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin prohibit-password
      AcceptEnv GIT_PROTOCOL
      LogLevel VERBOSE
      """, to: "ssh/server")
    // Where sshd, as root, locks up its unprivileged part; Debian makes it at boot.
    if getuid() == 0 { mkdir("/run/sshd", 0o755) }
    server = try Background(
      ["/usr/sbin/sshd", "-D", "-e", "-f", "\(folder)/server"], log: "\(folder)/log")
    let port = self.port
    try eventually("sshd listens") { Listener.answers(port) }
    try trust("host")
    try configure()
  }

  /// A server, and a vault `a` whose remote is there.
  static func withVault() throws -> (desk: RemoteDesk, server: SecureServer) {
    let desk = try RemoteDesk()
    let server = try SecureServer(desk)
    try desk.vault("a", remote: "notesbox:\(desk.bare)")
    return (desk, server)
  }

  func path(_ name: String) -> String { desk.scratch.at("ssh/\(name)") }

  /// Makes a key the one that the client knows of the server.
  func trust(_ key: String?) throws {
    let line = key.flatMap { desk.scratch.text(of: "ssh/\($0).pub") }.map {
      "[127.0.0.1]:\(port) \($0)"
    }
    try desk.scratch.write(line ?? "", to: "ssh/known_hosts")
  }

  /// Writes the client's configuration.
  func configure(key: String? = "key", extra: String = "", more: String = "") throws {
    let identity = key.map { "IdentityFile \(path($0))\n  IdentitiesOnly yes" } ?? ""
    try desk.scratch.write(
      """
      Host notesbox
        HostName 127.0.0.1
        Port \(port)
        User \(user)
      \(extra.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
      \(more)
      Host *
        HostName 127.0.0.1
        User \(user)
        \(identity)
        UserKnownHostsFile \(path("known_hosts"))
        GlobalKnownHostsFile /dev/null
        UpdateHostKeys no

      """, to: "ssh/config")
  }

  /// How often somebody was let in.
  var logins: Int { server.words.components(separatedBy: "Accepted publickey").count - 1 }

  /// A folder for shared connections, short enough for their sockets.
  func sharedFolder() throws -> String {
    try desk.scratch.write("", to: "run/.keep")
    chmod(desk.scratch.at("run"), 0o700)
    unlink(desk.scratch.at("run/.keep"))
    return desk.scratch.at("run")
  }
}

import Foundation
import Glibc
import Testing
import VersoModel
import VersoSync
import VersoTestSupport

@Suite struct ExchangeSecureShellTests {
  let desk: RemoteDesk
  let server: SecureServer

  init() throws { (desk, server) = try SecureServer.withVault() }

  private func exchange(
    limits: ExchangeLimits = ExchangeLimits(), remote: String = "origin",
    shared: SharedConnection? = nil, environment: [String: String?] = [:]
  ) throws -> Exchange {
    try desk.exchange(
      remote: remote, limits: limits, shared: shared,
      environment: server.environment.merging(environment) { $1 })
  }

  @Test(arguments: ["short", "url", "core.sshCommand"])
  func `a host alias and its key are those of the user's ssh`(form: String) throws {
    var environment = server.environment
    switch form {
    case "url":
      try desk.scratch.git(
        "-C", "a", "remote", "set-url", "origin", "ssh://notesbox\(desk.bare)")
    case "core.sshCommand":
      environment = ["GIT_SSH_COMMAND": nil]
      try desk.scratch.git(
        "-C", "a", "config", "core.sshCommand", "ssh -F \(server.path("config"))")
    default: break
    }
    let commit = try desk.commit("one")
    let exchange = try desk.exchange(environment: environment)
    #expect(try exchange.tips().isEmpty)
    #expect(try exchange.push(commit) == .pushed)
    #expect(try exchange.fetch() == Fetched(before: nil, after: commit))
    #expect(try exchange.tip() == commit)
    #expect(server.logins == 4)
  }

  @Test func `a key that the server does not know is said, with what to run by hand`() throws {
    try server.configure(key: "other")
    let error = try failure { try exchange().tips() }
    #expect(error.reason == .authentication)
    #expect(error.byHand == "ssh -F \(server.path("config")) -T notesbox")
    #expect(error.message.contains("notesbox"))
    #expect(!error.isTransient)
  }

  @Test func `a key with a passphrase asks nobody`() throws {
    try run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", server.path("key")])
    let askpass = try desk.shim("askpass", "touch \(desk.scratch.at("asked")); echo secret")
    let error = try failure {
      try exchange(
        environment: askpass.merging([
          "SSH_ASKPASS": desk.scratch.at("bin/askpass"), "SSH_ASKPASS_REQUIRE": "force",
          "GIT_ASKPASS": desk.scratch.at("bin/askpass"), "DISPLAY": ":0",
        ]) { $1 }
      ).tips()
    }
    #expect(error.reason == .authentication)
    #expect(desk.scratch.bytes(of: "asked") == nil)
  }

  @Test func `a host that ssh does not know yet, and one with another key, are told apart`() throws
  {
    try server.trust(nil)
    let unknown = try failure { try exchange().tips() }
    #expect(unknown.reason == .hostKeyUnknown)
    #expect(unknown.byHand != nil)
    #expect(desk.scratch.text(of: "ssh/known_hosts") == "")
    try server.trust("other")
    #expect(try failure { try exchange().tips() }.reason == .hostKeyChanged)
  }

  @Test func `keys come from the user's agent`() throws {
    try server.configure(key: nil)
    let socket = desk.scratch.at("agent")
    let agent = try Background(
      ["ssh-agent", "-D", "-a", socket], log: desk.scratch.at("agent.log"))
    try eventually("the agent listens") { access(socket, F_OK) == 0 }
    try run(["ssh-add", "-q", server.path("key")], environment: ["SSH_AUTH_SOCK": socket])
    unlink(server.path("key"))
    #expect(try exchange(environment: ["SSH_AUTH_SOCK": socket]).tips().isEmpty)
    #expect(try failure { try exchange().tips() }.reason == .authentication)
    withExtendedLifetime(agent) {}
  }

  @Test func `a jump host is gone through`() throws {
    try server.configure(more: "Host behind\n  Port \(server.port)\n  ProxyJump notesbox\n")
    // ProxyJump starts another ssh, to which -F is passed on.
    #expect(try exchange(remote: "behind:\(desk.bare)").tips().isEmpty)
    #expect(server.logins == 2)
  }

  @Test func `a machine that takes the connection and never answers is given up`() throws {
    let silent = try Listener()
    let clock = ContinuousClock()
    let start = clock.now
    let error = try failure {
      try exchange(
        limits: ExchangeLimits(connect: 1), remote: "ssh://127.0.0.1:\(silent.port)/notes.git"
      ).tips()
    }
    #expect(error.reason == .timedOut(.connecting))
    #expect(error.isTransient)
    #expect(clock.now - start < .seconds(15))
    try eventually("git and ssh end") { processes(with: ":\(silent.port)/notes.git").isEmpty }
  }

  @Test func `a proxy command that hangs is ended with ssh`() throws {
    try server.configure(more: "Host stuck\n  ProxyCommand sleep 98761\n")
    let error = try failure {
      try exchange(limits: ExchangeLimits(connect: 1), remote: "stuck:notes.git").tips()
    }
    #expect(error.reason == .timedOut(.connecting))
    try eventually("the proxy command ends") { processes(with: "sleep 98761").isEmpty }
  }

  @Test func `a server that stops in the middle is given up, and nothing is left running`() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let environment: [String: String?] = [
      // Not ssh by its name: left as it is.
      "GIT_SSH_COMMAND": "\(desk.scratch.at("bin/wrapper")) 98762"
    ]
    _ = try desk.shim("wrapper", "sleep 98762 & sleep 98762")
    let error = try failure {
      try exchange(
        limits: ExchangeLimits(connect: 1, stall: 1), environment: environment
      ).tips()
    }
    #expect(error.reason == .timedOut(.connecting))
    #expect(clock.now - start < .seconds(15))
    try eventually("all of it ends") { processes(with: "sleep 98762").isEmpty }
  }

  @Test func `nobody listening, and a name that is none, are unreachable`() throws {
    let port = try Listener.freePort()
    let refused = try failure {
      try exchange(remote: "ssh://127.0.0.1:\(port)/notes.git").tips()
    }
    #expect(refused.reason == .unreachable)
    #expect(refused.isTransient)
    try server.configure(more: "Host nowhere\n  HostName nowhere.invalid\n")
    #expect(try failure { try exchange(remote: "nowhere:x").tips() }.reason == .unreachable)
  }

  @Test func `no repository at that path is no network failure`() throws {
    let error = try failure { try exchange(remote: "notesbox:\(desk.bare)x").tips() }
    #expect(error.reason == .notFound)
  }

  @Test func `a hook's words come over ssh`() throws {
    try desk.hook("pre-receive", "echo 'Closed on Sundays.' >&2; exit 1")
    let commit = try desk.commit("one")
    let error = try failure { try exchange().push(commit) }
    #expect(error.reason == .rejectedByHook)
    #expect(error.detail.contains("remote: Closed on Sundays."))
  }

  @Test func `a repository is made over ssh, once, and nothing is made over other things`() throws {
    let path = desk.scratch.at("new place/it's notes.git")
    let remote = "notesbox:\(path)"
    let commit = try desk.commit("one")
    let new = try exchange(remote: remote)
    try new.createRepository()
    #expect(try new.tips().isEmpty)
    #expect(try desk.scratch.git("-C", path, "symbolic-ref", "HEAD") == "refs/heads/main")
    #expect(try new.push(commit) == .pushed)
    try new.createRepository()
    #expect(try new.tips().branch == commit)
    try desk.scratch.write("mine", to: "full/file")
    let error = try failure {
      try exchange(remote: "notesbox:\(desk.scratch.at("full"))").createRepository()
    }
    #expect(error.reason == .occupied)
    #expect(try run(["ls", "-A", desk.scratch.at("full")]).text == "file\n")
  }
}

@Suite struct ExchangeAccountTests {
  @Test func `an account that may run git's own commands alone makes no repository`() throws {
    let desk = try RemoteDesk()
    let server = try SecureServer(desk, only: "git-shell -c \\\"$SSH_ORIGINAL_COMMAND\\\"")
    try desk.vault("a", remote: "notesbox:\(desk.scratch.at("new.git"))")
    let error = try failure {
      try desk.exchange(environment: server.environment).createRepository()
    }
    #expect(error.reason == .cannotCreate)
  }

  @Test(.enabled(if: getuid() == 0)) func `an account that may only read is named as that`() throws
  {
    let desk = try RemoteDesk()
    chmod(desk.scratch.path, 0o755)
    let reader =
      "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "
      + "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=* "
      + "sh -c \\\"$SSH_ORIGINAL_COMMAND\\\""
    let server = try SecureServer(desk, only: reader)
    try desk.vault("a", remote: "notesbox:\(desk.bare)")
    let commit = try desk.commit("one")
    let exchange = try desk.exchange(environment: server.environment)
    #expect(try exchange.tips().isEmpty)
    let error = try failure { try exchange.push(commit) }
    #expect(error.reason == .readOnly)
    #expect(!error.isTransient)
  }

  @Test(.enabled(if: getuid() == 0)) func `another user's folder is named with safe.directory`()
    throws
  {
    let desk = try RemoteDesk()
    chmod(desk.scratch.path, 0o755)
    let reader =
      "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "
      + "sh -c \\\"$SSH_ORIGINAL_COMMAND\\\""
    let server = try SecureServer(desk, only: reader)
    try desk.vault("a", remote: "notesbox:\(desk.bare)")
    let error = try failure { try desk.exchange(environment: server.environment).tips() }
    #expect(error.reason == .foreignOwner)
    #expect(error.message.contains("safe.directory"))
  }

  @Test(.enabled(if: getuid() == 0)) func `a full disk at the remote is the remote's`() throws {
    let desk = try RemoteDesk(makingRemote: false)
    try desk.scratch.write("", to: "small/x")
    let small = desk.scratch.at("small")
    let mounted = try run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", small])
    guard mounted.status == 0 else { return }
    defer { _ = try? run(["umount", "-l", small]) }
    try desk.scratch.git("init", "-q", "--bare", "small/remote.git")
    let server = try SecureServer(desk)
    try desk.vault("a", remote: "notesbox:\(small)/remote.git")
    var generator = SeededGenerator(seed: 1)
    let noise = (0..<40_000).map { _ in String(generator.next(), radix: 36) }
    let commit = try desk.commit(noise.joined(separator: "\n"))
    let exchange = try desk.exchange(environment: server.environment)
    #expect(try failure { try exchange.push(commit) }.reason == .remoteDiskFull)
    let here = try desk.exchange(remote: "\(small)/remote.git")
    #expect(try failure { try here.push(commit) }.reason == .remoteDiskFull)
  }
}

import Foundation
import Glibc
import Testing
import VersoModel
import VersoSync
import VersoTestSupport

@Suite struct SharedConnectionTests {
  let desk: RemoteDesk
  let server: SecureServer

  init() throws { (desk, server) = try SecureServer.withVault() }

  private func exchange(
    _ folder: String, limits: ExchangeLimits = ExchangeLimits(connect: 3), seconds: Int = 60
  ) throws -> Exchange {
    try desk.exchange(
      limits: limits, shared: SharedConnection(folder: folder, seconds: seconds),
      environment: server.environment)
  }

  /// The names in a folder.
  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  /// The process that keeps a connection open.
  private func master(_ folder: String) throws -> Int32 {
    let name = try #require(try names(in: folder).first)
    let outcome = try run([
      "ssh", "-F", server.path("config"), "-o", "ControlPath=\(folder)/\(name)", "-O", "check",
      "notesbox",
    ])
    return try #require(Int32(outcome.error.filter(\.isNumber)))
  }

  @Test func `one connection serves all, from the folder that was given, until it is closed`()
    throws
  {
    let folder = try server.sharedFolder()
    let commit = try desk.commit("one")
    let first = try exchange(folder)
    #expect(!first.isConnected)
    #expect(try first.push(commit) == .pushed)
    #expect(first.isConnected)
    let name = try #require(try names(in: folder).first)
    var status = stat()
    #expect(lstat("\(folder)/\(name)", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFSOCK)
    #expect(status.st_mode & 0o077 == 0)
    // Another process comes with an exchange of its own.
    let second = try exchange(folder)
    #expect(try second.fetch().after == commit)
    #expect(try second.tip() == commit)
    #expect(try second.tips().branch == commit)
    #expect(server.logins == 1)
    // A connection that stays open keeps no folder of the user's in use.
    let process = try master(folder)
    let place = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
    #expect(!place.hasPrefix(desk.scratch.at("home")))
    second.disconnect()
    try eventually("the connection is closed") { kill(process, 0) != 0 }
    #expect(!first.isConnected)
    #expect(try names(in: folder).isEmpty)
  }

  @Test func `a connection that is not used closes by itself`() throws {
    let folder = try server.sharedFolder()
    let exchange = try exchange(folder, seconds: 1)
    #expect(try exchange.tips().isEmpty)
    try eventually("the connection closes") { try names(in: folder).isEmpty }
  }

  @Test func `a connection that hangs is left for a new one`() throws {
    let folder = try server.sharedFolder()
    let exchange = try exchange(folder)
    #expect(try exchange.tips().isEmpty)
    let process = try master(folder)
    kill(process, SIGSTOP)
    defer { kill(process, SIGKILL) }
    let commit = try desk.commit("one")
    #expect(try exchange.push(commit) == .pushed)
    #expect(server.logins == 2)
    #expect(try exchange.fetch().after == commit)
    exchange.disconnect()
  }

  @Test func `a connection whose process died is left for a new one`() throws {
    let folder = try server.sharedFolder()
    let exchange = try exchange(folder)
    #expect(try exchange.tips().isEmpty)
    kill(try master(folder), SIGKILL)
    #expect(try exchange.tips().isEmpty)
    #expect(server.logins == 2)
    exchange.disconnect()
  }

  @Test func `the user's own shared connection is used, and no other is made`() throws {
    let folder = try server.sharedFolder()
    let own = desk.scratch.at("own")
    try server.configure(
      extra: "ControlMaster auto\nControlPath \(own)\nControlPersist 30")
    let exchange = try exchange(folder)
    #expect(try exchange.tips().isEmpty)
    #expect(try exchange.tips().isEmpty)
    #expect(server.logins == 1)
    #expect(try names(in: folder).isEmpty)
    try run(
      ["ssh", "-F", server.path("config"), "-O", "exit", "notesbox"])
  }

  @Test(arguments: ["open to others", "too long", "a space", "a link", "missing", "another's"])
  func `a folder that will not do means no shared connection, and no failure`(flaw: String) throws {
    var folder = try server.sharedFolder()
    switch flaw {
    case "open to others": chmod(folder, 0o750)
    case "too long":
      folder = desk.scratch.at(String(repeating: "x", count: 80))
      mkdir(folder, 0o700)
    case "a space":
      folder = desk.scratch.at("r n")
      mkdir(folder, 0o700)
    case "a link":
      symlink(folder, desk.scratch.at("link"))
      folder = desk.scratch.at("link")
    case "missing": rmdir(folder)
    default:
      guard getuid() == 0 else { return }
      chown(folder, 65534, 65534)
    }
    let exchange = try exchange(folder)
    #expect(try exchange.tips().isEmpty)
    #expect(!exchange.isConnected)
    #expect(try exchange.tips().isEmpty)
    #expect(server.logins == 2)
  }

  @Test func `another configuration never goes over an older connection`() throws {
    let folder = try server.sharedFolder()
    let first = try exchange(folder)
    #expect(try first.tips().isEmpty)
    defer { first.disconnect() }
    try server.configure(key: "other")
    #expect(try failure { try exchange(folder).tips() }.reason == .authentication)
  }
}

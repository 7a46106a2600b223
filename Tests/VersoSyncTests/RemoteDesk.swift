import Glibc
import VersoGit
import VersoModel
import VersoSync
import VersoTestSupport

/// A bare repository, and vaults that exchange with it.
struct RemoteDesk {
  let scratch: Scratch
  /// The path of the bare repository.
  var bare: String { scratch.at("remote.git") }
  /// What git and ssh see beside the test's own environment.
  var environment: [String: String?]

  init(makingRemote: Bool = true) throws {
    scratch = try Scratch("verso-exchange")
    environment = [
      "HOME": scratch.at("home"), "GIT_CONFIG_GLOBAL": nil, "GIT_CONFIG_NOSYSTEM": "1",
      "GIT_SSH_COMMAND": nil, "SSH_AUTH_SOCK": nil, "XDG_CONFIG_HOME": nil, "GIT_SSH": nil,
    ]
    try scratch.write("", to: "home/.gitconfig")
    if makingRemote { try scratch.git("init", "-q", "--bare", "-b", "main", "remote.git") }
  }

  /// Makes a repository `name` with a remote `origin`.
  func vault(_ name: String = "a", remote: String? = nil) throws {
    try scratch.git("init", "-q", "-b", "main", name)
    try scratch.git("-C", name, "remote", "add", "origin", remote ?? bare)
  }

  /// Commits a file.
  @discardableResult
  func commit(_ text: String, to file: String = "note.md", in name: String = "a") throws -> ObjectID
  {
    try scratch.write(text, to: "\(name)/\(file)")
    try scratch.git("-C", name, "add", "-A")
    try scratch.git("-C", name, "commit", "-q", "-m", "Edit \(file)")
    return try id("HEAD", in: name)
  }

  func id(_ revision: String, in name: String) throws -> ObjectID {
    let text = try scratch.git("-C", name, "rev-parse", "--verify", revision)
    guard let id = ObjectID(hex: text) else { throw Failure("\(revision) is \(text)") }
    return id
  }

  /// What a reference of the bare repository is; `nil` where it is not there.
  func remoteTip(_ branch: String = "main") throws -> ObjectID? {
    let outcome = try run([
      "git", "-C", bare, "rev-parse", "-q", "--verify", "refs/heads/\(branch)",
    ])
    return ObjectID(hex: String(outcome.text.prefix(40)))
  }

  func exchange(
    _ name: String = "a", remote: String = "origin", branch: String = "main",
    limits: ExchangeLimits = ExchangeLimits(), shared: SharedConnection? = nil,
    environment: [String: String?] = [:], progress: (@Sendable (String) -> Void)? = nil,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) throws -> Exchange {
    try Exchange(
      gitDirectory: scratch.at("\(name)/.git"), workTree: scratch.at(name), remote: remote,
      branch: branch, limits: limits, shared: shared,
      environment: self.environment.merging(environment) { $1 }, progress: progress,
      isCancelled: isCancelled)
  }

  /// Puts a hook into the bare repository.
  func hook(_ name: String, _ script: String) throws {
    try scratch.write("#!/bin/sh\n\(script)\n", to: "remote.git/hooks/\(name)")
    chmod(scratch.at("remote.git/hooks/\(name)"), 0o755)
  }

  /// A program put before all others in `PATH`.
  func shim(_ name: String, _ script: String) throws -> [String: String?] {
    try scratch.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
    chmod(scratch.at("bin/\(name)"), 0o755)
    return ["PATH": "\(scratch.at("bin")):\(hermeticEnvironment["PATH"] ?? "/usr/bin:/bin")"]
  }
}

/// The failure that `body` throws.
func failure(_ body: () throws -> some Any) throws -> ExchangeError {
  do { _ = try body() } catch let error as ExchangeError { return error }
  throw Failure("it succeeded")
}

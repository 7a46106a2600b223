import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// Runs programs as the product does.
struct TestRunner: ProgramRunner {
  /// Set in addition to what the request asks for.
  var environment: [String: String] = [:]

  func run(_ request: ProgramRequest) -> ProgramOutcome {
    var request = request
    for (name, value) in hermeticEnvironment.merging(environment, uniquingKeysWith: { $1 })
    where request.environment[name] == nil { request.environment[name] = value }
    return Programs().run(request)
  }
}

@Suite struct `Signing` {
  private let desk: ObjectDesk
  private let stamp = CommitStamp(
    name: "Ada", email: "ada@example.invalid", time: ZonedTime(seconds: 1_700_000_000, zone: 0))

  init() throws {
    desk = try ObjectDesk()
    try desk.scratch.git("config", "commit.gpgSign", "true")
    try desk.scratch.write("", to: ".git/verso/here")
  }

  private func makeKey(passphrase: String = "") throws {
    let made = try run(
      ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "ada", "-f", "key"],
      in: desk.scratch.path)
    #expect(made.status == 0, "\(made.error)")
    let key = try #require(desk.scratch.text(of: "key.pub"))
    try desk.scratch.write("ada@example.invalid \(key)", to: "allowed")
    try desk.scratch.git("config", "gpg.format", "ssh")
    try desk.scratch.git("config", "gpg.ssh.allowedSignersFile", desk.scratch.at("allowed"))
    try desk.scratch.git("config", "user.signingKey", desk.scratch.at("key"))
  }

  private func text() throws -> CommitText {
    let writer = desk.loose()
    _ = try writer.write(.tree, [])
    try writer.finish()
    return CommitText(
      tree: .emptyTree, parents: [], author: stamp, committer: stamp, message: "signed\n\nbody")
  }

  private func sign(
    _ text: CommitText, environment: [String: String] = [:]
  ) throws -> Signer.Outcome {
    let repository = try Repository(at: desk.scratch.path)
    let signer = try #require(try Signer.configured(in: repository))
    return signer.sign(
      text.bytes(), committer: stamp, folder: Array(desk.scratch.at(".git/verso").utf8),
      store: SystemFileStore(), runner: TestRunner(environment: environment))
  }

  private func commit(_ text: CommitText, _ signature: [UInt8]) throws -> ObjectID {
    let writer = desk.loose()
    let id = try writer.write(.commit, text.bytes(signature: signature))
    try writer.finish()
    return id
  }

  private func expectGood(_ id: ObjectID) throws {
    let outcome = try run(["git", "verify-commit", id.hex], in: desk.scratch.path)
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.error.contains("Good \"git\" signature for ada@example.invalid"))
    try desk.expectSound()
  }

  @Test func `with an SSH key is good to git`() throws {
    try makeKey()
    let text = try text()
    guard case .signature(let signature) = try sign(text) else {
      Issue.record("not signed")
      return
    }
    try expectGood(try commit(text, signature))
  }

  @Test func `with a key of the agent, given as text, is good to git`() throws {
    try makeKey()
    // The agent stays behind as a daemon: with a descriptor of ours it would keep `run` waiting.
    let detached = """
      for f in /proc/$$/fd/*; do n=${f##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done
      exec ssh-agent -s -a "$1"
      """
    let agent = try run(["bash", "-c", detached, "agent", desk.scratch.at("agent")])
    let assignment = try #require(
      agent.text.split(separator: ";").first { $0.contains("SSH_AGENT_PID=") })
    let number = try #require(assignment.split(separator: "=").last.flatMap { pid_t($0) })
    // Threads of a test run block signals, and what they start inherits that: only this one reaches it.
    defer { #expect(kill(number, SIGKILL) == 0) }
    let environment = ["SSH_AUTH_SOCK": desk.scratch.at("agent")]
    let added = try run(
      ["ssh-add", "-q", "key"], in: desk.scratch.path, environment: environment)
    #expect(added.status == 0, "\(added.error)")
    let key = try #require(desk.scratch.text(of: "key.pub"))
    try desk.scratch.git("config", "user.signingKey", "key::" + key.prefix { $0 != "\n" })
    let text = try text()
    guard case .signature(let signature) = try sign(text, environment: environment) else {
      Issue.record("not signed")
      return
    }
    try expectGood(try commit(text, signature))
  }

  @Test func `with a key that needs a passphrase is refused at once, with a reason`() throws {
    try makeKey(passphrase: "secret words")
    let start = ContinuousClock.now
    guard case .refused(let reason) = try sign(try text()) else {
      Issue.record("signed without the passphrase")
      return
    }
    #expect(reason.hasPrefix("ssh-keygen: "))
    #expect(ContinuousClock.now - start < .seconds(Signer.limit))
  }

  @Test func `by a program that does not end is given up`() throws {
    try makeKey()
    let program = try desk.scratch.write("#!/bin/sh\nsleep 60\n", to: "slow")
    _ = try run(["chmod", "+x", program])
    try desk.scratch.git("config", "gpg.ssh.program", program)
    guard case .refused(let reason) = try sign(try text()) else {
      Issue.record("signed by a program that sleeps")
      return
    }
    #expect(reason.contains("too long"))
  }

  @Test func `by a program that is not there is refused`() throws {
    try makeKey()
    try desk.scratch.git("config", "gpg.ssh.program", "/nonexistent/signer")
    guard case .refused(let reason) = try sign(try text()) else {
      Issue.record("signed by nothing")
      return
    }
    #expect(reason.contains("/nonexistent/signer"))
  }

  @Test func `with OpenPGP believes only a program that says it signed`() throws {
    let silent = try desk.scratch.write("#!/bin/sh\ncat >/dev/null\necho signature\n", to: "silent")
    let honest = try desk.scratch.write(
      "#!/bin/sh\ncat >/dev/null\nprintf 'sig\\r\\n'\n"
        + "echo; echo '[GNUPG:] SIG_CREATED D' >&2\necho \"$@\" > \(desk.scratch.at("arguments"))\n",
      to: "honest")
    _ = try run(["chmod", "+x", silent, honest])
    try desk.scratch.git("config", "gpg.program", silent)
    guard case .refused = try sign(try text()) else {
      Issue.record("believed a program that said nothing")
      return
    }
    try desk.scratch.git("config", "gpg.program", honest)
    guard case .signature(let signature) = try sign(try text()) else {
      Issue.record("did not believe a program that signed")
      return
    }
    #expect(!signature.contains(0x0D))
    let arguments = try #require(desk.scratch.text(of: "arguments"))
    #expect(arguments.contains("--batch"))
    #expect(arguments.contains("-bsau Ada <ada@example.invalid>"))
  }

  @Test func `happens only where it is asked for`() throws {
    func signer() throws -> Signer? {
      try Signer.configured(in: Repository(at: desk.scratch.path))
    }
    #expect(try signer() != nil)
    try desk.scratch.git("config", "verso.sign", "never")
    #expect(try signer() == nil)
    try desk.scratch.git("config", "verso.sign", "auto")
    #expect(try signer() != nil)
    try desk.scratch.git("config", "gpg.format", "wax")
    #expect(throws: GitError.self) { try signer() }
    try desk.scratch.git("config", "commit.gpgSign", "false")
    #expect(try signer() == nil)
  }
}

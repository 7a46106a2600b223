import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// Runs programs for tests; those in `fixed` are not run but answered for.
private struct TestRunner: ProgramRunner {
  var environment: [String: String] = [:]
  var fixed: ProgramOutcome?

  func run(_ request: ProgramRequest) -> ProgramOutcome {
    if let fixed { return fixed }
    var words: [String] = []
    for (name, value) in request.environment.sorted(by: { $0.key < $1.key }) {
      if let value { words.append("\(name)=\(value)") } else { words = ["-u", name] + words }
    }
    do {
      let outcome = try VersoTestSupport.run(
        words + request.arguments, input: request.input, environment: environment,
        deadline: request.limit)
      if outcome.status == 127 { return ProgramOutcome(end: .notStarted(outcome.error)) }
      if outcome.status == -9 { return ProgramOutcome(end: .timeout) }
      return ProgramOutcome(
        end: outcome.status < 0 ? .signal(-outcome.status) : .exit(outcome.status),
        output: outcome.output, error: Array(outcome.error.utf8))
    } catch { return ProgramOutcome(end: .notStarted("\(error)")) }
  }
}

@Suite struct SignerTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch("verso-sign")
    try scratch.git("init", "--quiet", "--initial-branch=main")
    try scratch.git("config", "commit.gpgSign", "true")
  }

  private func signer() throws -> Signer? {
    try Signer.configured(in: try Repository(at: scratch.path))
  }

  private func text() throws -> CommitText {
    let tree = try scratch.git("mktree", input: [])
    return CommitText(
      tree: try #require(ObjectID(hex: tree)), parents: [], author: LockFixture.stamp,
      committer: LockFixture.stamp, message: "signed")
  }

  private func sign(_ text: CommitText, _ runner: TestRunner = TestRunner()) throws
    -> Signer.Outcome
  {
    try #require(try signer()).sign(
      text.bytes(), committer: text.committer, folder: Array(scratch.path.utf8),
      store: SystemFileStore(), runner: runner)
  }

  private func refusal(_ outcome: Signer.Outcome) throws -> String {
    guard case .refused(let reason) = outcome else { throw Failure("it was signed") }
    return reason
  }

  private func makeKey(passphrase: String = "") throws -> String {
    let made = try run(
      [
        "ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "ada", "-f",
        scratch.at("key"),
      ])
    try #require(made.status == 0, "\(made.error)")
    try scratch.git("config", "gpg.format", "ssh")
    try scratch.git("config", "user.signingKey", scratch.at("key"))
    return scratch.at("key")
  }

  /// What `git verify-commit` says of the commit with that signature.
  private func verdict(
    _ text: CommitText, _ signature: [UInt8], environment: [String: String] = [:]
  ) throws -> String {
    let id = try scratch.git(
      "hash-object", "-t", "commit", "-w", "--stdin", input: text.bytes(signature: signature))
    let outcome = try run(
      ["git", "verify-commit", id], in: scratch.path, environment: environment)
    #expect(outcome.status == 0)
    try scratch.git("fsck", "--strict")
    return outcome.error
  }

  @Test func `an SSH signature is Good to git`() throws {
    _ = try makeKey()
    let key = try #require(scratch.text(of: "key.pub"))
    try scratch.write("ada@example.invalid \(key)", to: "allowed")
    try scratch.git("config", "gpg.ssh.allowedSignersFile", scratch.at("allowed"))
    let text = try text()
    guard case .signature(let signature) = try sign(text) else { throw Failure("not signed") }
    #expect(try verdict(text, signature).contains("Good \"git\" signature for ada@"))
  }

  @Test func `an OpenPGP signature is good to git`() throws {
    let home = ["GNUPGHOME": scratch.at("gnupg")]
    try run(["mkdir", "-m", "700", scratch.at("gnupg")])
    // Each home has an agent of its own, which is ended with the test.
    defer { _ = try? run(["gpgconf", "--kill", "all"], environment: home) }
    let made = try run(
      [
        "gpg", "--batch", "--passphrase", "", "--quick-generate-key",
        "Ada <ada@example.invalid>", "ed25519", "sign", "never",
      ], environment: home)
    try #require(made.status == 0, "\(made.error)")
    let text = try text()
    let outcome = try sign(text, TestRunner(environment: home))
    guard case .signature(let signature) = outcome else {
      throw Failure(try refusal(outcome))
    }
    #expect(try verdict(text, signature, environment: home).contains("Good signature from"))
  }

  @Test func `a key that needs a passphrase is a reason, not a prompt`() throws {
    _ = try makeKey(passphrase: "secret")
    let reason = try refusal(try sign(try text()))
    #expect(reason.hasPrefix("ssh-keygen: "))
    #expect(!reason.contains("took too long"))
  }

  @Test func `a program that hangs is named with its reason`() throws {
    _ = try makeKey()
    let runner = TestRunner(fixed: ProgramOutcome(end: .timeout))
    #expect(try refusal(try sign(try text(), runner)) == "ssh-keygen: it took too long")
  }

  @Test func `a program that is missing, fails, or says nothing is a reason`() throws {
    try scratch.git("config", "gpg.program", "verso-no-such-program")
    #expect(try refusal(try sign(try text())).hasPrefix("verso-no-such-program: "))
    try scratch.git("config", "gpg.program", "false")
    #expect(try refusal(try sign(try text())) == "false: it ended with 1")
    try scratch.git("config", "gpg.program", "true")
    _ = try refusal(try sign(try text()))
  }

  @Test func `verso sign never, or no wish of git's, means no signer`() throws {
    #expect(try signer() != nil)
    try scratch.git("config", "verso.sign", "auto")
    #expect(try signer() != nil)
    try scratch.git("config", "verso.sign", "never")
    #expect(try signer() == nil)
    try scratch.git("config", "--unset", "verso.sign")
    try scratch.git("config", "commit.gpgSign", "false")
    #expect(try signer() == nil)
  }

  @Test func `an unknown format is an error that names it`() throws {
    try scratch.git("config", "gpg.format", "wax")
    let error = #expect(throws: GitError.self) { _ = try signer() }
    #expect("\(try #require(error))".contains("wax"))
  }
}

import Glibc
package import VersoDisk

/// Signs versions with the program and the key that git would use.
package struct Signer: Sendable {
  /// What signatures look like; raw values are those of `gpg.format`.
  package enum Format: String, Sendable {
    case openpgp, ssh, x509
  }

  /// What came of signing.
  package enum Outcome: Sendable {
    /// The text for the commit's `gpgsig`.
    case signature([UInt8])
    /// Why there is none, as the rest of "cannot sign: ".
    case refused(String)
  }

  package let format: Format
  package let program: String
  /// `user.signingKey` as it stands; `nil` where none is set.
  package let key: String?
  private let keyCommand: String?

  /// Seconds that a signature may take. A program that needs a passphrase, a card or a touch and has
  /// nobody to ask must not hold up a save.
  package static let limit = 5.0

  /// The signer that the configuration asks for; `nil` where versions are not to be signed.
  ///
  /// `verso.sign` is `never`, or `auto`, the default: as `commit.gpgSign` says.
  ///
  /// - Throws: ``GitError``, also for a `gpg.format` that is none of git's.
  package static func configured(in repository: Repository) throws(GitError) -> Signer? {
    if try repository.setting("verso.sign") == "never" { return nil }
    guard try repository.boolean("commit.gpgSign") == true else { return nil }
    let name = try repository.setting("gpg.format") ?? Format.openpgp.rawValue
    guard let format = Format(rawValue: name) else {
      throw GitError(
        code: .invalid, function: "Signer",
        message: "gpg.format is \(name); git knows openpgp, ssh and x509")
    }
    let program: String
    switch format {
    case .openpgp:
      let older = try repository.setting("gpg.program")
      program = try repository.setting("gpg.openpgp.program") ?? older ?? "gpg"
    case .ssh: program = try repository.setting("gpg.ssh.program") ?? "ssh-keygen"
    case .x509: program = try repository.setting("gpg.x509.program") ?? "gpgsm"
    }
    return Signer(
      format: format, program: program, key: try repository.setting("user.signingKey"),
      keyCommand: try repository.setting("gpg.ssh.defaultKeyCommand"))
  }

  /// Signs the bytes of a commit that has no signature yet.
  ///
  /// - Parameters:
  ///   - committer: Whose key to take where none is named.
  ///   - folder: Where a public key may be written that the configuration has as text; absolute.
  package func sign(
    _ bytes: [UInt8], committer: CommitStamp, folder: [UInt8], store: any FileStore,
    runner: any ProgramRunner
  ) -> Outcome {
    switch format {
    case .ssh: signWithSSH(bytes, folder: folder, store: store, runner: runner)
    case .openpgp, .x509: signWithGPG(bytes, committer: committer, runner: runner)
    }
  }

  // Nobody is there to be asked; programs that would open a window are kept from it.
  private static let unattended: [String: String?] = [
    "GPG_TTY": nil, "DISPLAY": nil, "WAYLAND_DISPLAY": nil,
    "SSH_ASKPASS": nil, "SSH_ASKPASS_REQUIRE": "never",
  ]

  private func signWithGPG(
    _ bytes: [UInt8], committer: CommitStamp, runner: any ProgramRunner
  ) -> Outcome {
    let key =
      key ?? "\(CommitStamp.cleaned(committer.name)) <\(CommitStamp.cleaned(committer.email))>"
    var arguments = [program, "--status-fd=2", "--batch", "--no-tty"]
    // gpg(1): the agent may use a passphrase that it knows, and must not ask for one.
    if format == .openpgp { arguments.append("--pinentry-mode=error") }
    let outcome = runner.run(
      ProgramRequest(
        arguments: arguments + ["-bsau", key], input: bytes, environment: Self.unattended,
        limit: Self.limit))
    // As git does: a program that only ends well has not said that it signed.
    guard outcome.succeeded, Self.contains(outcome.error, "[GNUPG:] SIG_CREATED ") else {
      return .refused(refusal(outcome))
    }
    return .signature(Self.withoutReturns(outcome.output))
  }

  private func signWithSSH(
    _ bytes: [UInt8], folder: [UInt8], store: any FileStore, runner: any ProgramRunner
  ) -> Outcome {
    guard let key = key ?? defaultKey(runner) else {
      return .refused("user.signingKey names no SSH key")
    }
    var file = Self.expanded(key)
    var arguments = [program, "-Y", "sign", "-n", "git"]
    if let literal = Self.literalKey(key) {
      let path = folder + Array("/signing-key.pub".utf8)
      do throws(DiskError) {
        try store.replaceSmallFile(path, with: Array((literal + "\n").utf8))
      } catch { return .refused("\(error)") }
      file = String(decoding: path, as: UTF8.self)
      // The private half is with the agent.
      arguments.append("-U")
    }
    let outcome = runner.run(
      ProgramRequest(
        arguments: arguments + ["-f", file], input: bytes, environment: Self.unattended,
        limit: Self.limit))
    guard outcome.succeeded, Self.contains(outcome.output, "BEGIN SSH SIGNATURE") else {
      return .refused(refusal(outcome))
    }
    return .signature(Self.withoutReturns(outcome.output))
  }

  private func refusal(_ outcome: ProgramOutcome) -> String { "\(program): \(outcome.reason)" }

  /// The first key that `gpg.ssh.defaultKeyCommand` names.
  private func defaultKey(_ runner: any ProgramRunner) -> String? {
    guard let keyCommand else { return nil }
    let outcome = runner.run(
      ProgramRequest(
        arguments: ["sh", "-c", keyCommand], environment: Self.unattended, limit: Self.limit))
    guard outcome.succeeded else { return nil }
    return outcome.output.split(separator: UInt8(ascii: "\n")).lazy
      .map { String(decoding: $0, as: UTF8.self) }.first { Self.literalKey($0) != nil }
  }

  /// The public key, where the setting holds one itself and not a file's name.
  private static func literalKey(_ text: String) -> String? {
    if text.hasPrefix("key::") { return String(text.dropFirst(5)) }
    return text.hasPrefix("ssh-") ? text : nil
  }

  private static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = Identity.variable("HOME") else { return path }
    return home + path.dropFirst()
  }

  private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    bytes.firstRange(of: Array(text.utf8)) != nil
  }

  private static func withoutReturns(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { $0 != 0x0D } }
}

extension FileStore {
  /// Gives a small file new content, in one step for its readers.
  ///
  /// - Parameter path: Absolute; its folder exists.
  func replaceSmallFile(
    _ path: [UInt8], with bytes: [UInt8], durable: Bool = false
  ) throws(DiskError) {
    let temporary = path + Array(".new".utf8)
    let file = try opening(
      temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    try writingAll(bytes, to: file.number, path: temporary)
    if durable { try syncing(file.number, path: temporary) }
    try renaming(temporary, in: AT_FDCWD, to: path, in: AT_FDCWD)
  }
}

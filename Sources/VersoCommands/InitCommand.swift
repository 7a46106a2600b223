import Verso
import VersoModel

/// `verso init`: make a directory a vault.
enum InitCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let output = context.output
    let directory = try VaultOperands.directory(invocation)
    let isYes = invocation.has(.yes)
    var initialiser = Initialiser(directory: directory) { _ in isYes ? true : nil }
    if !isYes, context.isInteractive {
      // The question is asked here, on this thread; the closure only carries it.
      initialiser.confirm = Question(context).ask
    }
    initialiser.gitDirectory = try invocation.bytes(.gitDir).map {
      try VaultOperands.absolute($0, invocation)
    }
    initialiser.device = try device(invocation)
    initialiser.isForced = invocation.has(.force)
    initialiser.isDryRun = invocation.isDryRun
    initialiser.wait = Double(invocation.wait)
    let progress = output.startProgress("saving", unit: "files")
    initialiser.progress = { done, all in progress.update(done, of: all) }
    defer { progress.finish() }
    let outcome = try initialiser.run()
    progress.finish()
    report(outcome, isDryRun: invocation.isDryRun, using: invocation.text(.remote), context)
    if !invocation.isDryRun { register(outcome.root, context) }
    let code = SaveReporting.report(
      outcome.save, device: initialiser.device ?? Engine.hostName, context)
    guard let remote = invocation.text(.remote) else { return code }
    var setup = RemoteSetup(remote: try VaultOperands.remote(remote, hasNames: true, invocation))
    setup.creates = invocation.has(.create)
    return .combined([code, try RemoteJoining.join(outcome.root, setup, invocation, context)])
  }

  /// The device's name as it was given.
  static func device(_ invocation: Invocation) throws -> String? {
    guard let name = invocation.text(.device) else { return nil }
    let hasControls = name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    guard !hasControls, name.contains(where: { !$0.isWhitespace }) else {
      throw UsageError(
        message: "--device needs a name of one line", hint: "without it the host's name is taken")
    }
    return name
  }

  /// Notes the vault for `--all`. A vault that cannot be noted is one all the same.
  static func register(_ root: String, _ context: Context) {
    do throws(VersoError) {
      try VaultRegistry(environment: context.environment).add(root)
    } catch {
      context.output.warn("--all will not find this vault: \(error.message)")
    }
  }

  private static func report(
    _ outcome: Initialiser.Outcome, isDryRun: Bool, using used: String?, _ context: Context
  ) {
    let output = context.output
    let word = outcome.wasVault ? "checked" : outcome.isAdopted ? "adopted" : "created"
    if output.settings.wantsJSON {
      output.print(
        JSONObject(
          .event,
          [
            "event": .text(word), "time": .time(context.now()),
            "message": .text("\(word) the vault \(outcome.root)"),
            "path": .bytes(Array(outcome.root.utf8)),
          ]))
    } else if isDryRun {
      output.say("would make \(path: Array(outcome.root.utf8)) a vault")
    } else if outcome.wasVault {
      output.say("\(path: Array(outcome.root.utf8)) is a vault already")
    } else {
      output.say("\(path: Array(outcome.root.utf8)) is a vault now")
    }
    if !outcome.hooks.isEmpty, !outcome.wasVault {
      output.say("hooks that saves do not run: \(outcome.hooks.joined(separator: ", "))")
    }
    for remote in outcome.remotes where !outcome.wasVault && remote != used {
      output.say("remote \(remote): not used")
    }
  }

  /// Asks whether much is to be saved.
  ///
  /// Unchecked: asked once, by the thread that runs the command.
  private final class Question: @unchecked Sendable {
    private let context: Context
    init(_ context: Context) { self.context = context }

    func ask(_ census: Census) -> Bool? {
      let gibibytes = (Double(census.bytes) / Double(1 << 30) * 10).rounded() / 10
      context.output.warn("\(census.files) files, \(String(gibibytes)) GiB; the largest folders:")
      for (name, bytes) in census.largest {
        context.output.warn("\(bytes >> 20) MiB  \(path: name)")
      }
      return context.confirms("save all of it?")
    }
  }
}

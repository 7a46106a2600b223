import Verso
import VersoHistory
import VersoModel

/// `verso sync`: save, take in what other devices saved, give them what they lack.
enum SyncCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    guard invocation.has(.all) else {
      let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: true)
      if let path = paths.first {
        throw UsageError(
          message: "\(path) is not a vault's directory, and a sync is about all of a vault",
          hint: "run 'verso help sync'")
      }
      return try sync(engine, invocation, context)
    }
    if !invocation.operands.isEmpty {
      throw UsageError(message: "--all takes no DIR", hint: "run 'verso help sync'")
    }
    return try CommandLoop.forAllVaults(context) { root in
      let engine = try Engine.open(above: root)
      guard engine.root == root else { throw CommandLoop.missing(Array(root.utf8), "no vault") }
      return try sync(engine, invocation, context)
    }
  }

  private static func sync(
    _ engine: Engine, _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    var request = SyncRequest()
    request.timeout = invocation.duration(.timeout)?.seconds
    request.mayPrompt = context.isInteractive
    request.allowsMassDeletion = invocation.has(.allowMassDelete)
    request.isDryRun = invocation.isDryRun
    request.wait = Double(invocation.wait)
    var saved = SaveOutcome()
    do throws(VersoError) {
      let outcome = try perform(request, engine, context) { saved = $0 }
      return SyncReporting.report(
        outcome, device: engine.device, isDryRun: request.isDryRun, context)
    } catch {
      // What was saved is saved, whatever became of the rest.
      let code = SaveReporting.report(saved, device: engine.device, isTerse: true, context)
      if try isSilent(error, engine, invocation, context) { return code }
      context.output.flush()
      let failure = CommandFailure(error)
      context.output.report(failure)
      VersoMain.endIfInterrupted(error)
      return .combined([code, failure.code])
    }
  }

  /// Does it, with a progress line for what takes long.
  static func perform(
    _ request: SyncRequest, _ engine: Engine, _ context: Context,
    noting note: (SaveOutcome) -> Void = { _ in }
  ) throws(VersoError) -> SyncOutcome {
    var request = request
    let progress = context.output.startProgress("exchanging", unit: "objects")
    defer { progress.finish() }
    request.progress = { line in
      if let (done, all) = Self.counts(in: line) { progress.update(done, of: all) }
    }
    return try engine.sync(request) { saving throws(VersoError) in
      let outcome = try SaveCommand.perform(saving, engine, context)
      note(outcome)
      return outcome
    }
  }

  /// The numbers of `Receiving objects:  45% (450/1000), 1.2 MiB`.
  static func counts(in line: String) -> (done: Int, all: Int)? {
    guard let open = line.lastIndex(of: "(") else { return nil }
    let parts = line[line.index(after: open)...].prefix { $0 != ")" }.split(separator: "/")
    guard parts.count == 2, let done = Int(parts[0]), let all = Int(parts[1]) else { return nil }
    return (done, all)
  }

  /// Whether `--grace` asks for silence about a remote that is out of reach.
  private static func isSilent(
    _ error: VersoError, _ engine: Engine, _ invocation: Invocation, _ context: Context
  ) throws -> Bool {
    guard error.code == .unreachable, let grace = invocation.duration(.grace),
      let record = engine.lastSync
    else { return false }
    let now = context.now()
    switch GraceRule.decide(record, now: now, grace: grace.milliseconds / 1000) {
    case .silence: return true
    case .report:
      try engine.recordSync(record.reporting(at: now))
      return false
    }
  }
}

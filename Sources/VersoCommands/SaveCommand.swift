import Verso
import VersoModel

/// `verso save`: one commit of all that changed, or of some paths.
enum SaveCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: true)
    var request = SaveRequest(paths: paths.isEmpty ? nil : paths)
    request.message = invocation.message.flatMap { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      // A version without words is no help; the paths say more.
      return text.allSatisfy(\.isWhitespace) ? nil : text
    }
    for path in paths where try !engine.isOnDisk(path) && !engine.isInHead(path) {
      throw try Absence.failure(of: path, " to save", engine)
    }
    request.allowsMassDeletion = invocation.has(.allowMassDelete)
    request.isDryRun = invocation.isDryRun
    request.wait = Double(invocation.wait)
    let outcome = try perform(request, engine, context)
    record(request, outcome, engine, context)
    return SaveReporting.report(outcome, device: engine.device, context)
  }

  /// Saves: by the process that watches the vault, or alone.
  static func perform(
    _ request: SaveRequest, _ engine: Engine, _ context: Context
  ) throws(VersoError) -> SaveOutcome {
    if let outcome = try asking(request, engine, context) { return outcome }
    return try alone(request, engine, context)
  }

  /// Notes a good save of everything, which in a vault without a remote is all there is to synchronise.
  private static func record(
    _ request: SaveRequest, _ outcome: SaveOutcome, _ engine: Engine, _ context: Context
  ) {
    guard engine.usedRemote == nil, request.paths == nil, !request.isDryRun, outcome.held.isEmpty
    else { return }
    do throws(VersoError) { try engine.recordSync(.success(at: context.now())) } catch {
      // For --max-age only, which then looks at the versions.
      context.output.note("the save is not noted: \(error.message)")
    }
  }

  /// Lets the process that watches the vault save, which knows what changed; `nil` without one.
  private static func asking(
    _ request: SaveRequest, _ engine: Engine, _ context: Context
  ) throws(VersoError) -> SaveOutcome? {
    // A large save takes minutes, and a watcher that dies is noticed at once.
    let reply = try ControlClient.ask(
      root: engine.root, .save(request), timeout: request.wait + 600,
      environment: context.environment)
    guard case .saved(let outcome) = reply else { return nil }
    return outcome
  }

  private static func alone(
    _ request: SaveRequest, _ engine: Engine, _ context: Context
  ) throws(VersoError) -> SaveOutcome {
    var request = request
    let progress = context.output.startProgress("saving", unit: "files")
    request.progress = { done, all in if all > 500 { progress.update(done, of: all) } }
    defer { progress.finish() }
    return try engine.save(request)
  }
}

import Verso
import VersoModel

/// `verso undo` and `verso redo`: take back, or bring back, the last own action.
enum UndoCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
    let isRedo = invocation.command == .redo
    let outcome =
      invocation.has(.merge)
      ? try undoMerge(engine, invocation, context)
      : try engine.undo(
        redoing: isRedo, isDryRun: invocation.isDryRun, wait: Double(invocation.wait))
    return RestoreReporting.report(
      outcome, event: isRedo ? "redone" : "undone", path: nil, isDryRun: invocation.isDryRun,
      device: engine.device, context)
  }

  /// Takes back what came from other devices last, after saying what they would lose.
  private static func undoMerge(
    _ engine: Engine, _ invocation: Invocation, _ context: Context
  ) throws -> RestoreOutcome {
    try engine.undoMerge(isDryRun: invocation.isDryRun, wait: Double(invocation.wait)) { paths in
      for path in paths.prefix(50) {
        context.output.warn("other devices would lose what they made of \(path: path)")
      }
      if paths.count > 50 { context.output.warn("and of \(paths.count - 50) more files") }
      if invocation.has(.yes) { return true }
      return context.confirms("undo it on every device?")
    }
  }
}

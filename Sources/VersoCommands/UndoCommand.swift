import Verso
import VersoModel

/// `verso undo` and `verso redo`: take back, or bring back, the last own action.
enum UndoCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
    let isRedo = invocation.command == .redo
    let outcome = try engine.undo(
      redoing: isRedo, isDryRun: invocation.isDryRun, wait: Double(invocation.wait))
    return RestoreReporting.report(
      outcome, event: isRedo ? "redone" : "undone", path: nil, isDryRun: invocation.isDryRun,
      device: engine.device, context)
  }
}

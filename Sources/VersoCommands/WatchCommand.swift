import Verso

/// `verso watch`: save every change once it has settled, until told to end.
enum WatchCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
    throw CommandFailure(
      .failed, "this build of verso cannot watch \(path: Array(engine.root.utf8))",
      hint: "until it can, let cron run: verso save -q")
  }
}

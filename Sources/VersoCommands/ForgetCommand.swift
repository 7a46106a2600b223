import Verso
import VersoModel

/// `verso forget`: take a vault out again; files and history stay.
enum ForgetCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
    try engine.forget(isDryRun: invocation.isDryRun, wait: Double(invocation.wait))
    let root = Array(engine.root.utf8)
    if invocation.wantsJSON {
      context.output.print(
        JSONObject(
          .event,
          [
            "event": "forgotten", "time": .time(context.now()),
            "message": .text("forgot the vault \(engine.root)"), "path": .bytes(root),
          ]))
    } else {
      context.output.say(
        invocation.isDryRun
          ? "would forget \(path: root)"
          : "\(path: root) is no vault any more; its history stays in git")
    }
    return .done
  }
}

import Verso
import VersoModel

/// `verso forget`: take a vault out again; files and history stay.
enum ForgetCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let engine: Engine
    do {
      engine = try VaultOperands.open(invocation, context, requiresVault: true).engine
    } catch {
      guard let root = try unlist(invocation, context) else { throw error }
      tell(root, "the list of your vaults names \(path: root) no more", invocation, context)
      return .done
    }
    try engine.forget(isDryRun: invocation.isDryRun, wait: Double(invocation.wait))
    let root = Array(engine.root.utf8)
    unschedule(root, invocation, context)
    if !invocation.isDryRun {
      try VaultRegistry(environment: context.environment).remove(root)
    }
    tell(
      root, "\(path: root) is no vault any more; its history stays in git", invocation, context)
    return .done
  }

  /// Takes a vault that is not there any more out of the list.
  ///
  /// - Returns: Its root; `nil` where the list does not name it either.
  private static func unlist(
    _ invocation: Invocation, _ context: Context
  ) throws -> [UInt8]? {
    guard let operand = invocation.operands.first else { return nil }
    let registry = VaultRegistry(environment: context.environment)
    let path = try VaultOperands.bytes(operand, invocation)
    let root = path.last == RelativePath.slash && path.count > 1 ? path.dropLast() : path[...]
    let entry = try registry.all().first { $0.root == Array(root) }
    guard case .missing = entry?.state else { return nil }
    unschedule(Array(root), invocation, context)
    if !invocation.isDryRun { try registry.remove(Array(root)) }
    return Array(root)
  }

  /// Takes the schedule out: a vault that is none any more would fail every ten minutes.
  private static func unschedule(
    _ root: [UInt8], _ invocation: Invocation, _ context: Context
  ) {
    do {
      let removed = try Scheduler(environment: context.environment)
        .remove(root: root, isDryRun: invocation.isDryRun)
      for entry in removed {
        let verb = invocation.isDryRun ? "would be" : "is"
        ScheduleCommand.tell(
          entry, "unscheduled", "\(path: root) \(verb) scheduled no more (\(entry.name))",
          context)
      }
    } catch {
      let failure = CommandFailure(error)
      context.output.warn("its schedule stays: \(failure.message)", hint: failure.hint)
    }
  }

  private static func tell(
    _ root: [UInt8], _ message: Line, _ invocation: Invocation, _ context: Context
  ) {
    if invocation.isDryRun {
      return SaveReporting.planned("would forget \(path: root)", context)
    }
    guard invocation.wantsJSON else { return context.output.say(message) }
    context.output.print(
      JSONObject(
        .event,
        [
          "event": "forgotten", "time": .time(context.now()),
          "message": .text("forgot the vault \(String(decoding: root, as: UTF8.self))"),
          "path": .bytes(root),
        ]))
  }
}

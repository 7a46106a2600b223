import Verso
import VersoModel

/// How a restore, an undo and a redo tell what they did.
enum RestoreReporting {
  static func report(
    _ outcome: RestoreOutcome, event: String, path: RelativePath?, isDryRun: Bool,
    device: String, _ context: Context
  ) -> ExitCode {
    let output = context.output
    var codes: [ExitCode] = []
    let before = outcome.before
    if before.commit != nil || !before.held.isEmpty {
      codes.append(SaveReporting.report(before, device: device, context))
    }
    if isDryRun {
      for path in outcome.writes {
        SaveReporting.planned("would write \(path: path)", path: path, context)
      }
      for path in outcome.removals {
        SaveReporting.planned("would remove \(path: path)", path: path, context)
      }
      if outcome.writes.isEmpty, outcome.removals.isEmpty { output.say("nothing to do") }
      return .combined(codes)
    }
    for (path, error) in outcome.left {
      // Reported as what it is, so that neither --quiet nor --json hides it.
      output.report(
        CommandFailure(
          .failed, Line(error.message), path: path.bytes, hint: error.hint.map { Line($0) }))
    }
    let left = Set(outcome.left.map(\.path))
    let written = outcome.writes.filter { !left.contains($0) }
    if outcome.save.commit != nil {
      codes.append(SaveReporting.report(outcome.save, device: device, context))
      printEvent(event, outcome.subject, path, context)
    } else if !written.isEmpty {
      // Their deletion was in no version yet, so that history has nothing to add.
      for path in written.prefix(20) { output.say("brought back \(path: path)") }
      if written.count > 20 { output.say("and \(written.count - 20) more") }
      printEvent(event, outcome.subject, path, context)
    } else if outcome.left.isEmpty {
      output.say("nothing to do: everything is as it was then")
    }
    if !outcome.left.isEmpty { codes.append(.failed) }
    return .combined(codes)
  }

  private static func printEvent(
    _ event: String, _ message: String, _ path: RelativePath?, _ context: Context
  ) {
    guard context.output.settings.wantsJSON else { return }
    var fields: JSONFields = [
      "event": .text(event), "time": .time(context.now()), "message": .text(message),
    ]
    fields.append("path", path.map { .path($0) })
    context.output.print(JSONObject(.event, fields))
  }
}

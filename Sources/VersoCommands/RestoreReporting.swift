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
    if outcome.before.commit != nil || !outcome.before.held.isEmpty {
      codes.append(SaveReporting.report(outcome.before, device: device, context))
    }
    if isDryRun {
      for path in outcome.writes { output.say("would write \(path: path)") }
      for path in outcome.removals { output.say("would remove \(path: path)") }
      if outcome.writes.isEmpty, outcome.removals.isEmpty { output.say("nothing to do") }
      return .combined(codes)
    }
    for (path, error) in outcome.left {
      output.report(
        CommandFailure(
          .failed, Line(error.message), path: path.bytes, hint: error.hint.map { Line($0) }))
    }
    if outcome.save.commit != nil {
      codes.append(SaveReporting.report(outcome.save, device: device, context))
      if output.settings.wantsJSON {
        var fields: JSONFields = [
          "event": .text(event), "time": .time(context.now()), "message": .text(outcome.subject),
        ]
        fields.append("path", path.map { .path($0) })
        output.print(JSONObject(.event, fields))
      }
    } else if outcome.left.isEmpty {
      output.say("nothing to do: everything is as it was then")
    }
    if !outcome.left.isEmpty { codes.append(.failed) }
    return .combined(codes)
  }
}

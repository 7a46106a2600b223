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
    let isBack = outcome.save.commit != nil || outcome.writes.count > outcome.left.count
    if outcome.save.commit != nil {
      codes.append(SaveReporting.report(outcome.save, device: device, context))
    } else if isBack {
      // Their deletion was held, so that history has them as they are now.
      output.say("brought back \(outcome.writes.count - outcome.left.count) files as last saved")
    } else if outcome.left.isEmpty {
      output.say("nothing to do: everything is as it was then")
    }
    if isBack, output.settings.wantsJSON {
      var fields: JSONFields = [
        "event": .text(event), "time": .time(context.now()), "message": .text(outcome.subject),
      ]
      fields.append("path", path.map { .path($0) })
      output.print(JSONObject(.event, fields))
    }
    if !outcome.left.isEmpty { codes.append(.failed) }
    return .combined(codes)
  }
}

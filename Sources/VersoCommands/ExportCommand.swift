import Verso
import VersoHistory
import VersoModel

/// `verso export`: an old state as plain files in a directory of its own.
enum ExportCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    // The first operand is where to write, and says nothing of which vault is meant.
    let inner = Invocation(
      invocation.command, operands: Array(invocation.operands.dropFirst()),
      values: invocation.values)
    let (engine, paths) = try VaultOperands.open(inner, context, requiresVault: false)
    let directory = try VaultOperands.absolute(invocation.operands[0], invocation)
    let place = try WhenArguments.place(of: paths.first ?? .root, inner, engine, context)
    var request = ExportRequest(place: place, directory: directory)
    request.isDryRun = invocation.isDryRun
    let progress = context.output.startProgress("Writing", unit: "files")
    request.progress = { progress.update($0, of: $1) }
    let outcome = try engine.export(request)
    progress.finish()
    return try report(outcome, directory, place, engine, invocation, context)
  }

  private static func report(
    _ outcome: ExportOutcome, _ directory: String, _ place: History.Place, _ engine: Engine,
    _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    let output = context.output
    for (path, error) in outcome.left {
      output.report(
        CommandFailure(
          .failed, Line(error.message), path: path.bytes, hint: error.hint.map { Line($0) }))
    }
    let count = Counted.text(outcome.files.count, "file")
    let time = TimeText.minute(try engine.time(of: place.commit))
    let target = Array(directory.utf8)
    let what: Line =
      "\(count) as of \(time), \(place.commit.short, .id), to \(path: target)"
    if invocation.isDryRun {
      for path in outcome.files where invocation.isVerbose {
        output.note("would write \(path: path)")
      }
      SaveReporting.planned("would write \(what)", context)
    } else if output.settings.wantsJSON {
      output.print(
        JSONObject(
          .event,
          [
            "event": "exported", "time": .time(context.now()),
            "message": .text("wrote \(what.plain)"), "path": .bytes(target),
            "id": .id(place.commit), "count": .count(outcome.files.count),
          ]))
    } else {
      output.say("wrote \(what)")
    }
    return outcome.left.isEmpty ? .done : .failed
  }
}

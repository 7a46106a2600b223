import Verso
import VersoModel

/// How an exchange with other devices is told to people and programs.
enum SyncReporting {
  static func report(
    _ outcome: SyncOutcome, device: String, isDryRun: Bool = false, _ context: Context
  ) -> ExitCode {
    var codes = [SaveReporting.report(outcome.save, device: device, isTerse: true, context)]
    let (output, remote) = (context.output, outcome.remote ?? "")
    if let fetched = outcome.fetched {
      tell(
        .fetched, fetched, outcome, context,
        isDryRun
          ? "would take in \(Counted.text(fetched.versions, "version")) from \(remote)"
          : "took in \(Counted.text(fetched.versions, "version")) from \(remote): "
            + "\(Counted.text(outcome.written.count, "file")) written")
    }
    for conflict in outcome.conflicts { report(conflict, context) }
    if !outcome.conflicts.isEmpty { codes.append(.attention) }
    for (path, error) in outcome.pending {
      report(pending: path, error, context)
      codes.append(.attention)
    }
    codes.append(report(held: outcome.held, context))
    if let pushed = outcome.pushed {
      tell(
        .pushed, pushed, outcome, context,
        "sent \(Counted.text(pushed.versions, "version")) to \(remote)")
    }
    if outcome.remote == nil {
      output.note("no remote is set: nothing was exchanged")
    } else if outcome.fetched == nil, outcome.pushed == nil {
      output.note("nothing to exchange with \(remote)")
    }
    return .combined(codes)
  }

  private static func tell(
    _ type: JSONType.Name, _ transfer: SyncOutcome.Transfer, _ outcome: SyncOutcome,
    _ context: Context, _ line: String
  ) {
    guard context.output.settings.wantsJSON else { return context.output.say(Line(line)) }
    context.output.print(
      JSONObject(
        type,
        [
          "remote": .text(outcome.remote ?? ""), "branch": .text(outcome.branch),
          "from": transfer.from.map { .id($0) } ?? .null, "to": .id(transfer.to),
          "versions": .integer(Int64(transfer.versions)),
        ]))
  }

  /// Names a conflict copy that is new.
  static func report(_ conflict: Conflict, _ context: Context) {
    guard context.output.settings.wantsJSON else {
      return context.output.warn(
        "conflict in \(path: conflict.path): the version of \(conflict.device) is "
          + "\(path: conflict.copy)",
        hint: "verso conflicts lists both versions")
    }
    context.output.print(
      JSONObject(
        .conflict,
        [
          "path": .path(conflict.path), "copy": .path(conflict.copy),
          "device": .text(conflict.device), "time": .time(conflict.time),
        ]))
  }

  private static func report(pending path: RelativePath, _ error: VersoError, _ context: Context) {
    let text = "\(path) has a newer version that is not written yet: \(error.message)"
    guard context.output.settings.wantsJSON else {
      return context.output.warn(Line(text), hint: error.hint.map { Line($0) })
    }
    var fields: JSONFields = [
      "event": "pending", "time": .time(context.now()), "message": .text(text),
      "path": .path(path),
    ]
    fields.append("hint", error.hint.map { .text($0) })
    context.output.print(JSONObject(.event, fields))
  }

  /// Says which deletions of other devices wait for a person.
  private static func report(held: [RelativePath], _ context: Context) -> ExitCode {
    if held.isEmpty { return .done }
    if context.output.settings.wantsJSON {
      context.output.print(JSONObject(.held, fields(held: held)))
      return .refused
    }
    context.output.alarm(
      "other devices deleted \(held.count) files at once, which are kept here; "
        + "all else was joined",
      hint: Line(hint))
    for path in held.prefix(20) { context.output.warn("kept \(path: path)") }
    if held.count > 20 { context.output.warn("and \(held.count - 20) more: verso status") }
    return .refused
  }

  private static let hint =
    "verso sync --allow-mass-delete removes them here too; verso restore PATH keeps one"

  static func fields(held: [RelativePath]) -> JSONFields {
    [
      "reason": "deletions",
      "message": .text("other devices deleted \(held.count) files at once"),
      "paths": .array(held.map { .path($0) }), "hint": .text(hint),
    ]
  }
}

import Verso
import VersoModel

/// `verso status --all`: a line for each vault of this user.
enum StatusOfAll {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    if !invocation.operands.isEmpty || invocation.endsNamesWithNUL {
      throw UsageError(
        message: "--all is about whole vaults and takes no PATH and no -0",
        hint: "run 'verso help status'")
    }
    return try CommandLoop.forAllVaults(context, heading: false) { root in
      let engine = try Engine.open(above: root)
      guard engine.root == root else { throw CommandLoop.missing(Array(root.utf8), "no vault") }
      let standing = try StatusCommand.Standing(engine, of: nil, context)
      if invocation.wantsJSON {
        context.output.print(JSONObject(.status, StatusCommand.fields(standing)))
      } else if !invocation.isQuiet {
        print(standing, context)
      }
      return try StatusCommand.verdict(standing, invocation, context)
    }
  }

  private static func print(_ standing: StatusCommand.Standing, _ context: Context) {
    let report = standing.report
    let needsLook = standing.needsLook || standing.sync?.failure != nil && standing.remote != nil
    let mark: Line = needsLook ? "\("look", .warning)" : "\("ok  ", .added)"
    let words = summary(standing).joined(separator: ", ")
    context.output.print("\(mark)  \(path: Array(report.root.utf8))  \(words)")
  }

  private static func summary(_ standing: StatusCommand.Standing) -> [String] {
    let report = standing.report
    var words: [String] = []
    if report.blocked != nil { words.append("nothing is saved now") }
    for (count, what) in [
      (report.changes.count, "not saved"), (report.held.count, "held"),
      (report.skipped.count, "skipped"), (standing.others.conflicts.count, "in conflict"),
      (standing.others.kept.count, "kept"), (standing.others.pending.count, "not written"),
    ] where count > 0 {
      words.append("\(count) \(what)")
    }
    if words.isEmpty { words.append("everything is saved") }
    words.append(
      report.lastSave.map { "last save \(TimeText.minute($0.time))" } ?? "no save yet")
    if standing.remote != nil {
      words.append(
        standing.sync?.succeeded.map { "last sync \(TimeText.minute($0))" } ?? "no sync yet")
      if let since = standing.sync?.failingSince {
        words.append("sync fails since \(TimeText.minute(since))")
      }
    }
    if report.watcher != nil { words.append("watched") }
    if report.pausedUntil != nil { words.append("paused") }
    return words
  }
}

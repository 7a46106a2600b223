import Verso
import VersoDisk
import VersoHistory
import VersoModel

/// `verso status`: what has not been saved, what is left alone, and why.
enum StatusCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    if invocation.has(.all) { return try StatusOfAll.run(invocation, context) }
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: true)
    let standing = try Standing(engine, of: paths.isEmpty ? nil : paths, context)
    if invocation.wantsJSON {
      context.output.print(JSONObject(.status, fields(standing)))
    } else if invocation.endsNamesWithNUL {
      for change in standing.report.changes {
        context.output.writeNUL(Array("\(change.kind.rawValue) ".utf8) + change.path.bytes)
        if let old = change.oldPath { context.output.writeNUL(old.bytes) }
      }
    } else if !invocation.isQuiet {
      print(standing, context)
    }
    return try verdict(standing, invocation, context)
  }

  /// What is known of a vault.
  struct Standing {
    let report: StatusReport
    let remote: String?
    let sync: SyncRecord?
    let others: SyncStanding

    var needsLook: Bool { report.needsLook || others.needsLook }

    init(_ engine: Engine, of paths: [RelativePath]?, _ context: Context) throws {
      report = try StatusCommand.report(on: paths, engine, context)
      remote = engine.usedRemote
      sync = engine.lastSync
      others = try engine.syncStanding()
    }

    func lastGood(at now: Int64) -> Int64? {
      AgeRule.lastGood(report, sync, hasRemote: remote != nil, now: now)
    }
  }

  /// What `--check` and `--max-age` say.
  static func verdict(
    _ standing: Standing, _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    var codes: [ExitCode] = []
    if invocation.has(.check), standing.needsLook { codes.append(.attention) }
    if let limit = invocation.duration(.maxAge), let failure = tooOld(standing, limit, context) {
      context.output.flush()
      context.output.report(failure)
      codes.append(failure.code)
    }
    return ExitCode.combined(codes)
  }

  private static func tooOld(
    _ standing: Standing, _ limit: VersoDuration, _ context: Context
  ) -> CommandFailure? {
    let (now, last) = (context.now(), standing.lastGood(at: context.now()))
    guard AgeRule.isTooOld(last, now: now, limit: limit.milliseconds / 1000) else { return nil }
    let root = Array(standing.report.root.utf8)
    let what = standing.remote == nil ? "save" : "synchronisation"
    let since: Line =
      last.map { "the last good \(what) of \(path: root) was \(TimeText.minute($0))" }
      ?? "\(path: root) has no good \(what) yet"
    let reason = standing.sync?.failure ?? standing.report.blocked.map { .init($0) }
    return CommandFailure(
      .failed, "\(since)\(reason.map { ": \($0.message)" } ?? "")", path: root,
      hint: "run: verso \(standing.remote == nil ? "save -C" : "sync") \(ShellWord.quote(root))")
  }

  /// Asks the process that watches the vault, which knows without looking; else looks.
  fileprivate static func report(
    on paths: [RelativePath]?, _ engine: Engine, _ context: Context
  ) throws -> StatusReport {
    let reply = try ControlClient.ask(
      root: engine.root, .status(paths: paths), timeout: 10, environment: context.environment)
    if case .status(let report) = reply { return report }
    var report = try engine.status(of: paths)
    report.watcher = ControlClient.watcher(root: engine.root, environment: context.environment)
    return report
  }

  private static func print(_ standing: Standing, _ context: Context) {
    let (output, report) = (context.output, standing.report)
    let place = report.branch.isEmpty ? "with a detached HEAD" : "on \(report.branch)"
    output.print("vault \(path: Array(report.root.utf8)) \(place)")
    if let last = report.lastSave {
      output.print("last save \(TimeText.minute(last.time)) \(last.id.short, .id) \(last.subject)")
    } else {
      output.print("nothing has been saved yet")
    }
    if let remote = standing.remote { print(standing.sync, standing.others, remote, context) }
    for remote in report.unusedRemotes { output.print("remote \(remote): not used") }
    if let watcher = report.watcher { output.print("watched by process \(watcher.process)") }
    if let pause = report.pausedUntil {
      output.print("saving by itself is paused \(PauseCommand.end(of: pause))")
    }
    if let blocked = report.blocked {
      output.print("nothing is saved now: \(blocked.message)")
      if let hint = blocked.hint { output.print("  \(hint)") }
    }
    section("not saved:", report.changes.map(SaveReporting.line), output)
    section(
      "held (verso save --allow-mass-delete accepts them):", report.held.map { "D \(path: $0)" },
      output)
    section(
      "skipped:",
      report.skipped.map { "\(path: $0.path): \(SaveReporting.message($0.reason))" }, output)
    section(
      "saved at most every half hour (versions of more than 100 MB in a day):",
      report.spacedOut.map { "\(path: $0)" }, output)
    printOthers(standing.others, context)
    if report.changes.isEmpty, report.held.isEmpty, report.blocked == nil {
      output.print("everything is saved")
    }
  }

  /// What has to do with other devices, path by path.
  private static func printOthers(_ others: SyncStanding, _ context: Context) {
    let output = context.output
    section(
      "in conflict (verso conflicts shows both versions):",
      others.conflicts.map { "\(path: $0.copy)" }, output)
    section(
      "deleted by other devices (verso sync --allow-mass-delete removes them):",
      others.kept.map { "\(path: $0)" }, output)
    section(
      "newer on other devices, and written when it is left alone:",
      others.pending.map { "\(path: $0)" }, output)
  }

  /// A heading and what belongs to it; nothing where there is none of it.
  private static func section(_ heading: Line, _ rows: [Line], _ output: Output) {
    if rows.isEmpty { return }
    output.print(heading)
    for row in rows { output.print("  " + row) }
  }

  private static func print(
    _ sync: SyncRecord?, _ others: SyncStanding, _ remote: String, _ context: Context
  ) {
    let counts = [(others.ahead, "to send"), (others.behind, "to take in")]
      .compactMap { count, what in count.flatMap { $0 > 0 ? "\($0) \(what)" : nil } }
    context.output.print(Line((["remote \(remote)"] + counts).joined(separator: ", ")))
    if let note = others.otherBranch { context.output.print(Line(note)) }
    let last = sync?.succeeded.map { "last sync \(TimeText.minute($0))" } ?? "no sync yet"
    guard let failure = sync?.failure, let since = sync?.failingSince else {
      return context.output.print(Line(last))
    }
    context.output.print(
      "\(last); it fails since \(TimeText.minute(since)): \(failure.message)")
  }

  private static func fields(_ watcher: ListeningWatcher) -> JSONFields {
    [
      "process": .integer(Int64(watcher.process)),
      "since": watcher.since.map { .time($0.seconds) } ?? .null,
    ]
  }

  private static func fields(_ sync: SyncRecord?) -> JSONValue {
    guard let failure = sync?.failure else { return .null }
    return .object([
      "code": .integer(Int64(CommandFailure.code(failure.code).rawValue)),
      "message": .text(failure.message), "since": sync?.failingSince.map { .time($0) } ?? .null,
    ])
  }

  static func fields(_ standing: Standing) -> JSONFields {
    let report = standing.report
    let sync = standing.remote == nil ? nil : standing.sync
    let changes = report.changes.map { change -> JSONValue in
      var fields: JSONFields = [
        "path": .path(change.path), "change": .text(change.kind.rawValue),
      ]
      fields.append("from", change.oldPath.map { .path($0) })
      return .object(fields)
    }
    var held: [JSONValue] = []
    if !report.held.isEmpty { held.append(.object(SaveReporting.fields(report.held))) }
    if !standing.others.kept.isEmpty {
      held.append(.object(SyncReporting.fields(held: standing.others.kept)))
    }
    if let blocked = report.blocked {
      held.append(
        .object([
          "reason": .text(report.blockedBy ?? "root"), "message": .text(blocked.message),
          "paths": .array([]),
        ]))
    }
    return [
      "vault": .text(report.root),
      "branch": report.branch.isEmpty ? .null : .text(report.branch),
      "head": report.lastSave.map { .id($0.id) } ?? .null, "changes": .array(changes),
      "skipped": .array(report.skipped.map { .object(SaveReporting.fields($0)) }),
      "held": .array(held), "spacedOut": .array(report.spacedOut.map { .path($0) }),
      "conflicts": .array(standing.others.conflicts.map { .object(ConflictsCommand.fields($0)) }),
      "pending": .array(standing.others.pending.map { .path($0) }),
      "lastSave": report.lastSave.map { .time($0.time) } ?? .null,
      "lastSync": sync?.succeeded.map { .time($0) } ?? .null,
      "remote": standing.remote.map { .text($0) } ?? .null,
      "ahead": standing.others.ahead.map { .integer(Int64($0)) } ?? .null,
      "behind": standing.others.behind.map { .integer(Int64($0)) } ?? .null,
      "watcher": report.watcher.map { .object(fields($0)) } ?? .null,
      "pausedUntil": report.pausedUntil.map(PauseCommand.value) ?? .null,
      "syncFailure": fields(sync),
    ]
  }
}

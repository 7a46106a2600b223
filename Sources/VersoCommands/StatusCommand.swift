import Verso
import VersoDisk
import VersoModel

/// `verso status`: what has not been saved, what is left alone, and why.
enum StatusCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: true)
    let report = try report(on: paths.isEmpty ? nil : paths, engine, context)
    if invocation.wantsJSON {
      context.output.print(JSONObject(.status, fields(report)))
    } else if invocation.endsNamesWithNUL {
      for change in report.changes {
        context.output.writeNUL(Array("\(change.kind.rawValue) ".utf8) + change.path.bytes)
        if let old = change.oldPath { context.output.writeNUL(old.bytes) }
      }
    } else if !invocation.isQuiet {
      print(report, context)
    }
    return invocation.has(.check) && report.needsLook ? .attention : .done
  }

  /// Asks the process that watches the vault, which knows without looking; else looks.
  private static func report(
    on paths: [RelativePath]?, _ engine: Engine, _ context: Context
  ) throws -> StatusReport {
    let reply = try ControlClient.ask(
      root: engine.root, .status(paths: paths), timeout: 10, environment: context.environment)
    if case .status(let report) = reply { return report }
    var report = try engine.status(of: paths)
    report.watcher = ControlClient.watcher(root: engine.root, environment: context.environment)
    return report
  }

  private static func print(_ report: StatusReport, _ context: Context) {
    let output = context.output
    let place = report.branch.isEmpty ? "with a detached HEAD" : "on \(report.branch)"
    output.print("vault \(path: Array(report.root.utf8)) \(place)")
    if let last = report.lastSave {
      output.print("last save \(TimeText.minute(last.time)) \(last.id.short, .id) \(last.subject)")
    } else {
      output.print("nothing has been saved yet")
    }
    for remote in report.unusedRemotes { output.print("remote \(remote): not used") }
    if let watcher = report.watcher { output.print("watched by process \(watcher.process)") }
    if let pause = report.pausedUntil {
      output.print("saving by itself is paused \(PauseCommand.end(of: pause))")
    }
    if let blocked = report.blocked {
      output.print("nothing is saved now: \(blocked.message)")
      if let hint = blocked.hint { output.print("  \(hint)") }
    }
    if !report.changes.isEmpty {
      output.print("not saved:")
      for change in report.changes { output.print("  \(SaveReporting.line(change))") }
    }
    if !report.held.isEmpty {
      output.print("held (verso save --allow-mass-delete accepts them):")
      for path in report.held { output.print("  D \(path: path)") }
    }
    if !report.skipped.isEmpty {
      output.print("skipped:")
      for skipped in report.skipped {
        output.print("  \(path: skipped.path): \(SaveReporting.message(skipped.reason))")
      }
    }
    if !report.spacedOut.isEmpty {
      output.print("saved at most every half hour (versions of more than 100 MB in a day):")
      for path in report.spacedOut { output.print("  \(path: path)") }
    }
    if report.changes.isEmpty, report.held.isEmpty, report.blocked == nil {
      output.print("everything is saved")
    }
  }

  private static func fields(_ watcher: ListeningWatcher) -> JSONFields {
    [
      "process": .integer(Int64(watcher.process)),
      "since": watcher.since.map { .time($0.seconds) } ?? .null,
    ]
  }

  private static func fields(_ report: StatusReport) -> JSONFields {
    let changes = report.changes.map { change -> JSONValue in
      var fields: JSONFields = [
        "path": .path(change.path), "change": .text(change.kind.rawValue),
      ]
      fields.append("from", change.oldPath.map { .path($0) })
      return .object(fields)
    }
    var held: [JSONValue] = []
    if !report.held.isEmpty { held.append(.object(SaveReporting.fields(report.held))) }
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
      "held": .array(held),
      "spacedOut": .array(report.spacedOut.map { .object(["path": .path($0)]) }),
      "conflicts": .array([]), "lastSave": report.lastSave.map { .time($0.time) } ?? .null,
      "lastSync": .null, "remote": .null, "ahead": .null, "behind": .null,
      "watcher": report.watcher.map { .object(fields($0)) } ?? .null,
      "pausedUntil": report.pausedUntil.map(PauseCommand.value) ?? .null,
    ]
  }
}

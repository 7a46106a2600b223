import Verso
import VersoHistory
import VersoModel

/// `verso restore`: bring a note or folder back.
enum RestoreCommand {
  /// How many versions are offered where none is named.
  private static let offered = 10

  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    if invocation.has(.lines), let other = [Flag.Name.as, .exact].first(where: invocation.has) {
      throw UsageError(
        message: "--lines puts a passage into the note that is there, so --\(other.rawValue) means "
          + "nothing with it", hint: "leave one of them out")
    }
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: true)
    // No path is left of the vault's own directory, which means all of it.
    let path = paths.first ?? .root
    var request = RestoreRequest(path: path)
    request.isExact = invocation.has(.exact)
    request.isDryRun = invocation.isDryRun
    request.wait = Double(invocation.wait)
    request.lines = invocation.lines.map { Passage(first: $0.lowerBound, last: $0.upperBound) }
    if let name = invocation.bytes(.as) {
      request.destination = try VaultOperands.path(of: name, in: engine, invocation)
    }
    if let at = invocation.text(.at) {
      request.place = try place(of: path, at: at, engine, context)
    } else if engine.isOnDisk(path), try !engine.isKept(path) {
      return try offer(path, engine, invocation, context)
    }
    if request.isExact, try !confirmsExact(request, engine, invocation, context) { return .done }
    let outcome = try engine.restore(request)
    return RestoreReporting.report(
      outcome, event: "restored", path: path, isDryRun: invocation.isDryRun,
      device: engine.device, context)
  }

  private static func place(
    of path: RelativePath, at text: String, _ engine: Engine, _ context: Context
  ) throws -> History.Place {
    let when = try When(parsing: text, role: .end, now: context.now())
    let commit = try engine.commit(when, of: path)
    guard let place = try engine.history().place(of: path, at: commit) else {
      throw CommandFailure(
        .failed, "\(path: path) did not exist at \(text)", path: path.bytes,
        hint: "verso log \(path: path) lists its versions")
    }
    if place.wasFollowed {
      context.output.warn("\(path: path) was called \(path: place.path) then")
    }
    return place
  }

  /// Names the last versions with the command to type for each.
  private static func offer(
    _ path: RelativePath, _ engine: Engine, _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    let history = try engine.history()
    if context.output.settings.wantsJSON {
      var versions = try history.versions(of: path, range: HistoryRange(limit: offered))
      let printer = VersionPrinter(
        history: history, engine: engine, invocation: invocation, context: context)
      _ = try printer.each(&versions)
    } else {
      var versions = try history.versions(of: path)
      var left = offered
      while left > 0, let version = try versions.next() {
        // There is nothing to bring back of a version that removed it.
        if version.content == nil { continue }
        left -= 1
        let command = command(for: version.commit, invocation)
        context.output.print(
          "\(TimeText.minute(version.time), .time)  \(version.device)  \(command, .id)  "
            + "\(version.subject)")
      }
    }
    throw CommandFailure(
      .usage, "\(path: path) is there; say with --at which version is to come back",
      path: path.bytes)
  }

  /// The command to type, in the folder where this one was typed, for a version.
  private static func command(for commit: ObjectID, _ invocation: Invocation) -> String {
    var words = ["verso"]
    if let directory = invocation.directory { words += ["-C", ShellWord.quote(directory)] }
    words += ["restore"] + invocation.operands.map(ShellWord.quote) + ["--at", commit.short]
    return words.joined(separator: " ")
  }

  /// Shows what `--exact` would remove, and asks where somebody can be asked.
  ///
  /// Off a terminal the list is all there is: each file stays in history, and `verso undo` brings
  /// them back.
  private static func confirmsExact(
    _ request: RestoreRequest, _ engine: Engine, _ invocation: Invocation, _ context: Context
  ) throws -> Bool {
    if invocation.isDryRun { return true }
    var trial = request
    trial.isDryRun = true
    let removals = try engine.restore(trial).removals
    if removals.isEmpty { return true }
    for path in removals { context.output.warn("removes \(path: path)") }
    if invocation.has(.yes) { return true }
    return context.confirms("remove \(removals.count) newer files?") ?? true
  }
}

import Verso
import VersoHistory
import VersoModel

/// `verso restore`: bring a note or folder back.
enum RestoreCommand {
  /// How many versions are offered where none is named.
  private static let offered = 10

  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: true)
    guard let path = paths.first else {
      throw CommandFailure(.usage, "restore needs the path of a note or folder")
    }
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
    } else if engine.isOnDisk(path) {
      return try offer(path, engine, context)
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
    _ path: RelativePath, _ engine: Engine, _ context: Context
  ) throws -> ExitCode {
    var history = try engine.history().versions(
      of: path, range: HistoryRange(limit: offered))
    for version in try history.all() {
      context.output.print(
        """
        \(TimeText.minute(version.time))  \(version.device)  verso restore \(path: path) \
        --at \(version.commit.short, .id)  \(version.subject)
        """)
    }
    throw CommandFailure(
      .usage, "\(path: path) is there; say with --at which version is to come back",
      path: path.bytes)
  }

  /// Shows what `--exact` would remove, and asks where somebody can be asked.
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
    switch context.confirms("remove \(removals.count) newer files?") {
    case true?: return true
    case false?: return false
    case nil:
      throw CommandFailure(
        .refused, "--exact would remove \(removals.count) newer files",
        hint: "give --yes if that is meant; each stays in history")
    }
  }
}

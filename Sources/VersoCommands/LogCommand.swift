import Verso
import VersoHistory
import VersoModel

/// `verso log`: versions, newest first.
enum LogCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    let path = paths.first
    let range = HistoryRange(
      since: try WhenArguments.time(.since, role: .start, of: path, invocation, engine, context),
      until: try WhenArguments.time(.until, role: .end, of: path, invocation, engine, context),
      limit: invocation.number(.limit))
    if try engine.head() == nil {
      context.output.note("nothing has been saved yet")
      return .done
    }
    context.output.usePager { engine.setting("core.pager") }
    let history = try engine.history()
    if invocation.has(.digest) {
      try digest(path, range, history, invocation, context)
      if let path { try warn(ofAbsent: path, history, engine, context) }
      return .done
    }
    let printer = VersionPrinter(
      history: history, engine: engine, invocation: invocation, context: context)
    let isFolded = context.output.isTerminal && !printer.needsEach
    if let path {
      var versions = try history.versions(of: path, range: range)
      let found = try isFolded ? printer.folded(&versions) : printer.each(&versions)
      if !found { try warn(ofAbsent: path, history, engine, context) }
    } else if isFolded {
      var versions = try history.versions(of: .root, range: range)
      _ = try printer.folded(&versions)
    } else {
      try printer.commits(range)
    }
    return .done
  }

  /// Says so where there never was anything at a path.
  private static func warn(
    ofAbsent path: RelativePath, _ history: History, _ engine: Engine, _ context: Context
  ) throws {
    guard try history.lastContent(of: path) == nil else { return }
    context.output.warn(
      "there never was \(path: path)", hint: try Absence.hint(for: path, engine))
  }
}

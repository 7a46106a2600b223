import Verso
import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

/// `verso diff`: what differs between versions, or between the last one and the disk.
enum DiffCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    let path = paths.first
    let head = try engine.head()
    let named = try WhenArguments.commit(
      .from, role: .start, of: path, invocation, engine, context)
    let from = named ?? head
    let to = try WhenArguments.commit(.to, role: .end, of: path, invocation, engine, context)
    let goal = to.map { Comparison.Goal.commit($0) } ?? .disk
    let names = try path.map { try Names($0, from: from, to: to, engine) }
    let comparison = try Comparison(
      engine, from: from, to: goal, below: names?.all ?? [], renames: names?.renames ?? [])
    for skipped in comparison.skipped {
      context.output.note(
        "left out \(path: skipped.path): \(SaveReporting.message(skipped.reason))")
    }
    if let path, let names, comparison.changes.isEmpty {
      try check(path, names, comparison, engine)
    }
    names?.say(context)
    try print(comparison, invocation, engine, context)
    return .done
  }

  private static func print(
    _ comparison: Comparison, _ invocation: Invocation, _ engine: Engine, _ context: Context
  ) throws {
    let output = context.output
    output.usePager { engine.setting("core.pager") }
    let printer = DifferencePrinter(
      output: output, showsWords: invocation.has(.words) || output.isTerminal,
      style: style(engine))
    for change in comparison.changes where !output.isClosed {
      let difference = try comparison.difference(of: change)
      // It may have been put back since it was looked at.
      if difference.isEmpty { continue }
      if invocation.wantsJSON {
        printer.printJSON(difference)
      } else {
        try printer.print(difference)
      }
    }
  }

  /// What git is configured to write.
  private static func style(_ engine: Engine) -> LineDifference.Style {
    let digits = engine.setting("core.abbrev").flatMap { Int($0) }.map { min(40, max(4, $0)) }
    let quotes = engine.setting("core.quotePath").map { $0.lowercased() } ?? "true"
    return LineDifference.Style(
      digits: digits ?? 7, quotesNonASCII: !["false", "no", "off", "0"].contains(quotes))
  }

  /// Nothing differs; that is no answer where there never was anything.
  private static func check(
    _ path: RelativePath, _ names: Names, _ comparison: Comparison, _ engine: Engine
  ) throws {
    if names.isKnown || engine.isOnDisk(path) { return }
    if try engine.history().lastContent(of: path) != nil { return }
    throw try Absence.failure(of: path, "", engine)
  }

  /// The names that a path had in the two states.
  private struct Names {
    let path: RelativePath
    private let old: History.Place?
    private let new: History.Place?

    init(
      _ path: RelativePath, from: ObjectID?, to: ObjectID?, _ engine: Engine
    ) throws {
      self.path = path
      let history = try engine.history()
      old = try from.flatMap { try history.place(of: path, at: $0) }
      new = try to.flatMap { try history.place(of: path, at: $0) }
    }

    var isKnown: Bool { old != nil || new != nil }

    var all: [RelativePath] {
      var names = [path]
      for place in [old, new] {
        if let place, !names.contains(place.path) { names.append(place.path) }
      }
      return names
    }

    /// Followed through history, a note is the same whatever its two contents look like.
    var renames: [(old: RelativePath, new: RelativePath)] {
      guard let old, !old.content.isFolder else { return [] }
      let today = new?.path ?? path
      return old.path == today ? [] : [(old.path, today)]
    }

    func say(_ context: Context) {
      for place in [old, new] {
        guard let place, place.wasFollowed else { continue }
        context.output.warn("\(path: path) was called \(path: place.path) then")
      }
    }
  }
}

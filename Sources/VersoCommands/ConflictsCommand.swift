import CLinux
import Glibc
import Verso
import VersoDisk
import VersoHistory
import VersoModel

/// `verso conflicts`: what devices changed in ways that could not be joined, and how it ends.
enum ConflictsCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let words = invocation.operands.map { String(decoding: $0, as: UTF8.self) }
    switch words.first ?? "list" {
    case "list":
      if words.count > 1 { throw usage("list takes no PATH") }
      if invocation.has(.keep) || invocation.has(.merge) { throw usage("list decides nothing") }
      return try list(invocation, context)
    case "resolve":
      guard words.count == 2 else { throw usage("resolve takes one PATH") }
      guard invocation.has(.keep) != invocation.has(.merge) else {
        throw usage("resolve takes either --keep or --merge")
      }
      return try resolve(invocation, context)
    default: throw usage("'\(words[0])' is neither list nor resolve")
    }
  }

  private static func usage(_ message: String) -> UsageError {
    UsageError(message: message, hint: "run 'verso help conflicts'")
  }

  // MARK: Listing

  private static func list(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, _) = try VaultOperands.open(vault(invocation), context, requiresVault: true)
    let open = try engine.openConflicts()
    if open.isEmpty { context.output.note("there is no conflict") }
    for conflict in open {
      if context.output.settings.wantsJSON {
        context.output.print(try object(conflict, engine))
      } else {
        try show(conflict, engine, context)
      }
    }
    return .done
  }

  static func fields(_ conflict: OpenConflict) -> JSONFields {
    [
      "path": .path(conflict.path), "copy": .path(conflict.copy),
      "device": .text(conflict.device),
    ]
  }

  /// The same with the time at which the copy was made.
  private static func object(_ conflict: OpenConflict, _ engine: Engine) throws -> JSONObject {
    var fields = fields(conflict)
    var versions = try engine.history().versions(of: conflict.copy)
    // Before that it was the note, which the versions of the copy go on to.
    let made = try versions.all().last { $0.path == conflict.copy }
    fields.append("time", made.map { .time($0.time) } ?? .null)
    return JSONObject(.conflict, fields)
  }

  private static func show(
    _ conflict: OpenConflict, _ engine: Engine, _ context: Context
  ) throws {
    let output = context.output
    output.print("\(path: conflict.path, .heading)")
    output.print("  \(conflict.device) at \(conflict.time): \(path: conflict.copy)")
    let (note, copy) = try engine.contents(of: conflict)
    let mode = Item.Kind.file.rawValue
    let difference = try LineDifference(
      from: .init(path: conflict.copy, mode: mode, content: copy),
      to: .init(path: conflict.path, mode: mode, content: note))
    try DifferencePrinter(output: output, showsWords: true, style: .init())
      .print(difference, headed: false)
    output.print(
      "  verso conflicts resolve \(ShellWord.quote(conflict.copy.bytes), .id) "
        + "--keep this|copy|both")
  }

  /// The same invocation without the word that is no path.
  private static func vault(_ invocation: Invocation, path: [UInt8]? = nil) -> Invocation {
    Invocation(
      invocation.command, operands: path.map { [$0] } ?? [], values: invocation.values)
  }

  // MARK: Resolving

  private static func resolve(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(
      vault(invocation, path: invocation.operands[1]), context, requiresVault: true)
    guard let path = paths.first else { throw usage("resolve takes the PATH of a note") }
    let conflict = try engine.openConflict(at: path)
    let choice: ConflictChoice
    switch invocation.text(.keep) {
    case "this": choice = .this
    case "copy": choice = .copy
    case "both": choice = .both
    default:
      guard let text = try merged(conflict, engine, context) else { return .done }
      choice = .text(text)
    }
    let outcome = try engine.resolve(
      conflict, by: choice, isDryRun: invocation.isDryRun, wait: Double(invocation.wait))
    return RestoreReporting.report(
      outcome, event: "resolved", path: conflict.path, isDryRun: invocation.isDryRun,
      device: engine.device, context)
  }

  /// Both versions joined line by line, as somebody's editor leaves them; `nil` where it was given up.
  private static func merged(
    _ conflict: OpenConflict, _ engine: Engine, _ context: Context
  ) throws -> [UInt8]? {
    guard context.isInteractive else {
      throw CommandFailure(
        .failed, "--merge opens an editor, and there is no terminal",
        hint: "say --keep this, --keep copy or --keep both")
    }
    let draft = try Draft(
      engine.joinedText(of: conflict), named: Array(conflict.path.name))
    let edited = try draft.edit(context)
    guard let edited else {
      context.output.say("nothing was decided: the editor ended without success")
      return nil
    }
    return edited
  }
}

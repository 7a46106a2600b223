import Verso
import VersoDisk
import VersoModel

/// How saves, and what they leave alone, are told to people and programs.
enum SaveReporting {
  /// Prints what a save did and what it left, and says which exit code that is.
  ///
  /// - Parameter isTerse: Whether nothing is said of a save that had nothing to do.
  static func report(
    _ outcome: SaveOutcome, device: String, isTerse: Bool = false, _ context: Context
  ) -> ExitCode {
    let output = context.output
    if let id = outcome.commit, let subject = outcome.subject {
      output.settings.wantsJSON
        ? output.print(saved(id, subject, outcome, device: device, context))
        : output.say("saved \(id.short, .id) \(subject)")
    } else if let subject = outcome.subject {
      planned("would save: \(subject)", context)
      for change in outcome.changes { planned(line(change), path: change.path, context) }
    } else if !isTerse {
      output.note("nothing to save")
    }
    if let identity = outcome.madeUpIdentity {
      remark(
        "identity", "git knows no name for you, so versions are made as \(identity)",
        hint: "git config --global user.name NAME; git config --global user.email ADDRESS", context)
    }
    return ExitCode.combined([
      reportUnsigned(outcome, context), reportSkipped(outcome, context),
      reportHeld(outcome.held, context),
    ])
  }

  private static func saved(
    _ id: ObjectID, _ subject: String, _ outcome: SaveOutcome, device: String, _ context: Context
  ) -> JSONObject {
    func count(_ kind: PathChange.Kind) -> JSONValue {
      .count(outcome.changes.count { $0.kind == kind })
    }
    return JSONObject(
      .saved,
      [
        "id": .id(id), "time": .time(context.now()), "subject": .text(subject),
        "device": .text(device), "added": count(.added), "edited": count(.modified),
        "renamed": count(.renamed), "deleted": count(.deleted),
      ])
  }

  /// A changed path with git's letter.
  static func line(_ change: PathChange) -> Line {
    if let old = change.oldPath { return "R \(path: old) -> \(path: change.path)" }
    return "\(change.kind.rawValue) \(path: change.path)"
  }

  private static func reportUnsigned(_ outcome: SaveOutcome, _ context: Context) -> ExitCode {
    guard let reason = outcome.unsigned else { return .done }
    guard outcome.isUnsignedNews else { return .done }
    remark(
      "unsigned", "the version is not signed: \(reason)",
      hint: "unlock the key, or run: git config verso.sign never", context)
    return .attention
  }

  /// Says something about a version that is no failure.
  private static func remark(_ event: String, _ text: String, hint: String, _ context: Context) {
    guard context.output.settings.wantsJSON else {
      return context.output.warn(Line(text), hint: Line(hint))
    }
    context.output.print(
      JSONObject(
        .event,
        [
          "event": .text(event), "time": .time(context.now()), "message": .text(text),
          "hint": .text(hint),
        ]))
  }

  /// Says one thing that would be done.
  static func planned(_ line: Line, path: RelativePath? = nil, _ context: Context) {
    guard context.output.settings.wantsJSON else { return context.output.say(line) }
    var fields: JSONFields = [
      "event": "planned", "time": .time(context.now()), "message": .text(line.plain),
    ]
    fields.append("path", path.map { .path($0) })
    context.output.print(JSONObject(.event, fields))
  }

  private static func reportSkipped(_ outcome: SaveOutcome, _ context: Context) -> ExitCode {
    // What still moves is left for the next time, and named each time.
    for skipped in outcome.skipped
    where skipped.reason == .moving || outcome.newlySkipped.contains(skipped) {
      report(skipped, context)
    }
    return outcome.newlySkipped.isEmpty ? .done : .attention
  }

  /// Names one path that is left alone.
  static func report(_ skipped: Skipped, _ context: Context) {
    if context.output.settings.wantsJSON {
      context.output.print(JSONObject(.skipped, fields(skipped)))
    } else {
      context.output.warn("skipped \(path: skipped.path): \(message(skipped.reason))")
    }
  }

  static func fields(_ skipped: Skipped) -> JSONFields {
    [
      "path": .path(skipped.path), "reason": .text(word(skipped.reason)),
      "message": .text(message(skipped.reason)),
    ]
  }

  /// Says which deletions wait for a person.
  static func reportHeld(_ held: [RelativePath], _ context: Context) -> ExitCode {
    if held.isEmpty { return .done }
    if context.output.settings.wantsJSON {
      context.output.print(JSONObject(.held, fields(held)))
      return .refused
    }
    // Said with --quiet too: from cron nobody would hear of it otherwise.
    context.output.alarm(
      "held back \(held.count) deletions, as so many at once are seldom meant; all else was saved",
      hint: "verso save --allow-mass-delete accepts them, verso restore PATH brings a note back")
    for path in held.prefix(20) { context.output.warn("held \(path: path)") }
    if held.count > 20 { context.output.warn("and \(held.count - 20) more: verso status") }
    return .refused
  }

  static func fields(_ held: [RelativePath]) -> JSONFields {
    [
      "reason": "deletions", "message": .text("\(held.count) files are gone at once"),
      "paths": .array(held.map { .path($0) }),
      "hint": "verso save --allow-mass-delete",
    ]
  }

  /// The reason as scripts get it.
  static func word(_ reason: Skipped.Reason) -> String {
    switch reason {
    case .unreadable: "unreadable"
    case .tooLarge: "large"
    case .otherFileSystem: "mounted"
    case .special: "special"
    case .nestedRepository, .movedRepository: "nested"
    case .badName: "name"
    case .filter: "filter"
    case .moving: "busy"
    case .inTheWay: "blocked"
    }
  }

  /// The reason as people get it, with what to do.
  static func message(_ reason: Skipped.Reason) -> String {
    switch reason {
    case .unreadable(let code):
      "it cannot be read (\(DiskError(code: code, operation: "", path: [UInt8]()).reason)); "
        + "its last version is kept"
    case .tooLarge(let size):
      "it has \(size) bytes, more than verso.maxFileSize; raise that, or leave it out of git's eyes"
    case .otherFileSystem: "it is on another file system, which is not versioned"
    case .special: "it is a FIFO, a socket or a device"
    case .nestedRepository: "it is a git repository of its own; make it a vault of its own"
    case .movedRepository(let id):
      "it is a git repository of its own, at \(id.short) now; history keeps the commit it had "
        + "until git add records this one"
    case .badName(let why): "git cannot hold that name (\(why)); rename it"
    case .filter(let what): what
    case .moving: "it does not stop changing; it is saved when it does"
    case .inTheWay: "something that stays in history as it is has its place"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .text(text) }
}

import Verso
import VersoDisk
import VersoHistory
import VersoModel

/// `verso pause` and `verso resume`: hold what is saved by itself, and let it go on.
enum PauseCommand {
  static func pause(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let end = try invocation.operands.first.map { word in
      let length = try VersoDuration(parsing: String(decoding: word, as: UTF8.self))
      return Timestamp.now().advanced(by: length)
    }
    let engine = try open(invocation, context)
    if !invocation.isDryRun {
      try engine.pause(until: end)
      tell(.pause(until: end), engine, context)
    }
    let pause = end.map { Pause.until($0) } ?? .untilResumed
    let verb = invocation.isDryRun ? "would be" : "is"
    report(
      "paused", "saving by itself \(verb) paused \(Self.end(of: pause))", until: value(pause),
      engine, invocation, context)
    return .done
  }

  static func resume(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let engine = try open(invocation, context)
    let wasPaused = engine.pausedUntil != nil
    if !invocation.isDryRun {
      try engine.resume()
      tell(.resume, engine, context)
    }
    let message =
      !wasPaused
      ? "saving was not paused" : invocation.isDryRun ? "saving would go on" : "saving goes on"
    report("resumed", message, until: nil, engine, invocation, context)
    return .done
  }

  /// The vault of `-C` or of the current directory: a DURATION is no path to look above.
  private static func open(_ invocation: Invocation, _ context: Context) throws -> Engine {
    let here = Invocation(invocation.command, values: invocation.values)
    return try VaultOperands.open(here, context, requiresVault: true).engine
  }

  /// Tells the watcher. One that does not hear reads it from the vault before its next save.
  private static func tell(
    _ kind: ControlRequest.Kind, _ engine: Engine, _ context: Context
  ) {
    do throws(VersoError) {
      _ = try ControlClient.ask(
        root: engine.root, kind, timeout: 2, environment: context.environment)
    } catch {
      context.output.note("the watching process answered: \(error.message)")
    }
  }

  private static func report(
    _ event: String, _ message: String, until: JSONValue?, _ engine: Engine,
    _ invocation: Invocation, _ context: Context
  ) {
    guard invocation.wantsJSON else { return context.output.say(Line(message)) }
    var fields: JSONFields = [
      "event": .text(event), "time": .time(context.now()), "message": .text(message),
      "vault": .text(engine.root),
    ]
    fields.append("until", until)
    context.output.print(JSONObject(.event, fields))
  }

  // MARK: For status too

  /// When a pause is over, for people.
  static func end(of pause: Pause) -> String {
    switch pause {
    case .until(let time): "until \(TimeText.minute(time.seconds))"
    case .untilResumed: "until 'verso resume'"
    }
  }

  /// When a pause is over, for programs.
  static func value(_ pause: Pause) -> JSONValue {
    switch pause {
    case .until(let time): .time(time.seconds)
    case .untilResumed: .text("forever")
    }
  }
}

extension Timestamp {
  /// The time so much later.
  fileprivate func advanced(by length: VersoDuration) -> Timestamp {
    let nanoseconds = Int64(nanoseconds) + length.milliseconds % 1_000 * 1_000_000
    return Timestamp(
      seconds: seconds + length.milliseconds / 1_000 + nanoseconds / 1_000_000_000,
      nanoseconds: UInt32(nanoseconds % 1_000_000_000))
  }
}

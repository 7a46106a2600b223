import Verso
import VersoModel

/// `verso compact`: less room for the same history.
enum CompactCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
    context.output.note("this may take a while")
    let outcome = try engine.compact(
      isDryRun: invocation.isDryRun, wait: Double(invocation.wait))
    let output = context.output
    if invocation.isDryRun {
      SaveReporting.planned("would pack \(describe(outcome.before))", context)
      return .done
    }
    for id in outcome.left {
      output.alarm(
        "the object \(id.short, .id) cannot be read, and stays as it is", hint: "verso doctor")
    }
    if outcome.means == .own {
      output.note("there is no git program, so that objects are packed one by one, without deltas")
    }
    if output.settings.wantsJSON {
      printJSON(outcome, context)
    } else {
      output.say("before: \(describe(outcome.before))")
      output.say("after:  \(describe(outcome.after))")
    }
    return .done
  }

  private static func describe(_ size: StoreSize) -> Line {
    let objects = "\(NumberText.grouped(size.looseObjects)) loose objects"
    let packs = Counted.text(size.packs, "pack")
    let parts = [
      "\(objects) (\(text(size.looseBytes)))", "\(packs) (\(text(size.packBytes)))",
      "caches (\(text(size.cacheBytes)))",
    ]
    return "\(text(size.bytes)): \(parts.joined(separator: ", "))"
  }

  /// A size for people: `1.4 MB`.
  private static func text(_ bytes: UInt64) -> String {
    var (value, units) = (Double(bytes), ["bytes", "kB", "MB", "GB", "TB"][...])
    while value >= 1000, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let unit = units.first ?? ""
    if unit == "bytes" { return "\(bytes) bytes" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  private static func printJSON(_ outcome: CompactOutcome, _ context: Context) {
    context.output.print(
      JSONObject(
        .event,
        [
          "event": "compacted", "time": .time(context.now()),
          "message": .text(
            "\(text(outcome.before.bytes)) before, \(text(outcome.after.bytes)) now"),
          "means": .text(outcome.means == .git ? "git" : "own"),
          "bytesBefore": .integer(Int64(clamping: outcome.before.bytes)),
          "bytesAfter": .integer(Int64(clamping: outcome.after.bytes)),
        ]))
  }
}

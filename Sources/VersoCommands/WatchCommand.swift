import CLinux
import Glibc
import Verso
import VersoHistory
import VersoModel

/// `verso watch`: save every change once it has settled, until told to end.
enum WatchCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (root, device, rules) = try settings(invocation, context)
    var options = Watcher.Options()
    options.settle = rules.settle
    options.settleLimit = max(rules.limit, rules.settle)
    options.server = try ControlServer(root: root, environment: context.environment)
    let notifier = ServiceNotifier(environment: context.environment)
    options.notifier = notifier
    options.signals = try signals()
    options.sync = rules.sync
    // Not in the vault, or in any place that somebody may want to unmount.
    _ = chdir("/")
    let reporter = Reporter(root: root, device: device, context: context, notifier: notifier)
    try Watcher(root: root, options: options) { reporter.report($0) }.run()
    return .done
  }

  /// What is to be watched, and how. Nothing of the vault stays open.
  private static func settings(
    _ invocation: Invocation, _ context: Context
  ) throws -> (root: String, device: String, rules: Rules) {
    let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
    try engine.checkOwner()
    var settle = try length(engine.settle, "verso.settle") ?? 2
    if let given = invocation.duration(.settle) { settle = given.seconds }
    let limit = try length(engine.settleMax, "verso.settleMax") ?? 30
    return (engine.root, engine.device, Rules(settle, limit, try sync(invocation, engine)))
  }

  private struct Rules {
    let settle: Double
    let limit: Double
    /// `nil` for never.
    let sync: SyncSchedule.Rules?

    init(_ settle: Double, _ limit: Double, _ sync: SyncSchedule.Rules?) {
      (self.settle, self.limit, self.sync) = (settle, limit, sync)
    }
  }

  /// When to synchronise: `--sync-every`, `verso.syncEvery`, `verso.syncAfter`.
  private static func sync(
    _ invocation: Invocation, _ engine: Engine
  ) throws -> SyncSchedule.Rules? {
    let every = invocation.text(.syncEvery) ?? engine.setting("verso.syncEvery")
    if every == "never" { return nil }
    var rules = SyncSchedule.Rules()
    if let length = try length(every, "verso.syncEvery") { rules.every = max(1, length) }
    rules.after = try length(engine.setting("verso.syncAfter"), "verso.syncAfter")
    return rules
  }

  private static func length(_ text: String?, _ key: String) throws -> Double? {
    guard let text else { return nil }
    do throws(WhenError) { return try VersoDuration(parsing: text).seconds } catch {
      throw CommandFailure(
        .failed, "\(key): \(error.message)", hint: Line(error.hint ?? "set it like 2s"))
    }
  }

  /// A descriptor that becomes readable when a signal asks the process to end.
  private static func signals() throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, verso_catch_signals(ends[1]) == 0 else {
      throw CommandFailure(.failed, "the signals that end a watch cannot be caught")
    }
    for end in ends { _ = verso_fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends[0]
  }

  /// Tells people, programs and systemd what happens.
  private struct Reporter {
    let root: String
    let device: String
    let context: Context
    let notifier: ServiceNotifier

    func report(_ event: Watcher.Event) {
      switch event {
      case .started(let folders):
        tell("started", "watching \(path: Array(root.utf8)): \(folders) folders")
        notifier.ready()
        notifier.status("watching \(folders) folders")
      case .saved(let outcome):
        _ = SaveReporting.report(outcome, device: device, context)
        if let subject = outcome.subject { notifier.status("saved: \(subject)") }
      case .changed: return
      case .waiting(let error):
        tell("waiting", Line(error.message), hint: error.hint.map { Line($0) })
        notifier.status("waiting: \(error.message)")
      case .resumed:
        tell("resumed", "saving goes on")
        notifier.status("saving goes on")
      case .offline(let reason):
        tell("offline", "nothing is saved: \(reason)")
        notifier.status("nothing is saved: \(reason)")
      case .online:
        tell("online", "\(path: Array(root.utf8)) is there again")
        notifier.status("watching again")
      case .rescan:
        tell("rescan", "changes came faster than they could be read; looking at everything")
      case .limited(let message): tell("limit", Line(message))
      case .paused(let pause): tell("paused", "saving is paused \(PauseCommand.end(of: pause))")
      case .synced(let outcome):
        var rest = outcome
        // What was saved is told by itself.
        rest.save = SaveOutcome()
        _ = SyncReporting.report(rest, device: device, context)
        notifier.status("synchronised with \(outcome.remote ?? "")")
      case .unsynced(let error):
        tell("unsynced", Line(error.message), hint: error.hint.map { Line($0) })
        notifier.status("not synchronised: \(error.message)")
      case .stopped: tell("stopped", "not watching any more")
      }
      context.output.flush()
    }

    private func tell(_ event: String, _ message: Line, hint: Line? = nil) {
      let output = context.output
      guard output.settings.wantsJSON else {
        output.say(message)
        if let hint { output.note(hint) }
        return
      }
      var fields: JSONFields = [
        "event": .text(event), "time": .time(context.now()), "message": .text(message.plain),
        "vault": .text(root),
      ]
      fields.append("hint", hint.map { .text($0.plain) })
      output.print(JSONObject(.event, fields))
    }
  }
}

extension VersoDuration {
  var seconds: Double { Double(milliseconds) / 1000 }
}

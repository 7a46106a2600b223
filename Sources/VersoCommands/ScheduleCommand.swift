import Glibc
import Verso
import VersoHistory
import VersoModel

/// `verso schedule`: let the machine synchronise a vault by itself.
enum ScheduleCommand {
  enum Action: String, CaseIterable {
    case add
    case remove
    case list
  }

  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    guard let word = invocation.operands.first,
      let action = Action(rawValue: String(decoding: word, as: UTF8.self))
    else { preconditionFailure("the parser has checked the action") }
    if invocation.has(.systemd), invocation.has(.cron) {
      throw UsageError(
        message: "--systemd and --cron exclude each other", hint: "leave one of them out")
    }
    let directory = Invocation(
      .schedule, operands: Array(invocation.operands.dropFirst()), values: invocation.values)
    switch action {
    case .add: return try add(directory, context)
    case .remove: return try remove(directory, context)
    case .list: return try list(directory, context)
    }
  }

  private static func wanted(_ invocation: Invocation) -> Scheduler.Means? {
    if invocation.has(.systemd) || invocation.has(.watch) { return .systemd }
    return invocation.has(.cron) ? .cron : nil
  }

  // MARK: Adding

  private static func add(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    if invocation.has(.watch), invocation.has(.cron) {
      throw UsageError(
        message: "a crontab repeats commands and cannot watch",
        hint: "leave --watch or --cron out")
    }
    let scheduler = Scheduler(environment: context.environment)
    let plan = try plan(invocation, context)
    if invocation.has(.print) { return try print(plan, scheduler, invocation, context) }
    let means = try scheduler.means(preferring: wanted(invocation))
    let added = try scheduler.add(plan, means, isDryRun: invocation.isDryRun)
    tell(
      added.entry, "scheduled",
      "\(text(of: added, isDryRun: invocation.isDryRun)) (\(added.entry.name))", context)
    if let command = added.lingering {
      context.output.say("it runs while you are logged in; to let it run always: \(command)")
    }
    return .done
  }

  private static func text(of added: Scheduler.Added, isDryRun: Bool) -> Line {
    let root: Line = "\(path: added.entry.root)"
    let verb = isDryRun ? "would be" : "is"
    if !added.isNew { return "\(root) is scheduled like that already" }
    guard let every = added.entry.every else { return "\(root) \(verb) watched from now on" }
    return "\(root) \(verb) synchronised every \(every) from now on"
  }

  private static func print(
    _ plan: SchedulePlan, _ scheduler: Scheduler, _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    let wanted = wanted(invocation)
    // What is only shown may be for another machine.
    let means: Scheduler.Means
    do { means = try wanted ?? scheduler.means(preferring: nil) } catch { means = .systemd }
    for (file, text) in try scheduler.texts(plan, means) {
      if context.output.settings.wantsJSON {
        let fields: JSONFields = [
          "event": .text("shown"), "time": .time(context.now()), "message": .text(text),
          "vault": .bytes(Array(plan.root.utf8)), "means": .text(means.rawValue),
          "unit": .text(file ?? "crontab"),
        ]
        context.output.print(JSONObject(.event, fields))
      } else {
        if let file { context.output.write("# \(file)\n") }
        context.output.writeContent(Array(text.utf8))
      }
    }
    return .done
  }

  private static func plan(
    _ invocation: Invocation, _ context: Context
  ) throws -> SchedulePlan {
    let (root, owner) = try vault(invocation)
    let length = invocation.duration(.every)
    return try SchedulePlan(
      root: root, program: Self.program(context),
      rhythm: invocation.has(.watch)
        ? .watch(syncEvery: length) : .every(length ?? SchedulePlan.usualLength),
      user: geteuid() == 0 ? owner : nil, host: Engine.hostName)
  }

  /// The vault's root and its owner. Root may schedule the vaults of others, which it must not touch
  /// otherwise.
  private static func vault(_ invocation: Invocation) throws -> (root: String, owner: String) {
    let start = try VaultOperands.directory(invocation)
    guard let location = VaultLocation(above: start) else {
      throw VersoError(.noVault, "\(start) is not in a vault", hint: "run: verso init DIR")
    }
    let owner = Scheduler.owner(of: location.root)
    if geteuid() != 0 || owner.id == 0 { _ = try Engine.open(above: location.root) }
    return (location.root, owner.name)
  }

  // MARK: The program

  /// Where this very program is installed.
  ///
  /// - Throws: ``CommandFailure`` (5) where it lies below a `.build`, which the next build replaces
  ///   and `swift package clean` removes.
  private static func program(_ context: Context) throws -> String {
    guard let real = realpath("/proc/self/exe", nil) else {
      throw CommandFailure(
        .failed, "the running program is not on disk any more", hint: "start the new one")
    }
    defer { free(real) }
    let path = String(cString: real)
    if path.split(separator: "/").contains(".build") {
      throw CommandFailure(
        .refused, "\(path: Array(path.utf8)) is in a build directory, which comes and goes",
        path: Array(path.utf8),
        hint: """
          run: swift build -c release --product verso && \
          sudo install .build/release/verso /usr/local/bin/verso; then schedule with that one
          """)
    }
    return stable(path, context)
  }

  /// The name under which `PATH` finds the program, where that is one: it outlives an update that
  /// puts another version behind a link.
  private static func stable(_ path: String, _ context: Context) -> String {
    let folders = context.environment("PATH")?.split(separator: ":") ?? []
    for folder in folders where folder.hasPrefix("/") {
      let candidate = "\(folder)/verso"
      guard let real = realpath(candidate, nil) else { continue }
      defer { free(real) }
      if String(cString: real) == path, !folder.contains(".build") { return candidate }
    }
    return path
  }

  // MARK: Removing and listing

  private static func remove(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let start = try VaultOperands.directory(invocation)
    // Also of a vault that is not there any more, by its root.
    let root = Array((VaultLocation(above: start)?.root ?? start).utf8)
    let scheduler = Scheduler(environment: context.environment)
    let isDryRun = invocation.isDryRun || invocation.has(.print)
    let removed = try remove(root, start, scheduler, wanted(invocation), isDryRun: isDryRun)
    for entry in removed {
      tell(
        entry, "unscheduled",
        "\(path: entry.root) \(isDryRun ? "would be" : "is") scheduled no more (\(entry.name))",
        context)
    }
    if removed.isEmpty { context.output.say("\(path: root) is not scheduled") }
    return .done
  }

  private static func remove(
    _ root: [UInt8], _ start: String, _ scheduler: Scheduler, _ means: Scheduler.Means?,
    isDryRun: Bool
  ) throws -> [Scheduler.Entry] {
    let exact = try scheduler.remove(root: Array(start.utf8), only: means, isDryRun: isDryRun)
    if !exact.isEmpty || root == Array(start.utf8) { return exact }
    return try scheduler.remove(root: root, only: means, isDryRun: isDryRun)
  }

  private static func list(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    var root: [UInt8]?
    if !invocation.operands.isEmpty || invocation.directory != nil {
      let start = try VaultOperands.directory(invocation)
      root = Array((VaultLocation(above: start)?.root ?? start).utf8)
    }
    let means = wanted(invocation)
    let entries = try Scheduler(environment: context.environment).all(root: root)
      .filter { means == nil || $0.means == means }
    for entry in entries { print(entry, context) }
    if entries.isEmpty { context.output.say("nothing is scheduled") }
    return .done
  }

  private static func print(_ entry: Scheduler.Entry, _ context: Context) {
    guard !context.output.settings.wantsJSON else {
      return context.output.print(object(entry, "scheduled", "scheduled", context))
    }
    var words = [entry.every.map { "every \($0)" } ?? "watched", "by \(entry.name)"]
    if let next = entry.next { words.append("next \(TimeText.minute(next))") }
    if entry.isActive == false { words.append("not running") }
    if !Scheduler.isRunnable(entry) {
      words.append("\(String(decoding: entry.program, as: UTF8.self)) is missing")
    }
    context.output.print("\(path: entry.root)  \(words.joined(separator: ", "))")
  }

  // MARK: Telling

  static func tell(
    _ entry: Scheduler.Entry, _ event: String, _ message: Line, _ context: Context
  ) {
    if context.output.settings.wantsJSON {
      context.output.print(object(entry, event, message, context))
    } else {
      context.output.say(message)
    }
  }

  private static func object(
    _ entry: Scheduler.Entry, _ event: String, _ message: Line, _ context: Context
  ) -> JSONObject {
    JSONObject(
      .event,
      [
        "event": .text(event), "time": .time(context.now()), "message": .text(message.plain),
        "vault": .bytes(entry.root), "means": .text(entry.means.rawValue),
        "unit": .text(entry.name), "every": entry.every.map { .text($0) } ?? .null,
        "next": entry.next.map { .time($0) } ?? .null, "program": .bytes(entry.program),
      ])
  }
}

import Verso
import VersoHistory
import VersoModel

/// `verso activity`: a calendar of saves.
enum ActivityCommand {
  /// A year, as whole weeks up to this one.
  private static let weeks = 53

  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    let path = paths.first
    let since = try WhenArguments.time(
      .since, role: .start, of: path, invocation, engine, context)
    let until = try WhenArguments.time(.until, role: .end, of: path, invocation, engine, context)
    let last = Activity.day(of: min(until ?? context.now(), context.now()), in: .local)
    let columns = context.output.columns
    var first = since.map { Activity.day(of: $0, in: .local) } ?? Self.first(before: last, columns)
    guard first <= last else {
      throw CommandFailure(
        .usage, "--since is later than \(until == nil ? "now" : "--until")",
        hint: "verso help when shows how to write a time")
    }
    var activity = Activity()
    if try engine.head() != nil {
      let start = since ?? Activity.start(of: first, in: .local)
      let history = try engine.history()
      let end = Activity.start(of: last + 1, in: .local) - 1
      activity = try history.activity(
        of: path, range: HistoryRange(since: start, until: until ?? end),
        measures: invocation.has(.stat))
      if let path, activity.days.isEmpty, try history.lastContent(of: path) == nil {
        context.output.warn(
          "there never was \(path: path)", hint: try Absence.hint(for: path, engine))
        return .done
      }
    }
    // What lies before the first save is no part of the picture.
    if since != nil { first = max(first, activity.days.keys.min() ?? last) }
    if invocation.wantsJSON {
      printJSON(activity, measured: invocation.has(.stat), context)
    } else {
      print(activity, first...last, path, invocation, context)
    }
    return .done
  }

  /// The first day to show where none is named: as many weeks as fit, a year at most.
  private static func first(before last: Int, _ columns: Int?) -> Int {
    let chart = ActivityChart(
      activity: Activity(), days: last...last, columns: columns, isColored: false)
    let monday = last - Activity.weekday(of: last)
    return monday - 7 * (min(weeks, chart.fitting) - 1)
  }

  // MARK: For people

  private static func print(
    _ activity: Activity, _ days: ClosedRange<Int>, _ path: RelativePath?,
    _ invocation: Invocation, _ context: Context
  ) {
    let output = context.output
    let chart = ActivityChart(
      activity: activity, days: days, columns: output.columns,
      isColored: output.palette.isColored)
    for line in chart.lines { output.print(line) }
    output.print("")
    output.print(chart.legend)
    output.print("")
    let span = "\(date(days.lowerBound)) to \(date(days.upperBound))"
    let what: Line =
      path.map { "\(Counted.text(activity.saves, "version")) of \(path: $0)" }
      ?? "\(Counted.text(activity.saves, "save"))"
    output.print("\(what) on \(Counted.text(activity.days.count, "day")), \(span)")
    if invocation.has(.stat) {
      let size = activity.days.values.reduce(into: ChangeSize()) { $0 += $1.size }
      output.print("\(VersionPrinter.text(size))")
    }
    if let busiest = activity.busiest {
      output.print("busiest day: \(date(busiest.day)), \(busiest.saves)")
    }
    if let streak = activity.longestStreak {
      let days = "\(date(streak.first)) to \(date(streak.last))"
      output.print("longest streak: \(Counted.text(streak.count, "day")), \(days)")
    }
    if let streak = activity.streak(at: Activity.day(of: context.now(), in: .local)) {
      output.print("current streak: \(Counted.text(streak.count, "day"))")
    }
  }

  private static func date(_ day: Int) -> String { TimeText.day(Int64(day) * 86_400, in: .utc) }

  // MARK: For programs

  private static func printJSON(_ activity: Activity, measured: Bool, _ context: Context) {
    for (number, day) in activity.days.sorted(by: { $0.key < $1.key }) {
      var fields: JSONFields = [
        "event": "day", "time": .time(Activity.start(of: number, in: activity.zone)),
        "message": .text("\(date(number)): \(Counted.text(day.saves, "save"))"),
        "day": .text(date(number)), "saves": .count(day.saves),
      ]
      if measured {
        fields.append("count", .count(day.files))
        fields.append("wordsAdded", .count(day.size.addedWords))
        fields.append("wordsRemoved", .count(day.size.removedWords))
      }
      context.output.print(JSONObject(.event, fields))
    }
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Schedules as lines of a crontab.
extension Scheduler {
  func addLine(_ plan: SchedulePlan, isDryRun: Bool) throws(VersoError) -> Added {
    let line = try CronTable.line(plan)
    let root = Array(plan.root.utf8)
    let isNew = try edit(root: root, isDryRun: isDryRun) { $0.set(line, root: root) }
    var every: String?
    if case .every(let length) = plan.rhythm { every = "\(length)" }
    let entry = Entry(
      means: .cron, root: root, program: Array(plan.program.utf8), every: every,
      name: "crontab", file: nil)
    return Added(isNew: isNew, entry: entry)
  }

  func removeLine(root: [UInt8], isDryRun: Bool) throws(VersoError) -> [Entry] {
    let entries = lineEntries(root: root)
    guard !entries.isEmpty else { return [] }
    _ = try edit(root: root, isDryRun: isDryRun) { $0.remove(root: root) }
    return entries
  }

  func lineEntries(root: [UInt8]?) -> [Entry] {
    let outcome = crontab(["-l"], of: cronOwner(of: root))
    // Where there is no cron there is no line.
    guard outcome.succeeded else { return [] }
    var now = Int64(time(nil))
    if now < 0 { now = 0 }
    return CronTable(outcome.output).entries.filter { root == nil || $0.root == root }.map {
      Entry(
        means: .cron, root: $0.root, program: $0.program,
        every: $0.length, name: "crontab", file: nil,
        next: CronTable.next($0.times, after: now))
    }
  }

  /// Changes a crontab, while no other verso does.
  ///
  /// - Parameter change: Says whether it changed anything.
  private func edit(
    root: [UInt8], isDryRun: Bool, _ change: (inout CronTable) -> Bool
  ) throws(VersoError) -> Bool {
    if isDryRun { return try editAlone(root: root, isDryRun: true, change) }
    let place = StateFolder(environment: environment, store: store)
    do throws(VersoError) {
      _ = try place.made()
    } catch { return try editAlone(root: root, isDryRun: false, change) }
    return try place.locked { (_) throws(VersoError) in
      try editAlone(root: root, isDryRun: false, change)
    }
  }

  private func editAlone(
    root: [UInt8], isDryRun: Bool, _ change: (inout CronTable) -> Bool
  ) throws(VersoError) -> Bool {
    let owner = cronOwner(of: root)
    let present = crontab(["-l"], of: owner)
    guard present.succeeded || Self.isEmpty(present) else {
      throw VersoError(.failed, "the crontab cannot be read: \(present.reason)")
    }
    var table = CronTable(present.succeeded ? present.output : [])
    guard change(&table) else { return false }
    if isDryRun { return true }
    let text = table.text
    let written =
      text.isEmpty ? crontab(["-r"], of: owner) : crontab(["-"], of: owner, input: text)
    guard written.succeeded else {
      throw VersoError(
        .failed, "the crontab cannot be written: \(written.reason)", hint: "it is as it was")
    }
    return true
  }
}

import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Schedules as units of systemd.
extension Scheduler {
  func addUnits(_ plan: SchedulePlan, isDryRun: Bool) throws(VersoError) -> Added {
    let files = SystemdUnits.files(plan)
    guard let folder = unitFolder, let enabled = files.last?.name else {
      throw VersoError(.failed, "this user has no home directory", hint: "set HOME")
    }
    var before: [String: [UInt8]] = [:]
    for file in files {
      guard let text = try read(file.name, in: folder) else { continue }
      guard text.starts(with: SystemdUnits.mark.utf8) else {
        throw VersoError(
          .refused, "\(folder)/\(file.name) is there and not made by Verso",
          hint: "rename it, then add the schedule again")
      }
      before[file.name] = text
    }
    let base = SystemdUnits.baseName(root: Array(plan.root.utf8))
    let stale = try ours(["\(base).timer"], in: folder).filter { name in
      files.allSatisfy { $0.name != name }
    }
    var added = Added(entry: entry(of: plan, enabled, in: folder))
    added.isNew = !stale.isEmpty || files.contains { before[$0.name] != Array($0.text.utf8) }
    if isDryRun { return added }
    if added.isNew {
      for name in stale { try drop(name, in: folder) }
      if files.count > 1, let service = before["\(base).service"],
        SystemdUnits.reading(service)?.every == nil
      {
        // It watched until now, and would go on beside the timer.
        _ = systemctl(["disable", "--now", "\(base).service"])
      }
      try install(files, before: before, enabling: enabled, in: folder)
    } else if !isEnabled(enabled) {
      added.isNew = true
      try check(systemctl(["enable", "--now", enabled]), "enable \(enabled)")
    }
    return added
  }

  private func entry(of plan: SchedulePlan, _ name: String, in folder: String) -> Entry {
    var every: String?
    if case .every(let length) = plan.rhythm { every = "\(length)" }
    return Entry(
      means: .systemd, root: Array(plan.root.utf8), program: Array(plan.program.utf8),
      every: every, name: name, file: "\(folder)/\(name)")
  }

  /// Writes units and lets systemd run them; puts everything back where that fails.
  private func install(
    _ files: [SystemdUnits.File], before: [String: [UInt8]], enabling name: String,
    in folder: String
  ) throws(VersoError) {
    do throws(VersoError) {
      for file in files { try write(Array(file.text.utf8), file.name, in: folder) }
      try check(systemctl(["daemon-reload"]), "read the new units")
      // One that runs already goes on as it was until it is started anew.
      try check(systemctl(["enable", name]), "enable \(name)")
      try check(systemctl(["restart", name]), "start \(name)")
    } catch {
      _ = systemctl(["disable", "--now", name])
      for file in files {
        if let text = before[file.name] {
          try write(text, file.name, in: folder)
        } else {
          try unlink(file.name, in: folder)
        }
      }
      _ = systemctl(["daemon-reload"])
      throw error
    }
  }

  private func check(_ outcome: ProgramOutcome, _ attempt: String) throws(VersoError) {
    if outcome.succeeded { return }
    throw VersoError(
      .failed, "systemd cannot \(attempt): \(outcome.reason)",
      hint: "nothing is scheduled; look with: systemctl\(isSystem ? "" : " --user") status")
  }

  func removeUnits(root: [UInt8], isDryRun: Bool) throws(VersoError) -> [Entry] {
    guard let folder = unitFolder else { return [] }
    let base = SystemdUnits.baseName(root: root)
    let names = try ours(["\(base).timer", "\(base).service"], in: folder)
    guard !names.isEmpty else { return [] }
    let entries = try unitEntries().filter { $0.root == root }
    if isDryRun { return entries }
    for name in names { try drop(name, in: folder) }
    _ = systemctl(["daemon-reload"])
    return entries
  }

  /// Stops a unit and removes its file, also where no manager answers.
  private func drop(_ name: String, in folder: String) throws(VersoError) {
    _ = systemctl(["disable", "--now", name])
    for target in ["timers", "default", "multi-user"] {
      try unlink("\(target).target.wants/\(name)", in: folder)
    }
    try unlink(name, in: folder)
  }

  private func isEnabled(_ name: String) -> Bool {
    systemctl(["is-enabled", name]).succeeded && systemctl(["is-active", name]).succeeded
  }

  // MARK: Looking

  func unitEntries() throws(VersoError) -> [Entry] {
    guard let folder = unitFolder else { return [] }
    var entries: [Entry] = []
    for name in try names(of: folder)
    where name.hasPrefix("verso-") && name.hasSuffix(".service") {
      guard let text = try read(name, in: folder), let found = SystemdUnits.reading(text) else {
        continue
      }
      let unit = found.every == nil ? name : name.dropLast("service".count) + "timer"
      var entry = Entry(
        means: .systemd, root: found.root, program: found.program, every: found.every,
        name: unit, file: "\(folder)/\(unit)")
      if let file = entry.file, access(file, F_OK) != 0 {
        entry.isActive = false
      } else {
        ask(&entry)
      }
      entries.append(entry)
    }
    return entries
  }

  /// Asks systemd about a unit; what it does not say stays unknown.
  private func ask(_ entry: inout Entry) {
    let state = systemctl(["is-active", entry.name])
    switch String(decoding: state.output, as: UTF8.self).filter({ !$0.isWhitespace }) {
    case "active", "activating", "reloading": entry.isActive = true
    case "inactive", "failed", "deactivating": entry.isActive = false
    default: return
    }
    if entry.every == nil { return }
    let timers = systemctl(["list-timers", "--all", "--output=json", entry.name])
    // Microseconds since 1970; the one key of this name in the one object.
    let text = String(decoding: timers.output, as: UTF8.self)
    guard let start = text.firstRange(of: "\"next\":")?.upperBound else { return }
    let digits = text[start...].drop { $0 == " " }.prefix { $0.isNumber }
    if let time = Int64(digits), time > 0, time < .max { entry.next = time / 1_000_000 }
  }

  // MARK: Files

  private func names(of folder: String) throws(VersoError) -> [String] {
    do throws(DiskError) {
      let open = try store.opening(
        Array(folder.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      return try store.names(in: open.number, path: Array(folder.utf8)).compactMap {
        String(validating: $0, as: UTF8.self)
      }.sorted()
    } catch {
      if error.isAbsence { return [] }
      throw VersoError(error)
    }
  }

  private func read(_ name: String, in folder: String) throws(VersoError) -> [UInt8]? {
    do throws(DiskError) {
      return try store.readFile(Array("\(folder)/\(name)".utf8), in: AT_FDCWD)
    } catch {
      // A link is of somebody's making, such as of `systemctl link` or `mask`.
      if error.code == ELOOP { return [] }
      if error.isAbsence { return nil }
      throw VersoError(error)
    }
  }

  /// Those of some units that are there and of our making.
  private func ours(_ names: [String], in folder: String) throws(VersoError) -> [String] {
    var found: [String] = []
    for name in names {
      guard let text = try read(name, in: folder) else { continue }
      if text.starts(with: SystemdUnits.mark.utf8) { found.append(name) }
    }
    return found
  }

  private func write(_ text: [UInt8], _ name: String, in folder: String) throws(VersoError) {
    do throws(DiskError) {
      let parts = folder.split(separator: "/")
      // .config, systemd and user; a home directory that is missing is not made.
      for keep in stride(from: max(1, parts.count - 2), through: parts.count, by: 1) {
        let path = "/" + parts[..<keep].joined(separator: "/")
        try store.makingFolder(Array(path.utf8), in: AT_FDCWD, mode: 0o755)
      }
      let open = try store.opening(
        Array(folder.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      try store.writeFileAtomically(
        text, Array(name.utf8), in: open.number, mode: 0o644, sync: true)
    } catch { throw VersoError(error) }
  }

  private func unlink(_ name: String, in folder: String) throws(VersoError) {
    do throws(DiskError) {
      try store.unlinking(Array("\(folder)/\(name)".utf8), in: AT_FDCWD)
    } catch {
      if !error.isAbsence { throw VersoError(error) }
    }
  }
}

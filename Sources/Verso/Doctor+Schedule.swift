import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// What runs by itself: schedules, the list of vaults, and what watching needs of the kernel.
extension Doctor {
  /// Reads what is scheduled, for the checks that depend on it. Nothing without an environment.
  mutating func readSchedules() {
    guard let environment = options.environment else { return }
    do throws(VersoError) {
      schedules = try Scheduler(environment: environment, runner: options.runner).all(
        root: Array(root.utf8))
    } catch { note(.look, "schedule", error.message, hint: error.hint) }
  }

  mutating func checkSchedules() {
    guard options.environment != nil else { return }
    if schedules.isEmpty {
      return note(.good, "schedule", "nothing is scheduled for \(root)")
    }
    for entry in schedules { judge(entry) }
  }

  /// Judges a schedule.
  mutating func judge(_ entry: Scheduler.Entry) {
    let program = String(decoding: entry.program, as: UTF8.self)
    guard Scheduler.isRunnable(entry) else {
      return note(
        .bad, "schedule", "\(entry.name) runs \(program), which is missing", path: entry.program,
        hint: "install it there, or run with the one that is: verso schedule add \(root)")
    }
    if entry.isActive == false {
      let scope = geteuid() == 0 ? "" : " --user"
      return note(
        .look, "schedule", "\(entry.name) is installed, but not running",
        hint: "run: systemctl\(scope) enable --now \(entry.name)")
    }
    let rhythm = entry.every.map { "synchronises every \($0)" } ?? "watches"
    note(.good, "schedule", "\(entry.name) \(rhythm) by \(program)")
  }

  /// Whether cron finds the program of a filter: its `PATH` is short, and a save that lacks a filter
  /// leaves the file alone.
  mutating func checkFilterForCron(_ name: String, _ program: String) {
    guard schedules.contains(where: { $0.means == .cron }),
      !program.hasPrefix("/"), !Self.isFoundByCron(program)
    else { return }
    note(
      .look, "filters", "cron does not find \(program), which the filter \(name) needs",
      hint: "put a line into the crontab, above the others: PATH=\(Host.environment("PATH") ?? "")")
  }

  private static func isFoundByCron(_ program: String) -> Bool {
    let outcome = Programs().run(
      ProgramRequest(
        arguments: [
          "sh", "-c", "PATH=\"/usr/bin:/bin:$(git --exec-path)\"; command -v \"$1\"", "sh", program,
        ], environment: .quietGit, limit: 10))
    return outcome.succeeded
  }

  // MARK: The list of vaults

  mutating func checkRegistry(_ engine: Engine) {
    guard let environment = options.environment, engine.settings.isVault else { return }
    let registry = VaultRegistry(environment: environment)
    do throws(VersoError) {
      let vaults = try registry.all()
      if vaults.contains(where: { $0.root == Array(root.utf8) }) {
        note(.good, "list", "--all finds this vault")
      } else if registry.canBeWritten {
        note(
          .look, "list", "--all does not find this vault, as it was moved here or made by others",
          remedy: Remedy(plan: "put it into the list", deed: "put into the list") { [root] in
            try registry.add(root)
          })
      } else {
        note(.good, "list", "this user has no place for a list of vaults, so --all finds none")
      }
      for case (let gone, .missing(let reason)) in vaults.map({ ($0.root, $0.state) }) {
        let name = String(decoding: gone, as: UTF8.self)
        note(
          .look, "list", "the vault \(name) of the list is missing: \(reason)", path: gone,
          hint: "mount its disk, or run: verso forget \(name)")
      }
    } catch { note(.look, "list", error.message, hint: error.hint) }
  }

  // MARK: Watching

  /// Whether one more program can watch files.
  mutating func checkInstances() {
    let descriptor = verso_inotify()
    if descriptor >= 0 { close(descriptor) }
    judge(inotify: descriptor)
  }

  /// Judges what inotify_init1(2) answered.
  mutating func judge(inotify result: Int32) {
    if result >= 0 { return note(.good, "inotify", "one more program can watch files") }
    let reason = DiskError(code: -result, operation: "watch", path: [UInt8]()).reason
    note(
      .look, "inotify", "no more programs can watch files: \(reason)",
      hint: -result == EMFILE
        ? "run: sudo sysctl fs.inotify.max_user_instances=1024"
        : "'verso watch' then looks every two seconds")
  }
}

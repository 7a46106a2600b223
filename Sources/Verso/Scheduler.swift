import Glibc
package import VersoDisk
package import VersoGit
import VersoHistory
import VersoModel

/// Lets the machine itself run Verso: by units of systemd, or by a line of a crontab.
package struct Scheduler {
  package enum Means: String, Hashable, Sendable {
    case systemd
    case cron
  }

  /// Something that is installed, or would be.
  package struct Entry: Hashable, Sendable {
    package let means: Means
    /// The vault's root.
    package let root: [UInt8]
    package let program: [UInt8]
    /// How often; `nil` for a service that watches.
    package let every: String?
    /// The unit that is enabled, or `crontab`.
    package let name: String
    /// The file that says so; `nil` for a crontab.
    package let file: String?
    /// When it runs next, in seconds since 1970; `nil` where nobody knows.
    package var next: Int64?
    /// Whether systemd runs it; `nil` where nobody knows.
    package var isActive: Bool?
  }

  let runner: any ProgramRunner
  let store: any FileStore
  let environment: (String) -> String?
  /// The effective user, whose schedules these are; 0 for those of the system.
  var user = geteuid()
  var systemFolder = "/etc/systemd/system"
  var lingerFolder = "/var/lib/systemd/linger"

  /// - Parameters:
  ///   - environment: Looks a variable up.
  ///   - runner: Runs `systemctl` and `crontab`.
  package init(
    environment: @escaping (String) -> String?, runner: any ProgramRunner = Programs(),
    store: any FileStore = SystemFileStore()
  ) {
    self.environment = environment
    self.runner = runner
    self.store = store
  }

  // MARK: Which means

  /// What runs commands here, the preferred means first.
  ///
  /// - Throws: ``VersoError`` where it does not answer, or none does.
  package func means(preferring wanted: Means?) throws(VersoError) -> Means {
    if let wanted {
      guard let reason = hindrance(wanted) else { return wanted }
      throw VersoError(
        .failed, "\(wanted.rawValue) cannot be used: \(reason)",
        hint: wanted == .systemd
          ? "try --cron, or see with --print what would be installed"
          : "install it, such as by: apt install cron")
    }
    guard let first = hindrance(.systemd) else { return .systemd }
    guard let second = hindrance(.cron) else { return .cron }
    throw VersoError(
      .failed, "neither systemd (\(first)) nor cron (\(second)) can be used here",
      hint:
        "install one, such as by: apt install cron; or see with --print what to install elsewhere"
    )
  }

  /// Why a means cannot be used; `nil` where it can.
  private func hindrance(_ means: Means) -> String? {
    switch means {
    case .cron:
      let outcome = crontab(["-l"])
      switch outcome.end {
      case .exit(0): return nil
      case .exit where Self.isEmpty(outcome): return nil
      default: return outcome.reason
      }
    case .systemd:
      let outcome = systemctl(["is-system-running"])
      let state = String(decoding: outcome.output, as: UTF8.self).filter { !$0.isWhitespace }
      let alive = ["running", "degraded", "starting", "initializing", "maintenance"]
      if alive.contains(state) { return nil }
      return state.isEmpty ? outcome.reason : "it is \(state)"
    }
  }

  // MARK: Adding

  /// What adding came to.
  package struct Added: Hashable, Sendable {
    /// Whether anything was changed.
    package var isNew = false
    package var entry: Entry
    /// The command that lets it run while nobody is logged in; `nil` where it does.
    package var lingering: String?
  }

  /// What would be installed: each file's path, or `nil` for the crontab, and its text.
  package func texts(
    _ plan: SchedulePlan, _ means: Means
  ) throws(VersoError) -> [(file: String?, text: String)] {
    switch means {
    case .cron: return [(nil, try CronTable.line(plan) + "\n")]
    case .systemd:
      return SystemdUnits.files(plan).map {
        ("\(unitFolder ?? "~/.config/systemd/user")/\($0.name)", $0.text)
      }
    }
  }

  /// Installs a plan in the place of the one that the vault has, by whatever means. Adding the same
  /// again changes nothing.
  package func add(
    _ plan: SchedulePlan, _ means: Means, isDryRun: Bool = false
  ) throws(VersoError) -> Added {
    let root = Array(plan.root.utf8)
    var added: Added
    switch means {
    case .systemd: added = try addUnits(plan, isDryRun: isDryRun)
    case .cron: added = try addLine(plan, isDryRun: isDryRun)
    }
    // Two schedules would do everything twice.
    let other: Means = means == .systemd ? .cron : .systemd
    let removed = try remove(root: root, only: other, isDryRun: isDryRun)
    added.isNew = added.isNew || !removed.isEmpty
    if means == .systemd { added.lingering = lingering(plan) }
    return added
  }

  // MARK: Removing

  /// Takes the schedule of a vault out, and nothing else.
  ///
  /// - Parameter only: The means to look at; `nil` for all.
  /// - Returns: What was there. Nothing there is no error.
  @discardableResult
  package func remove(
    root: [UInt8], only means: Means? = nil, isDryRun: Bool = false
  ) throws(VersoError) -> [Entry] {
    var removed: [Entry] = []
    if means != .cron { removed += try removeUnits(root: root, isDryRun: isDryRun) }
    if means != .systemd { removed += try removeLine(root: root, isDryRun: isDryRun) }
    return removed
  }

  // MARK: Looking

  /// Every schedule of this user; for root, of the system and of root's crontab.
  ///
  /// - Parameter root: Of the vault that is asked about, also in its owner's crontab; `nil` for all.
  package func all(root: [UInt8]? = nil) throws(VersoError) -> [Entry] {
    let units = try unitEntries().filter { root == nil || $0.root == root }
    return units + lineEntries(root: root)
  }

  /// Whether the program of an entry is there and can be run.
  package static func isRunnable(_ entry: Entry) -> Bool {
    RelativePath.withCString(entry.program) { access($0, X_OK) } == 0
  }

  // MARK: This user

  var isSystem: Bool { user == 0 }

  /// Where the units lie; `nil` for a user without a home.
  var unitFolder: String? {
    if isSystem { return systemFolder }
    if let base = environment("XDG_CONFIG_HOME"), base.hasPrefix("/") {
      return base + "/systemd/user"
    }
    let home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (home ?? Host.user(user)?.home).map { $0 + "/.config/systemd/user" }
  }

  func systemctl(_ arguments: [String]) -> ProgramOutcome {
    var changes: [String: String?] = ["LC_ALL": "C"]
    if !isSystem, environment("XDG_RUNTIME_DIR") == nil {
      // A session that did not come by PAM, such as of cron or su, has the folder all the same.
      changes["XDG_RUNTIME_DIR"] = "/run/user/\(user)"
    }
    let scope = isSystem ? [] : ["--user"]
    return runner.run(
      ProgramRequest(
        arguments: ["systemctl"] + scope + ["--no-pager", "--no-ask-password"] + arguments,
        environment: changes, limit: 60))
  }

  func crontab(_ arguments: [String], of owner: String? = nil, input: [UInt8] = [])
    -> ProgramOutcome
  {
    let who = owner.map { ["-u", $0] } ?? []
    return runner.run(
      ProgramRequest(
        arguments: ["crontab"] + who + arguments, input: input, environment: ["LC_ALL": "C"],
        limit: 60))
  }

  /// Whether `crontab -l` failed because there is none yet.
  static func isEmpty(_ outcome: ProgramOutcome) -> Bool {
    let text = String(decoding: outcome.error, as: UTF8.self)
    return text.contains("no crontab for") || text.contains("No such file")
  }

  /// Whose crontab is meant: as root, that of a directory's owner; `nil` for one's own.
  func cronOwner(of root: [UInt8]?) -> String? {
    guard isSystem, let root else { return nil }
    let owner = Self.owner(of: String(decoding: root, as: UTF8.self))
    return owner.id == 0 ? nil : owner.name
  }

  /// Whom a directory belongs to; root where it is not there.
  package static func owner(of root: String) -> (id: UInt32, name: String) {
    var status = stat()
    guard stat(root, &status) == 0 else { return (0, "root") }
    return (status.st_uid, Host.user(status.st_uid)?.name ?? String(status.st_uid))
  }

  /// The command that lets units run without a login; `nil` where they do.
  private func lingering(_ plan: SchedulePlan) -> String? {
    guard !isSystem, let name = Host.user(user)?.name else { return nil }
    return access("\(lingerFolder)/\(name)", F_OK) == 0 ? nil : "loginctl enable-linger \(name)"
  }
}

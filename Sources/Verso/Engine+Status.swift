package import VersoDisk
import VersoGit
package import VersoModel

/// How a vault stands.
package struct StatusReport: Sendable {
  package var root = ""
  package var branch = ""
  /// What has not been saved.
  package var changes: [PathChange] = []
  package var skipped: [Skipped] = []
  package var held: [RelativePath] = []
  /// Paths whose versions would fill the history, so that a watcher saves them at most every half hour.
  package var spacedOut: [RelativePath] = []
  /// The last save; `nil` before the first.
  package var lastSave: (id: ObjectID, time: Int64, subject: String)?
  /// Why nothing is saved now; `nil` where saves go on.
  package var blocked: VersoError?
  /// The same as one word, for programs: `merge`, `rebase`, `bisect`, `head`, `root` and the like.
  package var blockedBy: String?
  /// Remotes that are configured and not used.
  package var unusedRemotes: [String] = []
  package var device = ""
  /// How long saving is paused; `nil` where it is not.
  package var pausedUntil: Pause?
  /// Who watches the vault; `nil` where nobody does, or where nobody was asked.
  package var watcher: ListeningWatcher?

  /// Whether a person should look.
  package var needsLook: Bool { !skipped.isEmpty || !held.isEmpty || blocked != nil }
}

extension Engine {
  /// What a save would find, without writing anything.
  ///
  /// - Parameter paths: Where to look; `nil` for everywhere.
  package func status(of paths: [RelativePath]? = nil) throws(VersoError) -> StatusReport {
    var report = StatusReport()
    report.root = root
    report.device = settings.device
    report.pausedUntil = pausedUntil
    report.unusedRemotes = try remotes().filter { $0 != settings.remote }
    do throws(VersoError) {
      try Preflight.checkState(self)
      try checkRoot(records: false)
    } catch {
      guard error.code == .refused else { throw error }
      report.blocked = error
      report.blockedBy = Preflight.word(self)
    }
    try addLastSave(to: &report)
    var request = SaveRequest(paths: paths)
    request.isDryRun = true
    request.settles = false
    do throws(VersoError) {
      let ground = try Ground(self)
      report.branch = ground.branch
      var seen = try look(request, table: ground.index?.table ?? .empty)
      let (plan, _) = try plan(request, on: ground, &seen)
      report.changes = plan.changes.sorted()
      report.skipped = plan.skipped.filter { $0.reason != .moving }
      report.held = plan.held
    } catch {
      // Where the user's own git is in the middle of something, that is the answer.
      if report.blocked == nil { throw error }
    }
    return report
  }

  private func addLastSave(to report: inout StatusReport) throws(VersoError) {
    do throws(GitError) {
      if case .branch(let name, _) = try repository.head() {
        report.branch = Self.shortName(ofBranch: name)
      }
      guard let id = try repository.headCommit() else { return }
      let commit = try repository.commit(id)
      let subject = commit.message.split(whereSeparator: \.isNewline).first.map(String.init)
      report.lastSave = (id, commit.time, subject ?? "")
    } catch { throw VersoError(error, "read HEAD of \(root)") }
  }
}

extension Engine {
  /// The name of this device in history.
  package var device: String { settings.device }

  /// The name of this device where no configuration gives another.
  package static var hostName: String { Host.name }

  /// Whether the last version has something at a path.
  package func isInHead(_ path: RelativePath) throws(VersoError) -> Bool {
    if path.isRoot { return true }
    do throws(GitError) {
      guard let head = try repository.headCommit() else { return false }
      return try repository.entry(at: path, in: repository.commit(head).tree) != nil
    } catch { throw VersoError(error, "read the last version") }
  }
}

import VersoDisk
import VersoGit

/// What git's configuration says about this vault: section `verso`, and what of git's own counts.
struct Settings: Sendable {
  /// `verso.maxFileSize`: larger files are left alone and named. Bytes.
  var maxFileSize: UInt64 = 50 << 20
  /// `verso.device`, else the host's name.
  var device = "unknown"
  /// `verso.branch`; `nil` until something is synchronised.
  var branch: String?
  /// `verso.remote`.
  var remote: String?
  /// `verso.settle` and `verso.settleMax`, as they are written.
  var settle: String?
  var settleMax: String?
  /// `verso.keepEmptyFolders`: whether an empty folder gets a file that keeps it in history.
  var keepsEmptyFolders = false
  /// `core.fileMode`.
  var trustsMode = true
  /// `core.ignoreCase`.
  var ignoresCase = false
  /// `core.trustCtime`.
  var trustsChangeTime = true
  /// `core.checkStat=minimal`.
  var minimalStat = false
  /// `core.excludesFile`, `~` expanded; `nil` where unset.
  var excludesFile: String?
  /// Whether a section `verso` exists: what makes a repository a vault.
  var isVault = false
  /// ``unfinishedCloneKey``: the address of a clone that was begun and has not come to its remote.
  var unfinishedClone: String?

  static let unfinishedCloneKey = "verso.unfinishedClone"

  init() {}

  init(of repository: Repository) throws(GitError) {
    let config = try repository.configuration()
    isVault = try config.hasSection("verso")
    unfinishedClone = try config.string(Self.unfinishedCloneKey)
    if let size = try config.number("verso.maxFileSize"), size > 0 { maxFileSize = UInt64(size) }
    device = try config.string("verso.device") ?? Host.name
    branch = try config.string("verso.branch")
    remote = try config.string("verso.remote")
    settle = try config.string("verso.settle")
    settleMax = try config.string("verso.settleMax")
    keepsEmptyFolders = try config.boolean("verso.keepEmptyFolders") ?? false
    trustsMode = try config.boolean("core.fileMode") ?? true
    ignoresCase = try config.boolean("core.ignoreCase") ?? false
    trustsChangeTime = try config.boolean("core.trustCtime") ?? true
    minimalStat = try config.string("core.checkStat")?.lowercased() == "minimal"
    excludesFile = try config.path("core.excludesFile") ?? Host.defaultExcludesFile
  }
}

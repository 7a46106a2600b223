package import VersoDisk
package import VersoModel

/// What a save is asked to do.
package struct SaveRequest: Sendable {
  /// Only these paths and what lies below them; `nil` for everything.
  package let paths: [RelativePath]?
  private let scope: Set<RelativePath>
  /// Those that are saved as they are although a program has them open for writing.
  package var openFiles: Set<RelativePath> = []
  /// What the caller saw being renamed; a folder stands for all that is below it. Hints: what is not
  /// gone at one end and new at the other is no rename.
  package var renames: [(old: RelativePath, new: RelativePath)] = []
  /// The subject, in place of one made from the changes.
  package var message: String?
  /// Whether deletions that were held before are accepted now.
  package var allowsMassDeletion = false
  /// Whether nothing is to be written.
  package var isDryRun = false
  /// Seconds to wait for the vault's lock and for git's.
  package var wait: Double = 10
  /// Whether to look again at what changed within the last second; off where the caller has
  /// settled the changes itself.
  package var settles = true
  /// How many seconds to look for, until what does not stand still is left for the next time.
  package var settleLimit = Settling.limit
  /// More trailers for the message.
  package var trailers: [Trailer] = []
  /// Called now and then with the number of files done and of all.
  package var progress: (@Sendable (Int, Int) -> Void)?

  package struct Trailer: Hashable, Sendable {
    package let key: String
    package let value: String
    package init(_ key: String, _ value: String) {
      self.key = key
      self.value = value
    }
  }

  package init(paths: [RelativePath]? = nil) {
    self.paths = paths
    scope = Set(paths ?? [.root])
  }

  /// Whether `path` is among what is to be saved.
  func covers(_ path: RelativePath) -> Bool {
    paths == nil || scope.covers(path)
  }
}

/// What a save did.
package struct SaveOutcome: Sendable {
  /// The commit; `nil` where nothing had changed, or in a dry run.
  package var commit: ObjectID?
  /// The commit's subject, also that of a dry run; `nil` where nothing had changed.
  package var subject: String?
  package var changes: [PathChange] = []
  /// Everything that is left alone, and why.
  package var skipped: [Skipped] = []
  /// Those that were left for the next time, as they were changing.
  var left: Set<RelativePath> {
    Set(skipped.lazy.filter { $0.reason == .moving }.map(\.path))
  }
  /// Those of `skipped` that no run has named before.
  package var newlySkipped: [Skipped] = []
  /// Deletions that wait for a person.
  package var held: [RelativePath] = []
  /// The branch the commit went to, without `refs/heads/`.
  package var branch = ""
  /// The name and address that were made up, where git's configuration has none, and no run has
  /// said so before.
  package var madeUpIdentity: String?
  /// Why the commit is unsigned although signing is configured.
  package var unsigned: String?
  /// Whether no run has said so before.
  package var isUnsignedNews = false

  package init() {}
}

package import VersoDisk
package import VersoModel

/// What another process asks of the one that watches a vault.
package struct ControlRequest: Sendable {
  /// Which request a reply is for.
  package struct ID: Hashable, Sendable {
    let client: UInt64
    /// The client's own number for it.
    let tag: UInt32
  }

  package enum Kind: Sendable {
    /// Save now. Paths, message, ``SaveRequest/allowsMassDeletion``, ``SaveRequest/isDryRun`` and
    /// ``SaveRequest/wait`` travel; the rest has its default at the other end.
    case save(SaveRequest)
    /// How the vault stands; `nil` for all of it.
    case status(paths: [RelativePath]?)
    /// Save nothing until then; without a time, until ``resume``.
    case pause(until: Timestamp?)
    case resume
    /// Whether anybody is there. The server answers this itself: a loop never sees it.
    case hello
  }

  package let id: ID
  package let kind: Kind
}

/// What the process that watches a vault answers.
package enum ControlReply: Sendable {
  case saved(SaveOutcome)
  case status(StatusReport)
  case done
  case failed(VersoError)
  /// The answer to ``ControlRequest/Kind/hello``.
  case hello(ListeningWatcher)
}

/// A process that watches a vault and listens.
package struct ListeningWatcher: Hashable, Sendable {
  /// Its id.
  package let process: Int32
  /// When it began; `nil` where it is there but too busy to say.
  package let since: Timestamp?
  /// The root of the vault that it watches.
  let root: String
  /// What of its environment decides how it writes a save; see ``Surroundings``.
  let surroundings: UInt64

  init(process: Int32, since: Timestamp?, root: String, surroundings: UInt64 = 0) {
    self.process = process
    self.since = since
    self.root = root
    self.surroundings = surroundings
  }
}

/// What of an environment decides how a save is written, besides the vault itself: in whose name,
/// and by which configuration.
enum Surroundings {
  private static let names =
    ["AUTHOR", "COMMITTER"].flatMap { role in
      ["NAME", "EMAIL", "DATE"].map { "GIT_\(role)_\($0)" }
    } + [
      "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "HOME", "XDG_CONFIG_HOME",
    ]

  /// The same number for two environments that write the same.
  static func key(_ environment: (String) -> String?) -> UInt64 {
    names.reduce(FNV.start) { key, name in
      let value = environment(name).map { [1] + Array($0.utf8) } ?? [UInt8]()
      return FNV.hash(value + [0], into: key)
    }
  }
}

package import VersoModel

/// What a sync is asked to do.
package struct SyncRequest: Sendable {
  /// Seconds for the whole; `nil` for as long as the single steps may take.
  package var timeout: Double?
  /// Whether ssh and git may ask on the terminal.
  package var mayPrompt = false
  /// Whether deletions that were held before are accepted now, here and from others.
  package var allowsMassDeletion = false
  package var isDryRun = false
  /// Seconds to wait for locks.
  package var wait: Double = 10
  /// Told what is being done, for a progress line.
  package var progress: (@Sendable (String) -> Void)?
  /// Asked before versions of others are joined: paths whose changes are not over, with what lies below
  /// them. They are neither saved nor written.
  package var restless: (@Sendable () -> Set<RelativePath>)?
  /// Told when joining begins and ends.
  package var joining: (@Sendable (Bool) -> Void)?

  package init() {}
}

/// What a sync did.
package struct SyncOutcome: Sendable {
  /// Versions that came or went.
  package struct Transfer: Hashable, Sendable {
    package var from: ObjectID?
    package var to: ObjectID
    package var versions: Int
  }

  /// The remote's name or address, as it is configured; `nil` for a vault without one.
  package var remote: String?
  package var branch = ""
  /// The remote's tip as of the end; `nil` where it has none.
  package var tip: ObjectID?
  package var save = SaveOutcome()
  package var fetched: Transfer?
  package var pushed: Transfer?
  /// What joining did, once for each time that others were faster.
  package var joins: [JoinOutcome] = []

  package init() {}

  package var conflicts: [Conflict] { joins.flatMap(\.conflicts) }
  package var written: Set<RelativePath> { Set(joins.flatMap(\.written)) }
  /// Deletions of others that wait for a person.
  package var held: [RelativePath] { joins.last?.held ?? [] }
  package var pending: [(path: RelativePath, error: VersoError)] { joins.last?.pending ?? [] }
}

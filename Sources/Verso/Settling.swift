import Glibc
import VersoDisk
import VersoModel

/// Looks until what changed stands still.
///
/// A path that is missing or changed within the last second is looked at again after 300 ms: vim
/// renames the note away before it writes the new one, a script truncates before it writes, and a
/// moved file may be missed at both ends by one scan. What does not stand still for 5 s is left for
/// the next save.
struct Settling {
  /// Seconds between two looks.
  static let interval = 0.3
  /// Seconds from the first look to the last.
  static let limit = 5.0
  /// Younger than this many seconds, a change may not be over.
  static let youth = 1.0

  private(set) var result: Scan.Result
  /// Paths that did not stand still.
  private(set) var moving: [RelativePath] = []

  /// Looks by `scan`, again and again where needed.
  ///
  /// - Parameters:
  ///   - repeats: Whether to look more than once; off where the caller knows that all has settled.
  ///   - limit: Seconds from the first look to the last.
  ///   - look: A scan of everything that is to be saved.
  init(
    repeats: Bool = true, limit: Double = Self.limit, _ look: () throws(DiskError) -> Scan.Result
  ) throws(DiskError) {
    result = try look()
    var unsettled = repeats ? Self.unsettled(result) : []
    let end = MonotonicTime.now() + limit
    while !unsettled.isEmpty {
      guard MonotonicTime.now() + Self.interval <= end else { break }
      MonotonicTime.pause(Self.interval)
      let next = try look()
      unsettled = Self.unsettled(next, since: result, unsettled)
      result = next
    }
    if unsettled.isEmpty { return }
    moving = unsettled.sorted()
    result.candidates.removeAll { unsettled.contains($0.path) }
    result.gone.removeAll { unsettled.contains($0) }
  }

  /// Leaves paths, and what lies below them, as if nothing had been seen of them.
  mutating func leave(_ paths: Set<RelativePath>) {
    if paths.isEmpty { return }
    result.candidates.removeAll { paths.covers($0.path) }
    result.gone.removeAll(where: paths.covers)
    moving.removeAll(where: paths.covers)
  }

  /// Leaves files out that stand where folders of these paths should be.
  mutating func leave(above paths: Set<RelativePath>) {
    let folders = Set(paths.flatMap(\.ancestors))
    if !folders.isEmpty { result.candidates.removeAll { folders.contains($0.path) } }
  }

  /// Hands out the candidates: they are much, and nobody but their reader wants them.
  mutating func takeCandidates() -> [Scan.Candidate] {
    let candidates = result.candidates
    result.candidates = []
    return candidates
  }

  private static func isYoung(_ status: FileStatus, at now: Timestamp) -> Bool {
    now.timeInterval(since: status.modified) < youth
      || now.timeInterval(since: status.changed) < youth
  }

  private static func unsettled(_ first: Scan.Result) -> Set<RelativePath> {
    let now = Timestamp.now()
    var paths = Set(first.gone)
    for candidate in first.candidates where isYoung(candidate.status, at: now) {
      paths.insert(candidate.path)
    }
    return paths
  }

  /// What is new or different in the second of two looks that lie an interval apart.
  private static func unsettled(
    _ second: Scan.Result, since first: Scan.Result, _ watched: Set<RelativePath>
  ) -> Set<RelativePath> {
    let now = Timestamp.now()
    var before: [RelativePath: FileStatus] = [:]
    for candidate in first.candidates
    where isYoung(candidate.status, at: now) || watched.contains(candidate.path) {
      before[candidate.path] = candidate.status
    }
    var paths = Set<RelativePath>()
    for candidate in second.candidates where isYoung(candidate.status, at: now) {
      guard let earlier = before[candidate.path], candidate.status.isUnchanged(since: earlier)
      else {
        paths.insert(candidate.path)
        continue
      }
    }
    let goneBefore = Set(first.gone)
    for path in second.gone where !goneBefore.contains(path) { paths.insert(path) }
    return paths
  }
}

/// Versions of one device in quick succession, shown as one line.
package struct VersionRow: Hashable, Sendable {
  /// The versions, newest first; at least one.
  package private(set) var versions: [Version]
  /// What they wrote and struck out together.
  package private(set) var size: ChangeSize

  /// Seconds since 1970 of the oldest version.
  package var firstTime: Int64 { versions.map(\.time).min() ?? 0 }
  /// Seconds since 1970 of the newest version.
  package var lastTime: Int64 { versions.map(\.time).max() ?? 0 }

  /// Versions of one device further apart than this, in seconds, are two rows.
  package static let gap: Int64 = 10 * 60

  /// Folds neighbours of one device and life that are less than ``gap`` apart.
  ///
  /// A row never spans a rename or a deletion: those are what people look for. Versions come newest
  /// first, each with its size.
  package static func fold(_ versions: [(version: Version, size: ChangeSize)]) -> [VersionRow] {
    var rows: [VersionRow] = []
    for (version, size) in versions {
      if let last = rows.last?.versions.last, last.continues(version) {
        rows[rows.count - 1].versions.append(version)
        rows[rows.count - 1].size += size
      } else {
        rows.append(VersionRow(versions: [version], size: size))
      }
    }
    return rows
  }
}

extension Version {
  /// Whether this version, the next newer one, folds with `older`.
  fileprivate func continues(_ older: Version) -> Bool {
    guard kind == .modified, older.kind == .modified || older.kind == .added else { return false }
    // A clock that was set back makes the older one the later: near is near, either way.
    let (difference, overflow) = time.subtractingReportingOverflow(older.time)
    return !overflow && difference.magnitude < UInt64(VersionRow.gap)
      && device == older.device && life == older.life && path == older.path
  }
}

/// The guard against a disk, a device or a script that suddenly has far less than before.
///
/// Reports behind it: an unplugged drive, a partial listing, a corrupted disk or a careless script
/// made other tools delete every note on every device. An absolute and a relative limit are needed:
/// one tool's 90 % brake let 59 % of 4,200 notes go.
package enum MassDeletion {
  /// Whether a batch of deletions is to be held until a person says that it is meant.
  ///
  /// - Parameters:
  ///   - deletions: How many files go; a file whose bytes are now at another path is not counted.
  ///   - total: How many files there were before the batch.
  package static func isSuspicious(deletions: Int, of total: Int) -> Bool {
    if deletions >= 1000 { return true }
    if total >= 50, deletions * 5 >= total { return true }
    return total >= 10 && deletions * 2 >= total
  }
}

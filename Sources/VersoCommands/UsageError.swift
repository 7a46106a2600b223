/// A command line that cannot be run.
package struct UsageError: Error, Hashable, Sendable {
  /// What is wrong with it.
  package let message: String
  /// What to type instead.
  package let hint: String
}

/// Finds what someone may have meant.
enum Suggestion {
  /// The candidate that is nearest to `word`; `nil` where none is near.
  ///
  /// Near means at most one slip of the finger in three letters; a word that a candidate begins with
  /// is near too.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let near = candidates.map { ($0, distance(word, $0)) }.filter { $0.1 <= limit }
    if let best = near.min(by: { $0.1 < $1.1 }) { return best.0 }
    let longer = candidates.filter { $0.hasPrefix(word) && word.count > 1 }
    return longer.count == 1 ? longer[0] : nil
  }

  /// The number of letters to insert, remove, replace or exchange with their neighbour.
  static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    // Row i holds the distances of a's first i letters to each beginning of b.
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}

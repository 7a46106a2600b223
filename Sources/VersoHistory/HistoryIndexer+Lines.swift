import VersoGit
import VersoModel

/// Which version gave a path a line, and which took it.
extension HistoryIndexer {
  /// Notes what a commit did to the lines of a path, against one parent.
  ///
  /// Whatever order the commits of several branches come in, the last of them that changed a line
  /// leaves it as HEAD has it: on the way from there to HEAD nothing changes it any more.
  func addLines(
    of old: PathFinder.Found?, _ new: PathFinder.Found?, path: Int64, n: Int64
  ) throws {
    let before = try texts.lines(of: old, in: repository)
    let after = try texts.lines(of: new, in: repository)
    for hash in before.subtracting(after) {
      if let line = try line(of: hash) { try remove(line, from: path, n) }
    }
    let added = after.subtracting(before)
    if added.isEmpty { return }
    var unknown: Set<Int64> = []
    for hash in added {
      if let line = try line(of: hash) { try add(line, to: path, n) } else { unknown.insert(hash) }
    }
    guard !unknown.isEmpty, let new,
      let text = try TextCache.text(of: new, in: repository)
    else { return }
    for (hash, words) in Self.words(of: unknown, in: text) {
      if nextLine & 1023 == 0 { try checkInterruption() }
      let line = nextLine
      nextLine += 1
      try database.run(
        "INSERT INTO lines VALUES(?, ?)", .integer(hash), .integer(line))
      try database.run(
        "INSERT INTO words(rowid, text) VALUES(?, ?)", .integer(line), .bytes(words))
      try add(line, to: path, n)
    }
  }

  private static func words(
    of wanted: Set<Int64>, in text: [UInt8]
  ) -> [(hash: Int64, words: [UInt8])] {
    var missing = wanted
    var found: [(hash: Int64, words: [UInt8])] = []
    TextLines.forEach(in: text) { line, _ in
      guard LineHashes.mayHoldWord(line) else { return }
      let hash = LineHashes.hash(line)
      if missing.remove(hash) != nil { found.append((hash, SearchTokens(line).joined)) }
    }
    return found
  }

  private func line(of hash: Int64) throws(DatabaseError) -> Int64? {
    try database.integer("SELECT line FROM lines WHERE hash = ?", .integer(hash))
  }

  private func add(_ line: Int64, to path: Int64, _ n: Int64) throws {
    try database.run(
      "INSERT OR IGNORE INTO occurrences VALUES(?, ?, ?, 0, 1)", .integer(line), .integer(path),
      .integer(n))
    if database.changes > 0 { return }
    let first = try database.integer(
      "SELECT first FROM occurrences WHERE line = ? AND path = ?", .integer(line), .integer(path))
    try database.run(
      "UPDATE occurrences SET first = ?, present = 1 WHERE line = ? AND path = ?",
      .integer(try earlier(first ?? n, n)), .integer(line), .integer(path))
  }

  private func remove(_ line: Int64, from path: Int64, _ n: Int64) throws {
    let removed = try database.integer(
      "SELECT removed FROM occurrences WHERE line = ? AND path = ?", .integer(line),
      .integer(path))
    guard let removed else { return }
    // Of two branches that took it, the later one counts, however they were numbered.
    let last = removed == 0 ? n : try earlier(removed, n) == removed ? n : removed
    try database.run(
      "UPDATE occurrences SET removed = ?, present = 0 WHERE line = ? AND path = ?",
      .integer(last), .integer(line), .integer(path))
  }

  /// The earlier of two commits by their clocks, among equals by id: the numbers depend on the order
  /// in which branches were met.
  private func earlier(_ a: Int64, _ b: Int64) throws -> Int64 {
    if a == b { return a }
    let first = try database.integer(
      "SELECT n FROM commits WHERE n IN (?, ?) ORDER BY time, id LIMIT 1", .integer(a),
      .integer(b))
    return first ?? a
  }
}

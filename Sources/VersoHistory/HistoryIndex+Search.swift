import VersoGit
package import VersoModel

/// Finding words: in the notes of HEAD, and in what no note holds any more.
extension HistoryIndex {
  /// A note of HEAD that holds the words, and how well it fits.
  package struct NoteHit: Hashable, Sendable {
    package let path: RelativePath
    package let score: Double
  }

  /// The notes of HEAD that hold all words, whether or not the words of a phrase follow one another:
  /// that is for whoever reads the notes to see.
  package func notes(with query: SearchQuery) throws(HistoryIndexError) -> [NoteHit] {
    do {
      var scores: [Int64: Double]?
      for part in query.parts {
        let counts = try lineCounts(of: part, presentOnly: true)
        // A word that few notes hold says more of a note than one that all hold.
        let weight = 1 / Double(1 + counts.count).squareRoot()
        let weighed = counts.mapValues { weight * Self.dampened($0) }
        scores =
          scores.map { known in
            known.reduce(into: [:]) { both, entry in
              if let more = weighed[entry.key] { both[entry.key] = entry.value + more }
            }
          } ?? weighed
        if scores?.isEmpty ?? true { return [] }
      }
      return try (scores ?? [:]).compactMap { number, score in
        try path(number).map { NoteHit(path: $0, score: score) }
      }
    } catch { throw HistoryIndexError(error) }
  }

  /// Ten lines do not make a note ten times as good as one.
  private static func dampened(_ count: Int64) -> Double {
    var (value, rest) = (1.0, count)
    while rest > 1 {
      value += 1
      rest /= 2
    }
    return value
  }

  /// In how many lines of each path a word stands, or stood.
  private func lineCounts(
    of term: SearchQuery.Term, presentOnly: Bool
  ) throws -> [Int64: Int64] {
    let rows = try database.statement(
      "SELECT o.path, count(*) FROM words w JOIN occurrences o ON o.line = w.rowid "
        + "WHERE words MATCH ? AND o.present >= ? GROUP BY o.path")
    try rows.bind([.bytes(term.expression), .number(presentOnly ? 1 : 0)])
    defer { rows.reset() }
    var counts: [Int64: Int64] = [:]
    while try rows.step() { counts[rows.integer(0)] = rows.integer(1) }
    return counts
  }

  // MARK: What is gone

  /// A line that holds the words, where it was last, and in which version it went.
  struct LostLine: Hashable {
    let hash: Int64
    let path: Int64
    let first: Int64
    let removed: Int64
  }

  /// The lines that hold all words and that no note of HEAD has; each where it was last.
  func lostLines(with query: SearchQuery, in scope: SearchScope) throws -> [LostLine] {
    let rows = try database.statement(
      """
      SELECT l.hash, o.path, o.first, o.removed, o.line, p.name, f.time, r.time
      FROM words w JOIN occurrences o ON o.line = w.rowid
      JOIN lines l ON l.line = o.line JOIN paths p ON p.path = o.path
      JOIN commits f ON f.n = o.first JOIN commits r ON r.n = o.removed
      WHERE words MATCH ? AND NOT EXISTS
        (SELECT 1 FROM occurrences n WHERE n.line = o.line AND n.present = 1)
      """)
    try rows.bind([.bytes(query.expression)])
    defer { rows.reset() }
    var last: [Int64: (line: LostLine, time: Int64)] = [:]
    while try rows.step() {
      guard let path = RelativePath(rows.bytes(5)), scope.path.contains(path),
        scope.meets(from: rows.integer(6), to: rows.integer(7))
      else { continue }
      let time = rows.integer(7)
      if let known = last[rows.integer(4)], known.time >= time { continue }
      let line = LostLine(
        hash: rows.integer(0), path: rows.integer(1), first: rows.integer(2),
        removed: rows.integer(3))
      last[rows.integer(4)] = (line, time)
    }
    return last.values.map(\.line)
  }

  /// The paths that ever held all of the words, in whatever lines and versions.
  func pathsEver(with query: SearchQuery) throws -> Set<Int64> {
    var found: Set<Int64>?
    for part in query.parts {
      let paths = Set(try lineCounts(of: part, presentOnly: false).keys)
      found = found?.intersection(paths) ?? paths
      if found?.isEmpty ?? true { return [] }
    }
    return found ?? []
  }

  /// What a path held from one commit on.
  struct Content {
    let n: Int64
    let commit: ObjectID
    let time: Int64
    /// `nil` where the path was gone.
    let file: PathFinder.Found?
    /// Whether what was there went on under another name.
    let movedAway: Bool
  }

  /// What a path held, newest first.
  func contents(of path: Int64) throws -> [Content] {
    let rows = try database.statement(
      "SELECT t.n, c.id, c.time, t.mode, t.content, t.other FROM touches t "
        + "JOIN commits c USING(n) WHERE t.path = ? ORDER BY c.time DESC, t.n DESC")
    try rows.bind([.integer(path)])
    defer { rows.reset() }
    var found: [Content] = []
    while try rows.step() {
      if found.last?.n == rows.integer(0) { continue }
      let file = rows.file(mode: 3, content: 4)
      found.append(
        Content(
          n: rows.integer(0), commit: ObjectID(bytes: rows.bytes(1)), time: rows.integer(2),
          file: file, movedAway: file == nil && !rows.isNull(5)))
    }
    return found
  }

  /// All paths that ever were a file.
  func allPaths() throws(DatabaseError) -> [Int64] {
    let rows = try database.statement(
      "SELECT DISTINCT path FROM touches WHERE mode & 61440 = 32768")
    defer { rows.reset() }
    var found: [Int64] = []
    while try rows.step() { found.append(rows.integer(0)) }
    return found
  }

  /// Whether a note of HEAD has a line.
  func isPresent(_ hash: Int64) throws(DatabaseError) -> Bool {
    try database.integer(
      "SELECT 1 FROM lines l JOIN occurrences o USING(line) WHERE l.hash = ? AND o.present = 1 "
        + "LIMIT 1", .integer(hash)) != nil
  }
}

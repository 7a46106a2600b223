import VersoGit
package import VersoModel

/// Finding words: in the notes of HEAD, and in what no note holds any more.
extension HistoryIndex {
  /// A note of HEAD that holds the words, and how well it fits.
  package struct NoteHit: Hashable, Sendable {
    package let path: RelativePath
    package let score: Double
    /// Whether it does hold them; else it holds pieces of a phrase, which may follow one another over
    /// a line end: that is for whoever reads the note to see.
    package let isSure: Bool
  }

  /// The notes of HEAD that hold all words, and those that may.
  package func notes(with query: SearchQuery) throws(HistoryIndexError) -> [NoteHit] {
    do {
      return try database.reading {
        try paths(with: query, presentOnly: true, enough: Self.soonRead)
          .compactMap { number, fit in
            try path(number).map { NoteHit(path: $0, score: fit.score, isSure: fit.isSure) }
          }
      }
    } catch { throw HistoryIndexError(error) }
  }

  /// So few notes are sooner read than looked up.
  private static let soonRead = 64

  /// How well a path fits a query.
  struct Fit {
    var score: Double
    var isSure: Bool
  }

  /// The paths that hold all terms of a query, or ever did, and those that may: where the words of a
  /// phrase stand in different lines, only their text tells.
  ///
  /// - Parameter enough: Where so few paths may hold a phrase, no further word is looked up.
  func paths(
    with query: SearchQuery, presentOnly: Bool, enough: Int = 0
  ) throws -> [Int64: Fit] {
    var fits: [Int64: Fit]?
    for term in query.terms {
      let paths = try paths(with: term, presentOnly: presentOnly, enough: enough)
      guard let known = fits else {
        fits = paths
        continue
      }
      fits = known.reduce(into: [:]) { both, entry in
        guard let more = paths[entry.key] else { return }
        both[entry.key] = Fit(
          score: entry.value.score + more.score, isSure: entry.value.isSure && more.isSure)
      }
    }
    return fits ?? [:]
  }

  private func paths(
    with term: SearchQuery.Term, presentOnly: Bool, enough: Int
  ) throws -> [Int64: Fit] {
    let counts = try lineCounts(of: term.expression, presentOnly: presentOnly)
    var fits = counts.mapValues { Fit(score: SearchQuery.dampened($0), isSure: true) }
    for (head, next) in term.lineEnds {
      for path in try paths(with: head, and: next, presentOnly: presentOnly, enough: enough)
      where fits[path] == nil {
        fits[path] = Fit(score: 0, isSure: false)
      }
    }
    return fits
  }

  /// The paths that hold two expressions; where few hold one of them and very many lines the other,
  /// those that hold the one.
  private func paths(
    with one: [UInt8], and other: [UInt8], presentOnly: Bool, enough: Int
  ) throws -> Set<Int64> {
    let rows = try [one, other].map { (expression: $0, lines: try lineCount(of: $0)) }
      .sorted { $0.lines < $1.lines }
    if rows[0].lines == 0 { return [] }
    let few = Set(try lineCounts(of: rows[0].expression, presentOnly: presentOnly).keys)
    // A note is read in the time that some thirty lines are looked up in.
    if few.isEmpty || few.count <= enough && rows[1].lines > 30 * few.count { return few }
    return few.intersection(
      try lineCounts(of: rows[1].expression, presentOnly: presentOnly).keys)
  }

  /// How many lines hold an expression, or held it.
  private func lineCount(of expression: [UInt8]) throws -> Int64 {
    try database.integer("SELECT count(*) FROM words WHERE words MATCH ?", .bytes(expression)) ?? 0
  }

  /// In how many lines of each path an expression stands, or stood.
  private func lineCounts(
    of expression: [UInt8], presentOnly: Bool
  ) throws -> [Int64: Int64] {
    let rows = try database.statement(
      "SELECT o.path, count(*) FROM words w JOIN occurrences o ON o.line = w.rowid "
        + "WHERE words MATCH ? AND o.present >= ? GROUP BY o.path")
    try rows.bind([.bytes(expression), .number(presentOnly ? 1 : 0)])
    defer { rows.reset() }
    var counts: [Int64: Int64] = [:]
    while try rows.step() { counts[rows.integer(0)] = rows.integer(1) }
    return counts
  }

  // MARK: What is gone

  /// A line that holds the words, where it was last, and in which version it went.
  struct LostLine: Hashable {
    let line: Int64
    let path: Int64
    let removed: Int64
  }

  /// The lines that hold all words and that no note of HEAD has; each where it was last.
  func lostLines(with query: SearchQuery, in scope: SearchScope) throws -> [LostLine] {
    let rows = try database.statement(
      """
      SELECT o.line, o.path, o.removed, p.name, f.time, r.time
      FROM words w JOIN occurrences o ON o.line = w.rowid JOIN paths p ON p.path = o.path
      JOIN commits f ON f.n = o.first JOIN commits r ON r.n = o.removed
      WHERE words MATCH ? AND NOT EXISTS
        (SELECT 1 FROM occurrences n WHERE n.line = o.line AND n.present = 1)
      """)
    try rows.bind([.bytes(query.expression)])
    defer { rows.reset() }
    // Of several paths that lost it in one second the one is told that comes later in history.
    var last: [Int64: (line: LostLine, time: Int64)] = [:]
    while try rows.step() {
      let time = rows.integer(5)
      guard let path = RelativePath(rows.bytes(3)), scope.path.contains(path),
        scope.meets(from: rows.integer(4), to: time)
      else { continue }
      let line = LostLine(
        line: rows.integer(0), path: rows.integer(1), removed: rows.integer(2))
      if let known = last[line.line],
        (known.time, known.line.removed, known.line.path) > (time, line.removed, line.path)
      {
        continue
      }
      last[line.line] = (line, time)
    }
    return last.values.map(\.line)
  }

  /// What a path held from one commit on.
  struct Content {
    let n: Int64
    let commit: ObjectID
    let time: Int64
    /// `nil` where the path was gone.
    let file: PathFinder.Found?
    /// The name under which what was there went on.
    let movedTo: Int64?
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
          file: file, movedTo: file == nil && !rows.isNull(5) ? rows.integer(5) : nil))
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
  func isPresent(_ line: Int64) throws(DatabaseError) -> Bool {
    try database.integer(
      "SELECT 1 FROM occurrences WHERE line = ? AND present = 1 LIMIT 1", .integer(line)) != nil
  }

  /// The number of a line; `nil` for one that no version had.
  func line(_ text: UnsafeRawBufferPointer) throws(DatabaseError) -> Int64? {
    try database.integer(
      "SELECT line FROM lines WHERE hash = ?", .integer(LineHashes.hash(text)))
  }

  /// The paths of HEAD that have a line.
  func paths(with line: Int64) throws(DatabaseError) -> Set<Int64> {
    let rows = try database.statement(
      "SELECT path FROM occurrences WHERE line = ? AND present = 1")
    try rows.bind([.integer(line)])
    defer { rows.reset() }
    var found: Set<Int64> = []
    while try rows.step() { found.insert(rows.integer(0)) }
    return found
  }
}

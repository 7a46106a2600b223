import VersoGit
import VersoModel

/// What a rewritten history, or another branch, leaves behind.
extension HistoryIndexer {
  /// Takes out the commits that do not lead to `head`.
  ///
  /// - Returns: What is to do now. What was planned before may be out of date: another process may have
  ///   added all that was missing, which must not be taken for what was left behind.
  func forgetUnreachable(from head: ObjectID) throws -> Plan {
    try database.transaction(
      {
        let plan = try plan(for: head)
        guard plan.leavesSome else { return plan }
        try index.setTip(nil)
        let gone = try unreachable(from: plan.known)
        if gone.isEmpty { return plan }
        try database.execute(
          """
          CREATE TEMP TABLE IF NOT EXISTS gone(n INTEGER PRIMARY KEY);
          CREATE TEMP TABLE IF NOT EXISTS changed(path INTEGER PRIMARY KEY);
          CREATE TEMP TABLE IF NOT EXISTS loose(line INTEGER PRIMARY KEY);
          DELETE FROM gone; DELETE FROM changed; DELETE FROM loose;
          """)
        try database.run(
          "INSERT OR REPLACE INTO state VALUES('commits', (SELECT max(n) FROM ("
            + "SELECT max(n) n FROM commits UNION ALL SELECT value FROM state WHERE key = 'commits')))"
        )
        for n in gone { try database.run("INSERT INTO gone VALUES(?)", .integer(n)) }
        try database.execute(
          """
          INSERT INTO changed SELECT DISTINCT path FROM touches WHERE n IN gone;
          INSERT INTO loose SELECT DISTINCT line FROM occurrences WHERE path IN changed;
          DELETE FROM occurrences WHERE path IN changed;
          DELETE FROM touches WHERE n IN gone;
          DELETE FROM merges WHERE n IN gone;
          DELETE FROM commits WHERE n IN gone;
          DELETE FROM chains WHERE start IN gone;
          UPDATE chains SET tip = (SELECT max(n) FROM commits c WHERE c.chain = chains.chain)
            WHERE tip IN gone;
          """)
        try countLinesAnew()
        // Their words stay in the full-text table, where nothing leads to them any more.
        try database.execute(
          """
          DELETE FROM loose WHERE EXISTS
            (SELECT 1 FROM occurrences o WHERE o.line = loose.line);
          DELETE FROM lines WHERE line IN loose;
          """)
        return plan
      }, failing: { $0 })
  }

  private func unreachable(from tips: Set<ObjectID>) throws -> [Int64] {
    var parents: [Int64: [Int64]] = [:]
    for sql in ["SELECT n, parent FROM commits", "SELECT n, parent FROM merges"] {
      let rows = try database.statement(sql)
      defer { rows.reset() }
      while try rows.step() {
        parents[rows.integer(0), default: []] += rows.isNull(1) ? [] : [rows.integer(1)]
      }
    }
    var reached: Set<Int64> = []
    var stack = try tips.compactMap { id in try index.number(of: id) }
    while let n = stack.popLast() {
      if reached.insert(n).inserted { stack += parents[n] ?? [] }
    }
    return parents.keys.filter { !reached.contains($0) }
  }

  private struct Remainder {
    let path: Int64
    let n: Int64
    let parent: Int64?
    let new: PathFinder.Found?
  }

  /// Goes through what is left of the changed paths again, oldest first.
  private func countLinesAnew() throws {
    let ledger = IndexedLedger(index)
    nextLine = try database.integer("SELECT value FROM state WHERE key = 'lines'") ?? 1
    for touch in try remainder() {
      let old = try touch.parent.flatMap { parent in
        try ledger.content(ofNumber: touch.path, at: parent)
      }
      try addLines(of: old, touch.new, path: touch.path, n: touch.n)
    }
    try database.run("INSERT OR REPLACE INTO state VALUES('lines', ?)", .integer(nextLine))
  }

  private func remainder() throws(DatabaseError) -> [Remainder] {
    let rows = try database.statement(
      """
      SELECT t.path, t.n, CASE t.side WHEN 0 THEN c.parent ELSE m.parent END, t.mode, t.content
      FROM changed x JOIN touches t ON t.path = x.path JOIN commits c ON c.n = t.n
      LEFT JOIN merges m ON m.chain = t.chain AND m.n = t.n AND m.side = t.side
      ORDER BY t.n, t.side
      """)
    defer { rows.reset() }
    var found: [Remainder] = []
    while try rows.step() {
      found.append(
        Remainder(
          path: rows.integer(0), n: rows.integer(1),
          parent: rows.isNull(2) ? nil : rows.integer(2), new: rows.file(mode: 3, content: 4)))
    }
    return found
  }
}

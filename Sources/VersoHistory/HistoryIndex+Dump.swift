/// What an index holds, whatever order its commits, paths and lines were met in.
extension HistoryIndex {
  /// One line for each commit, change, line and word, sorted: two indexes that say the same give the
  /// same. For tests and for people who look for a fault; it is as large as the index.
  package func dump() throws(DatabaseError) -> [String] {
    var lines: [String] = []
    for sql in Self.views {
      let rows = try database.statement(sql)
      defer { rows.reset() }
      while try rows.step() { lines.append(rows.text(0)) }
    }
    return lines.sorted()
  }

  private static let views = [
    """
    SELECT 'commit ' || hex(c.id) || ' ' || c.time || ' ' || c.zone || ' ' || d.name || ' '
      || c.subject || ' ' || coalesce(hex(p.id), '-')
    FROM commits c JOIN devices d USING(device) LEFT JOIN commits p ON p.n = c.parent
    """,
    """
    SELECT 'merge ' || hex(c.id) || ' ' || m.side || ' ' || hex(p.id)
    FROM merges m JOIN commits c USING(n) JOIN commits p ON p.n = m.parent
    """,
    """
    SELECT 'touch ' || hex(c.id) || ' ' || t.side || ' ' || hex(p.name) || ' ' || t.kind || ' '
      || t.mode || ' ' || coalesce(hex(t.content), '-') || ' ' || coalesce(hex(o.name), '-')
    FROM touches t JOIN commits c USING(n) JOIN paths p ON p.path = t.path
    LEFT JOIN paths o ON o.path = t.other
    """,
    """
    SELECT 'line ' || l.hash || ' ' || hex(p.name) || ' ' || hex(f.id) || ' '
      || coalesce(hex(r.id), '-') || ' ' || o.present
    FROM occurrences o JOIN lines l USING(line) JOIN paths p USING(path)
    JOIN commits f ON f.n = o.first LEFT JOIN commits r ON r.n = o.removed
    """,
    "SELECT 'tip ' || hex(value) FROM state WHERE key = 'tip'",
  ]
}

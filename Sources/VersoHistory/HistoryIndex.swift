import Glibc
import VersoGit
package import VersoModel

/// What the commits that lead to HEAD did to each path and each line, in an SQLite database.
///
/// Derived from git's objects, so it may be deleted at any time. Every commit is there with the paths
/// in which it differs from each of its parents, folders among them; every line of text that holds a
/// word is there once, with the first and the last version of each path that had it. Commits are
/// numbered so that parents come before children; a commit belongs to a *chain*, a run of commits each
/// the first parent of the next, so that the last change of a path before a commit is one look-up.
///
/// Not `Sendable`: one thread at a time.
package final class HistoryIndex {
  /// The name of the file; SQLite makes two more beside it, with `-wal` and `-shm` at their ends.
  package static let fileName = "history.sqlite"
  /// All files that belong to an index.
  package static let fileNames = ["", "-wal", "-shm", "-journal"].map { fileName + $0 }

  /// Raised with every change of what is in the tables or what it means.
  static let schema: Int64 = 1

  let database: Database

  /// Opens an index, or makes an empty one.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - creates: Whether it is made where it is missing.
  ///   - patience: Milliseconds to wait for another process that is writing.
  /// - Throws: ``DatabaseError``; ``DatabaseError/Code/schema`` for that of another release.
  package init(at path: String, creates: Bool, patience: Int32 = 0) throws(DatabaseError) {
    database = try Database(at: path, creates: creates, patience: patience)
    try database.execute(
      """
      PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 4194304
      """)
    let found = try database.integer("PRAGMA user_version") ?? 0
    if found == Self.schema { return }
    guard found == 0, try database.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
      throw DatabaseError(code: .schema, message: "made by another release (\(found))")
    }
    guard creates else { throw DatabaseError(code: .unmade, message: "empty") }
    try keepLog(patience)
    try database.transaction(
      { () throws(DatabaseError) in
        // Another process may have made them since.
        if try database.integer("PRAGMA user_version") == Self.schema { return }
        try database.execute(Self.tables)
        try database.execute("PRAGMA user_version = \(Self.schema)")
      }, failing: { $0 })
  }

  /// Turns the write-ahead log on.
  ///
  /// While another process does so SQLite says at once that it is busy, whatever patience was set
  /// (https://www.sqlite.org/wal.html, "Sometimes Queries Return SQLITE_BUSY In WAL Mode").
  private func keepLog(_ patience: Int32) throws(DatabaseError) {
    let pause: Int32 = 20
    var left = patience
    while true {
      do throws(DatabaseError) { return try database.execute("PRAGMA journal_mode = WAL") } catch {
        guard error.code == .busy, left > 0 else { throw error }
        usleep(UInt32(pause) * 1000)
        left -= pause
      }
    }
  }

  /// `state`: `tip`, the commit up to which everything is there, missing while a part is; `lines`, how
  /// many line numbers were given. `touches.kind`: 0 added, 1 modified, 2 gone, against parent `side`;
  /// `other` the old name of what came, the new one of what went. `occurrences.first` is the
  /// earliest commit that gave the path the line, `removed` the latest that took it, 0 for none.
  private static let tables = """
    CREATE TABLE state(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE commits(
      n INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, time INTEGER NOT NULL, zone INTEGER NOT NULL,
      device INTEGER NOT NULL, subject TEXT NOT NULL, parent INTEGER, chain INTEGER NOT NULL,
      sides INTEGER NOT NULL);
    CREATE TABLE chains(
      chain INTEGER PRIMARY KEY, start INTEGER NOT NULL, tip INTEGER NOT NULL, base INTEGER);
    CREATE TABLE merges(
      chain INTEGER, n INTEGER, side INTEGER, parent INTEGER NOT NULL,
      PRIMARY KEY(chain, n, side)) WITHOUT ROWID;
    CREATE TABLE devices(device INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE paths(path INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
    CREATE TABLE touches(
      path INTEGER, chain INTEGER, n INTEGER, side INTEGER, kind INTEGER NOT NULL,
      mode INTEGER NOT NULL, content BLOB, other INTEGER,
      PRIMARY KEY(path, chain, n, side)) WITHOUT ROWID;
    CREATE TABLE lines(hash INTEGER PRIMARY KEY, line INTEGER NOT NULL);
    CREATE TABLE occurrences(
      line INTEGER, path INTEGER, first INTEGER NOT NULL, removed INTEGER NOT NULL,
      present INTEGER NOT NULL, PRIMARY KEY(line, path)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE words USING fts5(
      text, content='', columnsize=0, tokenize='ascii');
    """

  /// Sets how long to wait for another process that is writing, in milliseconds.
  package func setPatience(_ milliseconds: Int32) { database.setPatience(milliseconds) }

  // MARK: State

  /// The commit up to which everything is there; `nil` where nothing is, or only a part.
  package func tip() throws(DatabaseError) -> ObjectID? {
    let row = try database.statement("SELECT value FROM state WHERE key = 'tip'")
    defer { row.reset() }
    guard try row.step() else { return nil }
    let bytes = row.bytes(0)
    return bytes.count == ObjectID.byteCount ? ObjectID(bytes: bytes) : nil
  }

  func setTip(_ id: ObjectID?) throws(DatabaseError) {
    if let id {
      try database.run(
        "INSERT OR REPLACE INTO state VALUES('tip', ?)", .bytes(id.bytes))
    } else {
      try database.run("DELETE FROM state WHERE key = 'tip'")
    }
  }

  /// How many commits it holds.
  package func commitCount() throws(DatabaseError) -> Int {
    Int(try database.integer("SELECT count(*) FROM commits") ?? 0)
  }

  // MARK: Names

  func number(of path: RelativePath) throws(DatabaseError) -> Int64? {
    try database.integer("SELECT path FROM paths WHERE name = ?", .bytes(path.bytes))
  }

  func path(_ number: Int64) throws(DatabaseError) -> RelativePath? {
    let row = try database.statement("SELECT name FROM paths WHERE path = ?")
    try row.bind([.integer(number)])
    defer { row.reset() }
    guard try row.step() else { return nil }
    return RelativePath(row.bytes(0))
  }

  func number(of commit: ObjectID) throws(DatabaseError) -> Int64? {
    try database.integer("SELECT n FROM commits WHERE id = ?", .bytes(commit.bytes))
  }

  // MARK: Times

  /// The commit that HEAD was at that time; `nil` where only a walk can tell, as clocks ran backwards
  /// or several branches have commits of one second.
  func commit(at time: Int64) -> ObjectID? {
    do throws(DatabaseError) {
      if try database.integer("SELECT value FROM state WHERE key = 'skewed'") != nil { return nil }
      let rows = try database.statement(
        """
        SELECT id, chain FROM commits WHERE time = (SELECT max(time) FROM commits WHERE time <= ?)
        ORDER BY n DESC
        """)
      try rows.bind([.integer(time)])
      defer { rows.reset() }
      var found: (id: ObjectID, chain: Int64)?
      while try rows.step() {
        if let found, found.chain != rows.integer(1) { return nil }
        found = found ?? (ObjectID(bytes: rows.bytes(0)), rows.integer(1))
      }
      return found?.id
    } catch { return nil }
  }
}

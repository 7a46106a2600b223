import CSQLite

/// A failure reported by SQLite: programs branch on ``code``, people read ``description``.
///
/// What is in a database is derived from git's objects, so a failure costs a rebuild at most.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure (https://www.sqlite.org/rescode.html); kinds may be added, so always keep
  /// a default branch.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Another process is writing (`SQLITE_BUSY`).
    package static let busy = Code(rawValue: SQLITE_BUSY)
    /// The file cannot be opened (`SQLITE_CANTOPEN`).
    package static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    /// The file is damaged (`SQLITE_CORRUPT`).
    package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    /// The disk is full (`SQLITE_FULL`).
    package static let full = Code(rawValue: SQLITE_FULL)
    /// The file is no database (`SQLITE_NOTADB`).
    package static let notADatabase = Code(rawValue: SQLITE_NOTADB)
    /// The file cannot be written (`SQLITE_READONLY`).
    package static let readOnly = Code(rawValue: SQLITE_READONLY)
    /// The file was made by another release, or holds what cannot be (`SQLITE_SCHEMA`).
    package static let schema = Code(rawValue: SQLITE_SCHEMA)
    /// There are no tables yet: another process may be making them (`SQLITE_EMPTY`).
    package static let unmade = Code(rawValue: SQLITE_EMPTY)
  }

  package let code: Code
  package let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { "the history index: \(message)" }

  /// Whether a new database is the remedy.
  package var isDamage: Bool {
    [.corrupt, .notADatabase, .schema, .unmade].contains(code) || code.rawValue == SQLITE_ERROR
      || code.rawValue == SQLITE_MISMATCH
  }
}

import CSQLite

/// An open SQLite database.
///
/// Not `Sendable`: one thread at a time, so the library's own locks are off.
final class Database {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: Where it is, or is to be.
  ///   - creates: Whether it is made where it is missing.
  ///   - patience: Milliseconds to wait for another process that is writing.
  /// - Throws: ``DatabaseError/Code/cannotOpen`` where it is missing and not to be made.
  init(at path: String, creates: Bool, patience: Int32) throws(DatabaseError) {
    var opened: OpaquePointer?
    let mode = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
    let status = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else {
      throw DatabaseError(code: .cannotOpen, message: "no memory to open \(path)")
    }
    handle = opened
    if status != SQLITE_OK { throw failure(status) }
    sqlite3_busy_timeout(handle, patience)
    // Closing would wait for the disk, which a save must not.
    _ = verso_sqlite_keep_log(handle)
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Milliseconds to wait for another process that is writing.
  func setPatience(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  private func failure(_ status: Int32) -> DatabaseError { DatabaseError(status, of: handle) }

  /// Runs one or more statements that give nothing.
  func execute(_ sql: String) throws(DatabaseError) {
    let status = sqlite3_exec(handle, sql, nil, nil, nil)
    if status != SQLITE_OK { throw failure(status) }
  }

  /// A statement, prepared once and reset; whoever asks for it again ends what it was doing.
  func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] {
      known.reset()
      return known
    }
    var raw: OpaquePointer?
    let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &raw, nil)
    guard status == SQLITE_OK, let raw else { throw failure(status) }
    let made = Statement(raw, of: handle)
    statements[sql] = made
    return made
  }

  /// Runs a statement that gives nothing.
  func run(_ sql: String, _ values: Statement.Value...) throws(DatabaseError) {
    let statement = try statement(sql)
    try statement.bind(values)
    _ = try statement.step()
    statement.reset()
  }

  /// The first number of the first row; `nil` without a row, or where it is NULL.
  func integer(_ sql: String, _ values: Statement.Value...) throws(DatabaseError) -> Int64? {
    let statement = try statement(sql)
    try statement.bind(values)
    let result = try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    statement.reset()
    return result
  }

  /// How many rows the last statement changed.
  var changes: Int32 { sqlite3_changes(handle) }

  /// Reads all of one state, which each statement by itself would look for anew.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    // Within a transaction that is the case.
    if sqlite3_get_autocommit(handle) == 0 { return try body() }
    try execute("BEGIN")
    // Whoever reads has nothing to lose by it, and nothing to keep.
    defer { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    return try body()
  }

  /// Does all or nothing.
  func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result, failing: (DatabaseError) -> Failure
  ) throws(Failure) -> Result {
    do throws(DatabaseError) { try execute("BEGIN IMMEDIATE") } catch { throw failing(error) }
    do throws(Failure) {
      let result = try body()
      do throws(DatabaseError) { try execute("COMMIT") } catch { throw failing(error) }
      return result
    } catch {
      // A full disk may have ended it already, which is what this is for.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }
}

/// A prepared statement and its present row.
final class Statement {
  /// What can be bound.
  enum Value {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case null

    static func number(_ value: some BinaryInteger) -> Value { .integer(Int64(value)) }
    static func optional(_ value: Int64?) -> Value { value.map { .integer($0) } ?? .null }
  }

  private let handle: OpaquePointer
  private let database: OpaquePointer

  fileprivate init(_ handle: OpaquePointer, of database: OpaquePointer) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  func bind(_ values: [Value]) throws(DatabaseError) {
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let status: Int32 =
        switch value {
        case .integer(let number): sqlite3_bind_int64(handle, place, number)
        case .bytes(let bytes):
          bytes.withUnsafeBytes {
            // An empty array has no address, and none would be NULL.
            $0.baseAddress.map { start in
              sqlite3_bind_blob64(
                handle, place, start, UInt64(bytes.count), verso_sqlite_copied())
            } ?? sqlite3_bind_zeroblob(handle, place, 0)
          }
        case .text(let text):
          sqlite3_bind_text64(
            handle, place, text, UInt64(text.utf8.count), verso_sqlite_copied(),
            UInt8(SQLITE_UTF8))
        case .null: sqlite3_bind_null(handle, place)
        }
      if status != SQLITE_OK { throw failure(status) }
    }
  }

  /// Goes to the next row; `false` after the last.
  func step() throws(DatabaseError) -> Bool {
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE { return false }
    let failure = failure(status)
    sqlite3_reset(handle)
    throw failure
  }

  private func failure(_ status: Int32) -> DatabaseError { DatabaseError(status, of: database) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func bytes(_ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

extension DatabaseError {
  /// What a database says of the call that has just failed.
  fileprivate init(_ status: Int32, of database: OpaquePointer) {
    let text = sqlite3_errmsg(database).map { String(cString: $0) } ?? "unknown failure"
    self.init(code: Code(rawValue: status & 0xFF), message: text)
  }
}

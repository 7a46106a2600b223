package import VersoGit
package import VersoModel

/// Brings a ``HistoryIndex`` up to a commit: adds what is missing, takes out what history no longer
/// has.
///
/// Work is committed in parts, so that what is interrupted goes on where it stopped. Others may read
/// and write the index meanwhile.
package final class HistoryIndexer {
  package let index: HistoryIndex
  let repository: Repository
  let graph: CommitGraph
  var paths: [RelativePath: Int64] = [:]
  private var devices: [String: Int64] = [:]
  var texts = TextCache()
  /// The number that the next new line gets.
  var nextLine: Int64 = 0

  /// Asked now and then in the middle of a commit; `true` gives up what is not committed yet.
  package var isInterrupted: () -> Bool = { false }
  /// How many commits one transaction holds at most.
  private let batch: Int

  package init(
    _ index: HistoryIndex, of repository: Repository, batch: Int = 500
  ) throws(GitError) {
    self.index = index
    self.repository = repository
    self.batch = batch
    graph = try CommitGraph(repository)
  }

  /// Opens the index in a file; see ``HistoryIndex/init(at:creates:patience:)``.
  package convenience init(
    at path: String, of repository: Repository, creates: Bool, patience: Int32
  ) throws(HistoryIndexError) {
    do {
      try self.init(
        HistoryIndex(at: path, creates: creates, patience: patience), of: repository)
    } catch { throw HistoryIndexError(error) }
  }

  var database: Database { index.database }

  /// How far an index has come.
  package struct Progress: Hashable, Sendable {
    package let done: Int
    package let total: Int
  }

  /// What came of it.
  package enum Outcome: Hashable, Sendable {
    /// Everything up to the commit is there.
    case complete
    /// There is more to do than was allowed.
    case partial
  }

  /// Brings the index up to `head`.
  ///
  /// - Parameters:
  ///   - limit: Nothing is done where more commits than this are missing.
  ///   - goesOn: Told how far it has come, at least every second or so; `false` stops, and what was
  ///     done stays.
  package func catchUp(
    to head: ObjectID, limit: Int = .max, goesOn: (Progress) -> Bool = { _ in true }
  ) throws(HistoryIndexError) -> Outcome {
    do {
      try checkRoots()
      if try index.tip() == head { return .complete }
      var plan = try plan(for: head, limit: limit)
      if plan.missing.count > limit { return .partial }
      if plan.leavesSome { plan = try forgetUnreachable(from: head) }
      return try add(plan.missing, head: head, goesOn: goesOn)
    } catch is Interruption { return .partial } catch { throw HistoryIndexError(error) }
  }

  private struct Interruption: Error {}

  func checkInterruption() throws {
    if isInterrupted() { throw Interruption() }
  }

  /// - Throws: ``HistoryIndexError/inconsistent(_:)`` where a shallow clone was cut elsewhere when the
  ///   index was made: what it has ends, or goes on, at the wrong commits.
  private func checkRoots() throws {
    let roots = graph.roots.map(\.hex).sorted().joined()
    let row = try database.statement("SELECT value FROM state WHERE key = 'roots'")
    let known = try row.step() ? row.text(0) : nil
    row.reset()
    if known == roots { return }
    if known != nil { throw HistoryIndexError.inconsistent("a shallow clone was cut elsewhere") }
    try database.run("INSERT OR IGNORE INTO state VALUES('roots', ?)", .text(roots))
  }

  /// Brings the index up to what HEAD is now.
  ///
  /// - Returns: `nil` where HEAD moved meanwhile.
  package func catchUpToHead(
    limit: Int = .max, goesOn: (Progress) -> Bool = { _ in true }
  ) throws(HistoryIndexError) -> Outcome? {
    do {
      guard let head = try repository.headCommit() else { return .complete }
      let outcome = try catchUp(to: head, limit: limit, goesOn: goesOn)
      return try outcome == .complete && repository.headCommit() != head ? nil : outcome
    } catch { throw HistoryIndexError(error) }
  }

  /// Whether everything was there once; else it was never made to its end.
  package func hasBeenComplete() throws(HistoryIndexError) -> Bool {
    do throws(DatabaseError) { return try index.tip() != nil } catch { throw .database(error) }
  }

  // MARK: Planning

  struct Plan {
    /// Oldest first: parents before children.
    var missing: [ObjectID] = []
    /// The commits of the index at which the way down from HEAD ends.
    var known: Set<ObjectID> = []
    /// Whether the index may hold commits that do not lead to HEAD.
    var leavesSome = false
  }

  /// What is to do, as the index is now; only in a transaction does it stay so.
  func plan(for head: ObjectID, limit: Int = .max) throws -> Plan {
    var plan = Plan()
    var seen: Set<ObjectID> = []
    var stack: [(id: ObjectID, isDone: Bool)] = [(head, false)]
    // Beyond the limit nobody asks for the order, so there is no need to go on.
    while let (id, isDone) = stack.popLast(), plan.missing.count <= limit, seen.count <= limit {
      if isDone {
        plan.missing.append(id)
        continue
      }
      guard !plan.known.contains(id), seen.insert(id).inserted else { continue }
      if try index.number(of: id) != nil {
        plan.known.insert(id)
        seen.remove(id)
        continue
      }
      stack.append((id, true))
      for parent in try graph.node(id).parents.reversed() { stack.append((parent, false)) }
    }
    if seen.count > limit { plan.missing = Array(seen) }
    // All of a complete index leads to its tip; it leads to HEAD where the tip was met on the way.
    let tip = try index.tip()
    plan.leavesSome = try tip.map { !plan.known.contains($0) } ?? (index.commitCount() > 0)
    return plan
  }

  // MARK: Adding

  /// How many touched paths one transaction holds before it ends.
  private static let mostTouches = 50_000

  private func add(
    _ missing: [ObjectID], head: ObjectID, goesOn: (Progress) -> Bool
  ) throws -> Outcome {
    var rest = missing[...]
    let firstLine = try database.integer("SELECT value FROM state WHERE key = 'lines'") ?? 1
    repeat {
      try database.transaction(
        {
          try index.setTip(nil)
          nextLine = try database.integer("SELECT value FROM state WHERE key = 'lines'") ?? 1
          var (commits, touches) = (0, 0)
          while let id = rest.first, commits < batch, touches < Self.mostTouches {
            rest = rest.dropFirst()
            commits += 1
            // Another process may have been here meanwhile.
            if try index.number(of: id) == nil { touches += try add(id) }
          }
          try database.run(
            "INSERT OR REPLACE INTO state VALUES('lines', ?)", .integer(nextLine))
          if rest.isEmpty { try index.setTip(head) }
        }, failing: { $0 })
      let progress = Progress(done: missing.count - rest.count, total: missing.count)
      if !rest.isEmpty, !goesOn(progress) { return .partial }
    } while !rest.isEmpty
    // A log as long as the index is only of use while the index is made.
    if missing.count > batch || nextLine - firstLine > 20_000 {
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return .complete
  }

  /// Adds a commit whose parents are there; gives the number of paths that it touched.
  private func add(_ id: ObjectID) throws -> Int {
    let node = try graph.node(id)
    // The commit itself is the parent of the next.
    defer { for parent in node.parents { graph.forget(parent) } }
    let record = CommitRecord(try repository.commit(id))
    let parents = try node.parents.map { parent in
      guard let number = try index.number(of: parent) else {
        throw HistoryIndexError.inconsistent("\(parent.short) is missing below \(id.short)")
      }
      return number
    }
    let n = try nextCommit()
    let chain = try chain(for: n, parents)
    for parent in node.parents where try graph.node(parent).time > node.time {
      try database.run("INSERT OR REPLACE INTO state VALUES('skewed', 1)")
    }
    try database.run(
      "INSERT INTO commits VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(n), .bytes(id.bytes),
      .integer(node.time), .number(record.timeZone), .integer(try device(record.device)),
      .text(record.subject), .optional(parents.first), .integer(chain),
      .number(parents.count))
    for (side, parent) in parents.enumerated().dropFirst() {
      try database.run(
        "INSERT INTO merges VALUES(?, ?, ?, ?)", .integer(chain), .integer(n), .number(side),
        .integer(parent))
    }
    let trees = try node.parents.map { parent in try graph.node(parent).tree }
    let touches = try PathTouch.of(
      tree: node.tree, parents: trees, hints: record.renameHints, in: repository)
    for (number, touch) in touches.enumerated() {
      if number & 255 == 255 { try checkInterruption() }
      try add(touch, n: n, chain: chain)
    }
    return touches.count
  }

  /// A number that no commit ever had: readers may still know what had it.
  private func nextCommit() throws(DatabaseError) -> Int64 {
    let given = try database.integer("SELECT value FROM state WHERE key = 'commits'") ?? 0
    return max(given, try database.integer("SELECT max(n) FROM commits") ?? 0) + 1
  }

  /// The chain that a commit goes on, or one of its own.
  private func chain(for n: Int64, _ parents: [Int64]) throws -> Int64 {
    if let first = parents.first {
      let chain = try database.integer(
        "SELECT chain FROM chains WHERE chain = (SELECT chain FROM commits WHERE n = ?1) "
          + "AND tip = ?1", .integer(first))
      if let chain {
        try database.run("UPDATE chains SET tip = ? WHERE chain = ?", .integer(n), .integer(chain))
        return chain
      }
    }
    try database.run(
      "INSERT INTO chains VALUES(?1, ?1, ?1, ?2)", .integer(n), .optional(parents.first))
    return n
  }

  private func add(_ touch: PathTouch, n: Int64, chain: Int64) throws {
    let path = try number(for: touch.path)
    try database.run(
      "INSERT INTO touches VALUES(?, ?, ?, ?, ?, ?, ?, ?)", .integer(path), .integer(chain),
      .integer(n), .number(touch.side), .integer(touch.kind.rawValue),
      .number(touch.new?.mode ?? 0), touch.new.map { .bytes($0.id.bytes) } ?? .null,
      .optional(try touch.other.map { try number(for: $0) }))
    try addLines(of: touch.old, touch.new, path: path, n: n)
  }

  // MARK: Names

  private func number(for path: RelativePath) throws(DatabaseError) -> Int64 {
    if let known = paths[path] { return known }
    var number = try index.number(of: path)
    if number == nil {
      try database.run("INSERT INTO paths(name) VALUES(?)", .bytes(path.bytes))
      number = try index.number(of: path)
    }
    guard let number else { throw DatabaseError(code: .corrupt, message: "a name is lost") }
    // What is kept must not grow with the vault.
    if paths.count > 100_000 { paths = [:] }
    paths[path] = number
    return number
  }

  private func device(_ name: String) throws(DatabaseError) -> Int64 {
    if let known = devices[name] { return known }
    try database.run("INSERT OR IGNORE INTO devices(name) VALUES(?)", .text(name))
    let number =
      try database.integer("SELECT device FROM devices WHERE name = ?", .text(name)) ?? 0
    devices[name] = number
    return number
  }
}

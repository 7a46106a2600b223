import VersoGit
import VersoModel

/// A ``PathLedger`` that looks things up: only the commits that touched the path cost anything.
final class IndexedLedger: PathLedger {
  private let index: HistoryIndex
  private var chains: [Int64: Chain] = [:]
  private var commits: [Int64: CommitRow] = [:]
  /// The chains of commits whose rows nobody needed yet.
  private var chainOf: [Int64: Int64] = [:]
  private var paths: [RelativePath: Int64?] = [:]
  private var pages: [Page.Key: Page] = [:]

  init(_ index: HistoryIndex) { self.index = index }

  private var database: Database { index.database }

  // MARK: Rows

  private struct Chain {
    let start: Int64
    let base: Int64?
  }

  private struct CommitRow {
    let card: VersionCard
    let parent: Int64?
    let chain: Int64
    /// How many parents it has.
    let sides: Int64
  }

  private struct Touch {
    let n: Int64
    let side: Int
    let kind: PathTouch.Kind
    let content: PathFinder.Found?
    let other: Int64?
  }

  /// The touches of a path in a chain, from some commit down, as far as they were read.
  private final class Page {
    struct Key: Hashable {
      let path: Int64
      let chain: Int64
    }

    let top: Int64
    /// Newest first.
    var touches: [Touch] = []
    var isWhole = false

    init(top: Int64) { self.top = top }

    /// The first that is at or before a commit.
    func first(upTo n: Int64) -> Int? {
      var (low, high) = (0, touches.count)
      while low < high {
        let middle = (low + high) / 2
        if touches[middle].n <= n { high = middle } else { low = middle + 1 }
      }
      return low < touches.count ? low : nil
    }
  }

  private func chain(_ number: Int64) throws -> Chain {
    if let known = chains[number] { return known }
    let row = try database.statement("SELECT start, base FROM chains WHERE chain = ?")
    try row.bind([.integer(number)])
    defer { row.reset() }
    guard try row.step() else { throw HistoryIndexError.inconsistent("no chain \(number)") }
    let chain = Chain(start: row.integer(0), base: row.isNull(1) ? nil : row.integer(1))
    chains[number] = chain
    return chain
  }

  private func row(_ n: Int64) throws -> CommitRow {
    if let known = commits[n] { return known }
    let row = try database.statement(
      "SELECT \(Self.commitColumns) FROM commits c JOIN devices d USING(device) WHERE c.n = ?")
    try row.bind([.integer(n)])
    defer { row.reset() }
    guard try row.step() else { throw HistoryIndexError.inconsistent("no commit \(n)") }
    return keep(row, 0, n)
  }

  private static let commitColumns =
    "c.id, c.time, c.zone, d.name, c.subject, c.parent, c.chain, "
    + "c.sides"

  private func keep(_ row: Statement, _ start: Int32, _ n: Int64) -> CommitRow {
    let id = ObjectID(bytes: row.bytes(start))
    let found = CommitRow(
      card: VersionCard(
        commit: id, time: row.integer(start + 1), timeZone: Int(row.integer(start + 2)),
        device: row.text(start + 3), subject: row.text(start + 4)),
      parent: row.isNull(start + 5) ? nil : row.integer(start + 5),
      chain: row.integer(start + 6), sides: row.integer(start + 7))
    commits[n] = found
    return found
  }

  func number(of commit: ObjectID) throws -> Int64 {
    guard let number = try index.number(of: commit) else {
      throw HistoryIndexError.inconsistent("no commit \(commit.short)")
    }
    return number
  }

  private func chain(of n: Int64) throws -> Int64 { try chainOf[n] ?? row(n).chain }

  private func number(of path: RelativePath) throws -> Int64? {
    if let known = paths[path] { return known }
    let number = try index.number(of: path)
    paths[path] = .some(number)
    return number
  }

  /// The page that holds the last touch of a path in a chain at or before a commit, and where; where a
  /// merge has several, the one of the first side.
  private func find(
    _ path: Int64, in chain: Int64, upTo n: Int64
  ) throws -> (page: Page, index: Int)? {
    let key = Page.Key(path: path, chain: chain)
    var page = pages[key] ?? Page(top: n)
    if n > page.top { page = Page(top: n) }
    pages[key] = page
    while true {
      if let found = page.first(upTo: n) { return (page, found) }
      if page.isWhole { return nil }
      try read(page, key)
    }
  }

  private func read(_ page: Page, _ key: Page.Key) throws {
    let count = max(16, min(page.touches.count * 2, 4096))
    let last = page.touches.last?.n ?? page.top + 1
    let rows = try database.statement(
      "SELECT t.n, t.side, t.kind, t.mode, t.content, t.other, \(Self.commitColumns) "
        + "FROM touches t CROSS JOIN commits c ON c.n = t.n CROSS JOIN devices d USING(device) "
        + "WHERE t.path = ? AND t.chain = ? AND t.n < ? ORDER BY t.n DESC, t.side LIMIT ?")
    try rows.bind([.integer(key.path), .integer(key.chain), .integer(last), .number(count + 1)])
    defer { rows.reset() }
    var found: [Touch] = []
    while try rows.step() {
      guard let kind = PathTouch.Kind(rawValue: rows.integer(2)) else {
        throw HistoryIndexError.inconsistent("a change of kind \(rows.integer(2))")
      }
      let n = rows.integer(0)
      if commits[n] == nil { _ = keep(rows, 6, n) }
      found.append(
        Touch(
          n: n, side: Int(rows.integer(1)), kind: kind, content: rows.file(mode: 3, content: 4),
          other: rows.isNull(5) ? nil : rows.integer(5)))
    }
    page.isWhole = found.count <= count
    // The sides of a merge stay together: the last commit is left for the next page.
    if !page.isWhole, let last = found.last?.n {
      guard found.first?.n != last else {
        throw HistoryIndexError.inconsistent("a commit with \(found.count) parents")
      }
      while found.last?.n == last { found.removeLast() }
    }
    page.touches += found
  }

  /// The touches of one commit, by side.
  private func touches(of path: Int64, at n: Int64) throws -> ArraySlice<Touch> {
    let chain = try chain(of: n)
    guard let (page, first) = try find(path, in: chain, upTo: n) else { return [] }
    return page.touches[first...].prefix { $0.n == n }
  }

  // MARK: Going down

  /// The last commit at or before `n`, along first parents, that touched a path.
  private func lastTouch(of path: Int64, from n: Int64) throws -> Touch? {
    var at: Int64? = n
    while let n = at {
      let number = try chain(of: n)
      if let (page, found) = try find(path, in: number, upTo: n) { return page.touches[found] }
      at = try chain(number).base
    }
    return nil
  }

  func content(ofNumber path: Int64, at n: Int64) throws -> PathFinder.Found? {
    try lastTouch(of: path, from: n)?.content
  }

  func content(of path: RelativePath, at n: Int64) throws -> PathFinder.Found? {
    guard let path = try number(of: path) else { return nil }
    return try content(ofNumber: path, at: n)
  }

  func landings(
    of path: RelativePath, from n: Int64
  ) throws -> [(commit: Int64, time: Int64)] {
    guard let path = try number(of: path) else { return [] }
    let last = try lastTouch(of: path, from: n)
    let found: [Int64]
    if let last, last.content != nil {
      found = [last.n]
    } else {
      found = try landingsWhereAbsent(of: path, from: n)
    }
    return try found.map { ($0, try row($0).card.time) }
  }

  /// While a path is absent a walk follows every side, down to the commits that touched it.
  private func landingsWhereAbsent(of path: Int64, from n: Int64) throws -> [Int64] {
    let oldest = try database.integer(
      "SELECT min(n) FROM touches WHERE path = ? AND n <= ?", .integer(path), .integer(n))
    guard let oldest else { return [] }
    var found: Set<Int64> = []
    /// The stretches of each chain that were gone down.
    var passed: [Int64: [ClosedRange<Int64>]] = [:]
    var stack = [n]
    while let n = stack.popLast() {
      guard n >= oldest else { continue }
      let number = try chain(of: n)
      let chain = try chain(number)
      let known = passed[number] ?? []
      if known.contains(where: { $0.contains(n) }) { continue }
      let bottom = known.map { $0.upperBound + 1 }.filter { $0 <= n }.max() ?? chain.start
      var low = bottom
      if let (page, at) = try find(path, in: number, upTo: n), page.touches[at].n >= bottom {
        found.insert(page.touches[at].n)
        // What lies below is for whoever comes to it past the touch.
        low = page.touches[at].n + 1
      } else if bottom == chain.start, let base = chain.base {
        stack.append(base)
      }
      passed[number, default: []].append(min(low, n)...n)
      if low <= n { stack += try mergedParents(in: number, low...n, above: oldest) }
    }
    return found.sorted(by: >)
  }

  private func mergedParents(
    in chain: Int64, _ range: ClosedRange<Int64>, above oldest: Int64
  ) throws -> [Int64] {
    let rows = try database.statement(
      "SELECT parent FROM merges WHERE chain = ? AND n BETWEEN ? AND ? AND parent >= ?")
    try rows.bind([
      .integer(chain), .integer(range.lowerBound), .integer(range.upperBound), .integer(oldest),
    ])
    defer { rows.reset() }
    var found: [Int64] = []
    while try rows.step() { found.append(rows.integer(0)) }
    return found
  }

  // MARK: Comparing

  func standing(of path: RelativePath, at n: Int64) throws -> Standing {
    guard let path = try number(of: path) else { return Standing(content: nil, parents: []) }
    let touches = try touches(of: path, at: n)
    let content = try touches.first?.content ?? content(ofNumber: path, at: n)
    let parents = try parents(of: n).enumerated().map { side, parent in
      let other: Standing.Other =
        switch touches.first(where: { $0.side == side })?.kind {
        case nil: .same
        case .added: .absent
        case .modified, .gone: .different
        }
      return (commit: parent, other: other)
    }
    return Standing(content: content, parents: parents)
  }

  /// The parents of a commit, by number.
  func parents(of n: Int64) throws -> [Int64] {
    let row = try row(n)
    guard let first = row.parent else { return [] }
    // A commit that does not begin its chain goes on from its first parent.
    if n != row.chain { chainOf[first] = row.chain }
    if row.sides == 1 { return [first] }
    let rows = try database.statement(
      "SELECT parent FROM merges WHERE chain = ? AND n = ? ORDER BY side")
    try rows.bind([.integer(row.chain), .integer(n)])
    defer { rows.reset() }
    var parents = [first]
    while try rows.step() { parents.append(rows.integer(0)) }
    return parents
  }

  private func other(_ path: RelativePath, at n: Int64, side: Int) throws -> RelativePath? {
    guard let path = try number(of: path) else { return nil }
    let touch = try touches(of: path, at: n).first { $0.side == side }
    guard let other = touch?.other else { return nil }
    return try index.path(other)
  }

  func source(
    of path: RelativePath, at n: Int64, side: Int, isFolder: Bool, isKnown: Bool
  ) throws -> RelativePath? {
    try other(path, at: n, side: side)
  }

  func destination(
    of path: RelativePath, at n: Int64, isFolder: Bool
  ) throws -> RelativePath? {
    try other(path, at: n, side: 0)
  }

  func card(of n: Int64) throws -> VersionCard { try row(n).card }

  func forget(_ n: Int64) {}
}

extension Statement {
  /// A file or folder whose mode and id stand in these columns; `nil` where there is no id.
  func file(mode: Int32, content: Int32) -> PathFinder.Found? {
    if isNull(content) { return nil }
    let id = bytes(content)
    guard id.count == ObjectID.byteCount else { return nil }
    return PathFinder.Found(
      mode: UInt32(truncatingIfNeeded: integer(mode)), id: ObjectID(bytes: id))
  }
}

package import VersoGit
package import VersoModel

/// Text that was found in history and is in no note now.
package struct LostPassage: Hashable, Sendable {
  /// The name of the note that had it last, at that time.
  package let path: RelativePath
  /// The lines that fit, in order; at least one.
  package let lines: [NumberedLine]
  /// The commit that took it out.
  package let removed: ObjectID
  /// When that was, in seconds since 1970.
  package let until: Int64
  /// The last commit that had it.
  package let lastWith: ObjectID
}

extension LostPassage {
  /// What went last comes first; clocks count in seconds, so that names and ids decide besides.
  static func isLater(_ a: LostPassage, _ b: LostPassage) -> Bool {
    if a.until != b.until { return a.until > b.until }
    if a.path != b.path { return a.path < b.path }
    if a.removed != b.removed { return a.removed.hex < b.removed.hex }
    return (a.lines.first?.number ?? 0) < (b.lines.first?.number ?? 0)
  }
}

/// Looks through all of history for text that no note holds now.
package struct HistorySearch {
  let index: HistoryIndex
  let repository: Repository
  let ledger: IndexedLedger
  /// How many contents are read at most where words stand in different lines.
  package static let mostContents = 20_000
  /// Whether it stopped there, so that there may be more.
  package private(set) var isCut = false

  /// - Parameter index: One that is complete.
  package init(_ index: HistoryIndex, of repository: Repository) {
    self.index = index
    self.repository = repository
    ledger = IndexedLedger(index)
  }

  /// What is gone and holds all words, what went last first: lines that hold all of them, and where
  /// nothing is found, now or then, versions that hold them in different lines.
  ///
  /// - Parameter known: Notes that hold the words now: what an older version of theirs had in other
  ///   lines is not lost.
  package mutating func passages(
    with query: SearchQuery, in scope: SearchScope = .init(), besides known: Set<RelativePath> = []
  ) throws(HistoryIndexError) -> [LostPassage] {
    do {
      return try index.database.reading {
        let lines = try index.lostLines(with: query, in: scope)
        var found = try grouped(lines, query)
        // This is dear, so it is for those who have found nothing yet.
        if found.isEmpty, known.isEmpty, query.parts.count > 1 {
          found = try acrossLines(query, scope, besides: known)
        }
        return found.sorted(by: LostPassage.isLater)
      }
    } catch { throw HistoryIndexError(error) }
  }

  /// The lines that went from one path in one version are one passage.
  private func grouped(
    _ lines: [HistoryIndex.LostLine], _ query: SearchQuery
  ) throws -> [LostPassage] {
    struct Key: Hashable {
      let path: Int64
      let removed: Int64
    }
    let groups = Dictionary(grouping: lines) { Key(path: $0.path, removed: $0.removed) }
    return try groups.compactMap { key, lines in
      try passage(Set(lines.map(\.line)), query, path: key.path, removed: key.removed)
    }
  }

  /// Reads the lines with these numbers from the last version before `removed`.
  private func passage(
    _ numbers: Set<Int64>, _ query: SearchQuery, path number: Int64, removed: Int64
  ) throws -> LostPassage? {
    guard let path = try index.path(number) else { return nil }
    let card = try ledger.card(of: removed)
    for parent in try ledger.parents(of: removed) {
      guard let file = try ledger.content(ofNumber: number, at: parent),
        let text = try TextCache.text(of: file, in: repository)
      else { continue }
      let lines = try Self.lines(of: text, where: query.matches).filter { line in
        try line.text.withUnsafeBytes(index.line).map(numbers.contains) ?? false
      }
      if lines.isEmpty { continue }
      return LostPassage(
        path: path, lines: lines, removed: card.commit, until: card.time,
        lastWith: try ledger.card(of: parent).commit)
    }
    return nil
  }

  static func lines(
    of text: [UInt8], where fits: (UnsafeRawBufferPointer) -> Bool
  ) -> [NumberedLine] {
    var found: [NumberedLine] = []
    TextLines.forEach(in: text) { line, number in
      if fits(line) { found.append(.init(number: number + 1, text: Array(line))) }
    }
    return found
  }

  // MARK: Words in different lines

  /// Versions that held all words, though no line of theirs does.
  private mutating func acrossLines(
    _ query: SearchQuery, _ scope: SearchScope, besides known: Set<RelativePath>
  ) throws -> [LostPassage] {
    var found: [LostPassage] = []
    var read = 0
    for number in try index.paths(with: query, presentOnly: false).keys {
      guard let path = try index.path(number), scope.path.contains(path), !known.contains(path)
      else { continue }
      var seen: Set<ObjectID> = []
      var next: HistoryIndex.Content?
      for version in try index.contents(of: number) {
        defer { next = version }
        guard let file = version.file, scope.meets(from: version.time, to: next?.time),
          seen.insert(file.id).inserted
        else { continue }
        read += 1
        if read > Self.mostContents {
          isCut = true
          return found
        }
        guard let text = try TextCache.text(of: file, in: repository), query.matches(text)
        else { continue }
        // What the last version holds is in a note now, and what moved is looked for there.
        guard let next, try !hasMoved(query, to: next) else { break }
        // Lines that hold all of it were found already.
        if !Self.lines(of: text, where: query.matches).isEmpty { break }
        found.append(passage(path, query.lines(of: text), from: version, to: next))
        break
      }
    }
    return found
  }

  /// Whether a version holds the words under the new name that a path got in it.
  private func hasMoved(_ query: SearchQuery, to next: HistoryIndex.Content) throws -> Bool {
    guard let goal = next.movedTo, let file = try ledger.content(ofNumber: goal, at: next.n),
      let text = try TextCache.text(of: file, in: repository)
    else { return false }
    return query.matches(text)
  }

  private func passage(
    _ path: RelativePath, _ lines: [NumberedLine], from version: HistoryIndex.Content,
    to next: HistoryIndex.Content
  ) -> LostPassage {
    LostPassage(
      path: path, lines: lines, removed: next.commit, until: next.time, lastWith: version.commit)
  }

  // MARK: Patterns

  private struct Place: Hashable {
    let path: Int64
    let lastWith: ObjectID
  }

  /// What is gone and fits, what went last first.
  ///
  /// - Parameter fits: Whether a line, without its ending, is meant.
  package mutating func passages(
    in scope: SearchScope = .init(), where fits: (UnsafeRawBufferPointer) -> Bool
  ) throws(HistoryIndexError) -> [LostPassage] {
    do {
      var last: [Int64: (place: Place, next: HistoryIndex.Content, line: NumberedLine)] = [:]
      var read = 0
      for path in try index.allPaths() where !isCut {
        try collect(path, scope, fits, &read, &last)
      }
      let groups = Dictionary(grouping: last.values) { $0.place }
      return try groups.compactMap { place, found in
        guard let path = try index.path(place.path), let next = found.first?.next else {
          return nil
        }
        return LostPassage(
          path: path, lines: found.map(\.line).sorted { $0.number < $1.number },
          removed: next.commit, until: next.time, lastWith: place.lastWith)
      }.sorted(by: LostPassage.isLater)
    } catch { throw HistoryIndexError(error) }
  }

  /// Notes the lines of a path's versions that fit, each where it was last.
  private mutating func collect(
    _ number: Int64, _ scope: SearchScope, _ fits: (UnsafeRawBufferPointer) -> Bool,
    _ read: inout Int,
    _ last: inout [Int64: (place: Place, next: HistoryIndex.Content, line: NumberedLine)]
  ) throws {
    guard let path = try index.path(number), scope.path.contains(path) else { return }
    var seen: Set<ObjectID> = []
    var next: HistoryIndex.Content?
    for version in try index.contents(of: number) {
      defer { next = version }
      guard let file = version.file, let next, scope.meets(from: version.time, to: next.time),
        seen.insert(file.id).inserted
      else { continue }
      read += 1
      if read > Self.mostContents {
        isCut = true
        return
      }
      guard let text = try TextCache.text(of: file, in: repository) else { continue }
      // Lines without a letter or digit are in no index, so nobody knows where they are.
      for line in Self.lines(of: text, where: { LineHashes.mayHoldWord($0) && fits($0) }) {
        guard let known = try line.text.withUnsafeBytes(index.line), try !index.isPresent(known),
          last[known].map({ ($0.next.time, $0.next.n) < (next.time, next.n) }) ?? true
        else { continue }
        last[known] = (Place(path: number, lastWith: version.commit), next, line)
      }
    }
  }
}

import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

/// A note that holds what was looked for.
package struct FoundNote: Sendable {
  package let path: RelativePath
  /// The lines that show best why it was found; at most ``mostLines``, in order.
  package let lines: [NumberedLine]
  package let score: Double

  /// So many lines of a note are shown.
  package static let mostLines = 3
}

/// The notes that a search found.
package struct FoundNotes: Sendable {
  /// Best first.
  package fileprivate(set) var notes: [FoundNote] = []
  /// How many there are in all.
  package fileprivate(set) var count = 0
  /// What the disk has otherwise than the last version, for a search of history that follows.
  fileprivate(set) var unsaved = UnsavedNotes()
}

extension Engine {
  /// What a search looks for.
  package enum Wanted {
    case words(SearchQuery)
    case pattern(LinePattern)
  }

  /// The notes that hold what is wanted, as they are on the disk now, best first.
  ///
  /// - Parameters:
  ///   - limit: So many are read and returned at most.
  ///   - scope: Where; and when their last version was made.
  package func searchNotes(
    _ wanted: Wanted, in scope: SearchScope, limit: Int
  ) throws(VersoError) -> FoundNotes {
    let tree: ObjectID?
    do throws(GitError) {
      tree = try repository.headCommit().map { id throws(GitError) in
        try repository.commit(id).tree
      }
    } catch { throw VersoError(error, "read the last version of \(root)") }
    let disk = try DiskState(self, head: tree, below: scope.path.isRoot ? [] : [scope.path])
    var found = FoundNotes()
    var candidates: [Candidate] = []
    for (path, file) in disk.found where file == nil { found.unsaved.add(path, []) }
    for candidate in try self.candidates(wanted, in: scope, tree: tree, besides: disk) {
      if candidate.isSure {
        candidates.append(candidate)
        continue
      }
      let text = try text(of: candidate, disk)
      if candidate.file == nil { found.unsaved.add(candidate.path, text ?? []) }
      if let text, wanted.fits(text) { candidates.append(candidate.read(text, for: wanted)) }
    }
    candidates = try within(scope, candidates)
    candidates.sort { ($1.score, $0.path) < ($0.score, $1.path) }
    found.count = candidates.count
    for candidate in candidates.prefix(limit) {
      var lines = candidate.lines
      if lines == nil { lines = try text(of: candidate, disk).map(wanted.bestLines) }
      // What is not here (a partial clone) has no lines to show.
      guard let lines else { continue }
      found.notes.append(FoundNote(path: candidate.path, lines: lines, score: candidate.score))
    }
    return found
  }

  private struct Candidate {
    let path: RelativePath
    var score: Double
    /// What the last version has; `nil` for what must be read from the disk.
    let file: PathFinder.Found?
    /// Whether it holds what is wanted; else it must be read to know, and to know how well it fits.
    var isSure = false
    /// The best lines of what was read.
    var lines: [NumberedLine]?

    func read(_ text: [UInt8], for wanted: Wanted) -> Candidate {
      var known = self
      known.score += wanted.score(of: text)
      known.lines = wanted.bestLines(of: text)
      return known
    }
  }

  /// The notes to read: those of which the index says so, and those that no version has yet.
  private func candidates(
    _ wanted: Wanted, in scope: SearchScope, tree: ObjectID?, besides disk: DiskState
  ) throws(VersoError) -> [Candidate] {
    var found: [Candidate] = disk.found.compactMap { path, file in
      guard file != nil, scope.path.contains(path) else { return nil }
      return Candidate(path: path, score: wanted.nameScore(of: path), file: nil)
    }
    let changed = disk.found
    do throws(GitError) {
      guard let tree else { return found }
      if case .words(let query) = wanted, let hits = indexedNotes(query) {
        let trees = TreeLookup(repository)
        for hit in hits where scope.path.contains(hit.path) && changed[hit.path] == nil {
          guard let file = try trees.find(hit.path, in: tree) else { continue }
          found.append(
            Candidate(
              path: hit.path, score: (hit.isSure ? hit.score : 0) + wanted.nameScore(of: hit.path),
              file: file, isSure: hit.isSure))
        }
      } else {
        let files = try TreeDifference.files(in: tree, below: scope.path, of: repository)
        for (path, file) in files where changed[path] == nil {
          found.append(Candidate(path: path, score: wanted.nameScore(of: path), file: file))
        }
      }
      return found
    } catch { throw VersoError(error, "search \(root)") }
  }

  private func indexedNotes(_ query: SearchQuery) -> [HistoryIndex.NoteHit]? {
    guard let index = readyHistoryIndex() else { return nil }
    do throws(HistoryIndexError) { return try index.notes(with: query) } catch {
      if error.isDamage { removeHistoryIndex() }
      return nil
    }
  }

  /// Only those whose last version is of the time wanted.
  private func within(
    _ scope: SearchScope, _ found: [Candidate]
  ) throws(VersoError) -> [Candidate] {
    guard scope.since != nil || scope.until != nil else { return found }
    let history = try history()
    do throws(GitError) {
      var kept: [Candidate] = []
      for candidate in found {
        var versions = try history.versions(of: candidate.path, range: HistoryRange(limit: 1))
        let time = try versions.next()?.time ?? now().seconds
        if time >= scope.since ?? .min, time <= scope.until ?? .max { kept.append(candidate) }
      }
      return kept
    } catch { throw VersoError(error, "search \(root)") }
  }

  private func text(
    of candidate: Candidate, _ disk: DiskState
  ) throws(VersoError) -> [UInt8]? {
    let path = candidate.path
    if let file = candidate.file {
      do throws(GitError) { return try TextCache.text(of: file, in: repository) } catch {
        throw VersoError(error, "read \(path)")
      }
    }
    do {
      let (bytes, kind) = try disk.content(of: path)
      return kind == .link || TextDifference.isBinary(bytes) ? nil : bytes
    } catch {
      // What cannot be read now holds nothing that could be shown; `status` names it.
      return nil
    }
  }

  // MARK: History

  /// What history has and no note has now, what went last first.
  ///
  /// - Parameters:
  ///   - found: What ``searchNotes(_:in:limit:)`` found in the same scope.
  ///   - isInterrupted: Asked often while the index is made; `true` stops.
  ///   - goesOn: Told how far the index has come where it must be made first.
  /// - Returns: The passages, and whether there may be more; `nil` where it was stopped.
  package func searchHistory(
    _ wanted: Wanted, in scope: SearchScope, besides found: FoundNotes,
    isInterrupted: @escaping () -> Bool = { false },
    goesOn: (HistoryIndexer.Progress) -> Bool
  ) throws(VersoError) -> (passages: [LostPassage], isCut: Bool)? {
    guard let head = try head() else { return ([], false) }
    guard let index = try completeHistoryIndex(isInterrupted: isInterrupted, goesOn: goesOn)
    else { return nil }
    var search = HistorySearch(index, of: repository)
    do throws(HistoryIndexError) {
      var passages =
        switch wanted {
        case .words(let query):
          try search.passages(
            with: query, in: scope, besides: Set(found.notes.map(\.path)))
        case .pattern(let pattern): try search.passages(in: scope) { pattern.matches($0) }
        }
      // The index knows what is saved: what the disk has and no version yet is not lost, and what the
      // disk has no more is.
      passages = search.passages(passages, without: found.unsaved)
      passages =
        try search.unsaved(
          since: head, on: found.unsaved, in: scope, at: now().seconds, where: wanted.holds)
        + passages
      return (passages, search.isCut)
    } catch {
      if error.isDamage { removeHistoryIndex() }
      throw VersoError(.failed, "\(error)", hint: "run the search again: it makes a new index")
    }
  }
}

extension Engine.Wanted {
  /// Whether a single line holds all that is wanted.
  fileprivate func holds(_ line: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .words(let query): query.matches(line)
    case .pattern(let pattern): pattern.matches(line)
    }
  }

  fileprivate func fits(_ text: [UInt8]) -> Bool {
    switch self {
    case .words(let query): query.matches(text)
    case .pattern(let pattern): pattern.firstLine(of: text) != nil
    }
  }

  /// A note that is called by the words is what people look for first.
  fileprivate func nameScore(of path: RelativePath) -> Double {
    guard case .words(let query) = self else { return 0 }
    return 4 * Double(query.count(in: Array(path.name)))
      + Double(query.count(in: path.parent.bytes))
  }

  /// How well the lines of a text fit, as an index has it.
  fileprivate func score(of text: [UInt8]) -> Double {
    switch self {
    case .words(let query): query.score(of: text)
    case .pattern(let pattern): SearchQuery.dampened(pattern.count(in: text))
    }
  }

  fileprivate func bestLines(of text: [UInt8]) -> [NumberedLine] {
    var best: [(line: NumberedLine, worth: Worth)] = []
    TextLines.forEach(in: text) { line, number in
      let worth = worth(of: line)
      if worth > Worth() { best.append((.init(number: number + 1, text: Array(line)), worth)) }
    }
    // Where a line holds a whole term, those that hold a piece of one say nothing more.
    if best.contains(where: { $0.worth.terms > 0 }) { best.removeAll { $0.worth.terms == 0 } }
    best.sort { ($1.worth, $0.line.number) < ($0.worth, $1.line.number) }
    return best.prefix(FoundNote.mostLines).map(\.line).sorted { $0.number < $1.number }
  }

  private typealias Worth = SearchQuery.Worth

  private func worth(of line: UnsafeRawBufferPointer) -> Worth {
    switch self {
    case .words(let query): query.worth(of: line)
    case .pattern(let pattern): Worth(terms: pattern.matches(line) ? 1 : 0)
    }
  }
}

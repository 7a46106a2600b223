import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

/// A note that holds what was looked for.
package struct FoundNote: Sendable {
  /// A line of it.
  package struct Line: Hashable, Sendable {
    /// From 1.
    package let number: Int
    /// Without its ending.
    package let text: [UInt8]
  }

  package let path: RelativePath
  /// The lines that show best why it was found; at most ``mostLines``, in order.
  package let lines: [Line]
  package let score: Double

  /// So many lines of a note are shown.
  package static let mostLines = 3
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
  /// - Returns: The notes, and how many there are in all.
  package func searchNotes(
    _ wanted: Wanted, in scope: SearchScope, limit: Int
  ) throws(VersoError) -> (notes: [FoundNote], count: Int) {
    let tree: ObjectID?
    do throws(GitError) {
      tree = try repository.headCommit().map { id throws(GitError) in
        try repository.commit(id).tree
      }
    } catch { throw VersoError(error, "read the last version of \(root)") }
    let disk = try DiskState(self, head: tree, below: scope.path.isRoot ? [] : [scope.path])
    searchedDisk = disk
    var found: [Candidate] = []
    for candidate in try candidates(wanted, in: scope, tree: tree, besides: disk) {
      if candidate.isSure {
        found.append(candidate)
      } else if let text = try text(of: candidate, disk), wanted.fits(text) {
        found.append(candidate.scored(candidate.score + wanted.score(of: text)))
      }
    }
    found.sort { ($1.score, $0.path) < ($0.score, $1.path) }
    var notes: [FoundNote] = []
    for candidate in found.prefix(limit) {
      // A note that vanished meanwhile has no lines to show.
      guard let text = try text(of: candidate, disk) else { continue }
      notes.append(
        FoundNote(path: candidate.path, lines: wanted.bestLines(of: text), score: candidate.score))
    }
    return (notes, found.count)
  }

  private struct Candidate {
    let path: RelativePath
    let score: Double
    /// What the last version has; `nil` for what must be read from the disk.
    let file: PathFinder.Found?
    /// Whether it holds what is wanted; else it must be read to know, and to know how well it fits.
    var isSure = false

    func scored(_ score: Double) -> Candidate {
      Candidate(path: path, score: score, file: file, isSure: true)
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
        for hit in hits where scope.path.contains(hit.path) && changed[hit.path] == nil {
          var finder = PathFinder(hit.path)
          guard let file = try finder.find(in: tree, of: repository) else { continue }
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
      return try within(scope, found)
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
  ) throws(GitError) -> [Candidate] {
    guard scope.since != nil || scope.until != nil else { return found }
    let history = try History(repository, index: readyHistoryIndex())
    var kept: [Candidate] = []
    for candidate in found {
      var versions = try history.versions(of: candidate.path, range: HistoryRange(limit: 1))
      let time = try versions.next()?.time ?? now().seconds
      if time >= scope.since ?? .min, time <= scope.until ?? .max { kept.append(candidate) }
    }
    return kept
  }

  private func text(
    of candidate: Candidate, _ disk: DiskState
  ) throws(VersoError) -> [UInt8]? {
    let path = candidate.path
    if let file = candidate.file {
      guard file.mode & 0o170000 == 0o100000 else { return nil }
      do throws(GitError) {
        let bytes = try repository.read(file.id).bytes
        return TextDifference.isBinary(bytes) ? nil : bytes
      } catch {
        if error.code == .notFound { return nil }
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
  ///   - known: Notes that were found already.
  ///   - isInterrupted: Asked often while the index is made; `true` stops.
  ///   - goesOn: Told how far the index has come where it must be made first.
  /// - Returns: The passages, and whether there may be more; `nil` where it was stopped.
  package func searchHistory(
    _ wanted: Wanted, in scope: SearchScope, besides known: Set<RelativePath>,
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
        case .words(let query): try search.passages(with: query, in: scope, besides: known)
        case .pattern(let pattern): try search.passages(in: scope) { pattern.matches($0) }
        }
      try correct(&passages, search, wanted, scope, head: head)
      return (passages, search.isCut)
    } catch {
      if error.isDamage { removeHistoryIndex() }
      throw VersoError(.failed, "\(error)", hint: "run the search again: it makes a new index")
    }
  }

  /// The index knows what is saved: what the disk has and no version yet is not lost, and what the
  /// disk has no more is.
  private func correct(
    _ passages: inout [LostPassage], _ search: HistorySearch, _ wanted: Wanted,
    _ scope: SearchScope, head: ObjectID
  ) throws(HistoryIndexError) {
    guard let disk = searchedDisk, !disk.found.isEmpty else { return }
    searchedDisk = nil
    var texts: [RelativePath: [UInt8]] = [:]
    for path in disk.found.keys {
      var text: [UInt8]?
      // What cannot be read now says nothing.
      do throws(VersoError) {
        text = try self.text(of: Candidate(path: path, score: 0, file: nil), disk)
      } catch {}
      texts[path] = text ?? []
    }
    passages = try search.passages(passages, without: texts)
    passages =
      try search.unsaved(
        since: head, on: texts, in: scope, at: now().seconds, where: { wanted.holds($0) })
      + passages
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

  fileprivate func bestLines(of text: [UInt8]) -> [FoundNote.Line] {
    var best: [(line: FoundNote.Line, worth: Int)] = []
    TextLines.forEach(in: text) { line, number in
      let worth = worth(of: line)
      if worth > 0 { best.append((.init(number: number + 1, text: Array(line)), worth)) }
    }
    // Where a line holds a whole term, those that hold a piece of one say nothing more.
    if best.contains(where: { $0.worth >= Self.wholeTerm }) {
      best.removeAll { $0.worth < Self.wholeTerm }
    }
    best.sort { ($1.worth, $0.line.number) < ($0.worth, $1.line.number) }
    return best.prefix(FoundNote.mostLines).map(\.line).sorted { $0.number < $1.number }
  }

  private static let wholeTerm = 1_000

  private func worth(of line: UnsafeRawBufferPointer) -> Int {
    switch self {
    case .words(let query): query.count(in: line) * Self.wholeTerm + query.partCount(in: line)
    case .pattern(let pattern): pattern.matches(line) ? 1 : 0
    }
  }
}

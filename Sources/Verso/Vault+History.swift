import VersoGit
import VersoHistory
public import VersoModel

/// History as sequences that are read as far as somebody wants: each step is a short stay on the
/// vault's own queue. A sequence ends early, without an error, when the task that reads it is
/// cancelled.
extension Vault {
  // MARK: Versions

  /// The versions of a note or folder, newest first, followed through renames; also of one that is
  /// deleted now. Empty for a path that never was.
  ///
  /// Each reader sees the history as it was when it began.
  public nonisolated func history(of path: RelativePath) -> VersionSequence {
    VersionSequence(vault: self, path: path)
  }

  /// See ``Vault/history(of:)``.
  public struct VersionSequence: AsyncSequence, Sendable {
    public typealias Element = Version
    public typealias Failure = VersoError

    let vault: Vault
    let path: RelativePath

    public func makeAsyncIterator() -> Iterator { Iterator(vault: vault, path: path) }

    /// Reads some versions at a time.
    public struct Iterator: AsyncIteratorProtocol {
      let vault: Vault
      let path: RelativePath
      private var reader: HistoryReader?
      private var ready: ArraySlice<Version> = []

      init(vault: Vault, path: RelativePath) {
        self.vault = vault
        self.path = path
      }

      /// The next version; `nil` at the end and after a cancellation.
      public mutating func next() async throws(VersoError) -> Version? {
        try await next(isolation: nil)
      }

      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(VersoError) -> Version? {
        if Task.isCancelled { return nil }
        if let version = ready.popFirst() { return version }
        if reader == nil { reader = try await vault.read(path) }
        guard let reader else { return nil }
        ready = try await vault.more(of: reader)[...]
        return ready.popFirst()
      }
    }
  }

  /// A place in a history; what it holds belongs to the vault's queue.
  final class HistoryReader: @unchecked Sendable {
    // Touched on the vault's queue alone: only its methods use it.
    fileprivate var versions: PathHistory
    fileprivate init(_ versions: PathHistory) { self.versions = versions }
  }

  /// How many versions one stay on the queue reads.
  private static let page = 32

  func read(_ path: RelativePath) throws(VersoError) -> HistoryReader {
    HistoryReader(try engine.versions(of: path))
  }

  func more(of reader: HistoryReader) throws(VersoError) -> [Version] {
    var found: [Version] = []
    do throws(GitError) {
      while found.count < Self.page, let next = try reader.versions.next() {
        found.append(Version(next))
      }
    } catch { throw VersoError(error, "read the history of \(root)") }
    return found
  }

  // MARK: Searching

  /// What a search found.
  public enum Match: Hashable, Sendable {
    /// A note that holds the words now, as it is on the disk.
    case note(RelativePath, lines: [Line])
    /// Text that is in no note now: the name of the note that had it last, the last commit that had
    /// it, and until when, in seconds since 1970.
    case lost(RelativePath, lines: [Line], commit: ObjectID, until: Int64)

    /// A line that holds some of the words.
    public struct Line: Hashable, Sendable {
      /// From 1.
      public let number: Int
      /// Without its ending.
      public let text: [UInt8]

      /// Makes a line.
      public init(number: Int, text: [UInt8]) {
        self.number = number
        self.text = text
      }
    }
  }

  /// Notes that hold all words, best first; then, with `history`, what is in no note now and held them,
  /// what went last first.
  ///
  /// Several words in one string are a phrase; case and diacritics do not count. The first search of
  /// history makes its index, which may take a while; a cancelled task stops it, and the next search
  /// goes on from there.
  ///
  /// - Parameters:
  ///   - words: At least one letter or digit in all; else nothing is found.
  ///   - path: Only here and below.
  ///   - history: Whether older versions are searched too.
  public nonisolated func search(
    _ words: [String], in path: RelativePath = .root, history: Bool = false
  ) -> MatchSequence {
    MatchSequence(vault: self, words: words, path: path, history: history)
  }

  /// See ``Vault/search(_:in:history:)``.
  public struct MatchSequence: AsyncSequence, Sendable {
    public typealias Element = Match
    public typealias Failure = VersoError

    let vault: Vault
    let words: [String]
    let path: RelativePath
    let history: Bool

    public func makeAsyncIterator() -> Iterator { Iterator(search: self) }

    /// Gives the notes before history is looked at.
    public struct Iterator: AsyncIteratorProtocol {
      let search: MatchSequence
      private var ready: ArraySlice<Match> = []
      private var step = 0
      private var found = FoundNotes()

      init(search: MatchSequence) { self.search = search }

      /// The next match; `nil` at the end and after a cancellation.
      public mutating func next() async throws(VersoError) -> Match? {
        try await next(isolation: nil)
      }

      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(VersoError) -> Match? {
        while !Task.isCancelled {
          if let match = ready.popFirst() { return match }
          step += 1
          switch step {
          case 1:
            found = try await search.vault.notes(with: search.words, in: search.path)
            ready = found.notes.map(Match.init)[...]
          case 2 where search.history:
            ready =
              try await search.vault.lost(with: search.words, in: search.path, besides: found)[...]
          default: return nil
          }
        }
        return nil
      }
    }
  }

  func notes(with words: [String], in path: RelativePath) throws(VersoError) -> FoundNotes {
    guard let query = SearchQuery(words) else { return FoundNotes() }
    return try engine.searchNotes(.words(query), in: SearchScope(path: path), limit: .max)
  }

  func lost(
    with words: [String], in path: RelativePath, besides notes: FoundNotes
  ) throws(VersoError) -> [Match] {
    guard let query = SearchQuery(words) else { return [] }
    let found = try engine.searchHistory(
      .words(query), in: SearchScope(path: path), besides: notes,
      isInterrupted: { Task.isCancelled }
    ) { _ in !Task.isCancelled }
    return (found?.passages ?? []).map(Match.init)
  }

  // MARK: Differences

  /// How one file differs between two states.
  public struct Difference: Hashable, Sendable {
    public let change: PathChange
    /// Whether either side is no text; there are no lines then.
    public let isBinary: Bool
    /// The changed lines with three unchanged ones around each change.
    public let lines: [Line]

    /// A line of a difference.
    public struct Line: Hashable, Sendable {
      /// Where it stands.
      public enum Origin: Hashable, Sendable {
        case both
        case old
        case new
      }

      public let origin: Origin
      /// With the newline that ends it, where there is one.
      public let text: [UInt8]
      /// From 1; `nil` where the old state has no such line.
      public let oldNumber: Int?
      /// From 1; `nil` where the new state has no such line.
      public let newNumber: Int?
    }
  }

  /// The files that differ between two versions, or a version and the disk, one after the other,
  /// sorted by path; renames are one difference.
  ///
  /// - Parameters:
  ///   - path: Only here and below.
  ///   - old: The older commit; `nil` for the last version.
  ///   - new: The newer commit; `nil` for what is on the disk now.
  public nonisolated func differences(
    in path: RelativePath = .root, from old: ObjectID? = nil, to new: ObjectID? = nil
  ) -> DifferenceSequence {
    DifferenceSequence(vault: self, path: path, old: old, new: new)
  }

  /// See ``Vault/differences(in:from:to:)``.
  public struct DifferenceSequence: AsyncSequence, Sendable {
    public typealias Element = Difference
    public typealias Failure = VersoError

    let vault: Vault
    let path: RelativePath
    let old: ObjectID?
    let new: ObjectID?

    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Compares the contents of one file at a time.
    public struct Iterator: AsyncIteratorProtocol {
      let sequence: DifferenceSequence
      private var comparer: Comparer?

      init(sequence: DifferenceSequence) { self.sequence = sequence }

      /// The next file; `nil` at the end and after a cancellation.
      public mutating func next() async throws(VersoError) -> Difference? {
        try await next(isolation: nil)
      }

      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(VersoError) -> Difference? {
        if Task.isCancelled { return nil }
        if comparer == nil { comparer = try await sequence.vault.compare(sequence) }
        guard let comparer else { return nil }
        return try await sequence.vault.difference(after: comparer)
      }
    }
  }

  /// A place in a comparison; what it holds belongs to the vault's queue.
  final class Comparer: @unchecked Sendable {
    // Touched on the vault's queue alone: only its methods use it.
    fileprivate let comparison: Comparison
    fileprivate var rest: ArraySlice<FileChange>

    fileprivate init(_ comparison: Comparison) {
      self.comparison = comparison
      rest = comparison.changes[...]
    }
  }

  func compare(_ wanted: DifferenceSequence) throws(VersoError) -> Comparer {
    let goal = wanted.new.map { Comparison.Goal.commit($0) } ?? .disk
    let head = try engine.head()
    return Comparer(
      try Comparison(
        engine, from: wanted.old ?? head, to: goal,
        below: wanted.path.isRoot ? [] : [wanted.path]))
  }

  func difference(after comparer: Comparer) throws(VersoError) -> Difference? {
    guard let change = comparer.rest.popFirst() else { return nil }
    return Difference(change, try comparer.comparison.difference(of: change))
  }
}

extension Vault.Match {
  init(_ note: FoundNote) { self = .note(note.path, lines: note.lines.map(Line.init)) }

  init(_ passage: LostPassage) {
    self = .lost(
      passage.path, lines: passage.lines.map(Line.init), commit: passage.lastWith,
      until: passage.until)
  }
}

extension Vault.Match.Line {
  init(_ line: NumberedLine) { self.init(number: line.number, text: line.text) }
}

extension Vault.Difference {
  init(_ change: FileChange, _ difference: LineDifference) {
    self.change = PathChange(change)
    isBinary = difference.isBinary
    lines = difference.hunks.flatMap(\.lines).map { line in
      let origin: Line.Origin =
        switch line.origin {
        case .context: .both
        case .removed: .old
        case .added: .new
        }
      return Line(
        origin: origin, text: line.content, oldNumber: line.oldNumber, newNumber: line.newNumber)
    }
  }
}

extension PathChange {
  fileprivate init(_ change: FileChange) {
    switch change.kind {
    case .added: self.init(.added, change.path)
    case .modified: self.init(.modified, change.path)
    case .deleted, .movedAway: self.init(.deleted, change.path)
    case .renamed(let old): self.init(.renamed, change.path, from: old)
    }
  }
}

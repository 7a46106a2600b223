import Glibc
import VersoDisk
import VersoGit
package import VersoHistory
import VersoModel

/// The history index: made when somebody searches or while `watch` runs, kept up with every save.
///
/// All of it is derived, so no failure of it fails anything else: git's objects tell the same, later.
extension Engine {
  /// A reader waits for so many missing commits, rather than walk through git's objects.
  private static let fewCommits = 200
  /// So many files make an index at once that costs less than a person notices.
  private static let fewFiles = 2_000

  /// The file; `nil` where it must not be made: for root, whose files the owner could not change.
  private var historyIndexPath: String? {
    var status = stat()
    guard fstat(gitFolder.number, &status) == 0, status.st_uid == geteuid() else { return nil }
    return "\(repository.gitDirectory)/\(OwnFile.folder)/\(HistoryIndex.fileName)"
  }

  /// Seconds that a save or a reader spends on the index at most.
  private static let patience = 0.5

  /// An index that is complete up to HEAD; `nil` where there is none, or much is missing.
  package func readyHistoryIndex() -> HistoryIndex? {
    withIndexer(creates: false) { indexer throws(HistoryIndexError) in
      guard try indexer.hasBeenComplete() else { return nil }
      let outcome = try indexer.catchUpToHead(limit: Self.fewCommits)
      return outcome == .complete ? indexer.index : nil
    } ?? nil
  }

  /// Adds what was just saved; makes an index where that is soon done.
  func keepHistoryIndex() {
    let isMissing = historyIndexPath.map { access($0, F_OK) != 0 } ?? true
    let makes = isMissing && settings.isVault && indexFileCount.map { $0 <= Self.fewFiles } ?? false
    _ = withIndexer(creates: makes) { indexer throws(HistoryIndexError) in
      // What was begun and is large is for a search, or for `watch`.
      let hasBeenComplete = try indexer.hasBeenComplete()
      if isMissing || hasBeenComplete {
        _ = try indexer.catchUpToHead(limit: Self.fewCommits)
      }
    }
  }

  /// How many entries git's index says it has (gitformat-index(5)); `nil` where there is none.
  private var indexFileCount: UInt32? {
    let file = openat(gitFolder.number, "index", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 12)
    guard pread(file, &head, 12, 0) == 12 else { return nil }
    return head[8...].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// An index that is complete up to HEAD, made where it is missing.
  ///
  /// - Parameters:
  ///   - isInterrupted: Asked often; `true` gives up the part that is being done.
  ///   - goesOn: Told how many commits of how many are done; `false` stops.
  /// - Returns: `nil` where it was stopped.
  /// - Throws: ``VersoError`` where it cannot be made: a full or read-only disk, another process that
  ///   keeps it busy, objects that are missing.
  package func completeHistoryIndex(
    isInterrupted: @escaping () -> Bool = { false },
    goesOn: (HistoryIndexer.Progress) -> Bool
  ) throws(VersoError) -> HistoryIndex? {
    do throws(GitError) {
      guard try repository.headCommit() != nil else {
        throw GitError(code: .unborn, function: "index", message: "nothing has been saved yet")
      }
    } catch { throw VersoError(error, "index the history of \(root)") }
    // What is damaged is made anew, once.
    for attempt in 0...1 {
      do throws(HistoryIndexError) {
        let indexer = try openIndexer(creates: true, patience: 10_000)
        indexer.isInterrupted = isInterrupted
        defer { indexer.isInterrupted = { false } }
        // Others may save meanwhile.
        while true {
          switch try indexer.catchUpToHead(goesOn: goesOn) {
          case .complete: return indexer.index
          case .partial: return nil
          case nil: continue
          }
        }
      } catch {
        guard error.isDamage, attempt == 0 else { throw Self.explain(error, repository) }
        removeHistoryIndex()
      }
    }
    return nil
  }

  private static func explain(
    _ error: HistoryIndexError, _ repository: Repository
  ) -> VersoError {
    guard case .database(let cause) = error else {
      return VersoError(.failed, "cannot index the history: \(error)")
    }
    if cause.code == .busy {
      return VersoError(
        .locked, "another verso is indexing the history", hint: "search again when it has ended")
    }
    return VersoError(
      .failed, "\(error)",
      hint: "it is kept below \(repository.gitDirectory), which must be writable and have space")
  }

  private func withIndexer<Result>(
    creates: Bool, _ body: (HistoryIndexer) throws(HistoryIndexError) -> Result
  ) -> Result? {
    do throws(HistoryIndexError) {
      let indexer = try openIndexer(creates: creates, patience: 100)
      // Nobody waits longer than this for what only makes later questions faster.
      let end = MonotonicTime.now() + Self.patience
      indexer.isInterrupted = { MonotonicTime.now() > end }
      defer { indexer.isInterrupted = { false } }
      return try body(indexer)
    } catch {
      if error.isDamage, !error.isUnmade { removeHistoryIndex() }
      return nil
    }
  }

  private func openIndexer(
    creates: Bool, patience: Int32
  ) throws(HistoryIndexError) -> HistoryIndexer {
    guard let path = historyIndexPath else {
      throw .database(DatabaseError(code: .readOnly, message: "the folder is another user's"))
    }
    // Another process may have deleted or replaced the file since.
    if let indexer, indexerFile == Self.fileNumber(path) {
      indexer.index.setPatience(patience)
      return indexer
    }
    indexer = nil
    if access(path, F_OK) != 0 {
      guard creates else {
        throw .database(DatabaseError(code: .cannotOpen, message: "there is none"))
      }
      do throws(VersoError) { _ = try ownFolder() } catch {
        throw .database(DatabaseError(code: .cannotOpen, message: error.description))
      }
    }
    let made = try HistoryIndexer(at: path, of: repository, creates: creates, patience: patience)
    indexer = made
    indexerFile = Self.fileNumber(path)
    return made
  }

  /// What tells one file at a path from another; `nil` where there is none.
  private static func fileNumber(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Deletes the index: the next search makes a new one.
  package func removeHistoryIndex() {
    indexer = nil
    guard let path = historyIndexPath else { return }
    for name in HistoryIndex.fileNames {
      unlink(path.dropLast(HistoryIndex.fileName.utf8.count) + name)
    }
  }
}

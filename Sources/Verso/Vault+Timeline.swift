import VersoGit
import VersoHistory
package import VersoModel

/// History as a browser shows it.
extension Vault {
  /// One version of a note or folder, with how much it wrote and struck out.
  package struct TimelineVersion: Hashable, Sendable {
    package let version: Version
    package let addedWords: Int
    package let removedWords: Int
    /// How much what is no text grew, in bytes; `nil` where all was text.
    package let grownBytes: Int?
    /// Whether it folds with the version after it in the list, the next older one.
    package fileprivate(set) var foldsWithOlder = false

    package init(version: Version, addedWords: Int, removedWords: Int, grownBytes: Int? = nil) {
      self.version = version
      (self.addedWords, self.removedWords) = (addedWords, removedWords)
      self.grownBytes = grownBytes
    }
  }

  /// Reads a timeline part by part.
  ///
  /// Unchecked: what it holds is touched on its vault's queue alone, by the vault's methods.
  package final class TimelineReader: @unchecked Sendable {
    fileprivate var versions: PathHistory
    fileprivate let history: History
    fileprivate var last: (version: VersoHistory.Version, row: TimelineVersion)?

    fileprivate init(_ versions: PathHistory, _ history: History) {
      (self.versions, self.history) = (versions, history)
    }
  }

  /// Begins to read the versions of a path, newest first, followed through renames.
  package func timeline(of path: RelativePath) throws(VersoError) -> TimelineReader {
    let history = try engine.history()
    return TimelineReader(try engine.versions(of: path, in: history), history)
  }

  /// The next versions; fewer than `count` at the end.
  package func next(
    _ count: Int, of reader: TimelineReader
  ) throws(VersoError) -> [TimelineVersion] {
    var rows: [TimelineVersion] = []
    do throws(GitError) {
      while rows.count < count {
        guard let version = try reader.versions.next() else {
          if let last = reader.last { rows.append(last.row) }
          reader.last = nil
          return rows
        }
        let row = TimelineVersion(version, try reader.history.knownSize(of: version))
        if var last = reader.last {
          let pair = [last.version, version].map { (version: $0, size: ChangeSize()) }
          last.row.foldsWithOlder = VersionRow.fold(pair).count < 2
          rows.append(last.row)
        }
        reader.last = (version, row)
      }
    } catch { throw VersoError(error, "read the history of \(root)") }
    return rows
  }

  // MARK: States of the past

  /// A note as it was after a commit, followed through renames, or a folder's listing then.
  package enum Past: Hashable, Sendable {
    case note(RelativePath, [UInt8])
    case folder(RelativePath, [Item])
    /// It did not exist then.
    case nothing
  }

  /// What a path held after a commit.
  package func past(of path: RelativePath, at commit: ObjectID) throws(VersoError) -> Past {
    let place: History.Place
    do throws(VersoError) { place = try engine.place(of: path, at: commit) } catch {
      if error.code == .usage { return .nothing }
      throw error
    }
    if place.content.isFolder {
      return .folder(place.path, try engine.listing(of: place).map(\.item))
    }
    return .note(place.path, try engine.content(of: place))
  }

  /// The whole vault as it stood at a moment.
  package struct Day: Sendable {
    package let commit: ObjectID
    /// When that version was made, in seconds since 1970.
    package let time: Int64
    package let items: [Item]

    package init(commit: ObjectID, time: Int64, items: [Item]) {
      (self.commit, self.time, self.items) = (commit, time, items)
    }
  }

  /// The vault as it stood at a time that a person wrote, such as `2026-11-28` or `yesterday`.
  package func day(_ text: String, now: Int64) throws(VersoError) -> Day {
    let when: When
    do throws(WhenError) { when = try When(parsing: text, role: .end, now: now) } catch {
      throw VersoError(.usage, error.message, hint: error.hint)
    }
    let commit = try engine.commit(when, of: nil)
    do throws(GitError) {
      let tree = try engine.repository.commit(commit).tree
      let files = try TreeDifference.files(in: tree, of: engine.repository)
      return Day(
        commit: commit, time: try engine.repository.commit(commit).time,
        items: files.map { path, file in
          Item(path: path, kind: Item.Kind(rawValue: file.mode) ?? .file, content: file.id)
        })
    } catch { throw VersoError(error, "read the version \(commit.short)") }
  }
}

extension Vault.TimelineVersion {
  init(_ version: Version, _ size: ChangeSize?) {
    self.version = Vault.Version(version)
    addedWords = size?.addedWords ?? 0
    removedWords = size?.removedWords ?? 0
    grownBytes = size.flatMap { $0.binaryFiles > 0 ? $0.binaryBytes : nil }
  }
}

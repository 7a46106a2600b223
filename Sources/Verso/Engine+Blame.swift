import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

extension Engine {
  /// Which version each line of a note comes from.
  ///
  /// - Parameters:
  ///   - path: The note; where it was then is `place`.
  ///   - place: As it was at a commit; `nil` for what is on the disk, whose lines may be in no version
  ///     yet. A note that is gone from there is taken as it was last saved.
  ///   - lines: Their numbers, from 1; all of them without.
  /// - Throws: ``VersoError/Code/failed`` for what has no lines, ``VersoError/Code/usage`` for lines
  ///   that are not there.
  package func blame(
    of path: RelativePath, at place: History.Place?, lines: ClosedRange<Int>? = nil
  ) throws(VersoError) -> Blame {
    do {
      let history = try history()
      var saved = place
      var unsaved: [UInt8]?
      if place == nil {
        saved = try savedPlace(of: path, history)
        unsaved = try contentOnDisk(of: path)
      }
      let text = try unsaved ?? saved.map { place in try self.text(of: place) } ?? []
      try Self.check(text, path, lines)
      guard let saved else { return try Blame().carried(to: text, lines: lines) }
      guard let unsaved else { return try history.blame(saved, lines: lines) }
      // A file has nothing of a folder, or of what was no text.
      let hasLines = try !saved.content.isFolder && !TextDifference.isBinary(self.text(of: saved))
      let before = try hasLines ? history.blame(saved) : Blame()
      return try before.carried(to: unsaved, lines: lines)
    } catch let error as GitError {
      throw VersoError(error, "read the history of \(path)")
    } catch { throw VersoError(storing: error) }
  }

  private func savedPlace(
    of path: RelativePath, _ history: History
  ) throws -> History.Place? {
    guard let head = try repository.headCommit() else { return nil }
    var finder = PathFinder(path)
    guard let found = try finder.find(in: history.graph.node(head).tree, of: repository) else {
      return nil
    }
    return History.Place(commit: head, path: path, content: found, wasFollowed: false)
  }

  private func text(of place: History.Place) throws -> [UInt8] {
    if place.content.isFolder {
      throw VersoError(
        .failed, "\(place.path) is a folder, which has no lines",
        hint: "verso log \(place.path) shows who saved what in it")
    }
    if place.content.mode == Item.Kind.repository.rawValue {
      throw VersoError(.failed, "\(place.path) is a repository of its own")
    }
    return try repository.read(place.content.id).bytes
  }

  /// What the disk has at a path otherwise than the last version; `nil` where it is the same, or
  /// gone, or cannot be looked at.
  private func contentOnDisk(of path: RelativePath) throws -> [UInt8]? {
    let tree = try repository.headCommit().map { id in try repository.commit(id).tree }
    let disk = try DiskState(self, head: tree, below: [path])
    guard let found = disk.found[path] ?? nil, !found.isFolder else { return nil }
    return try disk.content(of: path).bytes
  }

  private static func check(
    _ text: [UInt8], _ path: RelativePath, _ lines: ClosedRange<Int>?
  ) throws {
    if TextDifference.isBinary(text) {
      throw VersoError(
        .failed, "\(path) is no text (\(ContentType.name(of: text))), so it has no lines",
        hint: "verso log \(path) lists its versions")
    }
    let count = Blame(text: text).lineCount
    if let lines, lines.upperBound > count {
      throw VersoError(
        .usage,
        "no lines \(lines.lowerBound)-\(lines.upperBound): \(path) has "
          + (count == 1 ? "1 line" : "\(count) lines"))
    }
  }
}

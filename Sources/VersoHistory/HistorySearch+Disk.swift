import VersoGit
package import VersoModel

/// What notes hold on the disk that no version has yet, or have no more.
extension HistorySearch {
  /// Takes out of passages the lines that notes hold again.
  package func passages(
    _ passages: [LostPassage], without notes: UnsavedNotes
  ) -> [LostPassage] {
    if notes.lines.isEmpty { return passages }
    return passages.compactMap { passage in
      let lines = passage.lines.filter { line in
        !notes.lines.contains(line.text.withUnsafeBytes(LineHashes.hash))
      }
      if lines.isEmpty { return nil }
      return LostPassage(
        path: passage.path, lines: lines, removed: passage.removed, until: passage.until,
        lastWith: passage.lastWith)
    }
  }

  /// What the last version has and the disk has no more, though nobody has saved that yet.
  ///
  /// - Parameters:
  ///   - head: The last version.
  ///   - notes: What the disk has.
  ///   - now: The time until which it was there, in seconds since 1970.
  ///   - holds: Whether a line is wanted.
  package func unsaved(
    since head: ObjectID, on notes: UnsavedNotes, in scope: SearchScope, at now: Int64,
    where holds: (UnsafeRawBufferPointer) -> Bool
  ) throws(HistoryIndexError) -> [LostPassage] {
    do {
      if notes.paths.isEmpty { return [] }
      let changed = Set(try notes.paths.compactMap { try index.number(of: $0) })
      let n = try ledger.number(of: head)
      var found: [LostPassage] = []
      for path in notes.paths.sorted() where scope.path.contains(path) {
        guard let number = try index.number(of: path),
          let file = try ledger.content(ofNumber: number, at: n),
          let text = try TextCache.text(of: file, in: repository)
        else { continue }
        let lines = try Self.lines(of: text) { LineHashes.mayHoldWord($0) && holds($0) }
          .filter { line in
            if notes.lines.contains(line.text.withUnsafeBytes(LineHashes.hash)) { return false }
            guard let known = try line.text.withUnsafeBytes(index.line) else { return false }
            return try index.paths(with: known).isSubset(of: changed)
          }
        if lines.isEmpty { continue }
        found.append(
          LostPassage(path: path, lines: lines, removed: head, until: now, lastWith: head))
      }
      return found
    } catch { throw HistoryIndexError(error) }
  }
}

import VersoGit
package import VersoModel

/// What notes hold on the disk that no version has yet, or have no more.
extension HistorySearch {
  /// Takes out of passages the lines that notes hold again.
  ///
  /// - Parameter texts: The notes that are not as saved, as they are now; empty where they are gone.
  package func passages(
    _ passages: [LostPassage], without texts: [RelativePath: [UInt8]]
  ) throws(HistoryIndexError) -> [LostPassage] {
    let there = hashes(of: texts.values)
    if there.isEmpty { return passages }
    return passages.compactMap { passage in
      let lines = passage.lines.filter { line in
        !there.contains(line.text.withUnsafeBytes(LineHashes.hash))
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
  ///   - texts: As above.
  ///   - now: The time until which it was there, in seconds since 1970.
  ///   - holds: Whether a line is wanted.
  package func unsaved(
    since head: ObjectID, on texts: [RelativePath: [UInt8]], in scope: SearchScope, at now: Int64,
    where holds: (UnsafeRawBufferPointer) -> Bool
  ) throws(HistoryIndexError) -> [LostPassage] {
    do {
      let there = hashes(of: texts.values)
      let changed = Set(try texts.keys.compactMap { try index.number(of: $0) })
      let n = try ledger.number(of: head)
      var found: [LostPassage] = []
      for path in texts.keys.sorted() where scope.path.contains(path) {
        guard let number = try index.number(of: path),
          let file = try ledger.content(ofNumber: number, at: n),
          let text = try TextCache.text(of: file.id, in: repository)
        else { continue }
        let lines = try Self.lines(of: text) { LineHashes.mayHoldWord($0) && holds($0) }
          .filter { line in
            if there.contains(line.text.withUnsafeBytes(LineHashes.hash)) { return false }
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

  private func hashes(of texts: some Sequence<[UInt8]>) -> Set<Int64> {
    var found: Set<Int64> = []
    for text in texts { found.formUnion(LineHashes(of: text).hashes) }
    return found
  }
}

package import VersoModel

extension ContentFilter {
  /// Converts what the work tree holds into what git keeps.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - path: Its path; need not exist.
  ///   - tracked: The blob that the index has for the path, `nil` where it has none. With
  ///     `text=auto`, git leaves alone the line ends of a file whose blob has CRLF already.
  ///   - hasAttributeFiles: As for ``decision(for:hasAttributeFiles:)``.
  /// - Returns: The bytes of the blob, or its id where git has written it.
  /// - Throws: ``ContentFilterError``; the path is then to be left alone.
  package func clean(
    _ bytes: [UInt8], path: RelativePath, tracked: ObjectID?, hasAttributeFiles: Bool
  ) throws(ContentFilterError) -> Cleaned {
    switch try decision(for: path, hasAttributeFiles: hasAttributeFiles) {
    case .raw: return .bytes(bytes)
    case .builtIn(let conversion):
      let keepsLineEnds = try ContentFilterError.reporting(path) { () throws(GitError) in
        guard conversion.lineEnds.isGuessed, let tracked else { return false }
        return try hasCRLF(tracked)
      }
      return .bytes(conversion.clean(bytes, keepingLineEnds: keepsLineEnds))
    case .program(let name): return .stored(try storeThroughGit(bytes, path: path, filter: name))
    }
  }

  /// Converts what git keeps into what the work tree should hold.
  ///
  /// - Parameters:
  ///   - bytes: The content of the blob.
  ///   - id: Its id; where a program filters, the blob must be in the object database.
  ///   - path: Where the file will be; need not exist yet.
  ///   - hasAttributeFiles: As for ``decision(for:hasAttributeFiles:)``.
  /// - Returns: The content of the file.
  /// - Throws: ``ContentFilterError``; the path is then to be left alone.
  package func smudge(
    _ bytes: [UInt8], id: ObjectID, path: RelativePath, hasAttributeFiles: Bool
  ) throws(ContentFilterError) -> [UInt8] {
    switch try decision(for: path, hasAttributeFiles: hasAttributeFiles) {
    case .raw: return bytes
    case .builtIn(let conversion): return conversion.smudge(bytes, id: id)
    case .program(let name): return try readThroughGit(id, path: path, filter: name)
    }
  }

  /// Whether git would see CRLF line ends in a blob, and no binary content.
  private func hasCRLF(_ id: ObjectID) throws(GitError) -> Bool {
    // A blob that is not there (a partial clone) has no line ends for git either.
    guard try repository.contains(id) else { return false }
    let (kind, bytes) = try repository.read(id)
    let statistics = TextStatistics(bytes)
    return kind == .blob && statistics.pairs > 0 && !statistics.isBinary
  }
}

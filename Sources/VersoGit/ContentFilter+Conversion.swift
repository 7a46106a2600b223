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
    let route = try reporting(path) { () throws(GitError) -> Decision in
      try decision(for: path, hasAttributeFiles: hasAttributeFiles)
    }
    switch route {
    case .raw: return .bytes(bytes)
    case .library:
      return try reporting(path) { () throws(GitError) -> Cleaned in
        let blob = if let tracked, try hasLineEnds(tracked) { tracked } else { nil as ObjectID? }
        return .bytes(try reader().apply(bytes, path: path, direction: .clean, tracked: blob))
      }
    case .program(let name): return .stored(try storeThroughGit(bytes, path: path, filter: name))
    }
  }

  /// Converts what git keeps into what the work tree should hold.
  ///
  /// - Parameters:
  ///   - bytes: The content of the blob.
  ///   - id: Its id; the blob must be in the object database.
  ///   - path: Where the file will be; need not exist yet.
  ///   - hasAttributeFiles: As for ``decision(for:hasAttributeFiles:)``.
  /// - Returns: The content of the file.
  /// - Throws: ``ContentFilterError``; the path is then to be left alone.
  package func smudge(
    _ bytes: [UInt8], id: ObjectID, path: RelativePath, hasAttributeFiles: Bool
  ) throws(ContentFilterError) -> [UInt8] {
    let route = try reporting(path) { () throws(GitError) -> Decision in
      try decision(for: path, hasAttributeFiles: hasAttributeFiles)
    }
    switch route {
    case .raw: return bytes
    case .library:
      return try reporting(path) { () throws(GitError) -> [UInt8] in
        try reader().apply(bytes, path: path, direction: .smudge(id), tracked: nil)
      }
    case .program(let name): return try readThroughGit(id, path: path, filter: name)
    }
  }

  /// Makes libgit2's failures those of a path.
  func reporting<R>(
    _ path: RelativePath, _ body: () throws(GitError) -> R
  ) throws(ContentFilterError) -> R {
    do throws(GitError) {
      return try body()
    } catch {
      throw ContentFilterError(
        reason: .failed, filter: "attributes", path: path, detail: error.description)
    }
  }

  /// Whether git would see CRLF line ends in a blob, and no binary content.
  private func hasLineEnds(_ id: ObjectID) throws(GitError) -> Bool {
    // A blob that is not there (a partial clone) has no line ends for git either.
    guard try repository.contains(id) else { return false }
    let (kind, bytes) = try repository.read(id)
    return kind == .blob && TextStatistics(bytes).isTextWithCRLF
  }
}

/// Counts by which git tells text from binary when it converts line ends.
struct TextStatistics {
  private(set) var lineEnds = 0
  private var loneReturns = 0
  private var zeros = 0
  private var printable = 0
  private var unprintable = 0

  init(_ bytes: [UInt8]) {
    var previous: UInt8 = 0
    for byte in bytes {
      if previous == UInt8(ascii: "\r") {
        if byte == UInt8(ascii: "\n") { lineEnds += 1 } else { loneReturns += 1 }
      }
      count(byte)
      previous = byte
    }
    if previous == UInt8(ascii: "\r") { loneReturns += 1 }
    // The end-of-file mark of old DOS programs is not held against a text.
    if previous == 0x1A { unprintable -= 1 }
  }

  private mutating func count(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
    case 0: (zeros, unprintable) = (zeros + 1, unprintable + 1)
    case 0x08, 0x09, 0x0C, 0x1B: printable += 1
    case 0x01..<0x20, 0x7F: unprintable += 1
    default: printable += 1
    }
  }

  /// Text, by git's rule, in which at least one line ends with CRLF.
  var isTextWithCRLF: Bool {
    let isBinary = loneReturns > 0 || zeros > 0 || printable >> 7 < unprintable
    return !isBinary && lineEnds > 0
  }
}

package import VersoGit
package import VersoModel

/// The difference between two states of one file, line by line, as `git diff` shows it.
package struct LineDifference: Hashable, Sendable {
  /// One state of a file.
  package struct Side: Hashable, Sendable {
    package let path: RelativePath
    /// git's mode, as in ``Item/Kind``.
    package let mode: UInt32
    package let id: ObjectID
    package let content: [UInt8]

    /// Makes a side.
    ///
    /// The id is worked out where it is not known. The content of a link is its target; that of a
    /// nested repository does not matter, as the id says all.
    package init(
      path: RelativePath, mode: UInt32, id: ObjectID? = nil, content: [UInt8]
    ) throws(GitError) {
      self.path = path
      self.mode = mode
      if mode == Item.Kind.repository.rawValue, let id {
        self.id = id
        self.content = Array("Subproject commit \(id)\n".utf8)
      } else {
        if let id { self.id = id } else { self.id = try Repository.blobID(of: content) }
        self.content = content
      }
    }
  }

  /// `nil` where the file is new.
  package let old: Side?
  /// `nil` where the file is gone.
  package let new: Side?
  /// For a rename, how much of the content is the same, in percent.
  package let similarity: Int?
  /// The changed lines; none where the content is the same or is no text.
  package let hunks: [TextDifference.Hunk]
  /// Whether either side is no text.
  package let isBinary: Bool

  /// Compares two states, with that many unchanged lines around each change; both `nil` is no
  /// difference.
  package init(
    from old: Side?, to new: Side?, similarity: Int? = nil, context: Int = 3
  ) throws(GitError) {
    self.old = old
    self.new = new
    self.similarity = similarity
    let (before, after) = (old?.content ?? [], new?.content ?? [])
    isBinary = TextDifference.isBinary(before) || TextDifference.isBinary(after)
    hunks =
      isBinary || before == after
      ? [] : try TextDifference(from: before, to: after, context: context).hunks
  }

  /// Whether nothing differs, neither content nor name nor mode.
  package var isEmpty: Bool {
    old?.content == new?.content && old?.mode == new?.mode && old?.path == new?.path
  }

  /// The number of lines added and removed.
  package var lineCounts: (added: Int, removed: Int) {
    var counts = (added: 0, removed: 0)
    for line in hunks.lazy.flatMap(\.lines) {
      if line.origin == .added { counts.added += 1 }
      if line.origin == .removed { counts.removed += 1 }
    }
    return counts
  }
}

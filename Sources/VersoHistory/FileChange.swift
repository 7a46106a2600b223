package import VersoGit
package import VersoModel

/// What a commit did to one file.
package struct FileChange: Hashable, Sendable {
  /// How a path changed.
  package enum Kind: Hashable, Sendable {
    case added
    /// Content, mode or type.
    case modified
    case deleted
    /// The path is new; what stands there came from another, which is gone.
    case renamed(from: RelativePath)
    /// The path is gone; what stood there is at another one now.
    case movedAway(to: RelativePath)

    /// git's letter.
    package var letter: Character {
      switch self {
      case .added: "A"
      case .modified: "M"
      case .deleted, .movedAway: "D"
      case .renamed: "R"
      }
    }
  }

  package let kind: Kind
  package let path: RelativePath
  /// What was there: under the old path, where that is another.
  package let old: PathFinder.Found?
  /// What is there now.
  package let new: PathFinder.Found?
  /// For a rename, how much of the content is the same, in percent; 100 also where a trailer named
  /// it and nobody compared.
  package let similarity: Int?

  package init(
    kind: Kind, path: RelativePath, old: PathFinder.Found?, new: PathFinder.Found?,
    similarity: Int? = nil
  ) {
    self.kind = kind
    self.path = path
    self.old = old
    self.new = new
    self.similarity = similarity
  }

  /// The path that ``old`` stood at.
  package var oldPath: RelativePath {
    if case .renamed(let from) = kind { return from }
    return path
  }

  /// The changes between two trees, renames joined, sorted by path.
  ///
  /// `hints` is what the message of the commit says of renames.
  package static func between(
    _ old: ObjectID?, _ new: ObjectID?, below path: RelativePath = .root,
    hints: [RenameHint] = [], in repository: Repository
  ) throws(GitError) -> [FileChange] {
    let entries = try TreeDifference.between(old, new, below: path, in: repository)
    let pairs = try Renames.find(in: entries, hints: hints, of: repository)
    let olds = Dictionary(entries.map { ($0.path, $0.old) }) { a, _ in a }
    let byNew = Dictionary(pairs.map { ($0.new, $0) }) { a, _ in a }
    let moved = Set(pairs.map(\.old))
    return entries.compactMap { entry in
      if let pair = byNew[entry.path] {
        return FileChange(
          kind: .renamed(from: pair.old), path: entry.path, old: olds[pair.old] ?? nil,
          new: entry.new, similarity: pair.percent)
      }
      if entry.new == nil, moved.contains(entry.path) { return nil }
      let kind: Kind = entry.old == nil ? .added : entry.new == nil ? .deleted : .modified
      return FileChange(
        kind: kind, path: entry.path, old: entry.old, new: entry.new, similarity: nil)
    }.sorted { $0.path < $1.path }
  }
}

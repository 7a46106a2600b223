import Glibc
package import VersoModel

/// What stands at a path in one tree after another, each tree object read once.
package struct PathFinder {
  /// What stands at a path.
  package struct Found: Hashable, Sendable {
    /// git's mode, as in ``Item/Kind``.
    package let mode: UInt32
    package let id: ObjectID
    package var isFolder: Bool { mode == Item.Kind.folder.rawValue }
    /// Whether it is a file, and no link, folder or nested repository.
    package var isRegular: Bool { mode & 0o170000 == 0o100000 }
    var asFile: Found? { isFolder ? nil : self }

    package init(mode: UInt32, id: ObjectID) {
      self.mode = mode
      self.id = id
    }
  }

  private enum Answer {
    case absent
    case found(Found)
  }

  package let path: RelativePath
  private let parts: [[UInt8]]
  /// What each tree holds under the name of a level: most commits share the lower trees.
  private var memo: [[ObjectID: Answer]]

  package init(_ path: RelativePath) {
    self.path = path
    parts = path.components.map(Array.init)
    memo = parts.map { _ in [:] }
  }

  /// What stands at the path below `tree`; `nil` where nothing does.
  ///
  /// At the root stands `tree` itself.
  package mutating func find(
    in tree: ObjectID, of repository: Repository
  ) throws(GitError) -> Found? {
    var found = Found(mode: Item.Kind.folder.rawValue, id: tree)
    for level in parts.indices {
      guard found.isFolder else { return nil }
      let answer: Answer
      if let known = memo[level][found.id] {
        answer = known
      } else {
        answer = try Self.look(for: parts[level], in: found.id, of: repository)
        memo[level][found.id] = answer
      }
      guard case .found(let next) = answer else { return nil }
      found = next
    }
    return found
  }

  private static func look(
    for name: [UInt8], in tree: ObjectID, of repository: Repository
  ) throws(GitError) -> Answer {
    try repository.withTree(tree) { (bytes) throws(GitError) in
      var cursor = RawTreeCursor(bytes)
      while let row = try cursor.next() {
        guard row.name.count == name.count, let start = row.name.baseAddress else { continue }
        if memcmp(start, name, name.count) == 0 {
          return .found(Found(mode: row.mode, id: ObjectID(at: row.id)))
        }
      }
      return .absent
    }
  }
}

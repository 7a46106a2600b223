/// The difference between two trees, as edits that turn the first into the second.
public struct TreeChange: Hashable, Sendable {
  /// One edit of a tree.
  public enum Edit: Hashable, Sendable {
    /// What was at the path is gone, with all below it.
    case remove(RelativePath)
    /// An empty folder appears.
    case addFolder(RelativePath)
    /// A file appears where there was none.
    case add(RelativePath, Tree.File)
    /// The file at the path has other content or another kind.
    case modify(RelativePath, Tree.File)

    /// Where the edit happens.
    public var path: RelativePath {
      switch self {
      case .remove(let path), .addFolder(let path), .add(let path, _), .modify(let path, _): path
      }
    }
  }

  /// The edits: every removal before every creation, folders before what they hold.
  public let edits: [Edit]

  /// Makes a change from edits in the order in which they are to be applied.
  public init(_ edits: [Edit]) { self.edits = edits }

  /// Whether there is nothing to do.
  public var isEmpty: Bool { edits.isEmpty }

  /// What turns `old` into `new`. Folders that the two share cost nothing.
  public init(from old: Tree, to new: Tree) {
    var removals: [Edit] = []
    var creations: [Edit] = []

    func create(_ node: Tree.Node, at path: RelativePath) {
      switch node {
      case .file(let file): creations.append(.add(path, file))
      case .folder(let folder):
        creations.append(.addFolder(path))
        for (name, below) in folder.entries.sorted(by: Self.byName) {
          create(below, at: path.appending(name))
        }
      }
    }
    func compare(_ old: Tree.Folder, _ new: Tree.Folder, at path: RelativePath) {
      if old === new { return }
      for (name, _) in old.entries.sorted(by: Self.byName) where new.entries[name] == nil {
        removals.append(.remove(path.appending(name)))
      }
      for (name, node) in new.entries.sorted(by: Self.byName) {
        let path = path.appending(name)
        switch (old.entries[name], node) {
        case (nil, _): create(node, at: path)
        case (.file(let before), .file(let after)):
          if before != after { creations.append(.modify(path, after)) }
        case (.folder(let before), .folder(let after)): compare(before, after, at: path)
        default:
          removals.append(.remove(path))
          create(node, at: path)
        }
      }
    }
    compare(old.top, new.top, at: .root)
    edits = removals + creations
  }

  private static func byName(
    _ a: (key: [UInt8], value: Tree.Node), _ b: (key: [UInt8], value: Tree.Node)
  ) -> Bool { a.key.lexicographicallyPrecedes(b.key) }

  /// The tree after the edits.
  ///
  /// An edit that finds its work done (a removal of what is not there, say) changes nothing and is
  /// no error: outside events are hints and may repeat.
  public func applied(to tree: Tree) -> Tree {
    edits.reduce(tree) { tree, edit in
      switch edit {
      case .remove(let path): tree.removing(path)
      case .addFolder(let path): tree.addingFolder(at: path)
      case .add(let path, let file), .modify(let path, let file): tree.setting(file, at: path)
      }
    }
  }
}

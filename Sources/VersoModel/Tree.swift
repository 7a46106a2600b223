/// An immutable snapshot of what a vault holds: every file with its kind and content.
///
/// Folders share their unchanged parts, so that a copy with one file changed costs the depth of
/// that file and the width of its folders. A folder that holds nothing is kept: git has no such
/// thing, but the disk has, and the split view shows it.
public struct Tree: Hashable, Sendable {
  /// What a file is, without where it is.
  public struct File: Hashable, Sendable {
    /// The kind; never a folder.
    public let kind: Item.Kind
    /// The git id of the content.
    public let content: ObjectID

    /// Makes a file's description.
    ///
    /// - Precondition: `kind` is not a folder.
    public init(kind: Item.Kind, content: ObjectID) {
      precondition(!kind.isFolder)
      self.kind = kind
      self.content = content
    }
  }

  enum Node: Hashable, Sendable {
    case file(File)
    case folder(Folder)
  }

  /// A folder's entries; a class so that unchanged folders are shared and compared by identity.
  final class Folder: Hashable, Sendable {
    let entries: [[UInt8]: Node]
    static let empty = Folder([:])

    init(_ entries: [[UInt8]: Node]) { self.entries = entries }

    static func == (a: Folder, b: Folder) -> Bool { a === b || a.entries == b.entries }
    func hash(into hasher: inout Hasher) { hasher.combine(entries.count) }
  }

  let top: Folder

  init(top: Folder) { self.top = top }

  /// A tree that holds nothing.
  public init() { top = .empty }

  private func node(at path: RelativePath) -> Node? {
    var node = Node.folder(top)
    for part in path.components {
      guard case .folder(let folder) = node, let next = folder.entries[Array(part)] else {
        return nil
      }
      node = next
    }
    return node
  }

  /// The item at `path`; `nil` where there is none, or for the root.
  public subscript(path: RelativePath) -> Item? {
    if path.isRoot { return nil }
    switch node(at: path) {
    case .file(let file): return Item(path: path, kind: file.kind, content: file.content)
    case .folder: return Item(path: path, kind: .folder, content: nil)
    case nil: return nil
    }
  }

  /// What the folder at `path` holds, sorted by name bytes; empty where there is no such folder.
  public func items(in path: RelativePath) -> [Item] {
    guard case .folder(let folder) = node(at: path) else { return [] }
    return folder.entries.map { name, node in
      let path = path.appending(name)
      switch node {
      case .file(let file): return Item(path: path, kind: file.kind, content: file.content)
      case .folder: return Item(path: path, kind: .folder, content: nil)
      }
    }.sorted { $0.path < $1.path }
  }

  /// Every item, folders before what they hold, siblings in byte order.
  public var allItems: [Item] {
    var found: [Item] = []
    func visit(_ path: RelativePath) {
      for item in items(in: path) {
        found.append(item)
        if item.isFolder { visit(item.path) }
      }
    }
    visit(.root)
    return found
  }

  /// The number of files, at any depth.
  public var fileCount: Int {
    func count(_ folder: Folder) -> Int {
      folder.entries.values.reduce(0) { sum, node in
        if case .folder(let below) = node { return sum + count(below) }
        return sum + 1
      }
    }
    return count(top)
  }

  /// A copy in which `file` is at `path`; folders above it are made, and a file that stood in their
  /// way, or a folder at `path`, is gone.
  ///
  /// - Precondition: `path` is not the root.
  public func setting(_ file: File, at path: RelativePath) -> Tree {
    Tree(top: Self.replace(top, path.components[...], with: .file(file)))
  }

  /// A copy with an empty folder at `path`; a folder that is there stays as it is.
  ///
  /// - Precondition: `path` is not the root.
  public func addingFolder(at path: RelativePath) -> Tree {
    if case .folder = node(at: path) { return self }
    return Tree(top: Self.replace(top, path.components[...], with: .folder(.empty)))
  }

  /// A copy without what is at `path`; folders above stay, empty or not. Removing what is not there
  /// is no error.
  public func removing(_ path: RelativePath) -> Tree {
    if path.isRoot { return Tree() }
    guard node(at: path) != nil else { return self }
    return Tree(top: Self.replace(top, path.components[...], with: nil))
  }

  private static func replace(
    _ folder: Folder, _ parts: ArraySlice<ArraySlice<UInt8>>, with node: Node?
  ) -> Folder {
    guard let first = parts.first else { preconditionFailure("the root cannot be replaced") }
    let name = Array(first)
    var entries = folder.entries
    if parts.count == 1 {
      entries[name] = node
    } else {
      var below = Folder.empty
      if case .folder(let there) = entries[name] { below = there }
      entries[name] = .folder(replace(below, parts.dropFirst(), with: node))
    }
    return Folder(entries)
  }
}

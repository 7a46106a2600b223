/// What a vault's directory holds, as names and kinds: the model behind the lists.
///
/// A value that is changed in place: a batch costs what it changes, whatever the vault's size. Unlike a
/// ``Tree`` it knows no contents.
public struct Catalogue: Hashable, Sendable {
  private struct Folder: Hashable, Sendable {
    var entries: [[UInt8]: Item.Kind] = [:]
    var isReadable = true
  }

  /// Something that was taken out, with the folders in it by their paths.
  private typealias Branch = (kind: Item.Kind, folders: [RelativePath: Folder])

  private var folders: [RelativePath: Folder] = [.root: Folder()]

  /// Of an empty directory.
  public init() {}

  /// Of a directory that holds `items`; folders above them are added.
  public init(_ items: some Sequence<Item>) {
    for item in items { put((item.kind, [:]), at: item.path) }
  }

  /// The item at `path`, without content; the vault for the root.
  public subscript(path: RelativePath) -> Item? {
    if path.isRoot { return .vault }
    guard let kind = folders[path.parent]?.entries[Array(path.name)] else { return nil }
    return Item(path: path, kind: kind, content: nil)
  }

  /// Whether there is a folder at `path`.
  public func hasFolder(_ path: RelativePath) -> Bool { folders[path] != nil }

  /// Whether the folder at `path` can be read.
  public func isReadable(_ path: RelativePath) -> Bool { folders[path]?.isReadable ?? true }

  /// What the folder at `path` holds, in no order; empty where there is none.
  public func items(in path: RelativePath) -> [Item] {
    guard let folder = folders[path] else { return [] }
    return folder.entries.map { name, kind in
      Item(path: path.appending(name), kind: kind, content: nil)
    }
  }

  /// How many items the folder at `path` holds.
  public func count(in path: RelativePath) -> Int { folders[path]?.entries.count ?? 0 }

  /// Everything below the folder at `path`, each folder before what it holds, but for what is at
  /// `others` and below.
  func descendants(of path: RelativePath, besides others: Set<RelativePath>) -> [Item] {
    items(in: path).filter { !others.contains($0.path) }.flatMap {
      $0.isFolder ? [$0] + descendants(of: $0.path, besides: others) : [$0]
    }
  }

  /// Every item, in no order.
  public var allItems: [Item] { folders.keys.flatMap(items(in:)) }

  /// Makes what the disk did.
  ///
  /// An edit that finds its work done changes nothing and is no error; a rename of what is not here
  /// is an addition of a file, unless its new path is here.
  public mutating func apply(_ batch: DiskBatch) {
    var moved: [RelativePath: Branch] = [:]
    let sources = Set(batch.renamed.map(\.old))
    // In falling byte order a folder comes after what it holds.
    for path in (batch.removed + batch.renamed.map(\.old)).sorted(by: >) {
      let branch = take(path)
      if sources.contains(path), let branch { moved[path] = branch }
    }
    var arrivals: [(path: RelativePath, branch: Branch)] = batch.added.map {
      ($0.path, ($0.kind, [:]))
    }
    for rename in batch.renamed {
      if let branch = moved[rename.old] {
        arrivals.append((rename.new, Self.move(branch, from: rename.old, to: rename.new)))
      } else if self[rename.new] == nil {
        arrivals.append((rename.new, (.file, [:])))
      }
    }
    for arrival in arrivals.sorted(by: { $0.path < $1.path }) {
      put(arrival.branch, at: arrival.path)
    }
    for path in batch.unreadable { folders[path]?.isReadable = false }
    for path in batch.readable { folders[path]?.isReadable = true }
  }

  /// The batch with the folders that what it adds brings with it: a file is not without its folder.
  func withFolders(_ batch: DiskBatch) -> DiskBatch {
    var known = Set(batch.added.map(\.path))
    known.formUnion(batch.renamed.map(\.new))
    let removed = Set(batch.removed + batch.renamed.map(\.old))
    var batch = batch
    for path in batch.added.map(\.path) + batch.renamed.map(\.new) {
      for folder in path.ancestors where known.insert(folder).inserted {
        let isGone =
          !removed.isEmpty && ([folder] + folder.ancestors).contains { removed.contains($0) }
        if hasFolder(folder), !isGone { break }
        batch.added.append(Item(path: folder, kind: .folder, content: nil))
      }
    }
    return batch
  }

  private static func move(
    _ branch: Branch, from old: RelativePath, to new: RelativePath
  ) -> Branch {
    var folders: [RelativePath: Folder] = [:]
    for (path, folder) in branch.folders {
      folders[path.replacing(prefix: old, with: new) ?? path] = folder
    }
    return (branch.kind, folders)
  }

  private mutating func take(_ path: RelativePath) -> Branch? {
    guard !path.isRoot,
      let kind = folders[path.parent]?.entries.removeValue(forKey: Array(path.name))
    else { return nil }
    var taken: [RelativePath: Folder] = [:]
    if kind.isFolder { takeFolders(path, into: &taken) }
    return (kind, taken)
  }

  private mutating func takeFolders(_ path: RelativePath, into taken: inout [RelativePath: Folder])
  {
    guard let folder = folders.removeValue(forKey: path) else { return }
    taken[path] = folder
    for (name, kind) in folder.entries where kind.isFolder {
      takeFolders(path.appending(name), into: &taken)
    }
  }

  private mutating func put(_ branch: Branch, at path: RelativePath) {
    if path.isRoot { return }
    let parent = path.parent
    if folders[parent] == nil { put((.folder, [:]), at: parent) }
    // A folder that is announced again is the one that is there.
    if branch.kind.isFolder, branch.folders.isEmpty, hasFolder(path) { return }
    if hasFolder(path) { _ = take(path) }
    folders[parent]?.entries[Array(path.name)] = branch.kind
    guard branch.kind.isFolder else { return }
    if branch.folders.isEmpty { folders[path] = Folder() }
    folders.merge(branch.folders) { _, new in new }
  }
}

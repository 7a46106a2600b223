import VersoGit
import VersoModel

/// A tree of a commit with changed paths on top of it: what a merge makes, before it is written.
struct LayeredTree: Hashable {
  /// `nil` holds nothing.
  var root: ObjectID?
  /// Files that are other than in `root`; `nil` where there is none.
  var layer: [RelativePath: MergeEntry?] = [:]
}

/// What the planner has read: commits, differences and contents, each once, and those that a merge
/// of several bases makes up.
final class MergeReader {
  /// A commit, or the merge of two bases that nobody has made.
  struct Node {
    let commit: MergeCommit
    let tree: LayeredTree
    /// For a made-up merge, its moves for each parent.
    let moves: [[RelativePath: RelativePath]]?
  }

  private struct Pair: Hashable {
    let old: LayeredTree
    let new: LayeredTree
  }

  private struct Place: Hashable {
    let tree: ObjectID
    let path: RelativePath
  }

  let source: any MergeSource
  private var nodes: [ObjectID: Node] = [:]
  private var differences: [Pair: [MergeChange]] = [:]
  private var places: [Place: MergeEntry?] = [:]
  private var moves: [ObjectID: [[RelativePath: RelativePath]]] = [:]
  /// Merged texts that are stored nowhere yet.
  private(set) var made: [ObjectID: [UInt8]] = [:]

  init(_ source: any MergeSource) { self.source = source }

  func node(_ id: ObjectID) throws(GitError) -> Node {
    if let known = nodes[id] { return known }
    let commit = try source.commit(id)
    let node = Node(commit: commit, tree: LayeredTree(root: commit.tree), moves: nil)
    nodes[id] = node
    return node
  }

  /// Takes in a merge that nobody has made.
  func add(_ node: Node) { nodes[node.commit.id] = node }

  /// Takes in a blob that is stored nowhere.
  func add(_ content: [UInt8]) throws(GitError) -> ObjectID {
    let id = try Repository.blobID(of: content)
    made[id] = content
    return id
  }

  func content(of blob: ObjectID) throws(GitError) -> [UInt8] {
    if let content = made[blob] { return content }
    return try source.content(of: blob)
  }

  func size(of blob: ObjectID) throws(GitError) -> Int {
    if let content = made[blob] { return content.count }
    return try source.size(of: blob)
  }

  // MARK: Trees

  /// The file at a path; `nil` where there is none, or a folder.
  func file(at path: RelativePath, in tree: LayeredTree) throws(GitError) -> MergeEntry? {
    if let changed = tree.layer[path] { return changed }
    guard let entry = try entry(at: path, in: tree.root), !entry.isFolder else { return nil }
    return entry
  }

  private func entry(at path: RelativePath, in root: ObjectID?) throws(GitError) -> MergeEntry? {
    guard let root else { return nil }
    let place = Place(tree: root, path: path)
    if let known = places[place] { return known }
    let entry = try source.entry(at: path, in: root)
    places[place] = .some(entry)
    return entry
  }

  /// Whether a folder stands at a path.
  func isFolder(_ path: RelativePath, in tree: LayeredTree) throws(GitError) -> Bool {
    if tree.layer.isEmpty { return try entry(at: path, in: tree.root)?.isFolder ?? false }
    return try firstFile(below: path, in: tree) { _ in true } != nil
  }

  /// What stands in a folder: names of files and folders, in no order.
  func names(
    in folder: RelativePath, of tree: LayeredTree
  ) throws(GitError) -> [(path: RelativePath, isFolder: Bool)] {
    var found: [RelativePath: Bool] = [:]
    if let root = tree.root {
      for (name, entry) in try source.entries(in: folder, of: root) {
        let path = folder.appending(name)
        if entry.isFolder, !tree.layer.isEmpty, try !isFolder(path, in: tree) { continue }
        if !entry.isFolder, let changed = tree.layer[path], changed == nil { continue }
        found[path] = entry.isFolder
      }
    }
    for (path, entry) in tree.layer where entry != nil && folder.contains(path) {
      let names = path.components.dropFirst(folder.components.count)
      guard let name = names.first else { continue }
      found[folder.appending(name)] = names.count > 1
    }
    return found.map { ($0.key, $0.value) }
  }

  /// A file below a folder for which `isWanted` holds; `nil` where there is none.
  func firstFile(
    below folder: RelativePath, in tree: LayeredTree, _ isWanted: (RelativePath) -> Bool
  ) throws(GitError) -> RelativePath? {
    for (path, entry) in tree.layer where entry != nil {
      if folder.contains(path), path != folder, isWanted(path) { return path }
    }
    guard let root = tree.root else { return nil }
    for (name, entry) in try source.entries(in: folder, of: root) {
      let path = folder.appending(name)
      if entry.isFolder {
        if let found = try firstFile(below: path, in: tree, isWanted) { return found }
      } else if tree.layer[path] == nil, isWanted(path) {
        return path
      }
    }
    return nil
  }

  /// Every file of a tree below a folder, sorted.
  func files(
    of tree: LayeredTree, below folder: RelativePath = .root
  ) throws(GitError) -> [RelativePath] {
    try difference(LayeredTree(root: nil), tree).map(\.path).filter(folder.contains)
  }

  /// How one tree becomes another, sorted by path.
  func difference(
    _ old: LayeredTree, _ new: LayeredTree
  ) throws(GitError) -> [MergeChange] {
    if old == new { return [] }
    let pair = Pair(old: old, new: new)
    if let known = differences[pair] { return known }
    var changes = try source.differences(old.root, new.root)
    if !old.layer.isEmpty || !new.layer.isEmpty {
      let layered = Set(old.layer.keys).union(new.layer.keys)
      changes.removeAll { layered.contains($0.path) }
      for path in layered {
        let (before, after) = (try file(at: path, in: old), try file(at: path, in: new))
        if before != after { changes.append(MergeChange(path: path, old: before, new: after)) }
      }
    }
    changes.sort { $0.path < $1.path }
    differences[pair] = changes
    return changes
  }

  // MARK: Moves

  /// For each parent of a commit, which of its files stand under another path in the commit.
  func moves(of id: ObjectID) throws(GitError) -> [[RelativePath: RelativePath]] {
    if let known = moves[id] { return known }
    let node = try node(id)
    var found = node.moves ?? []
    if node.moves == nil {
      for number in node.commit.parents.indices {
        found.append(try MoveFinder(node.commit, parent: number, in: self).moves())
      }
    }
    moves[id] = found
    return found
  }
}

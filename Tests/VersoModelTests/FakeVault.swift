import VersoModel
import VersoTestSupport

/// Folders and files with identities of their own, changed at random: what a disk holds, and the batch
/// that tells of a change.
struct FakeVault {
  struct Node: Equatable {
    let id: Int
    let isFolder: Bool
  }

  private(set) var nodes: [RelativePath: Node] = [:]
  private var lastID = 0

  var items: [Item] {
    nodes.map { Item(path: $0.key, kind: $0.value.isFolder ? .folder : .file, content: nil) }
  }

  var folders: [RelativePath] {
    [.root] + nodes.filter(\.value.isFolder).keys.sorted()
  }

  func path(of id: Int) -> RelativePath? { nodes.first { $0.value.id == id }?.key }

  private func freePath(_ generator: inout SeededGenerator) -> RelativePath? {
    guard let folder = folders.randomElement(using: &generator),
      folder.components.count < 4
    else { return nil }
    let path = folder.appending([UInt8.random(in: 0x61...0x66, using: &generator)])
    return nodes[path] == nil ? path : nil
  }

  private mutating func make(_ path: RelativePath, isFolder: Bool) {
    lastID += 1
    nodes[path] = Node(id: lastID, isFolder: isFolder)
  }

  private mutating func remove(_ path: RelativePath) {
    nodes = nodes.filter { !path.contains($0.key) }
  }

  private mutating func move(_ old: RelativePath, to new: RelativePath) {
    let moved = nodes.filter { old.contains($0.key) }
    remove(old)
    for (path, node) in moved { nodes[path.replacing(prefix: old, with: new) ?? path] = node }
  }

  /// Some random edits.
  mutating func edit(_ generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...5, using: &generator) { editOnce(&generator) }
  }

  private mutating func editOnce(_ generator: inout SeededGenerator) {
    let path = nodes.keys.sorted().randomElement(using: &generator)
    switch (Int.random(in: 0...9, using: &generator), path) {
    case (0, let path?): remove(path)
    case (1...2, let path?):
      guard let new = freePath(&generator), !path.contains(new) else { return }
      move(path, to: new)
    case (3, let path?):
      // In place of something: of the same kind or of the other.
      remove(path)
      make(path, isFolder: generator.chance(2))
    case (4, let path?):
      guard let other = nodes.keys.sorted().randomElement(using: &generator),
        !path.contains(other), !other.contains(path)
      else { return }
      move(path, to: "swap")
      move(other, to: path)
      move("swap", to: other)
    case (5, let path?):
      // An atomic save: another file comes over this one.
      guard nodes[path]?.isFolder == false,
        let other = nodes.filter({ !$0.value.isFolder }).keys.sorted()
          .randomElement(using: &generator), other != path
      else { return }
      remove(path)
      move(other, to: path)
    default:
      guard let path = freePath(&generator) else { return }
      make(path, isFolder: generator.chance(3))
    }
  }

  /// The batch that leads from `old` to this.
  func batch(since old: FakeVault, _ generator: inout SeededGenerator) -> DiskBatch {
    let before = Dictionary(uniqueKeysWithValues: old.nodes.map { ($0.value.id, $0.key) })
    let after = Dictionary(uniqueKeysWithValues: nodes.map { ($0.value.id, $0.key) })
    var batch = DiskBatch()
    for (id, path) in before.sorted(by: { $0.key < $1.key }) {
      guard let new = after[id] else {
        // What replaces a file in one step is told as a rename or an addition alone.
        let isOverwritten =
          nodes[path]?.isFolder == false && old.nodes[path]?.isFolder == false
          && old.nodes[path.parent] == nodes[path.parent]
        if !isOverwritten || generator.chance(2) { batch.removed.append(path) }
        continue
      }
      // What is below a removed folder goes with it unless it is told to be elsewhere, or here.
      let parent = path.parent.isRoot ? .root : old.nodes[path.parent].flatMap { after[$0.id] }
      if new != parent?.appending(path.name) || (new != path && generator.chance(3)) {
        batch.renamed.append(.init(path, new))
      } else if nodes[new]?.isFolder == false, generator.chance(9) {
        batch.modified.append(Item(path: new, kind: .file, content: nil))
      }
    }
    for (id, path) in after.sorted(by: { $0.key < $1.key }) where before[id] == nil {
      batch.added.append(
        Item(path: path, kind: nodes[path]?.isFolder == true ? .folder : .file, content: nil))
    }
    return batch
  }

  /// Where the selection of `path` in `old` must be after a change: the same thing, or what took its
  /// place in the same folder.
  func successor(of path: RelativePath, since old: FakeVault) -> RelativePath? {
    guard let node = old.nodes[path] else { return path.isRoot ? .root : nil }
    if let new = self.path(of: node.id) { return new }
    guard let parent = successor(of: path.parent, since: old) else { return nil }
    let place = parent.appending(path.name)
    return nodes[place]?.isFolder == node.isFolder ? place : nil
  }
}

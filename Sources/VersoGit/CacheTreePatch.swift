import VersoDisk
import VersoModel

/// The next index's cache of folders' tree ids.
///
/// git trusts a cached id blindly (`git commit` writes it), so one is cached only where it is
/// proven: the folder's old id was cached, is the id that the trees were made from, and all
/// changes below it are those that made the new one; or the folder is new in index and tree alike.
/// Everything else is marked as unknown, which is never wrong. A folder with a known id has only
/// subfolders with known ids, as in git's own `cache_tree_verify`.
struct CacheTreePatch {
  private let patch: IndexPatch
  private let old: CacheTree?

  /// A folder with changes below it.
  private final class Folder {
    let name: ArraySlice<UInt8>
    /// Index entries below it; −1 where the id is unknown.
    let entries: Int
    let id: ObjectID?
    let children: [Child]

    init(name: ArraySlice<UInt8>, entries: Int, id: ObjectID?, children: [Child]) {
      self.name = name
      self.entries = entries
      self.id = id
      self.children = children
    }
  }

  private enum Child {
    /// Number of a folder of the old cache, taken over with all below it.
    case old(Int)
    case new(Folder)
  }

  /// What the changes below a folder come to.
  private enum Result {
    case unchanged
    /// No entry is left.
    case gone(delta: Int)
    case changed(Folder, delta: Int)
  }

  init(_ patch: IndexPatch) {
    self.patch = patch
    old = patch.index?.cacheTree
  }

  /// The extension's bytes; `nil` where none is to be written.
  var bytes: [UInt8]? {
    if old == nil, !(patch.index?.table.rows.isEmpty ?? true) { return nil }
    let all = patch.changes.indices
    let root = plan(all, prefix: 0, node: old == nil ? nil : 0, change: patch.folders)
    guard case .changed(let folder, _) = root else { return old.map { Array($0.bytes) } }
    var bytes: [UInt8] = []
    bytes.reserveCapacity((old?.bytes.count ?? 0) + 1024)
    emit(folder, to: &bytes)
    return bytes
  }

  // MARK: Planning

  /// Plans a folder and what is below it.
  ///
  /// - Parameters:
  ///   - range: The numbers of the changes below the folder.
  ///   - prefix: The length of the folder's path with its slash, which all these changes share.
  ///   - node: The folder in the old cache.
  ///   - change: What became of the folder's tree, where it is known.
  /// - Returns: The folder as it is to be cached.
  private func plan(
    _ range: Range<Int>, prefix: Int, node: Int?, change: FolderChange?
  ) -> Result {
    var delta = 0
    var isTouched = false
    var replaced: [Int: Child?] = [:]
    var added: [Folder] = []
    var at = range.lowerBound
    while at < range.upperBound {
      guard let name = folderName(at, prefix: prefix) else {
        let effect = patch.spots[at].effect
        delta += effect.delta
        if effect.changesContent { isTouched = true }
        at += 1
        continue
      }
      let end = endOfFolder(at, in: range, length: name.endIndex + 1)
      let child = name.withUnsafeBytes { name in
        node.flatMap { old?.subfolder(of: $0, named: name) }
      }
      switch plan(
        at..<end, prefix: name.endIndex + 1, node: child, change: change?.children[Array(name)])
      {
      case .unchanged: break
      case .gone(let change):
        (isTouched, delta) = (true, delta + change)
        if let child { replaced[child] = .some(nil) }
      case .changed(let folder, let change):
        (isTouched, delta) = (true, delta + change)
        if let child { replaced[child] = .new(folder) } else { added.append(folder) }
      }
      at = end
    }
    if !isTouched, old != nil { return .unchanged }
    let children = children(of: node, replaced: replaced, added: added)
    let path = range.isEmpty ? [] : patch.changes[range.lowerBound].path.bytes[..<prefix]
    return conclude(path, node: node, change: change, delta: delta, children: children)
  }

  private func conclude(
    _ path: ArraySlice<UInt8>, node: Int?, change: FolderChange?, delta: Int, children: [Child]
  ) -> Result {
    let before = countOfRows(below: path)
    let after = before + delta
    if after == 0, !path.isEmpty { return .gone(delta: delta) }
    let isProven =
      wasTree(node, before: before, id: change?.old)
      && (after > 0 || change?.new == .emptyTree)
      && children.allSatisfy(isKnown)
    let id = isProven ? change?.new : nil
    let name = path.dropLast()
    let start = name.lastIndex(of: RelativePath.slash).map { $0 + 1 } ?? name.startIndex
    let folder = Folder(
      name: name[start...], entries: id == nil ? -1 : after, id: id, children: children)
    return .changed(folder, delta: delta)
  }

  /// Whether the old index is known to have held exactly the tree `id` below a folder.
  private func wasTree(_ node: Int?, before: Int, id: ObjectID?) -> Bool {
    if before == 0 { return id == nil || id == .emptyTree }
    guard let old, let node, let id else { return false }
    return old.id(node) == id && old.nodes[node].entries == before
  }

  private func isKnown(_ child: Child) -> Bool {
    switch child {
    case .old(let node): old?.isValid(node) ?? false
    case .new(let folder): folder.id != nil
    }
  }

  /// In git's order; what is replaced by nothing is left out.
  private func children(of node: Int?, replaced: [Int: Child?], added: [Folder]) -> [Child] {
    var children: [Child] = []
    for child in node.flatMap({ old?.subfolders(of: $0) }) ?? [] {
      if let replacement = replaced[child] ?? .old(child) { children.append(replacement) }
    }
    if added.isEmpty { return children }
    let added = added.map(Child.new).sorted(by: precedes)
    var merged: [Child] = []
    merged.reserveCapacity(children.count + added.count)
    var next = 0
    for child in children {
      while next < added.count, precedes(added[next], child) {
        merged.append(added[next])
        next += 1
      }
      merged.append(child)
    }
    return merged + added[next...]
  }

  private func precedes(_ a: Child, _ b: Child) -> Bool {
    withName(a) { a in withName(b) { b in CacheTree.compare(a, b) < 0 } }
  }

  private func withName<R>(_ child: Child, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    switch child {
    case .old(let node): body(old?.name(node) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    case .new(let folder): folder.name.withUnsafeBytes(body)
    }
  }

  // MARK: Ranges

  /// The name of the subfolder in which a change lies; `nil` where it is a file of this folder.
  private func folderName(_ number: Int, prefix: Int) -> ArraySlice<UInt8>? {
    let path = patch.changes[number].path.bytes
    return path[prefix...].firstIndex(of: RelativePath.slash).map { path[prefix..<$0] }
  }

  /// The first change after those that share the first `length` bytes of a path with one.
  private func endOfFolder(_ first: Int, in range: Range<Int>, length: Int) -> Int {
    let folder = patch.changes[first].path.bytes[..<length]
    var end = first + 1
    while end < range.upperBound, patch.changes[end].path.bytes.starts(with: folder) { end += 1 }
    return end
  }

  /// How many entries the old index has below a folder, whose path ends in a slash.
  private func countOfRows(below folder: ArraySlice<UInt8>) -> Int {
    guard let table = patch.index?.table else { return 0 }
    if folder.isEmpty { return table.rows.count }
    // The byte after the slash bounds all that the folder can hold.
    let after = folder.dropLast() + [RelativePath.slash + 1]
    return table.position(of: RelativePath(unchecked: Array(after)))
      - table.position(of: RelativePath(unchecked: Array(folder)))
  }

  // MARK: Writing

  private func emit(_ folder: Folder, to bytes: inout [UInt8]) {
    bytes += folder.name
    bytes.append(0)
    bytes += "\(folder.entries) \(folder.children.count)\n".utf8
    if let id = folder.id { bytes += id.bytes }
    for child in folder.children {
      switch child {
      case .new(let folder): emit(folder, to: &bytes)
      case .old(let number):
        guard let old else { continue }
        bytes += old.bytes[old.nodes[number].start..<old.nodes[number].end]
      }
    }
  }
}

extension IndexPatch.Effect {
  /// By how much it changes the number of entries.
  fileprivate var delta: Int {
    switch self {
    case .add: 1
    case .remove: -1
    case .nothing, .refresh, .modify: 0
    }
  }

  /// Whether a tree written from the index would be another.
  fileprivate var changesContent: Bool { self != .nothing && self != .refresh }
}

import Glibc
import VersoModel

/// The index's cache of folders' tree ids (extension `TREE` of gitformat-index(5)).
///
/// It lies in the file as folders in preorder, each with its name, the number of index entries
/// below it (−1 where the cached id is not to be trusted, and then absent), the number of its
/// subfolders, and its id.
struct CacheTree {
  struct Node {
    /// Where the node starts, its name first.
    let start: Int
    let nameCount: Int
    /// Index entries below the folder; −1 where the id is unknown.
    let entries: Int
    /// Where the id starts; meaningful where `entries` is not negative.
    let id: Int
    /// Where the folder with all below it ends.
    var end: Int
    /// The number of the node after all those below this one.
    var next: Int
    /// The range of `children` that holds the numbers of the subfolders.
    var children: Range<Int>
  }

  let bytes: UnsafeRawBufferPointer
  /// In the file's order, the root first; never empty.
  private(set) var nodes: [Node] = []
  private var children: [Int] = []

  /// Reads the extension's bytes, which must outlive the value; `nil` for none or malformed ones,
  /// which git ignores too.
  init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    guard readNodes() else { return nil }
    collectChildren()
  }

  // MARK: Looking up

  func isValid(_ node: Int) -> Bool { nodes[node].entries >= 0 }

  /// The cached id of a folder; `nil` where the cache has none to trust.
  func id(_ node: Int) -> ObjectID? {
    guard isValid(node), let base = bytes.baseAddress else { return nil }
    return ObjectID(at: base + nodes[node].id)
  }

  func name(_ node: Int) -> UnsafeRawBufferPointer {
    let node = nodes[node]
    return UnsafeRawBufferPointer(rebasing: bytes[node.start..<(node.start + node.nameCount)])
  }

  /// The numbers of a folder's subfolders, shorter names first, those of one length by bytes: the
  /// order in which git writes them.
  func subfolders(of node: Int) -> ArraySlice<Int> { children[nodes[node].children] }

  /// The number of the subfolder with that name.
  func subfolder(of node: Int, named wanted: UnsafeRawBufferPointer) -> Int? {
    var range = nodes[node].children
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      let order = Self.compare(name(children[middle]), wanted)
      if order == 0 { return children[middle] }
      range = order < 0 ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The number of the folder at `path`.
  func node(at path: RelativePath) -> Int? {
    var node = 0
    for part in path.components {
      guard let next = part.withUnsafeBytes({ subfolder(of: node, named: $0) }) else { return nil }
      node = next
    }
    return node
  }

  /// git's order of subfolders: by length, then by bytes (`subtree_name_cmp`).
  static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
      return a.count - b.count
    }
    return Int(memcmp(first, second, a.count))
  }

  // MARK: Reading

  /// Without recursion: a damaged file may nest a million folders.
  private mutating func readNodes() -> Bool {
    var open: [(node: Int, left: Int)] = []
    var at = 0
    repeat {
      guard let (node, subfolders) = readNode(at: &at) else { return false }
      if open.isEmpty != (node.nameCount == 0) { return false }
      nodes.append(node)
      open.append((nodes.count - 1, subfolders))
      while let last = open.last, last.left == 0 {
        nodes[last.node].end = at
        nodes[last.node].next = nodes.count
        open.removeLast()
      }
      if !open.isEmpty { open[open.count - 1].left -= 1 }
    } while !open.isEmpty
    return at == bytes.count
  }

  private func readNode(at: inout Int) -> (Node, subfolders: Int)? {
    let start = at
    while at < bytes.count, bytes[at] != 0 { at += 1 }
    let nameCount = at - start
    at += 1
    guard let entries = readNumber(at: &at, until: UInt8(ascii: " ")),
      let subfolders = readNumber(at: &at, until: UInt8(ascii: "\n")), subfolders >= 0
    else { return nil }
    let id = at
    if entries >= 0 { at += ObjectID.byteCount }
    guard at <= bytes.count, subfolders <= bytes.count - at else { return nil }
    let node = Node(
      start: start, nameCount: nameCount, entries: max(-1, entries), id: id, end: at, next: 0,
      children: 0..<0)
    return (node, subfolders)
  }

  private func readNumber(at: inout Int, until end: UInt8) -> Int? {
    var value = 0
    var isNegative = false
    let start = at
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case end: return at - start > (isNegative ? 2 : 1) ? (isNegative ? -value : value) : nil
      case UInt8(ascii: "-") where at - start == 1: isNegative = true
      case UInt8(ascii: "0")...UInt8(ascii: "9") where value < 1 << 40:
        value = 10 * value + Int(byte - UInt8(ascii: "0"))
      default: return nil
      }
    }
    return nil
  }

  private mutating func collectChildren() {
    children.reserveCapacity(nodes.count)
    for number in nodes.indices {
      let first = children.count
      var child = number + 1
      while child < nodes[number].next {
        children.append(child)
        child = nodes[child].next
      }
      nodes[number].children = first..<children.count
      sortChildren(first..<children.count)
    }
  }

  /// git keeps them sorted; another writer might not.
  private mutating func sortChildren(_ range: Range<Int>) {
    let isSorted = zip(range, range.dropFirst()).allSatisfy { first, second in
      Self.compare(name(children[first]), name(children[second])) < 0
    }
    if isSorted { return }
    let sorted = children[range].sorted { Self.compare(name($0), name($1)) < 0 }
    children.replaceSubrange(range, with: sorted)
  }
}

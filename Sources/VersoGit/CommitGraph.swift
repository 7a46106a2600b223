import Glibc
import VersoDisk
package import VersoModel

/// The commits of a repository as a graph: ids, parents, times and trees, read from raw objects.
///
/// Commits that a shallow clone was cut at have no parents here: history simply ends there.
package final class CommitGraph {
  /// What a walk needs of a commit.
  package struct Node: Hashable, Sendable {
    package let tree: ObjectID
    package let parents: [ObjectID]
    /// Seconds since 1970 by the committer's clock, which may be wrong.
    package let time: Int64
  }

  package let repository: Repository
  /// Where a shallow clone was cut.
  package let roots: Set<ObjectID>
  private var nodes: [ObjectID: Node] = [:]

  package init(_ repository: Repository) throws(GitError) {
    self.repository = repository
    roots = try repository.shallowRoots()
  }

  /// A commit, kept until ``forget(_:)``.
  ///
  /// - Throws: ``GitError/Code/notFound`` where the commit is missing without being cut off.
  package func node(_ id: ObjectID) throws(GitError) -> Node {
    if let known = nodes[id] { return known }
    var node = try repository.withObject(id) { (kind, bytes) throws(GitError) in
      guard kind == .commit, let node = Node(bytes) else {
        throw GitError(code: .generic, function: "node", message: "\(id) is no readable commit")
      }
      return node
    }
    if !node.parents.isEmpty, roots.contains(id) {
      node = Node(tree: node.tree, parents: [], time: node.time)
    }
    nodes[id] = node
    return node
  }

  /// Frees the memory of a commit that a walk has passed; it can be read again.
  package func forget(_ id: ObjectID) { nodes[id] = nil }
}

extension CommitGraph.Node {
  /// Reads the header lines of a commit object; `nil` where it is none.
  fileprivate init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, Self.line(bytes, at: 0, is: "tree "),
      let tree = ObjectID(hexAt: bytes, 5)
    else { return nil }
    self.tree = tree
    var at = 46
    var parents: [ObjectID] = []
    while Self.line(bytes, at: at, is: "parent "), let id = ObjectID(hexAt: bytes, at + 7) {
      parents.append(id)
      at += 48
    }
    self.parents = parents
    var time: Int64 = 0
    while at < bytes.count, bytes[at] != UInt8(ascii: "\n"),
      let end = memchr(base + at, Int32(UInt8(ascii: "\n")), bytes.count - at)
    {
      let next = UnsafeRawPointer(end) - base
      if Self.line(bytes, at: at, is: "committer ") {
        time = Self.time(UnsafeRawBufferPointer(rebasing: bytes[at..<next]))
        break
      }
      at = next + 1
    }
    self.time = time
  }

  private static func line(
    _ bytes: UnsafeRawBufferPointer, at: Int, is key: StaticString
  ) -> Bool {
    guard let base = bytes.baseAddress, at + key.utf8CodeUnitCount <= bytes.count else {
      return false
    }
    return memcmp(base + at, key.utf8Start, key.utf8CodeUnitCount) == 0
  }

  /// The seconds after the last `>` of a signature; 0 where there are none, as in git.
  private static func time(_ line: UnsafeRawBufferPointer) -> Int64 {
    guard let mark = line.lastIndex(of: UInt8(ascii: ">")) else { return 0 }
    var value: Int64 = 0
    var negative = false
    for byte in line[(mark + 1)...].drop(while: { $0 == UInt8(ascii: " ") }) {
      if byte == UInt8(ascii: "-"), value == 0 { negative = true; continue }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, above) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if over || above { return 0 }
      value = sum
    }
    return negative ? -value : value
  }
}

extension ObjectID {
  /// Reads 40 hexadecimal digits at an offset; `nil` where there are none.
  fileprivate init?(hexAt bytes: UnsafeRawBufferPointer, _ offset: Int) {
    guard offset + 2 * Self.byteCount <= bytes.count else { return nil }
    let id = withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) {
      raw -> ObjectID? in
      for index in 0..<Self.byteCount {
        guard let high = Self.digit(bytes[offset + 2 * index]),
          let low = Self.digit(bytes[offset + 2 * index + 1]),
          let base = raw.baseAddress
        else { return nil }
        base.storeBytes(of: high << 4 | low, toByteOffset: index, as: UInt8.self)
      }
      return raw.baseAddress.map { ObjectID(at: $0) }
    }
    guard let id else { return nil }
    self = id
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

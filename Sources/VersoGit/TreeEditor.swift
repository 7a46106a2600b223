import Glibc
import VersoDisk
package import VersoModel

/// Splices changes into the trees of a commit, on raw bytes.
///
/// Only folders on changed paths are read and written, each once; what does not change in them is
/// copied as it is. A folder that ends up empty is gone, as git has no such thing. A file may take
/// the place of a folder and the reverse, with the removals of what was there among the changes or
/// not. Where a file and something below it are put at once, what lies below stays.
package struct TreeEditor {
  /// One path's change.
  package struct Edit: Sendable {
    package let path: RelativePath
    /// git's mode; 0 removes the path.
    package let mode: UInt32
    package let id: ObjectID

    package init(path: RelativePath, mode: UInt32, id: ObjectID) {
      self.path = path
      self.mode = mode
      self.id = id
    }

    package static func removing(_ path: RelativePath) -> Edit {
      Edit(path: path, mode: 0, id: .zero)
    }
  }

  private let repository: Repository
  private let writer: any ObjectWriter
  private let edits: [Edit]

  /// Prepares a splice.
  ///
  /// - Precondition: `edits` is sorted by path, each path once.
  package init(_ edits: [Edit], repository: Repository, writer: any ObjectWriter) {
    self.edits = edits
    self.repository = repository
    self.writer = writer
  }

  /// Makes the new trees.
  ///
  /// - Parameter base: The tree to start from; `nil` for nothing.
  /// - Returns: The new root, an empty tree where nothing is left, and what became of each folder
  ///   on the changed paths.
  /// - Throws: ``GitError`` where an old tree cannot be read, ``DiskError`` where a new one cannot
  ///   be written.
  package func apply(to base: ObjectID?) throws -> (root: ObjectID, folders: FolderChange) {
    let change = try edit(base, edits[...], prefix: 0)
    if let root = change.new { return (root, change) }
    return (try writer.write(.tree, []), change)
  }

  /// What is to happen to one name in a folder.
  private struct Operation {
    let name: ArraySlice<UInt8>
    var file: Edit?
    var folder: Range<Int>?
  }

  private func edit(
    _ base: ObjectID?, _ edits: ArraySlice<Edit>, prefix: Int
  ) throws -> FolderChange {
    let change = FolderChange(old: base)
    let old = try base.map { try repository.read($0).bytes } ?? []
    let operations = Self.operations(edits, prefix: prefix)
    var rows = OldRows(old)
    var kept: [Range<Int>] = []
    var found = [OldRows.Row?](repeating: nil, count: operations.count)
    while let row = try rows.next() {
      if let number = Self.position(of: row.name, in: old, among: operations) {
        found[number] = row
      } else if let last = kept.last, last.upperBound == row.bytes.lowerBound {
        kept[kept.count - 1] = last.lowerBound..<row.bytes.upperBound
      } else {
        kept.append(row.bytes)
      }
    }
    var made: [NewRow] = []
    made.reserveCapacity(operations.count)
    for (operation, row) in zip(operations, found) {
      if let new = try apply(operation, to: row, old, edits, prefix: prefix, change) {
        made.append(new)
      }
    }
    let bytes = try Self.merge(old, kept: kept, made)
    if bytes.isEmpty { return change }
    change.new = bytes == old ? base : try writer.write(.tree, bytes)
    return change
  }

  private func apply(
    _ operation: Operation, to row: OldRows.Row?, _ old: [UInt8], _ edits: ArraySlice<Edit>,
    prefix: Int, _ change: FolderChange
  ) throws -> NewRow? {
    var folder: ObjectID?
    let isFolder = row?.isFolder ?? false
    if let range = operation.folder {
      let below = try edit(
        isFolder ? row?.id(in: old) : nil, edits[range],
        prefix: prefix + operation.name.count + 1)
      if below.old != nil || below.new != nil { change.children[Array(operation.name)] = below }
      folder = below.new
    } else if isFolder, operation.file.map({ $0.mode == 0 }) ?? false {
      // A removal of a file where a folder is: it is not there.
      folder = row?.id(in: old)
    } else if isFolder {
      change.children[Array(operation.name)] = FolderChange(old: row?.id(in: old))
    }
    // Nothing put in the folder: it is what is left of an old one, and the file takes its place.
    if let file = operation.file, file.mode != 0 {
      let isWanted = operation.folder.map { range in edits[range].contains { $0.mode != 0 } }
      if let folder, isWanted == true {
        return NewRow(name: operation.name, mode: Item.Kind.folder.rawValue, id: folder)
      }
      change.children[Array(operation.name)]?.new = nil
      change.children[Array(operation.name)]?.children = [:]
      return NewRow(name: operation.name, mode: file.mode, id: file.id)
    }
    if let folder {
      return NewRow(name: operation.name, mode: Item.Kind.folder.rawValue, id: folder)
    }
    if let row, !isFolder, operation.file == nil {
      // A folder was asked for below a file, and nothing came of it: the file stays.
      return NewRow(name: operation.name, mode: row.mode, id: row.id(in: old))
    }
    return nil
  }

  // MARK: Grouping

  /// The changes by the name they concern in this folder, sorted by name.
  private static func operations(_ edits: ArraySlice<Edit>, prefix: Int) -> [Operation] {
    var operations: [Operation] = []
    var isSorted = true
    func add(_ operation: Operation) {
      if let last = operations.last, !last.name.lexicographicallyPrecedes(operation.name) {
        isSorted = false
      }
      operations.append(operation)
    }
    var number = edits.startIndex
    while number < edits.endIndex {
      let rest = edits[number].path.bytes[prefix...]
      guard let slash = rest.firstIndex(of: RelativePath.slash) else {
        add(Operation(name: rest, file: edits[number]))
        number += 1
        continue
      }
      let start = number
      let head = rest[...slash]
      repeat {
        number += 1
      } while number < edits.endIndex
        && edits[number].path.bytes.dropFirst(prefix).starts(with: head)
      add(Operation(name: rest[..<slash], folder: start..<number))
    }
    return isSorted ? operations : joined(operations)
  }

  /// Sorts, and joins what concerns one name: "a", "a.b", "a/b" is the order of paths.
  private static func joined(_ operations: [Operation]) -> [Operation] {
    var joined: [Operation] = []
    for operation in operations.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      guard let last = joined.last, last.name.elementsEqual(operation.name) else {
        joined.append(operation)
        continue
      }
      joined[joined.count - 1] = Operation(
        name: last.name, file: last.file ?? operation.file,
        folder: last.folder ?? operation.folder)
    }
    return joined
  }

  private static func position(
    of name: Range<Int>, in bytes: [UInt8], among operations: [Operation]
  ) -> Int? {
    var low = 0
    var high = operations.count
    while low < high {
      let middle = (low + high) / 2
      let order = compare(operations[middle].name, bytes[name])
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private static func compare(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        guard let first = a.baseAddress, let second = b.baseAddress else {
          return a.count - b.count
        }
        let order = memcmp(first, second, min(a.count, b.count))
        return order != 0 ? Int(order) : a.count - b.count
      }
    }
  }

  // MARK: Rows

  private struct NewRow {
    let name: ArraySlice<UInt8>
    let mode: UInt32
    let id: ObjectID

    var isFolder: Bool { mode == Item.Kind.folder.rawValue }

    func append(to bytes: inout [UInt8]) {
      bytes.append(contentsOf: String(mode, radix: 8).utf8)
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: name)
      bytes.append(0)
      id.append(to: &bytes)
    }
  }

  /// The rows of a tree object, one after another.
  private struct OldRows {
    struct Row {
      let bytes: Range<Int>
      let name: Range<Int>
      let mode: UInt32
      var isFolder: Bool { mode == Item.Kind.folder.rawValue }
      func id(in tree: [UInt8]) -> ObjectID {
        ObjectID(bytes: Array(tree[(bytes.upperBound - ObjectID.byteCount)..<bytes.upperBound]))
      }
    }

    private let tree: [UInt8]
    private var at = 0
    init(_ tree: [UInt8]) { self.tree = tree }

    mutating func next() throws(GitError) -> Row? {
      guard at < tree.count else { return nil }
      let start = at
      var mode: UInt32 = 0
      while at < tree.count, tree[at] != UInt8(ascii: " ") {
        mode = mode << 3 | UInt32(tree[at] & 7)
        at += 1
      }
      let name = at + 1
      at = name
      while at < tree.count, tree[at] != 0 { at += 1 }
      let end = at + 1 + ObjectID.byteCount
      guard name < tree.count, end <= tree.count else {
        throw GitError(code: .generic, function: "TreeEditor", message: "a tree is damaged")
      }
      defer { at = end }
      return Row(bytes: start..<end, name: name..<at, mode: mode)
    }
  }

  /// Puts new rows between the old ones, in git's order: folders as if their names ended in "/".
  private static func merge(
    _ old: [UInt8], kept: [Range<Int>], _ made: [NewRow]
  ) throws(GitError) -> [UInt8] {
    let made = sorted(made)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(old.count + made.count * 48)
    guard !kept.isEmpty else {
      for row in made { row.append(to: &bytes) }
      return bytes
    }
    var next = 0
    for run in kept {
      var rows = OldRows(Array(old[run]))
      var copied = run.lowerBound
      while next < made.count, let row = try rows.next() {
        let name = old[
          (run.lowerBound + row.name.lowerBound)..<(run.lowerBound + row.name.upperBound)]
        while next < made.count,
          precedes(made[next].name, made[next].isFolder, name, row.isFolder)
        {
          bytes += old[copied..<(run.lowerBound + row.bytes.lowerBound)]
          copied = run.lowerBound + row.bytes.lowerBound
          made[next].append(to: &bytes)
          next += 1
        }
      }
      bytes += old[copied..<run.upperBound]
    }
    for row in made[next...] { row.append(to: &bytes) }
    return bytes
  }

  private static func sorted(_ rows: [NewRow]) -> [NewRow] {
    for (a, b) in zip(rows, rows.dropFirst())
    where !precedes(a.name, a.isFolder, b.name, b.isFolder) {
      return rows.sorted { precedes($0.name, $0.isFolder, $1.name, $1.isFolder) }
    }
    return rows
  }

  private static func precedes(
    _ a: ArraySlice<UInt8>, _ aIsFolder: Bool, _ b: ArraySlice<UInt8>, _ bIsFolder: Bool
  ) -> Bool {
    let shared = min(a.count, b.count)
    let order = compare(a.prefix(shared), b.prefix(shared))
    if order != 0 { return order < 0 }
    func after(_ name: ArraySlice<UInt8>, _ isFolder: Bool) -> UInt8 {
      if name.count > shared { return name[name.startIndex + shared] }
      return isFolder ? RelativePath.slash : 0
    }
    return after(a, aIsFolder) < after(b, bIsFolder)
  }
}

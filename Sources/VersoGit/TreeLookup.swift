package import VersoModel

/// What stands at many paths of the same trees: each folder is read once.
///
/// A folder is looked through from its start, as long as few ask; then its names are kept. A question
/// costs little in a folder of thousands, too.
package final class TreeLookup {
  private struct Folder {
    let bytes: [UInt8]
    var questions = 0
    var names: [ArraySlice<UInt8>: PathFinder.Found]?
  }

  /// From so many questions on, names are kept.
  private static let fewQuestions = 8

  private let repository: Repository
  private var folders: [ObjectID: Folder] = [:]

  package init(_ repository: Repository) { self.repository = repository }

  /// What stands at a path below `tree`; `nil` where nothing does. At the root stands `tree` itself.
  ///
  /// - Throws: ``GitError`` where a tree is missing. Damaged bytes hold nothing.
  package func find(
    _ path: RelativePath, in tree: ObjectID
  ) throws(GitError) -> PathFinder.Found? {
    var found = PathFinder.Found(mode: Item.Kind.folder.rawValue, id: tree)
    for part in path.components {
      guard found.isFolder, let next = try row(part, in: found.id) else { return nil }
      found = next
    }
    return found
  }

  private func row(
    _ name: ArraySlice<UInt8>, in tree: ObjectID
  ) throws(GitError) -> PathFinder.Found? {
    var folder: Folder
    if let known = folders[tree] {
      folder = known
    } else {
      folder = Folder(bytes: try bytes(of: tree))
    }
    if let names = folder.names { return names[name] }
    folder.questions += 1
    var found: PathFinder.Found?
    if folder.questions < Self.fewQuestions {
      Self.forEachRow(in: folder.bytes) { row, file in
        if row.elementsEqual(name) { found = file }
        return found == nil
      }
    } else {
      var names: [ArraySlice<UInt8>: PathFinder.Found] = [:]
      Self.forEachRow(in: folder.bytes) { row, file in
        if names[row] == nil { names[row] = file }
        return true
      }
      folder.names = names
      found = names[name]
    }
    folders[tree] = folder
    return found
  }

  private func bytes(of tree: ObjectID) throws(GitError) -> [UInt8] {
    let (kind, bytes) = try repository.read(tree)
    guard kind == .tree else { throw Repository.unreadable(tree: tree) }
    return bytes
  }

  /// Tells the rows of a tree object in order, as long as `body` wants more.
  private static func forEachRow(
    in tree: [UInt8], _ body: (ArraySlice<UInt8>, PathFinder.Found) -> Bool
  ) {
    tree.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var at = 0
      while at < bytes.count {
        let start = at
        while at < bytes.count, bytes[at] != 0x20 { at += 1 }
        let first = min(at + 1, bytes.count)
        at = first
        while at < bytes.count, bytes[at] != 0 { at += 1 }
        let id = at + 1
        guard id + ObjectID.byteCount <= bytes.count else { return }
        let mode = bytes[start..<(first - 1)].reduce(UInt32(0)) { $0 << 3 | UInt32($1 & 7) }
        let file = PathFinder.Found(mode: mode, id: ObjectID(at: base + id))
        guard body(tree[first..<at], file) else { return }
        at = id + ObjectID.byteCount
      }
    }
  }
}

import VersoDisk
import VersoGit
import VersoModel

/// Where git's index and the tree of HEAD disagree: what somebody staged by hand, or a save that
/// was cut off between index and ref.
///
/// Folders whose tree the index vouches for (its TREE extension) are not walked, so that the usual
/// answer, "nowhere", costs one comparison.
struct StagedDifference {
  /// Paths that differ: in one and not the other, or with another id or mode; sorted.
  private(set) var paths: [RelativePath] = []

  private let index: IndexFile
  private let repository: Repository

  init(between tree: ObjectID?, and index: IndexFile, in repository: Repository)
    throws(GitError)
  {
    self.index = index
    self.repository = repository
    if let tree, index.cacheTreeRoot == tree { return }
    try compare(tree, at: .root, rows: 0..<index.table.rows.count)
    paths.sort()
  }

  private mutating func compare(
    _ tree: ObjectID?, at folder: RelativePath, rows: Range<Int>
  ) throws(GitError) {
    if let tree, index.cachedTree(of: folder) == tree { return }
    let prefix = folder.isRoot ? 0 : folder.bytes.count + 1
    var entries: [[UInt8]: Repository.TreeEntry] = [:]
    if let tree {
      for entry in try repository.tree(tree) { entries[entry.name] = entry }
    }
    var position = rows.lowerBound
    while position < rows.upperBound {
      let row = index.table.rows[position]
      let rest = UnsafeRawBufferPointer(
        start: row.name + prefix, count: Int(row.nameLength) - prefix)
      if let slash = rest.firstIndex(of: RelativePath.slash) {
        let name = Array(rest[..<slash])
        let path = folder.appending(name)
        let below = index.table.rows(below: path)
        let entry = entries.removeValue(forKey: name)
        if let entry, !entry.isFolder { paths.append(path) }
        try compare(entry.flatMap { $0.isFolder ? $0.id : nil }, at: path, rows: below)
        position = below.upperBound
      } else {
        try compare(row, with: entries.removeValue(forKey: Array(rest)))
        position += 1
      }
    }
    for entry in entries.values { try missing(entry, in: folder) }
  }

  private mutating func compare(
    _ row: StatTable.Row, with entry: Repository.TreeEntry?
  ) throws(GitError) {
    if row.flags.contains(.intentToAdd), entry == nil { return }
    guard let entry, entry.mode == row.mode, entry.id == row.id else {
      paths.append(row.path)
      if let entry, entry.isFolder { try missing(entry, in: row.path.parent) }
      return
    }
  }

  /// Everything below an entry of the tree that the index does not have.
  private mutating func missing(
    _ entry: Repository.TreeEntry, in folder: RelativePath
  ) throws(GitError) {
    let path = folder.appending(entry.name)
    if entry.isFolder {
      for below in try repository.tree(entry.id) { try missing(below, in: path) }
    } else {
      paths.append(path)
    }
  }
}

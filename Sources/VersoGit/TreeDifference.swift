package import VersoModel

/// The files in which two trees differ.
///
/// Trees are compared id by id, so that equal folders are never read: the cost depends on the
/// change, not on the number of files. The index plays no part.
package enum TreeDifference {
  /// One file: what was there, and what is.
  package struct Entry: Hashable, Sendable {
    package let path: RelativePath
    /// `nil` where the file is new.
    package let old: PathFinder.Found?
    /// `nil` where the file is gone.
    package let new: PathFinder.Found?

    package init(path: RelativePath, old: PathFinder.Found?, new: PathFinder.Found?) {
      self.path = path
      self.old = old
      self.new = new
    }

    /// The same without folders; `nil` where there are only folders.
    package var ofFiles: Entry? {
      let (old, new) = (old.flatMap(\.asFile), new.flatMap(\.asFile))
      return old == nil && new == nil ? nil : Entry(path: path, old: old, new: new)
    }
  }

  /// A tree this deep is hostile: the kernel takes no path longer than 4,096 bytes.
  private static let deepest = 2048

  /// The files that differ, in git's order of names.
  ///
  /// Only files are listed, links and nested repositories among them; a file that became a folder
  /// is one removed file and as many new ones as the folder holds. A `nil` tree is one that holds
  /// nothing; `path`, where to look, is a folder or a file.
  package static func between(
    _ old: ObjectID?, _ new: ObjectID?, below path: RelativePath = .root,
    in repository: Repository
  ) throws(GitError) -> [Entry] {
    try everything(between: old, new, below: path, in: repository).compactMap(\.ofFiles)
  }

  /// The files and the folders that differ, each folder before what it holds.
  ///
  /// Where a file became a folder, one entry has both. The root is an entry too.
  package static func everything(
    between old: ObjectID?, _ new: ObjectID?, below path: RelativePath = .root,
    in repository: Repository
  ) throws(GitError) -> [Entry] {
    if old == new { return [] }
    var finder = PathFinder(path)
    var sides: [PathFinder.Found?] = []
    for tree in [old, new] {
      guard let tree else { sides.append(nil); continue }
      sides.append(try finder.find(in: tree, of: repository))
    }
    var entries: [Entry] = []
    try compare(sides[0], sides[1], at: path, depth: 0, repository, &entries)
    return entries
  }

  /// All files below `path` in `tree`, or the file that stands there.
  package static func files(
    in tree: ObjectID, below path: RelativePath = .root, of repository: Repository
  ) throws(GitError) -> [(path: RelativePath, file: PathFinder.Found)] {
    try between(nil, tree, below: path, in: repository).compactMap { entry in
      entry.new.map { (entry.path, $0) }
    }
  }

  private static func compare(
    _ old: PathFinder.Found?, _ new: PathFinder.Found?, at path: RelativePath, depth: Int,
    _ repository: Repository, _ entries: inout [Entry]
  ) throws(GitError) {
    if old == new { return }
    entries.append(Entry(path: path, old: old, new: new))
    let oldTree = old.flatMap { $0.isFolder ? $0.id : nil }
    let newTree = new.flatMap { $0.isFolder ? $0.id : nil }
    guard oldTree != newTree else { return }
    guard depth < deepest else {
      throw GitError(
        code: .generic, function: "compare", message: "\(path): more than \(deepest) folders deep")
    }
    // The pairs are copied out first: no tree stays in memory while the ones below are read.
    for pair in try pairs(oldTree, newTree, repository) {
      try compare(
        pair.old, pair.new, at: path.appending(pair.name), depth: depth + 1, repository, &entries)
    }
  }

  private struct Pair {
    let name: [UInt8]
    let old: PathFinder.Found?
    let new: PathFinder.Found?
  }

  private static func pairs(
    _ old: ObjectID?, _ new: ObjectID?, _ repository: Repository
  ) throws(GitError) -> [Pair] {
    try withBytes(of: old, repository) { (left) throws(GitError) in
      try withBytes(of: new, repository) { (right) throws(GitError) in
        try pairs(RawTreeCursor(left), RawTreeCursor(right))
      }
    }
  }

  private static func withBytes<Result>(
    of tree: ObjectID?, _ repository: Repository,
    _ body: (UnsafeRawBufferPointer) throws(GitError) -> Result
  ) throws(GitError) -> Result {
    guard let tree else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try repository.withTree(tree, body)
  }

  /// The rows that differ, found as in a merge of two sorted lists.
  private static func pairs(
    _ left: consuming RawTreeCursor, _ right: consuming RawTreeCursor
  ) throws(GitError) -> [Pair] {
    var found: [Pair] = []
    var old = try left.next()
    var new = try right.next()
    while old != nil || new != nil {
      let order: Int
      if let old, let new {
        order = RawTreeRow.order(old, new)
      } else {
        order = old == nil ? 1 : -1
      }
      let (mine, theirs) = (order <= 0 ? old : nil, order >= 0 ? new : nil)
      if let mine, let theirs, mine.sameContent(as: theirs) {
        // The same on both sides.
      } else if let name = (mine ?? theirs)?.name {
        guard isValid(name) else { throw unusable(name) }
        found.append(Pair(name: Array(name), old: mine?.found, new: theirs?.found))
      }
      if order <= 0 { old = try left.next() }
      if order >= 0 { new = try right.next() }
    }
    return joined(found)
  }

  /// One pair for what was a file and is a folder, or the other way round: trees are sorted as though
  /// a folder's name ended in a slash, so that the two stand apart.
  private static func joined(_ pairs: [Pair]) -> [Pair] {
    func isNewOrGoneFolder(_ pair: Pair) -> Bool {
      pair.old.map { $0.isFolder && pair.new == nil } ?? (pair.new?.isFolder ?? false)
    }
    guard pairs.contains(where: isNewOrGoneFolder) else { return pairs }
    var places: [[UInt8]: Int] = [:]
    var found: [Pair] = []
    for pair in pairs {
      if let place = places[pair.name] {
        let other = found[place]
        found[place] = Pair(
          name: pair.name, old: other.old ?? pair.old, new: other.new ?? pair.new)
      } else {
        places[pair.name] = found.count
        found.append(pair)
      }
    }
    return found
  }

  /// Whether a name can be a component of a path: a hostile tree may hold `..` or `a/b`, or nothing.
  static func isValid(_ name: some Collection<UInt8>) -> Bool {
    if name.isEmpty { return false }
    if name.elementsEqual([UInt8(ascii: ".")]) || name.elementsEqual("..".utf8) { return false }
    return !name.contains(RelativePath.slash)
  }

  private static func unusable(_ name: UnsafeRawBufferPointer) -> GitError {
    GitError(
      code: .invalid, function: "pairs",
      message: "a tree holds a name that no file can have: \(String(decoding: name, as: UTF8.self))"
    )
  }
}

extension RawTreeRow {
  fileprivate var found: PathFinder.Found { .init(mode: mode, id: ObjectID(at: id)) }
}

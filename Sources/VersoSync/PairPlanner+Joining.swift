import VersoGit
import VersoModel

extension PairPlanner {
  /// Of two histories that share nothing, which side has an earlier version of the other's file.
  ///
  /// A device that joins with last month's copy of the notes has nothing of its own there: its bytes
  /// are simply older. `nil` where neither is, and wherever there is a common base.
  func older(
    _ x: MergeEntry, _ y: MergeEntry, at path: RelativePath
  ) throws(GitError) -> Side? {
    guard divergence.bases.isEmpty else { return nil }
    if try versions(.second)[path]?.contains(x.id) ?? false { return .first }
    if try versions(.first)[path]?.contains(y.id) ?? false { return .second }
    return nil
  }

  /// Every content that a side ever had at each path: what each commit has otherwise than its first
  /// parent. All of that side's history is read, once, when a device joins.
  private func versions(_ side: Side) throws(GitError) -> [RelativePath: Set<ObjectID>] {
    if let known = versions[side] { return known }
    var found: [RelativePath: Set<ObjectID>] = [:]
    for id in side == .first ? divergence.mine : divergence.theirs {
      let node = try reader.node(id)
      var before = LayeredTree(root: nil)
      if let parent = node.commit.parents.first { before = try reader.node(parent).tree }
      for change in try reader.difference(before, node.tree) {
        if let entry = change.new { found[change.path, default: []].insert(entry.id) }
      }
    }
    versions[side] = found
    return found
  }

  /// How the attributes of the merged tree want a text merged; `nil` for as a whole.
  func textStyle(of path: RelativePath) throws(GitError) -> TextMerge.Style? {
    if path.name.elementsEqual(Self.attributes) { return .plain }
    var files: [(folder: RelativePath, content: [UInt8])] = []
    for folder in [.root] + path.ancestors.reversed() {
      if let content = try mergedAttributes(in: folder) { files.append((folder, content)) }
    }
    if files.isEmpty { return .plain }
    switch MergeAttributes(files).style(of: path) {
    case .lines: return .plain
    case .union: return .union
    case .whole: return nil
    }
  }

  private static let attributes = Array(".gitattributes".utf8)

  private func mergedAttributes(in folder: RelativePath) throws(GitError) -> [UInt8]? {
    let path = folder.appending(Self.attributes)
    let old = try reader.file(at: path, in: base.tree)
    let mine = try reader.file(at: path, in: first)
    let theirs = try reader.file(at: path, in: second)
    var entry = mine == old ? theirs : mine ?? (theirs == old ? nil : theirs)
    if let mine, let theirs {
      var merge = FileMerge(
        self, base: old, x: mine, y: theirs, path: path, mine: path, theirs: path)
      try merge.run()
      entry = merge.entry
    }
    guard let entry, entry.mode & 0o170000 == 0o100000,
      try reader.size(of: entry.id) <= FileMerge.largestText
    else { return nil }
    return try reader.content(of: entry.id)
  }
}

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
    if try isVersion(x.id, of: path, in: divergence.theirs) { return .first }
    if try isVersion(y.id, of: path, in: divergence.mine) { return .second }
    return nil
  }

  private func isVersion(
    _ blob: ObjectID, of path: RelativePath, in commits: [ObjectID]
  ) throws(GitError) -> Bool {
    for id in commits {
      if try reader.file(at: path, in: reader.node(id).tree)?.id == blob { return true }
    }
    return false
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

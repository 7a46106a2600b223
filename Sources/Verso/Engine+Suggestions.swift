import VersoGit
package import VersoModel

extension Engine {
  /// Where something like a path that is not there may be: names beside it in the last version, and
  /// files of the same name in other folders, the nearest folders first.
  ///
  /// - Returns: `beside` for the caller to choose the nearest from; `elsewhere`, at most three.
  package func alternatives(
    to path: RelativePath
  ) throws(VersoError) -> (beside: [RelativePath], elsewhere: [RelativePath]) {
    do throws(GitError) {
      guard !path.isRoot, let head = try repository.headCommit() else { return ([], []) }
      let tree = try repository.commit(head).tree
      let beside = try neighbours(of: path, in: tree)
      let name = Self.lowercased(path.name)
      let elsewhere = try TreeDifference.files(in: tree, of: repository).lazy
        .map(\.path).filter { Self.lowercased($0.name) == name && $0 != path }
        .sorted { Self.shared($0, path) > Self.shared($1, path) }.prefix(3)
      return (beside, Array(elsewhere))
    } catch { throw VersoError(error, "read the last version of \(root)") }
  }

  /// How many folders both paths start with.
  private static func shared(_ a: RelativePath, _ b: RelativePath) -> Int {
    zip(a.components, b.components).prefix { $0.elementsEqual($1) }.count
  }

  private static func lowercased(_ name: ArraySlice<UInt8>) -> [UInt8] {
    name.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
  }

  /// What the deepest folder above `path` that exists holds.
  private func neighbours(
    of path: RelativePath, in tree: ObjectID
  ) throws(GitError) -> [RelativePath] {
    var folder = path.parent
    while !folder.isRoot {
      if let entry = try repository.entry(at: folder, in: tree), entry.isFolder { break }
      folder = folder.parent
    }
    let id = folder.isRoot ? tree : try repository.entry(at: folder, in: tree)?.id
    guard let id else { return [] }
    return try repository.tree(id).map { folder.appending($0.name) }
  }
}

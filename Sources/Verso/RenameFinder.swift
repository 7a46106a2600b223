import VersoDisk
import VersoGit
import VersoModel

/// Pairs files that went with files that came.
///
/// The inode is what a rename keeps and nothing else shares: a file whose inode was made before the
/// old path was last seen with that very inode is the same file, whatever was edited since. (An inode
/// number alone proves nothing: ext4 gives it to the next file that is made.) What an editor wrote
/// anew and then moved has another inode; there git's similarity decides.
struct RenameFinder {
  /// Beyond so many pairs git's similarity is not asked: it reads every file of both sides.
  static let pairLimit = 200_000

  let repository: Repository
  /// What somebody saw being renamed, the new path to the old.
  private let known: [RelativePath: RelativePath]

  init(repository: Repository, known: [(old: RelativePath, new: RelativePath)] = []) {
    self.repository = repository
    self.known = Dictionary(known.map { ($0.new, $0.old) }) { first, _ in first }
  }

  /// A file that came.
  struct Arrival {
    let path: RelativePath
    let entry: SavePlan.Entry
    /// When its inode was made; `nil` where the file system does not say, and for what somebody
    /// staged earlier.
    let born: Timestamp?
  }

  func renames(
    from deletions: [SavePlanner.Deletion], to added: [Arrival]
  ) throws(GitError) -> [SavePlanner.Rename] {
    let seen = try visible(deletions, added)
    var renames: [SavePlanner.Rename] = []
    var taken = Set<RelativePath>()
    for (old, new) in seenMoving(deletions, added) + byInode(deletions, added)
    where !taken.contains(old) && !taken.contains(new) {
      taken.formUnion([old, new])
      renames.append(.init(old: old, new: new, isVisible: seen[new] == old))
    }
    for (new, old) in seen where !taken.contains(old) && !taken.contains(new) {
      renames.append(.init(old: old, new: new, isVisible: true))
    }
    return renames.sorted { $0.new < $1.new }
  }

  /// What somebody saw moving: an editor that writes a note anew in a folder that is then renamed
  /// leaves nothing else to know it by.
  private func seenMoving(
    _ deletions: [SavePlanner.Deletion], _ added: [Arrival]
  ) -> [(old: RelativePath, new: RelativePath)] {
    if known.isEmpty { return [] }
    let gone = Set(deletions.map(\.path))
    return added.compactMap { file in
      for top in [file.path] + file.path.ancestors {
        if let old = known[top], let path = file.path.replacing(prefix: top, with: old),
          gone.contains(path)
        {
          return (path, file.path)
        }
      }
      return nil
    }
  }

  private func byInode(
    _ deletions: [SavePlanner.Deletion], _ added: [Arrival]
  ) -> [(old: RelativePath, new: RelativePath)] {
    var known: [UInt32: SavePlanner.Deletion] = [:]
    for deletion in deletions where deletion.inode != 0 { known[deletion.inode] = deletion }
    var pairs: [(old: RelativePath, new: RelativePath)] = []
    for file in added {
      let inode = file.entry.inode
      guard let born = file.born, let old = known[inode],
        (old.mode == Item.Kind.link.rawValue) == (file.entry.kind == .link)
      else { continue }
      let seen = Timestamp(
        seconds: Int64(old.changed.seconds), nanoseconds: old.changed.nanoseconds)
      guard born <= seen else { continue }
      known[inode] = nil
      pairs.append((old.path, file.path))
    }
    return pairs
  }

  /// What git's similarity will pair, new path to old.
  private func visible(
    _ deletions: [SavePlanner.Deletion], _ added: [Arrival]
  ) throws(GitError) -> [RelativePath: RelativePath] {
    var pairs: [RelativePath: RelativePath] = [:]
    if deletions.count * added.count > Self.pairLimit {
      // Exact renames only, as git does past its own limit.
      var byID: [ObjectID: [RelativePath]] = [:]
      for deletion in deletions { byID[deletion.id, default: []].append(deletion.path) }
      for file in added {
        guard let olds = byID[file.entry.id], !olds.isEmpty else { continue }
        let sameName = olds.firstIndex { $0.name.elementsEqual(file.path.name) } ?? 0
        pairs[file.path] = byID[file.entry.id]?.remove(at: sameName)
      }
      return pairs
    }
    let found = try repository.similarities(
      between: deletions.map {
        TreeDifference.Entry(path: $0.path, old: .init(mode: $0.mode, id: $0.id), new: nil)
      },
      and: added.map {
        TreeDifference.Entry(
          path: $0.path, old: nil, new: .init(mode: $0.entry.kind.rawValue, id: $0.entry.id))
      })
    for pair in found { pairs[pair.new] = pair.old }
    return pairs
  }
}

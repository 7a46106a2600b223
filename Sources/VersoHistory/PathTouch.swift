import VersoGit
import VersoModel

/// That a commit has something else at a path than one of its parents, and where it came from.
struct PathTouch: Hashable {
  enum Kind: Int64 {
    case added = 0
    case modified = 1
    case gone = 2
  }

  let path: RelativePath
  /// Which parent the commit is compared with, from 0; 0 too where it has none.
  let side: Int
  let old: PathFinder.Found?
  let new: PathFinder.Found?
  /// The old name of what came to be here, or the new name of what was here.
  let other: RelativePath?

  var kind: Kind { old == nil ? .added : new == nil ? .gone : .modified }

  /// All that a commit did, side by side, sorted by path within each.
  ///
  /// `trees` are those of the parents; none is compared with for a first commit.
  static func of(
    tree: ObjectID, parents trees: [ObjectID], hints: [RenameHint], in repository: Repository
  ) throws(GitError) -> [PathTouch] {
    var sides: [[TreeDifference.Entry]] = []
    for parent in trees.isEmpty ? [nil] : trees.map(Optional.some) {
      sides.append(try TreeDifference.everything(between: parent, tree, in: repository))
    }
    let needsOrigins = needsOrigins(sides)
    var touches: [PathTouch] = []
    for (side, entries) in sides.enumerated() {
      var origins = Origins()
      if needsOrigins { origins = try Origins(of: entries, hints, repository) }
      touches += entries.map { entry in
        PathTouch(
          path: entry.path, side: side, old: entry.old, new: entry.new, other: origins[entry])
      }
    }
    return touches
  }

  /// Whether anybody will ask where something came from: only of a path in which a commit differs
  /// from all of its parents.
  private static func needsOrigins(_ sides: [[TreeDifference.Entry]]) -> Bool {
    guard let first = sides.first else { return false }
    if sides.count == 1 { return true }
    let others = sides.dropFirst().map { Set($0.map(\.path)) }
    return first.contains { entry in others.allSatisfy { $0.contains(entry.path) } }
  }
}

/// Where the files and folders of one difference came from, and went to.
private struct Origins {
  private var sources: [RelativePath: RelativePath] = [:]
  private var hinted: [RelativePath: RelativePath] = [:]
  private var goals: [RelativePath: RelativePath] = [:]

  init() {}

  init(
    of entries: [TreeDifference.Entry], _ hints: [RenameHint], _ repository: Repository
  ) throws(GitError) {
    let byPath = Dictionary(entries.map { ($0.path, $0) }) { a, _ in a }
    for hint in hints {
      for reading in hint.readings where hinted[reading.new] == nil {
        guard let old = byPath[reading.old], old.old != nil, old.new == nil else { continue }
        hinted[reading.new] = reading.old
      }
    }
    let pairs = try Renames.find(in: entries.compactMap(\.ofFiles), hints: hints, of: repository)
    if pairs.isEmpty { return }
    for pair in pairs {
      sources[pair.new] = pair.old
      goals[pair.old] = pair.new
    }
    addFolders(FolderVotes(pairs.map { ($0.new, $0.old) }), to: &sources) { path, other in
      byPath[path].map { $0.old == nil && $0.new?.isFolder == true } == true
        && byPath[other]?.new == nil && byPath[other] != nil
    }
    addFolders(FolderVotes(pairs.map { ($0.old, $0.new) }), to: &goals) { path, other in
      byPath[path].map { $0.new == nil && $0.old?.isFolder == true } == true
        && byPath[other]?.old == nil && byPath[other] != nil
    }
  }

  private func addFolders(
    _ votes: FolderVotes, to names: inout [RelativePath: RelativePath],
    where isWhole: (RelativePath, RelativePath) -> Bool
  ) {
    for (path, other) in votes.winners where isWhole(path, other) { names[path] = other }
  }

  subscript(entry: TreeDifference.Entry) -> RelativePath? {
    guard entry.old != nil else { return hinted[entry.path] ?? sources[entry.path] }
    return entry.new == nil ? goals[entry.path] : hinted[entry.path]
  }
}

import VersoGit
import VersoModel

/// Plans the merge of two commits: a function of the two and of nothing else.
final class PairPlanner {
  /// One of the two.
  enum Side: Hashable {
    case first
    case second
  }

  /// Whose saves decide about a claim to a name.
  enum KeySource: Hashable {
    /// All saves that touched the file on either side, its name included.
    case all(RelativePath?, RelativePath?)
    /// Those that changed the content on one side.
    case content(Side, RelativePath)
  }

  /// A file that wants a path in the result.
  struct Claim {
    var path: RelativePath
    let entry: MergeEntry
    let key: KeySource
    /// Whether the name is the one that the base has.
    let isHeld: Bool
    /// Where it comes from.
    let first: RelativePath?
    let second: RelativePath?
    var isCopy = false
    /// Where it is in the end.
    var place: RelativePath?
    /// The claim that it became one with.
    var joined: Int?

    /// Whether the file is at that path on neither side: it goes with a folder.
    var isSentElsewhere: Bool { path != first && path != second }
  }

  let reader: MergeReader
  let firstID: ObjectID
  let secondID: ObjectID
  let first: LayeredTree
  let second: LayeredTree
  let divergence: Divergence
  let base: MergeBase
  private let firstTrace: PathTrace
  private let secondTrace: PathTrace
  private var saves: [Side: OwnSaves] = [:]
  private var stamps: SaveStamps?
  var versions: [Side: [RelativePath: Set<ObjectID>]] = [:]
  var claims: [Claim] = []
  /// Paths of the first tree, and of the second, that some claim or deletion has dealt with.
  var handledFirst = Set<RelativePath>()
  var handledSecond = Set<RelativePath>()
  var conflicts: [MergeConflict] = []
  var warnings: [MergeWarning] = []

  /// Prepares the merge of two commits of which neither has the other.
  ///
  /// - Parameter divergence: Where they part, if that is known already.
  init(
    _ firstID: ObjectID, _ secondID: ObjectID, _ reader: MergeReader,
    divergence: Divergence? = nil
  ) throws(GitError) {
    self.reader = reader
    self.firstID = firstID
    self.secondID = secondID
    first = try reader.node(firstID).tree
    second = try reader.node(secondID).tree
    if let divergence {
      self.divergence = divergence
    } else {
      self.divergence = try Divergence(firstID, secondID, in: reader)
    }
    base = try MergeBase(self.divergence.bases, reader)
    firstTrace = try base.trace(to: firstID, over: self.divergence.mine, reader)
    secondTrace = try base.trace(to: secondID, over: self.divergence.theirs, reader)
  }

  func plan() throws(GitError) -> PairPlan {
    try claimKnownFiles()
    try claimNewFiles()
    var result = try place()
    if base.origins.count > 1 { try guardLines(&result) }
    var plan = PairPlan(tree: layered(result.files), conflicts: conflicts, warnings: warnings)
    for claim in claims {
      guard let place = claim.place else { continue }
      if let old = claim.first, old != place { plan.firstMoves[old] = place }
      if let old = claim.second, old != place { plan.secondMoves[old] = place }
    }
    return plan
  }

  /// The result as changes on top of the first tree.
  private func layered(_ result: [RelativePath: MergeEntry]) -> LayeredTree {
    var tree = first
    for path in handledFirst where result[path] == nil { tree.layer[path] = .some(nil) }
    for (path, entry) in result { tree.layer[path] = entry }
    return tree
  }

  // MARK: Keys

  func ownSaves(_ side: Side) throws(GitError) -> OwnSaves {
    if let known = saves[side] { return known }
    let isFirst = side == .first
    let own = try OwnSaves(
      of: isFirst ? firstID : secondID, over: isFirst ? divergence.mine : divergence.theirs,
      reader)
    saves[side] = own
    return own
  }

  func allStamps() throws(GitError) -> SaveStamps {
    if let stamps { return stamps }
    let made = try SaveStamps(of: divergence.mine + divergence.theirs, reader)
    stamps = made
    return made
  }

  private func key(of saves: Set<ObjectID>) throws(GitError) -> SaveKey {
    guard let last = try allStamps().last(of: saves) else { return SaveKey() }
    return SaveKey(count: saves.count, stamp: last.stamp, last: last.id)
  }

  /// Whether more own saves changed the first one's file, or a later one; `nil` where they are equal.
  ///
  /// The order of saves is only looked for where their number does not decide.
  func workedMoreOnFirst(
    _ mine: RelativePath, _ theirs: RelativePath
  ) throws(GitError) -> Bool? {
    let left = try ownSaves(.first).files[mine]?.content ?? []
    let right = try ownSaves(.second).files[theirs]?.content ?? []
    if left.count != right.count { return left.count > right.count }
    if left.isEmpty { return nil }
    let keys = (try key(of: left), try key(of: right))
    return keys.0 == keys.1 ? nil : keys.0 > keys.1
  }

  private func contentKey(_ side: Side, _ path: RelativePath) throws(GitError) -> SaveKey {
    try key(of: ownSaves(side).files[path]?.content ?? [])
  }

  private func nameKey(_ side: Side, _ path: RelativePath) throws(GitError) -> SaveKey {
    try key(of: ownSaves(side).files[path]?.name ?? [])
  }

  func key(_ source: KeySource) throws(GitError) -> SaveKey {
    switch source {
    case .content(let side, let path): return try contentKey(side, path)
    case .all(let first, let second):
      var key = SaveKey()
      for (side, path) in [(Side.first, first), (.second, second)] {
        guard let path else { continue }
        key = max(key, try contentKey(side, path), try nameKey(side, path))
      }
      return key
    }
  }

  // MARK: Claims

  /// Files of the base that are not on both sides what and where they were.
  private func claimKnownFiles() throws(GitError) {
    var paths = firstTrace.paths.union(secondTrace.paths)
    for change in try reader.difference(base.tree, first) { paths.insert(change.path) }
    for change in try reader.difference(base.tree, second) { paths.insert(change.path) }
    for path in paths.sorted() {
      guard let old = try reader.file(at: path, in: base.tree) else { continue }
      let mine = try firstTrace.place(of: path, reader)
      let theirs = try secondTrace.place(of: path, reader)
      if let mine { handledFirst.insert(mine) }
      if let theirs { handledSecond.insert(theirs) }
      if let mine, let theirs {
        try claim(path, old, mine, theirs)
      } else if let place = mine ?? theirs {
        try claimSurvivor(of: path, at: place, mine == nil ? second : first, mine, theirs)
      }
    }
  }

  /// A file that one side deleted stays if the other wrote something new into it.
  private func claimSurvivor(
    of path: RelativePath, at place: RelativePath, _ tree: LayeredTree, _ mine: RelativePath?,
    _ theirs: RelativePath?
  ) throws(GitError) {
    guard let entry = try reader.file(at: place, in: tree) else { return }
    for version in try base.versions(of: path, reader) {
      if try FileMerge.isUnedited(entry, since: version, reader) { return }
    }
    claims.append(
      Claim(
        path: place, entry: entry, key: .all(mine, theirs), isHeld: place == path, first: mine,
        second: theirs))
  }

  private func claim(
    _ path: RelativePath, _ old: MergeEntry, _ mine: RelativePath, _ theirs: RelativePath
  ) throws(GitError) {
    var name = mine
    if mine != theirs, theirs != path {
      if mine == path {
        name = theirs
      } else {
        let keys = (try nameKey(.first, mine), try nameKey(.second, theirs))
        name = (keys.0, mine) > (keys.1, theirs) ? mine : theirs
      }
    }
    try merge(old, mine, theirs, name: name, isHeld: name == path)
  }

  /// Merges what the two sides have of one file, and claims a name for it, or two.
  private func merge(
    _ old: MergeEntry?, _ mine: RelativePath, _ theirs: RelativePath, name: RelativePath,
    isHeld: Bool
  ) throws(GitError) {
    guard let x = try reader.file(at: mine, in: first),
      let y = try reader.file(at: theirs, in: second)
    else { return }
    var merge = FileMerge(self, base: old, x: x, y: y, path: name, mine: mine, theirs: theirs)
    try merge.run()
    if merge.isNestedRepository { warnings.append(.nestedRepository(name)) }
    guard let loser = merge.loser else {
      claims.append(
        Claim(
          path: name, entry: merge.entry, key: .all(mine, theirs), isHeld: isHeld, first: mine,
          second: theirs))
      return
    }
    // A conflict forks the file: what the losing device goes on to write belongs to the copy.
    claims.append(
      Claim(
        path: name, entry: merge.entry, key: .all(mine, theirs), isHeld: isHeld,
        first: loser == .first ? nil : mine, second: loser == .second ? nil : theirs))
    claims.append(
      Claim(
        path: name, entry: loser == .first ? x : y,
        key: .content(loser, loser == .first ? mine : theirs), isHeld: false,
        first: loser == .first ? mine : nil, second: loser == .second ? theirs : nil,
        isCopy: true))
  }

  /// Files that the base does not have; those in a folder that the other side moved go with it.
  private func claimNewFiles() throws(GitError) {
    let firstFolders = try movedFolders(firstTrace, first)
    let secondFolders = try movedFolders(secondTrace, second)
    var mine: [RelativePath: [RelativePath]] = [:]
    var theirs: [RelativePath: [RelativePath]] = [:]
    for path in try newFiles(firstTrace, first) {
      handledFirst.insert(path)
      mine[Self.moved(path, with: secondFolders), default: []].append(path)
    }
    for path in try newFiles(secondTrace, second) {
      handledSecond.insert(path)
      theirs[Self.moved(path, with: firstFolders), default: []].append(path)
    }
    for path in Set(mine.keys).union(theirs.keys).sorted() {
      let (left, right) = (mine[path] ?? [], theirs[path] ?? [])
      if left.count == 1, right.count == 1 {
        try merge(nil, left[0], right[0], name: path, isHeld: false)
        continue
      }
      for old in left { try claimNew(path, first, old, nil) }
      for old in right { try claimNew(path, second, nil, old) }
    }
  }

  private func claimNew(
    _ path: RelativePath, _ tree: LayeredTree, _ mine: RelativePath?, _ theirs: RelativePath?
  ) throws(GitError) {
    guard let old = mine ?? theirs, let entry = try reader.file(at: old, in: tree) else { return }
    claims.append(
      Claim(
        path: path, entry: entry, key: .all(mine, theirs), isHeld: false, first: mine,
        second: theirs))
  }

  private func newFiles(
    _ trace: PathTrace, _ tree: LayeredTree
  ) throws(GitError) -> [RelativePath] {
    var paths = Set(trace.exceptions.keys)
    for change in try reader.difference(base.tree, tree) where change.old == nil {
      paths.insert(change.path)
    }
    var found: [RelativePath] = []
    for path in paths.sorted() where try reader.file(at: path, in: tree) != nil {
      if try trace.origin(of: path, reader) == nil { found.append(path) }
    }
    return found
  }

  /// Folders of the base that a side moved as a whole: nothing is left, and all files that it still
  /// has went to one other folder, keeping their paths below it.
  private func movedFolders(
    _ trace: PathTrace, _ tree: LayeredTree
  ) throws(GitError) -> [RelativePath: RelativePath] {
    var files: [RelativePath: [RelativePath]] = [:]
    for change in try reader.difference(base.tree, tree)
    where change.old != nil && change.new == nil {
      for folder in change.path.ancestors { files[folder, default: []].append(change.path) }
    }
    var moved: [RelativePath: RelativePath] = [:]
    for (folder, paths) in files where try !reader.isFolder(folder, in: tree) {
      var targets = Set<RelativePath?>()
      for path in paths {
        guard let place = try trace.place(of: path, reader) else { continue }
        let tail = path.bytes[folder.bytes.count...]
        let isKept =
          place.bytes.count > tail.count && place.bytes.suffix(tail.count).elementsEqual(tail)
        targets.insert(isKept ? RelativePath(place.bytes.dropLast(tail.count)) : nil)
      }
      if targets.count == 1, let target = targets.first ?? nil { moved[folder] = target }
    }
    return moved
  }

  /// A path with the deepest of its folders that moved exchanged.
  private static func moved(
    _ path: RelativePath, with folders: [RelativePath: RelativePath]
  ) -> RelativePath {
    if folders.isEmpty { return path }
    for folder in path.ancestors {
      if let target = folders[folder] {
        return path.replacing(prefix: folder, with: target) ?? path
      }
    }
    return path
  }
}

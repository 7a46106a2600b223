import VersoGit
import VersoModel

/// Who gets which path: one file for each, whatever file systems make of its name.
///
/// Files that nobody touched are not among the claims. They are looked for where a claim may meet
/// them, and then take part like all others: a path where the claim's file is on neither side (its
/// folder moved), or one that claims of both sides want. A file that stays where one side has it
/// meets nothing there that this side does not live with already.
extension PairPlanner {
  func place() throws(GitError) -> PlacedFiles {
    try joinTwinFolders()
    var kept = try winners()
    var result = PlacedFiles()
    let aside = try filesInTheWayOfFolders(kept)
    kept.removeAll(where: aside.contains)
    for number in kept {
      result.put(claims[number].entry, at: claims[number].path)
      claims[number].place = claims[number].path
    }
    let losers = claims.indices.filter { claims[$0].isCopy } + aside
    try placeCopies(losers, &result)
    for number in claims.indices {
      if let winner = claims[number].joined { claims[number].place = claims[winner].place }
    }
    return result
  }

  // MARK: Files that nobody touched

  private func isUntouched(_ path: RelativePath) throws(GitError) -> Bool {
    if handledFirst.contains(path) { return false }
    return try reader.file(at: path, in: first) != nil
  }

  private func hasUntouchedFile(below folder: RelativePath) throws(GitError) -> Bool {
    guard try reader.isFolder(folder, in: first) else { return false }
    return try reader.firstFile(below: folder, in: first) { !handledFirst.contains($0) } != nil
  }

  /// Makes an untouched file take part.
  private func include(_ path: RelativePath) throws(GitError) {
    guard try isUntouched(path), let entry = try reader.file(at: path, in: first) else { return }
    handledFirst.insert(path)
    handledSecond.insert(path)
    claims.append(
      Claim(
        path: path, entry: entry, key: .all(path, path), isHeld: true, first: path, second: path))
  }

  private func isInNeither(_ path: RelativePath) throws(GitError) -> Bool {
    if try reader.file(at: path, in: first) != nil { return false }
    return try reader.file(at: path, in: second) == nil
  }

  private func isFolderInNeither(_ path: RelativePath) throws(GitError) -> Bool {
    if try reader.isFolder(path, in: first) { return false }
    return try !reader.isFolder(path, in: second)
  }

  /// What stands in a tree under names that are twins of `path`, itself among them.
  private func twins(
    of path: RelativePath, in tree: LayeredTree, folders: Bool
  ) throws(GitError) -> [RelativePath] {
    var found = [RelativePath.root]
    let parts = path.components
    for (depth, part) in parts.enumerated() {
      let wanted = FoldedPath(name: part)
      let mustBeFolder = depth + 1 < parts.count || folders
      var next: [RelativePath] = []
      for folder in found {
        for (path, isFolder) in try reader.names(in: folder, of: tree)
        where isFolder == mustBeFolder && FoldedPath(name: path.name) == wanted {
          next.append(path)
        }
      }
      found = next
    }
    return found.sorted()
  }

  // MARK: Folders

  private func claimedFolders(of numbers: some Sequence<Int>) -> Set<RelativePath> {
    var folders = Set<RelativePath>()
    for number in numbers {
      for folder in claims[number].path.ancestors {
        if !folders.insert(folder).inserted { break }
      }
    }
    return folders
  }

  /// Gives a folder that the two sides spell in two ways one name: the base's, else the smaller.
  private func joinTwinFolders() throws(GitError) {
    var spellings: [FoldedPath: Set<RelativePath>] = [:]
    for folder in claimedFolders(of: claims.indices) {
      spellings[FoldedPath(folder), default: []].insert(folder)
    }
    var picked: [FoldedPath: RelativePath] = [:]
    for (folded, claimed) in spellings {
      guard let any = claimed.first else { continue }
      if claimed.count == 1, try !isFolderInNeither(any) { continue }
      var all = claimed
      for twin in try twins(of: any, in: first, folders: true)
      where try hasUntouchedFile(below: twin) { all.insert(twin) }
      if all.count < 2 { continue }
      if try isAny(all, missingIn: first), try isAny(all, missingIn: second) {
        picked[folded] = try spelling(of: all)
      }
    }
    if picked.isEmpty { return }
    for pick in picked.values.sorted() {
      for twin in try twins(of: pick, in: first, folders: true) where twin.name != pick.name {
        for path in try reader.files(of: first, below: twin) { try include(path) }
      }
    }
    for number in claims.indices { claims[number].path = respelled(claims[number].path, picked) }
  }

  private func isAny(
    _ folders: Set<RelativePath>, missingIn tree: LayeredTree
  ) throws(GitError) -> Bool {
    for folder in folders where try !reader.isFolder(folder, in: tree) { return true }
    return false
  }

  private func spelling(of folders: Set<RelativePath>) throws(GitError) -> RelativePath? {
    let sorted = folders.sorted()
    for folder in sorted where try reader.isFolder(folder, in: base.tree) { return folder }
    return sorted.first
  }

  private func respelled(
    _ path: RelativePath, _ picked: [FoldedPath: RelativePath]
  ) -> RelativePath {
    var folder = RelativePath.root
    var folded: [ArraySlice<UInt8>] = []
    for part in path.components.dropLast() {
      folded.append(part)
      let original = RelativePath(unchecked: Array(folded.joined(separator: [RelativePath.slash])))
      folder = folder.appending(picked[FoldedPath(original)]?.name ?? part)
    }
    return folder.appending(path.name)
  }

  // MARK: Names

  private func groups() -> [FoldedPath: [Int]] {
    var groups: [FoldedPath: [Int]] = [:]
    for number in claims.indices where !claims[number].isCopy {
      groups[FoldedPath(claims[number].path), default: []].append(number)
    }
    return groups
  }

  /// Brings in untouched files that claims may meet, until no more are found.
  private func includeNeighbours() throws(GitError) {
    var seen = Set<RelativePath>()
    while true {
      let before = claims.count
      for group in groups().values {
        let path = claims[group[0]].path
        if group.count == 1, !claims[group[0]].isSentElsewhere { continue }
        if !seen.insert(path).inserted { continue }
        for twin in try twins(of: path, in: first, folders: false) { try include(twin) }
      }
      let numbers = claims.indices.filter { !claims[$0].isCopy }
      for folder in claimedFolders(of: numbers) where try isFolderInNeither(folder) {
        if !seen.insert(folder).inserted { continue }
        for twin in try twins(of: folder, in: first, folders: false) { try include(twin) }
      }
      if claims.count == before { return }
    }
  }

  /// The claims that get what they want; the others are marked as copies, or as the same file.
  private func winners() throws(GitError) -> [Int] {
    try includeNeighbours()
    var kept: [Int] = []
    for (_, group) in groups().sorted(by: { $0.key < $1.key }) {
      if group.count == 1 {
        kept += group
        continue
      }
      if try isOldTwins(group) {
        warnings.append(.twins(group.map { claims[$0].path }.sorted()))
        kept += group
        continue
      }
      let order = try ordered(group, by: precedes)
      kept.append(order[0])
      let winner = claims[order[0]].entry
      for number in order.dropFirst() {
        let entry = claims[number].entry
        if entry.id == winner.id, FileMerge.isLink(entry) == FileMerge.isLink(winner) {
          claims[number].joined = order[0]
        } else {
          claims[number].isCopy = true
          claims[number].path = claims[order[0]].path
        }
      }
    }
    return kept
  }

  /// Whether one side has all of these names already.
  private func isOldTwins(_ group: [Int]) throws(GitError) -> Bool {
    let paths = Set(group.map { claims[$0].path })
    guard paths.count == group.count else { return false }
    for tree in [first, second] {
      var hasAll = true
      for path in paths where try reader.file(at: path, in: tree) == nil { hasAll = false }
      if hasAll { return true }
    }
    return false
  }

  /// Sorted by what may fail, which the library's sort rethrows without its type; there are few.
  private func ordered(
    _ numbers: [Int], by precedes: (Int, Int) throws(GitError) -> Bool
  ) throws(GitError) -> [Int] {
    var sorted: [Int] = []
    for number in numbers {
      var place = sorted.count
      while place > 0, try precedes(number, sorted[place - 1]) { place -= 1 }
      sorted.insert(number, at: place)
    }
    return sorted
  }

  /// Who had the name in the base, a note before a link, who worked more, then by content.
  private func precedes(_ a: Int, _ b: Int) throws(GitError) -> Bool {
    let (one, other) = (claims[a], claims[b])
    if one.isHeld != other.isHeld { return one.isHeld }
    let isLink = (FileMerge.isLink(one.entry), FileMerge.isLink(other.entry))
    if isLink.0 != isLink.1 { return !isLink.0 }
    let keys = (try key(one.key), try key(other.key))
    if keys.0 != keys.1 { return keys.0 > keys.1 }
    if one.entry != other.entry { return try FileMerge.precedes(other.entry, one.entry, reader) }
    return one.path > other.path
  }

  /// Claims whose path is a folder of the result: the file steps aside.
  private func filesInTheWayOfFolders(_ kept: [Int]) throws(GitError) -> [Int] {
    let folders = claimedFolders(of: kept)
    let folded = Set(folders.map { FoldedPath($0) })
    var found: [Int] = []
    for number in kept {
      let path = claims[number].path
      let isSent = claims[number].isSentElsewhere
      if folders.contains(path) {
        found.append(number)
        continue
      }
      var isTwin = folded.contains(FoldedPath(path))
      if isSent {
        if try hasUntouchedFile(below: path) {
          found.append(number)
          continue
        }
        if try hasUntouchedTwinFolder(path) { isTwin = true }
      }
      if isTwin, try !isOldTwinOfFolder(path) { found.append(number) }
    }
    return found
  }

  private func hasUntouchedTwinFolder(_ path: RelativePath) throws(GitError) -> Bool {
    for folder in try twins(of: path, in: first, folders: true)
    where try hasUntouchedFile(below: folder) { return true }
    return false
  }

  /// Whether one side lives with a file and a folder of that name already.
  private func isOldTwinOfFolder(_ path: RelativePath) throws(GitError) -> Bool {
    for tree in [first, second] where try reader.file(at: path, in: tree) != nil {
      if try !twins(of: path, in: tree, folders: true).isEmpty { return true }
    }
    return false
  }

  // MARK: Names for copies

  /// Whether a name is taken in the result, as file systems see it.
  private func isTaken(_ path: RelativePath, _ result: PlacedFiles) throws(GitError) -> Bool {
    if result.hasTwin(of: path) { return true }
    for twin in try twins(of: path, in: first, folders: false) where try isUntouched(twin) {
      return true
    }
    return try hasUntouchedTwinFolder(path)
  }

  /// A file of the result with the same root name, folder and bytes.
  private func equalCopy(
    of path: RelativePath, _ entry: MergeEntry, _ result: PlacedFiles
  ) throws(GitError) -> RelativePath? {
    let (folder, root) = (path.parent, CopyName(of: path.name).root)
    func isFamily(_ other: RelativePath) -> Bool {
      other.parent == folder && CopyName(of: other.name).root == root
    }
    var found = result.paths(in: folder).filter { result.files[$0] == entry && isFamily($0) }
    for (other, isFolder) in try reader.names(in: folder, of: first)
    where !isFolder && isFamily(other) {
      if try isUntouched(other), try reader.file(at: other, in: first) == entry {
        found.append(other)
      }
    }
    return found.min { (FoldedPath($0), $0) < (FoldedPath($1), $1) }
  }

  private func placeCopies(
    _ numbers: [Int], _ result: inout PlacedFiles
  ) throws(GitError) {
    for number in try ordered(numbers, by: isCopyBefore) {
      let claim = claims[number]
      if let equal = try equalCopy(of: claim.path, claim.entry, result) {
        claims[number].place = equal
        continue
      }
      let save = try lastSave(of: claim)
      let path = try freeName(
        for: claim.entry, beside: claim.path, by: save, result)
      result.put(claim.entry, at: path)
      claims[number].place = path
      if try isInNeither(path) {
        conflicts.append(
          MergeConflict(
            path: claim.path, copy: path, device: save.device, time: save.time.seconds))
      }
    }
  }

  /// The first name for a copy that nothing else has.
  func freeName(
    for entry: MergeEntry, beside path: RelativePath, by save: MergeCommit, _ result: PlacedFiles
  ) throws(GitError) -> RelativePath {
    let name = CopyName(of: path.name)
    var number = 1
    while true {
      let copy = path.parent.appending(
        name.name(device: save.device, time: save.time, blob: entry.id, number: number))
      if result.files[copy] == entry { return copy }
      if try !isTaken(copy, result) { return copy }
      number += 1
    }
  }

  private func isCopyBefore(_ a: Int, _ b: Int) throws(GitError) -> Bool {
    let (one, other) = (claims[a], claims[b])
    if one.path != other.path { return one.path < other.path }
    if one.entry != other.entry { return try FileMerge.precedes(one.entry, other.entry, reader) }
    return try key(one.key) < key(other.key)
  }

  /// The save that a copy is named after: the last that touched the file; where only merges changed
  /// it, the newest of one side only, else of all.
  private func lastSave(of claim: Claim) throws(GitError) -> MergeCommit {
    if let last = try key(claim.key).last { return try reader.node(last).commit }
    return try newestSave()
  }
}

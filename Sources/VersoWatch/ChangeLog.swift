import VersoModel

/// Adds up what happens to a tree, step by step, to what is different in the end.
///
/// Rounds of looks and the events between them make steps that build on each other: a folder moves, a
/// file appears in it, the folder moves again. Whoever draws the tree wants to know none of that.
struct ChangeLog {
  /// Paths as they were at the last ``take()``.
  private var removed: Set<RelativePath> = []
  /// Where things are now, and where they were at the last ``take()``.
  private var origins: [RelativePath: RelativePath] = [:]
  /// What is new, by its path now; folders have no kind.
  private var added: [RelativePath: Item.Kind?] = [:]
  private var modified: Set<RelativePath> = []

  // MARK: Steps

  mutating func add(_ path: RelativePath, _ kind: Item.Kind?) { added[path] = .some(kind) }

  mutating func modify(_ path: RelativePath) {
    if added[path] == nil { modified.insert(path) }
  }

  /// Notes that a path is gone, with all below it where it is a folder.
  mutating func remove(_ path: RelativePath, isFolder: Bool) {
    if let old = oldPath(of: path) { removed.insert(old) }
    added[path] = nil
    modified.remove(path)
    origins[path] = nil
    if !isFolder { return }
    for (now, old) in origins where path.contains(now) {
      removed.insert(old)
      origins[now] = nil
    }
    for now in added.keys where path.contains(now) { added[now] = nil }
    for now in modified where path.contains(now) { modified.remove(now) }
  }

  /// Notes that something has another path.
  ///
  /// - Precondition: Nothing is at the new path any more.
  mutating func rename(_ old: RelativePath, to new: RelativePath, isFolder: Bool) {
    let origin = oldPath(of: old)
    origins[old] = nil
    if let kind = added.removeValue(forKey: old) { added[new] = .some(kind) }
    if modified.remove(old) != nil { modified.insert(new) }
    if isFolder { rebase(old, to: new) }
    if let origin, origin != oldPath(of: new) { origins[new] = origin }
  }

  private mutating func rebase(_ old: RelativePath, to new: RelativePath) {
    let items = added.filter { old.contains($0.key) }
    for path in items.keys { added[path] = nil }
    for (path, kind) in items {
      if let path = path.replacing(prefix: old, with: new) { added[path] = .some(kind) }
    }
    let moves = origins.filter { old.contains($0.key) }
    for path in moves.keys { origins[path] = nil }
    for (path, origin) in moves {
      if let path = path.replacing(prefix: old, with: new) { origins[path] = origin }
    }
    let edits = modified.filter { old.contains($0) }
    modified.subtract(edits)
    for path in edits {
      if let path = path.replacing(prefix: old, with: new) { modified.insert(path) }
    }
  }

  /// What had to be said of `path` at the last ``take()``; `nil` where it is new.
  private func oldPath(of path: RelativePath) -> RelativePath? {
    if origins.isEmpty, added.isEmpty { return path }
    for folder in [path] + path.ancestors {
      if let old = origins[folder] { return path.replacing(prefix: folder, with: old) }
      if added[folder] != nil { return nil }
    }
    return path
  }

  // MARK: The sum

  /// Forgets everything.
  mutating func clear() { self = ChangeLog() }

  /// The sum of all steps since the last call; each list by path, folders before what they hold.
  mutating func take() -> [LiveChange] {
    defer { clear() }
    // What lay in something that was renamed did not go with what is above that.
    let sources = Set(origins.values)
    let gone = removed.filter { path in
      let above = path.ancestors.first { removed.contains($0) || sources.contains($0) }
      return above.map(sources.contains) ?? true
    }
    var sum: [LiveChange] = gone.sorted().map { .removed($0) }
    sum += added.sorted { $0.key < $1.key }.map { path, kind in
      kind.map { .added(path, $0) } ?? .addedFolder(path)
    }
    sum += origins.sorted { $0.key < $1.key }.map { .renamed(from: $0.value, to: $0.key) }
    sum += modified.sorted().map { .modified($0) }
    return sum
  }
}

/// What happened on disk at one moment, as the engine's batches tell it.
///
/// It is applied so: everything in ``removed``, and the old paths of ``renamed``, are taken out with all
/// below them, folders after what they hold; then everything in ``added`` and the new paths of
/// ``renamed`` are put in, folders before what they hold. Two notes that were exchanged are two renames.
public struct DiskBatch: Hashable, Sendable {
  /// The same file or folder under another path.
  public struct Rename: Hashable, Sendable {
    /// The path before.
    public let old: RelativePath
    /// The path after.
    public let new: RelativePath

    /// Makes a rename.
    public init(_ old: RelativePath, _ new: RelativePath) {
      self.old = old
      self.new = new
    }
  }

  /// Old paths, each gone with all that was below it and was not renamed.
  public var removed: [RelativePath]
  /// What appeared, or was replaced by something else of the same path.
  public var added: [Item]
  /// What has another path.
  public var renamed: [Rename]
  /// Files, by new paths, whose content differs. Where the content's id is known, one that it had
  /// before is no change.
  public var modified: [Item]
  /// New paths that can no longer be read.
  public var unreadable: [RelativePath]
  /// New paths that can be read again.
  public var readable: [RelativePath]

  /// Makes a batch.
  public init(
    removed: [RelativePath] = [], added: [Item] = [], renamed: [Rename] = [],
    modified: [Item] = [], unreadable: [RelativePath] = [], readable: [RelativePath] = []
  ) {
    self.removed = removed
    self.added = added
    self.renamed = renamed
    self.modified = modified
    self.unreadable = unreadable
    self.readable = readable
  }

  /// Whether nothing happened.
  public var isEmpty: Bool { self == DiskBatch() }
}

/// Where a batch takes each path.
struct PathMap {
  private var newPaths: [RelativePath: RelativePath] = [:]
  private var oldPaths: [RelativePath: RelativePath] = [:]

  init(_ batch: DiskBatch) {
    for rename in batch.renamed {
      newPaths[rename.old] = rename.new
      oldPaths[rename.new] = rename.old
    }
  }

  /// The new path of exactly this item, if it was renamed itself.
  func rename(of old: RelativePath) -> RelativePath? { newPaths[old] }

  /// Where what was at `old` is to be looked for: a path removed and made again keeps its place.
  func newPath(of old: RelativePath) -> RelativePath {
    if newPaths.isEmpty || old.isRoot { return old }
    if let new = newPaths[old] { return new }
    for ancestor in old.ancestors {
      guard let new = newPaths[ancestor] else { continue }
      return old.replacing(prefix: ancestor, with: new) ?? old
    }
    return old
  }

  /// The path that the folder or file of `new` had, or that of what it took the place of; `nil` where
  /// what was there has gone elsewhere.
  func oldPath(of new: RelativePath) -> RelativePath? {
    if newPaths.isEmpty || new.isRoot { return new }
    if let old = oldPaths[new] { return old }
    guard let place = place(of: new), newPaths[place] == nil else { return nil }
    return place
  }

  /// The path that what stands at `new` would have had before, by its folder and name.
  func place(of new: RelativePath) -> RelativePath? {
    oldPath(of: new.parent)?.appending(new.name)
  }
}

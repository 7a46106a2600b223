import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

extension Engine {
  /// What differs between the last version and the disk, by lines.
  ///
  /// - Parameter paths: Where to look; empty for everywhere.
  package func differencesOnDisk(
    below paths: [RelativePath]
  ) throws(VersoError) -> [LineDifference] {
    let changes = try status(of: paths.isEmpty ? nil : paths).changes
    do {
      let tree = try repository.headCommit().map { try repository.commit($0).tree }
      return try changes.map { change in
        let from = change.oldPath ?? change.path
        let entry = try tree.flatMap { try repository.entry(at: from, in: $0) }
        let isOld = change.kind != .added
        let old = try entry.flatMap { isOld ? try side(from, $0) : nil }
        let new = change.kind == .deleted ? nil : try sideOnDisk(change.path)
        return try LineDifference(from: old, to: new)
      }
    } catch { throw VersoError(storing: error) }
  }

  /// What differs between two versions, by lines.
  ///
  /// - Parameters:
  ///   - old: A commit; `nil` for nothing at all.
  ///   - paths: Where to look, by their names in either version; empty for everywhere.
  package func differences(
    from old: ObjectID?, to new: ObjectID, below paths: [RelativePath]
  ) throws(VersoError) -> [LineDifference] {
    do throws(GitError) {
      let history = try History(repository)
      let before = try old.map { id throws(GitError) in try repository.commit(id).tree }
      let after = try repository.commit(new).tree
      var found: [LineDifference] = []
      for change in try FileChange.between(before, after, in: repository) {
        let isWanted =
          paths.isEmpty
          || paths.contains { $0.contains(change.path) || $0.contains(change.oldPath) }
        guard isWanted else { continue }
        if case .movedAway = change.kind { continue }
        found.append(try history.difference(of: change))
      }
      return found
    } catch { throw VersoError(error, "compare two versions") }
  }

  private func side(
    _ path: RelativePath, _ entry: Repository.TreeEntry
  ) throws -> LineDifference.Side? {
    if entry.isFolder { return nil }
    let isRepository = entry.mode == Item.Kind.repository.rawValue
    let bytes = isRepository ? [] : try repository.read(entry.id).bytes
    return try LineDifference.Side(path: path, mode: entry.mode, id: entry.id, content: bytes)
  }

  private func sideOnDisk(_ path: RelativePath) throws -> LineDifference.Side? {
    let reader = ConsistentRead(root: rootFolder.number, store: store)
    let content = try reader.content(of: path, writers: .ignore)
    let kind = content.status.itemKind ?? .file
    var bytes = content.bytes
    if kind != .link {
      let filter = try contentFilter()
      let hasFiles = try filter.hasAttributeFiles(above: path, root: rootFolder.number)
      switch try filter.clean(bytes, path: path, tracked: nil, hasAttributeFiles: hasFiles) {
      case .bytes(let cleaned): bytes = cleaned
      case .stored(let id): bytes = try repository.read(id).bytes
      }
    }
    return try LineDifference.Side(path: path, mode: kind.rawValue, content: bytes)
  }

  /// The entries of a folder at a commit, sorted by name; a file stands for itself.
  package func listing(
    of place: History.Place
  ) throws(VersoError) -> [(item: Item, size: Int?)] {
    do throws(GitError) {
      let entries: [Repository.TreeEntry] =
        place.content.isFolder
        ? try repository.tree(place.content.id)
        : [
          Repository.TreeEntry(
            name: Array(place.path.name), mode: place.content.mode, id: place.content.id)
        ]
      let folder = place.content.isFolder ? place.path : place.path.parent
      var found: [(item: Item, size: Int?)] = []
      for entry in entries {
        let kind = Item.Kind(rawValue: entry.mode) ?? .file
        let hasSize = !kind.isFolder && kind != .repository
        found.append(
          (
            Item(path: folder.appending(entry.name), kind: kind, content: entry.id),
            hasSize ? try repository.header(of: entry.id).size : nil
          ))
      }
      return found
    } catch { throw VersoError(error, "list \(place.path)") }
  }

  /// The bytes of a file at a commit.
  package func content(of place: History.Place) throws(VersoError) -> [UInt8] {
    do throws(GitError) { return try repository.read(place.content.id).bytes } catch {
      throw VersoError(error, "read \(place.path)")
    }
  }

  /// The commit that HEAD leads to; `nil` before the first version.
  package func head() throws(VersoError) -> ObjectID? {
    do throws(GitError) { return try repository.headCommit() } catch {
      throw VersoError(error, "read HEAD of \(root)")
    }
  }

  /// When a commit was made, in seconds since 1970.
  package func time(of commit: ObjectID) throws(VersoError) -> Int64 {
    do throws(GitError) { return try repository.commit(commit).time } catch {
      throw VersoError(error, "read \(commit.short)")
    }
  }

  /// A value of git's configuration; `nil` where none is set or readable.
  package func setting(_ key: String) -> String? {
    do throws(GitError) { return try repository.setting(key) } catch { return nil }
  }
}

extension Engine {
  /// The first parent of a commit; `nil` for the first version.
  package func parent(of commit: ObjectID) throws(VersoError) -> ObjectID? {
    do throws(GitError) { return try repository.commit(commit).parents.first } catch {
      throw VersoError(error, "read \(commit.short)")
    }
  }

  /// What differs between a version and the disk, by lines: what came since, and what is not saved.
  package func differences(
    from commit: ObjectID, below paths: [RelativePath]
  ) throws(VersoError) -> [LineDifference] {
    guard let head = try head() else { return [] }
    let unsaved = try differencesOnDisk(below: paths)
    if unsaved.isEmpty { return try differences(from: commit, to: head, below: paths) }
    // Unsaved files are compared with the old version directly, the others as saved.
    let isUnsaved = Set(unsaved.flatMap { [$0.old?.path, $0.new?.path].compactMap { $0 } })
    var found = try differences(from: commit, to: head, below: paths).filter {
      !isUnsaved.contains($0.new?.path ?? .root) && !isUnsaved.contains($0.old?.path ?? .root)
    }
    do {
      let tree = try repository.commit(commit).tree
      for difference in unsaved {
        let path = difference.old?.path ?? difference.new?.path ?? .root
        let entry = try repository.entry(at: path, in: tree)
        let old = try entry.flatMap { try side(path, $0) }
        if old == nil, difference.new == nil { continue }
        found.append(try LineDifference(from: old, to: difference.new))
      }
    } catch { throw VersoError(storing: error) }
    return found.filter { !$0.isEmpty }
  }
}

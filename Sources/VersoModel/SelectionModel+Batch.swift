extension SelectionModel {
  /// Takes what the disk did: lists, then renames, then at most one change of state.
  mutating func apply(_ batch: DiskBatch) -> Outcome {
    guard !isRootMissing else { return Outcome() }
    let batch = catalogue.withFolders(unknownPart(of: batch))
    let map = PathMap(batch)
    let listing = ListChange(batch, map, before: catalogue)
    catalogue.apply(batch)
    var outcome = Outcome(notices: listing.notices(after: catalogue))
    if let path = lost?.path { lost?.path = map.newPath(of: path) }

    let old = selection
    let (next, isLost) = follow(old, map)
    outcome.notices += renames(of: old, next, map, isLost)
    let folder = old.selectedFolder.map { map.newPath(of: $0.path) }
    if isLost {
      outcome.selectionLost = true
      leave(for: next.item, formerly: folder, map)
      outcome.notices.append(goto)
    } else {
      selection = next
      renewIdentities(keepingFolder: folder == next.selectedFolder?.path, keepingFile: true)
      if let file = modification(of: next, from: old, batch, map) {
        outcome.notices.append(.modify(file))
        selection = .selected(file)
      }
    }
    return outcome
  }

  /// As ``leave(for:)``, where the batch may have renamed the folder that stays open.
  private mutating func leave(for folder: Item?, formerly: RelativePath?, _ map: PathMap) {
    if let folder, folder.path == formerly {
      lost = nil
      if let file = selection.selectedFile, let id = fileID {
        lost = Lost(path: map.newPath(of: file.path), id: id)
      }
      selection = .nothing(in: folder)
      renewIdentities(keepingFolder: true, keepingFile: false)
    } else {
      leave(for: folder)
      lost = nil
    }
  }

  /// The batch without what this model has been told before: a program's own renames and deletions
  /// come back from the disk.
  private func unknownPart(of batch: DiskBatch) -> DiskBatch {
    var batch = batch
    batch.renamed.removeAll {
      $0.old.isRoot || $0.new.isRoot || (catalogue[$0.old] == nil && catalogue[$0.new] != nil)
    }
    batch.removed.removeAll { $0.isRoot || catalogue[$0] == nil }
    // The list of a folder that is made again loses its rows one by one.
    let again = Set(batch.added.map(\.path) + batch.renamed.map(\.new))
    let sources = Set(batch.renamed.map(\.old))
    for path in batch.removed where again.contains(path) {
      batch.removed += catalogue.descendants(of: path, besides: sources).map(\.path)
    }
    return batch
  }

  /// The selection after a batch, and whether what was selected is gone.
  ///
  /// Whatever the events say, the catalogue decides: a path that was removed and made again as the same
  /// kind of thing is the same selection.
  private func follow(_ old: Selection, _ map: PathMap) -> (next: Selection, isLost: Bool) {
    if let file = old.selectedFile {
      if let found = catalogue[map.newPath(of: file.path)], !found.isFolder {
        let content = file.content
        return (.selected(Item(path: found.path, kind: found.kind, content: content)), false)
      }
      return (.nothing(in: survivor(from: old.selectedFolder, map)), true)
    }
    guard let folder = old.item else { return (old, false) }
    let found = survivor(from: folder, map)
    if found?.path == map.newPath(of: folder.path), let found {
      return (old.state == .folderSelected ? .selected(found) : .nothing(in: found), false)
    }
    return (.nothing(in: found), true)
  }

  /// `folder` or the nearest one above it that is still there, by its new path.
  private func survivor(from folder: Item?, _ map: PathMap) -> Item? {
    var folder = folder
    while let candidate = folder {
      let path = map.newPath(of: candidate.path)
      if catalogue.hasFolder(path) { return .folder(at: path) }
      folder = candidate.containingFolder
    }
    return nil
  }

  /// The renames and moves of the selected item, and of the folders above it, outermost first.
  private func renames(
    of old: Selection, _ next: Selection, _ map: PathMap, _ isLost: Bool
  ) -> [Notice] {
    guard let item = old.item, let last = next.item else { return [] }
    let chain = item.path.ancestors.reversed() + [item.path]
    return chain.flatMap { path -> [Notice] in
      guard let new = map.rename(of: path), new.contains(last.path),
        let found = catalogue[new]
      else { return [] }
      let expected = map.newPath(of: path.parent)
      if new == expected.appending(path.name) { return [] }
      var notices: [Notice] = []
      if new.parent != expected {
        notices = [.move(found, from: .folder(at: path.parent), to: .folder(at: new.parent))]
      }
      if !new.name.elementsEqual(path.name) {
        notices.append(.rename(found, from: path, to: new))
      }
      return notices
    }
  }

  /// The selected file with its new content, if the batch may have changed that.
  private func modification(
    of next: Selection, from old: Selection, _ batch: DiskBatch, _ map: PathMap
  ) -> Item? {
    guard let file = next.selectedFile, let before = old.selectedFile else { return nil }
    let isOwnPlace = map.rename(of: before.path) == nil
    let isReplaced =
      batch.added.contains { $0.path == file.path }
      || (isOwnPlace && batch.renamed.contains { $0.new == file.path })
    let change = batch.modified.last { $0.path == file.path }
    let content = change?.content ?? batch.added.last { $0.path == file.path }?.content
    if let content, content == before.content, !batch.unreadable.contains(file.path) { return nil }
    guard
      isReplaced || change != nil || batch.unreadable.contains(file.path)
        || batch.readable.contains(file.path)
    else { return nil }
    return Item(path: file.path, kind: file.kind, content: content)
  }
}

extension SelectionModel {
  /// Takes a listing in place of events: the same as if the events had been seen, but that renames
  /// cannot be told from removals.
  mutating func rescan(_ items: [Item]) -> Outcome {
    let new = Catalogue(items)
    var batch = DiskBatch()
    for item in catalogue.allItems where new[item.path]?.isFolder != item.isFolder {
      batch.removed.append(item.path)
    }
    for item in new.allItems where catalogue[item.path] != item { batch.added.append(item) }
    // Nothing is known of contents, so the front end looks for itself.
    if let file = selection.selectedFile, !batch.added.contains(where: { $0.path == file.path }) {
      let found = items.last { $0.path == file.path }
      batch.modified = [Item(path: file.path, kind: file.kind, content: found?.content)]
    }
    return apply(batch)
  }

  /// The vault's directory is away: nothing can be selected until it returns.
  mutating func vanish() -> Outcome {
    guard !isRootMissing else { return Outcome() }
    isRootMissing = true
    catalogue = Catalogue()
    if selection == .nothing { return Outcome() }
    leave(for: nil)
    lost = nil
    return Outcome(notices: [goto], selectionLost: true)
  }

  mutating func appear(_ items: [Item]) -> Outcome {
    isRootMissing = false
    return rescan(items)
  }
}

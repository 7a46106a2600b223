/// The edits of lists that a batch comes to.
struct ListChange {
  private let batch: DiskBatch
  private let map: PathMap
  /// What stood at the paths that the batch names.
  private var before: [RelativePath: Item] = [:]
  /// Folders that had a list, as far as they can matter.
  private var listed: Set<RelativePath> = [.root]

  init(_ batch: DiskBatch, _ map: PathMap, before catalogue: Catalogue) {
    self.batch = batch
    self.map = map
    let olds = batch.removed + batch.renamed.map(\.old)
    let news = batch.added.map(\.path) + batch.renamed.map(\.new) + batch.modified.map(\.path)
    let places = (news + batch.unreadable + batch.readable).flatMap { path in
      [map.place(of: path), map.oldPath(of: path)].compactMap { $0 }
    }
    for path in olds + news + places {
      before[path] = catalogue[path]
      for folder in [path, path.parent] where catalogue.hasFolder(folder) {
        listed.insert(folder)
      }
    }
  }

  /// One notice for each list that was there before and is there after, by old paths.
  func notices(after catalogue: Catalogue) -> [SelectionModel.Notice] {
    var edits: [RelativePath: [ListEdit]] = [:]
    var (departed, arrived) = renames(catalogue, &edits)
    let come = Set(batch.added.map(\.path) + batch.renamed.map(\.new)).subtracting(arrived)
    departures(besides: departed, come, catalogue, &edits)
    departed.formUnion(batch.removed)
    departed.formUnion(batch.renamed.map(\.old))
    for path in come.sorted() { arrival(at: path, departed, come, catalogue, &edits) }
    for path in batch.renamed.map(\.new) {
      if let place = map.place(of: path) { refill(place, from: path, catalogue, &edits) }
    }
    arrived.formUnion(come)
    for item in batch.modified where !arrived.contains(item.path) {
      guard let new = catalogue[item.path], !new.isFolder,
        let holder = map.oldPath(of: item.path.parent)
      else { continue }
      edits[holder, default: []].append(.modified(new))
    }
    readability(catalogue, &edits)
    return edits.sorted { $0.key < $1.key }.compactMap { path, edits in
      guard listed.contains(path), catalogue.hasFolder(map.newPath(of: path)) else { return nil }
      return .updateList(.folder(at: path), edits)
    }
  }

  private typealias Edits = [RelativePath: [ListEdit]]

  /// Renames within one list; tells which paths they account for.
  private func renames(
    _ catalogue: Catalogue, _ edits: inout Edits
  ) -> (departed: Set<RelativePath>, arrived: Set<RelativePath>) {
    var departed: Set<RelativePath> = []
    var arrived: Set<RelativePath> = []
    for rename in batch.renamed {
      guard rename.new.parent == map.newPath(of: rename.old.parent),
        rename.old.parent == map.oldPath(of: rename.new.parent),
        let old = before[rename.old], let new = catalogue[rename.new]
      else { continue }
      departed.insert(rename.old)
      arrived.insert(rename.new)
      if !old.path.name.elementsEqual(new.path.name) {
        edits[rename.old.parent, default: []].append(.renamed(from: old, to: new))
      }
    }
    return (departed, arrived)
  }

  private func departures(
    besides departed: Set<RelativePath>, _ come: Set<RelativePath>, _ catalogue: Catalogue,
    _ edits: inout Edits
  ) {
    let gone = Set(batch.removed + batch.renamed.map(\.old)).subtracting(departed)
    for path in gone.sorted() {
      let new = map.newPath(of: path.parent).appending(path.name)
      guard let old = before[path], !stays(path, as: new, come, catalogue) else { continue }
      edits[path.parent, default: []].append(.removed(old))
    }
  }

  private func arrival(
    at path: RelativePath, _ departed: Set<RelativePath>, _ come: Set<RelativePath>,
    _ catalogue: Catalogue, _ edits: inout Edits
  ) {
    guard let new = catalogue[path], let holder = map.oldPath(of: path.parent) else { return }
    let place = holder.appending(path.name)
    let isTaken = departed.contains(place)
    switch before[place] {
    case let old?
    where old.isFolder == new.isFolder && (!isTaken || stays(place, as: path, come, catalogue)):
      if !new.isFolder { edits[holder, default: []].append(.modified(new)) }
    case let old? where !isTaken: edits[holder, default: []] += [.removed(old), .added(new)]
    default: edits[holder, default: []].append(.added(new))
    }
  }

  /// Whether what was removed at `old` was made again as the same kind of thing: one row that stays.
  private func stays(
    _ old: RelativePath, as new: RelativePath, _ come: Set<RelativePath>, _ catalogue: Catalogue
  ) -> Bool {
    come.contains(new) && map.rename(of: old) == nil
      && catalogue[new]?.isFolder == before[old]?.isFolder
  }

  /// Where a folder came in place of another that may have a list, its rows come into that list.
  private func refill(
    _ place: RelativePath, from path: RelativePath, _ catalogue: Catalogue, _ edits: inout Edits
  ) {
    guard before[place]?.isFolder == true, map.rename(of: place) == nil else { return }
    for item in catalogue.items(in: path) {
      edits[place, default: []].append(.added(item))
      if item.isFolder {
        refill(place.appending(item.path.name), from: item.path, catalogue, &edits)
      }
    }
  }

  private func readability(_ catalogue: Catalogue, _ edits: inout Edits) {
    for (paths, edit) in [(batch.unreadable, ListEdit.unreadable), (batch.readable, .readable)] {
      for path in paths where catalogue.hasFolder(path) {
        guard let place = map.oldPath(of: path) else { continue }
        edits[place, default: []].append(edit)
      }
    }
  }
}

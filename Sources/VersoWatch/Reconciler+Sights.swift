import VersoDisk
import VersoModel

extension Reconciler {
  /// What a round of looks found, added up.
  private struct Round {
    /// What stands at a place that was not there before, or is another file than before.
    var arrivals: [(place: Place, identity: FileIdentity?, sight: Sight)] = []
    /// Files and folders whose place is taken by something else now.
    var displaced: [FileIdentity: Place] = [:]
    var identities: [Place: FileIdentity] = [:]
  }

  // MARK: Taking answers

  /// Takes what looks found.
  package func handle(_ sights: [(Place, Sight)], at now: Double) {
    var round = Round()
    for (place, sight) in sights where place.folder.isAttached {
      note(place, sight, &round, at: now)
    }
    finish(&round, at: now)
  }

  /// Takes what listings found.
  ///
  /// - Parameter isAudit: Whether nobody had reason to expect a change.
  package func handle(
    _ listings: [(LiveFolder, ListingOutcome)], isAudit: Bool = false, at now: Double
  ) {
    var round = Round()
    for (folder, outcome) in listings {
      awaitedListings -= 1
      guard folder.isAttached else { continue }
      switch outcome {
      case .listed(let listing): note(folder, listing, &round, isAudit: isAudit, at: now)
      case .absent, .foreign:
        if folder === root {
          doubtsRoot = true
        } else if let parent = folder.parent {
          let place = Place(parent, folder.name)
          if case .foreign = outcome { hide(folder) } else { expect(place, at: now) }
        }
      case .unreadable: break
      }
    }
    finish(&round, at: now)
    finishListings()
  }

  /// Has a place looked at soon.
  func expect(_ place: Place, at now: Double) {
    var track = tracks[place] ?? newTrack(place, at: now)
    track.lookDue = min(track.lookDue ?? .infinity, now + rules.lookAfterClose)
    tracks[place] = track
  }

  /// Keeps a folder that something was mounted over, or that became a repository: what it held is
  /// hidden, not gone.
  private func hide(_ folder: LiveFolder) {
    folder.isListed = true
  }

  private func note(
    _ folder: LiveFolder, _ listing: Listing, _ round: inout Round, isAudit: Bool, at now: Double
  ) {
    folder.modified = listing.status.modified.nanosecondsSince1970
    folder.changed = listing.status.changed.nanosecondsSince1970
    let identity = FileIdentity(listing.status)
    if let known = folder.identity, let identity, known != identity {
      // Another folder stands there by now.
      guard let parent = folder.parent else {
        doubtsRoot = true
        return
      }
      return expect(Place(parent, folder.name), at: now)
    }
    folder.identity = identity
    bind(listing.watch, to: folder, at: now)
    let isFirst = !folder.isListed
    folder.isListed = true
    if isFirst, isStarting { return fill(folder, listing) }
    compare(folder, listing, &round, isAudit: isAudit, at: now)
  }

  /// Notes which watch a folder has. A watch that another folder had says that it was moved here.
  private func bind(_ watch: Int32?, to folder: LiveFolder, at now: Double) {
    if let old = folder.watch, old != watch { watches[old] = nil }
    folder.watch = watch
    guard let watch else { return }
    if let other = watches[watch], other !== folder, other.isAttached, let parent = other.parent {
      other.watch = nil
      expect(Place(parent, other.name), at: now)
    }
    watches[watch] = folder
    retired.remove(watch)
  }

  /// The first listing of all: nothing is new that was never seen.
  private func fill(_ folder: LiveFolder, _ listing: Listing) {
    folder.files.reserveCapacity(listing.entries.count)
    for (name, status) in listing.entries {
      if status.kind == .folder {
        let child = LiveFolder(name: name, identity: FileIdentity(status))
        folder.attach(child, as: name)
        request(child)
      } else {
        folder.files[name] = LiveFile(status)
      }
    }
  }

  private func compare(
    _ folder: LiveFolder, _ listing: Listing, _ round: inout Round, isAudit: Bool, at now: Double
  ) {
    var unseen = Set(folder.files.keys).union(folder.folders.keys)
    for (name, status) in listing.entries {
      unseen.remove(name)
      if status.kind == .folder {
        if let node = folder.folders[name], node.identity == FileIdentity(status) {
          // A folder that could not be watched or listed before.
          if !node.isListed { request(node) }
          continue
        }
      } else if folder.files[name] == LiveFile(status) {
        continue
      }
      let place = Place(folder, name)
      if isAudit, tracks[place] == nil { counters.missed += 1 }
      note(place, status.kind == .folder ? .folder(status) : .file(status), &round, at: now)
    }
    for name in unseen {
      let place = Place(folder, name)
      if isAudit, tracks[place] == nil { counters.missed += 1 }
      // Not gone for certain: it may have become ignored, or come back since.
      if tracks[place]?.missingSince == nil { noteAbsence(place, at: now) }
    }
  }

  // MARK: One place

  private func note(_ place: Place, _ sight: Sight, _ round: inout Round, at now: Double) {
    let folder = place.folder
    switch sight {
    case .absent: noteAbsence(place, at: now)
    case .foreign:
      if folder.holds(place.name) {
        remove(place)
        markUnsaved(place, at: now)
      } else {
        dropIfSaved(place)
      }
    case .unreadable: markUnsaved(place, at: now)
    case .file(let status, let isKnown):
      noteFile(place, LiveFile(status), isKnown: isKnown, sight, &round, at: now)
    case .folder(let status):
      let identity = FileIdentity(status)
      if let node = folder.folders[place.name], node.identity == identity {
        isThere(place)
        if !node.isListed { request(node) }
        return dropIfSaved(place)
      }
      arrive(place, identity, sight, &round)
    }
  }

  private func noteFile(
    _ place: Place, _ file: LiveFile, isKnown: Bool, _ sight: Sight, _ round: inout Round,
    at now: Double
  ) {
    guard let old = place.folder.files[place.name] else {
      return arrive(place, file.identity, sight, &round)
    }
    if old == file {
      isThere(place)
      return dropIfSaved(place)
    }
    guard old.identity == file.identity, old.identity != nil else {
      return arrive(place, file.identity, sight, &round)
    }
    isThere(place)
    place.folder.files[place.name] = file
    // Touched, or written with the bytes that it had.
    if isKnown, old.kind == file.kind { return dropIfSaved(place) }
    markUnsaved(place, at: now)
    changes.append(.modified(place.path))
  }

  /// Notes that a place holds what it held.
  private func isThere(_ place: Place) {
    guard let track = tracks[place], track.missingSince != nil else { return }
    tracks[place]?.missingSince = nil
    if let identity = identity(at: place) { missing[identity] = nil }
  }

  private func arrive(
    _ place: Place, _ identity: FileIdentity?, _ sight: Sight, _ round: inout Round
  ) {
    if let old = self.identity(at: place) { round.displaced[old] = place }
    if let identity { round.identities[place] = identity }
    round.arrivals.append((place, identity, sight))
  }

  private func identity(at place: Place) -> FileIdentity? {
    place.folder.files[place.name]?.identity ?? place.folder.folders[place.name]?.identity
  }

  private func noteAbsence(_ place: Place, at now: Double) {
    guard place.folder.holds(place.name) else { return dropIfSaved(place) }
    var track = tracks[place] ?? newTrack(place, at: now)
    let since = track.missingSince ?? now
    track.missingSince = since
    track.unsavedSince = track.unsavedSince ?? now
    if now - since >= rules.deletionVisible, !isSuspect {
      tracks[place] = track
      return remove(place)
    }
    track.lookDue = max(now + 0.01, since + rules.deletionVisible)
    tracks[place] = track
    if let identity = identity(at: place) { missing[identity] = place }
  }

  func markUnsaved(_ place: Place, at now: Double) {
    var track = tracks[place] ?? newTrack(place, at: now)
    track.unsavedSince = track.unsavedSince ?? now
    tracks[place] = track
  }

  private func dropIfSaved(_ place: Place) {
    guard let track = tracks[place] else { return }
    if track.unsavedSince == nil, track.lookDue == nil, track.missingSince == nil {
      tracks[place] = nil
    }
  }

  // MARK: Pairing

  private func finish(_ round: inout Round, at now: Double) {
    var sources: [Place: Place] = [:]
    for arrival in round.arrivals {
      guard let identity = arrival.identity,
        let source = missing[identity] ?? round.displaced[identity], source != arrival.place,
        source.folder.isAttached, isVacated(source, round)
      else { continue }
      sources[arrival.place] = source
    }
    let renames = takeOut(sources)
    for arrival in round.arrivals {
      if let node = renames[arrival.place]?.folder { putBack(node, at: arrival.place) }
    }
    for arrival in round.arrivals {
      if let moved = renames[arrival.place] {
        settleIn(moved, at: arrival.place, arrival.sight, at: now)
      } else {
        settleIn(arrival.place, arrival.sight, at: now)
      }
    }
  }

  /// Whether what was at `source` really left: nothing is there, or what is there came from yet
  /// another place. An editor's backup (note → note~, then a new note) leaves a new file instead: the
  /// identity of a note goes with its path then.
  private func isVacated(_ source: Place, _ round: Round) -> Bool {
    var place = source
    for _ in 0...round.arrivals.count {
      guard let now = round.identities[place] else {
        return tracks[place]?.missingSince != nil
      }
      guard let next = missing[now] ?? round.displaced[now] else { return false }
      if next == source { return true }
      place = next
    }
    return false
  }

  private struct Moved {
    let source: Place
    let oldPath: RelativePath
    let file: LiveFile?
    let folder: LiveFolder?
  }

  /// Takes everything that was renamed from its old place, before anything comes to its new one.
  private func takeOut(_ sources: [Place: Place]) -> [Place: Moved] {
    var moved: [Place: Moved] = [:]
    for (place, source) in sources {
      let node = source.folder.folders[source.name]
      if let node, node.contains(place.folder) { continue }
      moved[place] = Moved(
        source: source, oldPath: source.path, file: source.folder.files[source.name],
        folder: node)
    }
    for item in moved.values {
      if let identity = item.file?.identity ?? item.folder?.identity { missing[identity] = nil }
      item.source.folder.files[item.source.name] = nil
      if item.folder != nil { item.source.folder.lift(item.source.name) }
      tracks[item.source]?.missingSince = nil
    }
    return moved
  }

  private func putBack(_ node: LiveFolder, at place: Place) {
    if place.folder.holds(place.name) { remove(place) }
    place.folder.adopt(node, as: place.name)
  }

  /// Tells of what was renamed, and puts files to their new place.
  private func settleIn(_ moved: Moved, at place: Place, _ sight: Sight, at now: Double) {
    if moved.folder == nil, case .file(let status, _) = sight {
      let file = LiveFile(status)
      if place.folder.folders[place.name] != nil { remove(place) }
      place.folder.files[place.name] = file
      if let old = moved.file, !old.hasSameContentFields(as: file) {
        changes.append(.modified(place.path))
      }
    }
    noteRename(of: moved.oldPath, from: moved.source, to: place, at: now)
  }

  func noteRename(of oldPath: RelativePath, from: Place, to place: Place, at now: Double) {
    changes.append(.renamed(from: oldPath, to: place.path))
    link(from, to: place, at: now)
  }

  private func link(_ source: Place, to place: Place, at now: Double) {
    markUnsaved(source, at: now)
    markUnsaved(place, at: now)
    tracks[place]?.missingSince = nil
    tracks[place]?.origin = source
  }

  /// Takes in what is new at a place.
  private func settleIn(_ place: Place, _ sight: Sight, at now: Double) {
    let folder = place.folder
    tracks[place]?.missingSince = nil
    switch sight {
    case .file(let status, let isKnown):
      if folder.folders[place.name] != nil { remove(place) }
      let wasThere = folder.files[place.name] != nil
      if let old = folder.files[place.name]?.identity, missing[old] == place { missing[old] = nil }
      folder.files[place.name] = LiveFile(status)
      if !wasThere {
        changes.append(.added(place.path, LiveFile(status).kind))
      } else if !isKnown {
        changes.append(.modified(place.path))
      }
      markUnsaved(place, at: now)
    case .folder(let status):
      if folder.holds(place.name) { remove(place) }
      let child = LiveFolder(name: place.name, identity: FileIdentity(status))
      folder.attach(child, as: place.name)
      changes.append(.addedFolder(place.path))
      markUnsaved(place, at: now)
      request(child)
    case .absent, .foreign, .unreadable: return
    }
  }

  /// Takes what is at a place out of the model, with all watches below it: they would go on telling of
  /// a folder that was moved away.
  func remove(_ place: Place) {
    let path = place.path
    if let file = place.folder.files.removeValue(forKey: place.name) {
      if let identity = file.identity, missing[identity] == place { missing[identity] = nil }
      changes.append(.removed(path))
    }
    guard let node = place.folder.detach(place.name) else { return }
    if let identity = node.identity, missing[identity] == place { missing[identity] = nil }
    node.forEach { folder in
      guard let watch = folder.watch else { return }
      folder.watch = nil
      watches[watch] = nil
      retired.insert(watch)
      endedWatches.append(watch)
    }
    changes.append(.removed(path))
  }
}

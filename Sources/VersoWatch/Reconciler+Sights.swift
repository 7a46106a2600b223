import VersoDisk
import VersoModel

extension Reconciler {
  /// What a round of looks found, added up.
  struct Round {
    /// What stands at a place that was not there before, or is another file than before.
    var arrivals: [Arrival] = []
    /// Files and folders whose place is taken by something else now.
    var displaced: [FileIdentity: Place] = [:]
    var identities: [Place: FileIdentity] = [:]
  }

  struct Arrival {
    let place: Place
    let identity: FileIdentity
    let sight: Sight
  }

  // MARK: Taking answers

  /// Takes what looks found.
  package func handle(_ sights: [(Place, Sight)], at now: Double) {
    var round = Round()
    for (place, sight) in sights where place.folder.isAttached {
      note(place, sight, &round, at: now)
    }
    finish(round, at: now)
    dropDetached()
    expectOtherNames(at: now)
  }

  /// Forgets what goes on in folders that left the tree: nobody is to wait for it.
  private func dropDetached() {
    if !hasDetached { return }
    hasDetached = false
    tracks.dropDetached()
    missing = missing.filter { $0.value.folder.isAttached }
    spacing = spacing.filter { $0.key.folder.isAttached }
  }

  /// Takes what listings found.
  ///
  /// Listings that were asked for together may come in several parts: what they found is added up when
  /// the last one is here, so that what moved from one folder to another is seen to have moved.
  ///
  /// - Parameter isAudit: Whether nobody had reason to expect a change.
  package func handle(
    _ listings: [(LiveFolder, ListingOutcome)], isAudit: Bool = false, at now: Double
  ) {
    var round = openRound ?? Round()
    openRound = nil
    for (folder, outcome) in listings {
      awaitedListings -= 1
      switch outcome {
      case .listed(let listing):
        if folder.isAttached, isExpected(listing, in: folder, at: now) {
          note(folder, listing, &round, isAudit: isAudit, at: now)
        } else {
          release(listing.watch)
        }
      case .absent, .foreign, .unreadable: miss(folder, outcome, at: now)
      }
    }
    if awaitedListings > 0 {
      openRound = round
      return
    }
    finish(round, at: now)
    dropDetached()
    expectOtherNames(at: now)
    finishListings(at: now)
  }

  /// Notes that a file is new at a place, or different from before.
  func noteNames(of file: LiveFile, before: LiveFile? = nil) {
    if file.links > 1 || before?.links ?? 0 > 1 { changedUnderNames[file.identity] = file }
  }

  /// Notes that a file lost a name, by which it may have been written a moment before.
  func noteNameLost(by file: LiveFile?) {
    if let file, file.links > 1 { changedUnderNames[file.identity] = .some(nil) }
  }

  /// Has the other names of changed files looked at: what is written makes an event only at the name
  /// by which the file was opened.
  private func expectOtherNames(at now: Double) {
    if changedUnderNames.isEmpty { return }
    let changes = changedUnderNames
    changedUnderNames = [:]
    root.forEach { folder in
      let names = folder.files.names { file in
        changes[file.identity].map { $0 != file } ?? false
      }
      for name in names { expect(Place(folder, name), at: now) }
    }
  }

  /// Notes that a folder could not be listed.
  ///
  /// Where something was mounted over it, or it became a repository, what it held is hidden, not gone.
  private func miss(_ folder: LiveFolder, _ outcome: ListingOutcome, at now: Double) {
    folder.isListed = false
    guard folder.isAttached, case .absent = outcome else {
      if folder === root, case .foreign = outcome { doubtsRoot = true }
      return
    }
    guard let parent = folder.parent else { return doubtsRoot = true }
    expect(Place(parent, folder.name), at: now)
  }

  /// Whether it is this folder that was listed, and not another one that has its path by now.
  private func isExpected(_ listing: Listing, in folder: LiveFolder, at now: Double) -> Bool {
    if folder.isSame(as: listing.status) { return true }
    folder.isListed = false
    if let parent = folder.parent {
      expect(Place(parent, folder.name), at: now)
    } else {
      doubtsRoot = true
    }
    return false
  }

  /// Has a place looked at soon.
  func expect(_ place: Place, at now: Double) {
    var track = tracks[place] ?? newTrack(place, at: now)
    track.lookDue = min(track.lookDue ?? .infinity, now + rules.lookAfterClose)
    tracks[place] = track
  }

  private func note(
    _ folder: LiveFolder, _ listing: Listing, _ round: inout Round, isAudit: Bool, at now: Double
  ) {
    folder.modified = listing.status.modified.nanosecondsSince1970
    folder.changed = listing.status.changed.nanosecondsSince1970
    folder.identity = FileIdentity(listing.status)
    bind(listing.watch, to: folder, at: now)
    let isFirst = !folder.isListed
    folder.isListed = true
    if isFirst, isStarting, folder.isEmpty { return fill(folder, listing) }
    compare(folder, listing, &round, isAudit: isAudit, at: now)
  }

  /// Notes which watch a folder has. A watch that another folder had says that it was moved here.
  ///
  /// One that was not to be had this time leaves the one from before, which is as good as ever.
  private func bind(_ watch: Int32?, to folder: LiveFolder, at now: Double) {
    guard let watch else { return }
    if let old = folder.watch, old != watch, watches[old] === folder {
      watches[old] = nil
      release(old)
    }
    if let other = watches[watch], other !== folder {
      other.watch = nil
      other.isListed = false
      if let parent = other.parent { expect(Place(parent, other.name), at: now) }
    }
    folder.watch = watch
    watches[watch] = folder
    retired.remove(watch)
    endedWatches.remove(watch)
  }

  /// Ends a watch that no folder has.
  private func release(_ watch: Int32?) {
    guard let watch, watches[watch] == nil else { return }
    retired.insert(watch)
    endedWatches.insert(watch)
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
    var seen = 0
    for (name, status) in listing.entries {
      if status.kind == .folder {
        if let node = folder.folders[name], node.identity == FileIdentity(status) {
          seen += 1
          // A folder that could not be watched or listed before.
          if !node.isListed { request(node) }
          if isInNoDoubt(Place(folder, name)) { continue }
        } else if folder.holds(name) {
          seen += 1
        }
      } else if let file = folder.files[name], file == LiveFile(status) {
        seen += 1
        if isInNoDoubt(Place(folder, name)) { continue }
      } else if folder.holds(name) {
        seen += 1
      }
      let place = Place(folder, name)
      if isAudit, tracks[place] == nil, !isSame(status, as: folder.files[name]) {
        counters.missed += 1
      }
      note(place, status.kind == .folder ? .folder(status) : .file(status), &round, at: now)
    }
    if seen == folder.files.count + folder.folders.count { return }
    let names = Set(listing.entries.map(\.name))
    let gone = folder.files.keys.filter { !names.contains($0) }
    for name in gone + folder.folders.keys.filter({ !names.contains($0) }) {
      let place = Place(folder, name)
      if isAudit, tracks[place] == nil { counters.missed += 1 }
      // Not gone for certain: it may have become ignored, or come back since.
      if tracks[place]?.missingSince == nil { noteAbsence(place, at: now) }
    }
  }

  /// Whether a file has the status that it had, except for the traces of its other names: when one of
  /// them comes or goes, no event says so here.
  private func isSame(_ status: FileStatus, as file: LiveFile?) -> Bool {
    status.kind != .folder && (file?.isSame(apartFromNames: LiveFile(status)) ?? false)
  }

  /// Whether nobody believes a place to be empty.
  private func isInNoDoubt(_ place: Place) -> Bool {
    tracks[place].map { $0.missingSince == nil && !$0.isLost } ?? true
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
        tracks[place]?.isWhole = true
        tracks[place]?.missingSince = nil
      } else {
        dropIfSaved(place)
      }
    case .hidden:
      isThere(place)
      folder.folders[place.name]?.isListed = false
      dropIfSaved(place)
    case .unreadable:
      // When the folder can be read again, all of it is to be looked at.
      folder.isListed = false
      markUnsaved(place, at: now)
    case .elsewhere:
      folder.isListed = false
      if let parent = folder.parent {
        expect(Place(parent, folder.name), at: now)
      } else {
        doubtsRoot = true
      }
      noteLoss(place, at: now)
      dropIfSaved(place)
    case .file(let status, let isKnown):
      noteFile(place, LiveFile(status), isKnown: isKnown, sight, &round, at: now)
    case .folder(let status):
      let identity = FileIdentity(status)
      if let node = folder.folders[place.name], node.identity == identity {
        isThere(place)
        if !node.isListed { request(node) }
        return dropIfSaved(place)
      }
      arrive(Arrival(place: place, identity: identity, sight: sight), &round)
    }
  }

  private func noteFile(
    _ place: Place, _ file: LiveFile, isKnown: Bool, _ sight: Sight, _ round: inout Round,
    at now: Double
  ) {
    guard let old = place.folder.files[place.name], old.identity == file.identity else {
      return arrive(Arrival(place: place, identity: file.identity, sight: sight), &round)
    }
    isThere(place)
    if old == file { return dropIfSaved(place) }
    place.folder.files[place.name] = file
    noteNames(of: file, before: old)
    // Touched, or written with the bytes of its last version. That is news where others were seen.
    if isKnown, old.kind == file.kind, tracks[place]?.unsavedSince == nil {
      return dropIfSaved(place)
    }
    markUnsaved(place, at: now)
    // A name that came or went changes the status. That is no news; the bytes are compared all the same.
    let isOfNames = old.links != file.links && old.isSame(apartFromNames: file)
    if !isOfNames { log.modify(place.path) }
  }

  /// Notes that a place holds what it held.
  private func isThere(_ place: Place) {
    guard let track = tracks[place], track.missingSince != nil || track.isLost else { return }
    tracks[place]?.missingSince = nil
    tracks[place]?.isLost = false
    if let identity = identity(at: place), missing[identity] == place { missing[identity] = nil }
  }

  private func arrive(_ arrival: Arrival, _ round: inout Round) {
    if let old = identity(at: arrival.place), old.isUnique {
      round.displaced[old] = arrival.place
    }
    round.identities[arrival.place] = arrival.identity
    round.arrivals.append(arrival)
  }

  func identity(at place: Place) -> FileIdentity? {
    place.folder.files[place.name]?.identity ?? place.folder.folders[place.name]?.identity
  }

  /// Notes that what a place held is nowhere to be seen, though nobody can tell that it is gone: a note
  /// that was moved out of a folder just before that was removed is the same note.
  private func noteLoss(_ place: Place, at now: Double) {
    guard let file = place.folder.files[place.name], file.identity.isUnique else { return }
    var track = tracks[place] ?? newTrack(place, at: now)
    track.isLost = true
    tracks[place] = track
    if missing[file.identity] == nil { missing[file.identity] = place }
  }

  private func noteAbsence(_ place: Place, at now: Double) {
    guard place.folder.holds(place.name) else {
      if mayBeSaved(place) { markUnsaved(place, at: now) }
      return dropIfSaved(place)
    }
    var track = tracks[place] ?? newTrack(place, at: now)
    if track.missingSince == nil { noteNameLost(by: place.folder.files[place.name]) }
    let since = track.missingSince ?? now
    track.missingSince = since
    track.isLost = false
    track.unsavedSince = track.unsavedSince ?? now
    let isVisible = now - since >= rules.deletionVisible
    if !isVisible {
      track.lookDue = since + rules.deletionVisible
    } else if isSuspect {
      track.lookDue = now + rules.deletionVisible
    }
    tracks[place] = track
    if isVisible, !isSuspect { return remove(place) }
    if let identity = identity(at: place), identity.isUnique { missing[identity] = place }
  }

  /// Whether what nobody has seen at a place yet may have been saved already, with a folder that was
  /// saved as one just before the first event of it came.
  func mayBeSaved(_ place: Place) -> Bool {
    guard let track = tracks[place] else { return false }
    var folder: LiveFolder? = place.folder
    while let there = folder {
      if track.first <= there.savedWhole + rules.lookLimit { return true }
      folder = there.parent
    }
    return false
  }

  func markUnsaved(_ place: Place, at now: Double) {
    var track = tracks[place] ?? newTrack(place, at: now)
    // It was different from the first event on.
    track.unsavedSince = track.unsavedSince ?? min(track.first, now)
    tracks[place] = track
  }

  func dropIfSaved(_ place: Place) {
    guard let track = tracks[place] else { return }
    if track.unsavedSince == nil, track.lookDue == nil, track.missingSince == nil, !track.isLost {
      tracks[place] = nil
    }
  }

  /// Takes what is at a place out of the model, with all watches below it: they would go on telling of
  /// a folder that was moved away.
  func remove(_ place: Place) {
    let path = place.path
    if let file = place.folder.files.removeValue(forKey: place.name) {
      if missing[file.identity] == place { missing[file.identity] = nil }
      noteNameLost(by: file)
      log.remove(path, isFolder: false)
    }
    guard let node = place.folder.folders[place.name] else { return }
    if let identity = node.identity, missing[identity] == place { missing[identity] = nil }
    place.folder.detach(place.name)
    discard(node, of: place)
    log.remove(path, isFolder: true)
  }

  /// Ends what is known of a folder that left the tree.
  func discard(_ node: LiveFolder, of place: Place) {
    hasDetached = true
    node.forEach { folder in
      if place.folder.isAttached { folder.wentWith = place }
      for name in folder.files.names(where: { $0.links > 1 }) {
        noteNameLost(by: folder.files[name])
      }
      guard let watch = folder.watch else { return }
      folder.watch = nil
      watches[watch] = nil
      release(watch)
    }
  }
}

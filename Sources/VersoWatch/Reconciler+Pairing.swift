import VersoDisk
import VersoModel

extension Reconciler {
  private struct Move {
    let source: Place
    let place: Place
    let sight: Sight
    let file: LiveFile?
    let folder: LiveFolder?
    /// The path that stands for it in the log while it is nowhere.
    let limbo: RelativePath
  }

  /// Finds out what of a round moved from one place to another, and takes everything in.
  func finish(_ round: Round, at now: Double) {
    if round.arrivals.isEmpty { return }
    let moves = takeOut(sources(of: round))
    put(moves, at: now)
    let moved = Set(moves.map(\.place))
    for arrival in round.arrivals where !moved.contains(arrival.place) {
      if arrival.place.folder.isAttached { settleIn(arrival.place, arrival.sight, at: now) }
    }
  }

  // MARK: Where things came from

  private func sources(of round: Round) -> [(arrival: Arrival, source: Place)] {
    var found: [(arrival: Arrival, source: Place)] = []
    for arrival in round.arrivals {
      if let source = source(of: arrival, in: round) { found.append((arrival, source)) }
    }
    // A file that takes the place of another one is that one's new content: programs save by writing a
    // new file and renaming it.
    while !found.isEmpty {
      let leaving = Set(found.map(\.source))
      let kept = found.filter { arrival, _ in
        arrival.place.folder.files[arrival.place.name] == nil || leaving.contains(arrival.place)
      }
      if kept.count == found.count { break }
      found = kept
    }
    return found
  }

  private func source(of arrival: Arrival, in round: Round) -> Place? {
    // Only an event can tell by which of its names a file came, and where the file system tells no
    // files apart.
    if let told = tracks[arrival.place]?.companion, identity(at: told) == arrival.identity,
      isSource(told, of: arrival, in: round)
    {
      return told
    }
    guard arrival.identity.isUnique,
      let found = missing[arrival.identity] ?? round.displaced[arrival.identity],
      isSource(found, of: arrival, in: round)
    else { return nil }
    return found
  }

  private func isSource(_ source: Place, of arrival: Arrival, in round: Round) -> Bool {
    guard source != arrival.place, source.folder.isAttached,
      isVacated(source, hasOneName: arrival.sight.hasOneName, round)
    else { return false }
    switch (source.folder.folders[source.name], arrival.sight) {
    case (let node?, .folder): return !node.contains(arrival.place.folder)
    case (nil, .file): return true
    default: return false
    }
  }

  /// Whether what was at `source` really left: nothing is there, or what is there came from yet
  /// another place. An editor's backup (note → note~, then a new note) leaves a new file instead: the
  /// identity of a note goes with its path then.
  ///
  /// Where nobody could look, a file that has only its new name proves that it left.
  private func isVacated(_ source: Place, hasOneName: Bool, _ round: Round) -> Bool {
    var place = source
    for _ in 0...round.arrivals.count {
      guard let now = round.identities[place] else {
        guard let track = tracks[place] else { return false }
        return track.missingSince != nil || (track.isLost && hasOneName)
      }
      guard let next = missing[now] ?? round.displaced[now] else { return false }
      if next == source { return true }
      place = next
    }
    return false
  }

  // MARK: Moving

  /// Takes everything that was renamed from its old place, before anything comes to its new one.
  private func takeOut(_ found: [(arrival: Arrival, source: Place)]) -> [Move] {
    var taken: Set<Place> = []
    var moves: [(path: RelativePath, move: Move)] = []
    for (arrival, source) in found where taken.insert(source).inserted {
      // No name has a NUL.
      let limbo = RelativePath(unchecked: [0] + Array(String(moves.count).utf8))
      moves.append(
        (
          source.path,
          Move(
            source: source, place: arrival.place, sight: arrival.sight,
            file: source.folder.files[source.name], folder: source.folder.folders[source.name],
            limbo: limbo)
        ))
    }
    // What lies deeper goes first: its path is that of its folder before that one moves.
    moves.sort { $1.path < $0.path }
    for (path, move) in moves {
      if let identity = identity(at: move.source), missing[identity] == move.source {
        missing[identity] = nil
      }
      log.rename(path, to: move.limbo, isFolder: move.folder != nil)
      move.source.folder.files[move.source.name] = nil
      if move.folder != nil { move.source.folder.lift(move.source.name) }
    }
    return moves.map(\.move)
  }

  /// Puts everything to its new place, folders before what goes into them.
  private func put(_ moves: [Move], at now: Double) {
    var waiting = moves
    while !waiting.isEmpty {
      let (ready, later) = waiting.reduce(into: ([Move](), [Move]())) { sum, move in
        if move.place.folder.top === root { sum.0.append(move) } else { sum.1.append(move) }
      }
      // Two folders each in the other: looks that lie apart can see that, and the next ones will not.
      if ready.isEmpty {
        for move in later {
          log.remove(move.limbo, isFolder: move.folder != nil)
          if let node = move.folder { drop(node, of: move.source) }
        }
        return
      }
      for move in ready { put(move, at: now) }
      waiting = later
    }
  }

  private func drop(_ node: LiveFolder, of place: Place) {
    node.cutOff()
    discard(node, of: place)
  }

  private func put(_ move: Move, at now: Double) {
    let place = move.place
    if place.folder.holds(place.name) {
      remove(place)
      tracks[place]?.isWhole = true
    }
    if let node = move.folder {
      place.folder.adopt(node, as: place.name)
      log.rename(move.limbo, to: place.path, isFolder: true)
    } else if case .file(let status, _) = move.sight {
      let file = LiveFile(status)
      place.folder.files[place.name] = file
      noteNames(of: file)
      log.rename(move.limbo, to: place.path, isFolder: false)
      if let old = move.file, !old.hasSameContentFields(as: file) { log.modify(place.path) }
    }
    link(move.source, to: place, at: now)
  }

  /// Notes that what is at `place` was at `source`: both are saved together.
  func link(_ source: Place, to place: Place, at now: Double) {
    for end in [source, place] {
      markUnsaved(end, at: now)
      if tracks[end]?.missingSince != nil { tracks[end]?.missingSince = nil }
      if tracks[end]?.isLost == true { tracks[end]?.isLost = false }
    }
    tracks[source]?.isWhole = true
    tracks[place]?.isWhole = true
    tracks[place]?.origin = source
    tracks[place]?.companion = nil
    // What could not be listed by its old path can be now.
    place.folder.folders[place.name]?.forEach { if !$0.isListed { request($0) } }
  }

  // MARK: Taking in

  /// Takes in what is new at a place.
  private func settleIn(_ place: Place, _ sight: Sight, at now: Double) {
    switch sight {
    case .file(let status, let isKnown): settleIn(place, LiveFile(status), isKnown, at: now)
    case .folder(let status): settleIn(place, FileIdentity(status), at: now)
    case .absent, .foreign, .hidden, .unreadable, .elsewhere: return
    }
  }

  private func settleIn(_ place: Place, _ file: LiveFile, _ isKnown: Bool, at now: Double) {
    let wasFolder = place.folder.folders[place.name] != nil
    if wasFolder { remove(place) }
    let old = place.folder.files[place.name]
    if let old, missing[old.identity] == place { missing[old.identity] = nil }
    if old?.identity != file.identity { noteNameLost(by: old) }
    place.folder.files[place.name] = file
    noteNames(of: file)
    let isSaved = tracks[place]?.unsavedSince == nil
    tracks[place]?.missingSince = nil
    tracks[place]?.companion = nil
    guard let old else {
      markUnsaved(place, at: now)
      if wasFolder { tracks[place]?.isWhole = true }
      return log.add(place.path, file.kind)
    }
    // A new file with the bytes of the last version.
    if isKnown, isSaved, old.kind == file.kind { return dropIfSaved(place) }
    markUnsaved(place, at: now)
    log.modify(place.path)
  }

  private func settleIn(_ place: Place, _ identity: FileIdentity, at now: Double) {
    // Something else was there, or still is in the last version.
    let isWhole =
      place.folder.holds(place.name) || tracks[place]?.unsavedSince != nil || mayBeSaved(place)
    if place.folder.holds(place.name) { remove(place) }
    let child = LiveFolder(name: place.name, identity: identity)
    place.folder.attach(child, as: place.name)
    log.add(place.path, nil)
    tracks[place]?.missingSince = nil
    tracks[place]?.companion = nil
    markUnsaved(place, at: now)
    if isWhole { tracks[place]?.isWhole = true }
    request(child)
  }
}

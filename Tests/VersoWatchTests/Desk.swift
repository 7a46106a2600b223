import Testing
import VersoDisk
import VersoModel
import VersoWatch

/// A reconciler at work on a fake disk by a clock that is set by hand, and what it saves.
///
/// Its loop is that of the watcher: events, looks, saving. A save reads what is there at that moment.
final class Desk {
  /// What is saved of a path.
  struct Saved: Hashable {
    var content: [UInt8]
    var kind: Item.Kind
  }

  struct Commit {
    let time: Double
    /// In the words of `git diff --name-status --find-renames=100%`, sorted.
    let summary: String
    let contents: [String: String]
    let openFiles: [RelativePath]
  }

  let disk: FakeDisk
  private(set) var reconciler: Reconciler
  private(set) var saved: [RelativePath: Saved] = [:]
  private(set) var commits: [Commit] = []
  /// The times at which places were probed.
  private(set) var probes: [Double] = []
  /// What changed, one text for each moment.
  private(set) var changes: [String] = []
  private(set) var mirror: [RelativePath: Bool] = [:]
  private(set) var isOffline = false
  /// Rounds that were asked for at once again although all that was due had been done.
  private(set) var spins = 0
  private(set) var looks = 0
  /// Whether the audit of folders runs every minute.
  var audits = false
  /// Called before each look, and between a watch and the listing after it.
  var meanwhile: () -> Void = {}
  /// Called between the probes and the save, and once more before it is known to be done.
  var duringSave: () -> Void = {}
  var isIgnored: (RelativePath) -> Bool = Desk.isBackup
  /// Whether folders are polled every two seconds, as where there are no watches to be had.
  var polls = false
  /// How many of the waiting events the next step takes.
  var eventsAtOnce: () -> Int = { .max }
  private var nextAudit = FakeDisk.begin + 60
  private var nextPoll = FakeDisk.begin + 2
  private var nextRootCheck = FakeDisk.begin + 2
  private var hasMirror = false

  var now: Double { disk.now }

  /// Starts watching a disk, with everything on it saved.
  init(_ disk: FakeDisk = FakeDisk(), rules: Reconciler.Rules = .init()) {
    self.disk = disk
    reconciler = Reconciler(rules: rules)
  }

  /// Starts watching a disk with these files, all saved.
  convenience init(
    _ files: [String: String], folders: [String] = [], disk: FakeDisk = FakeDisk()
  ) {
    self.init(disk)
    for folder in folders { disk.makeFolders(folder) }
    for (path, text) in files.sorted(by: { $0.key < $1.key }) {
      if let cut = path.lastIndex(of: "/") { disk.makeFolders(String(path[..<cut])) }
      disk.write(path, text)
    }
    start()
  }

  func start() {
    wait(1)
    #expect(!reconciler.isStarting)
    save([.root], openFiles: [])
    reconciler.savedAll(before: now)
    commits = []
    changes = []
    looks = 0
  }

  static func isBackup(_ path: RelativePath) -> Bool {
    let name = String(decoding: path.name, as: UTF8.self)
    return name.hasSuffix("~") || name.hasPrefix(".") || name.hasPrefix("#")
  }

  // MARK: The clock

  /// Lets time go by, with all that is due in it.
  func wait(_ seconds: Double) {
    let end = now + seconds
    var repeats = 0
    while true {
      step()
      let due = deadline
      if due > end { break }
      repeats = due <= now ? repeats + 1 : 0
      // A save may find something to list, and that something to look at.
      if repeats > 3 { spins += 1 }
      if spins > 1000 { break }
      disk.now = max(due, now + 0.000_1)
    }
    disk.now = max(now, end)
    step()
  }

  private var deadline: Double {
    var due = isOffline ? .infinity : reconciler.nextDeadline ?? .infinity
    if audits { due = min(due, nextAudit) }
    if polls { due = min(due, nextPoll) }
    if !disk.queue.isEmpty { due = min(due, now + 0.000_5) }
    return min(due, nextRootCheck)
  }

  /// One round of the loop.
  func step() {
    let events = disk.takeEvents(eventsAtOnce())
    if !events.isEmpty { reconciler.receive(events, at: now) }
    if now >= nextRootCheck || reconciler.doubtsRoot { checkRoot() }
    if isOffline { return }
    lookAround()
    if polls, now >= nextPoll {
      nextPoll = now + 2
      list(folders(where: { $0.watch == nil }))
    }
    if audits, now >= nextAudit {
      nextAudit = now + 60
      audit()
    }
    saveWhatSettled()
  }

  private func checkRoot() {
    nextRootCheck = now + 2
    if !disk.isMounted {
      isOffline = true
    } else if isOffline || reconciler.doubtsRoot {
      isOffline = false
      disk.dropWatches()
      reconciler.restart(at: now)
    }
  }

  // MARK: Looking

  private func lookAround() {
    for round in 0..<1000 {
      for watch in reconciler.takeEndedWatches() { disk.unwatch(watch) }
      if reconciler.nothingIsDue(at: now) { break }
      if round == 999 { spins += 1 }
      let folders = reconciler.takeListings()
      reconciler.handle(folders.map { ($0, list($0)) }, at: now)
      let places = reconciler.takeLooks(at: now)
      looks += places.count
      reconciler.handle(places.map { ($0, look(at: $0)) }, at: now)
      publish()
    }
    publish()
    if !hasMirror, !reconciler.isStarting {
      hasMirror = true
      mirror = model.mapValues(\.isFolder)
    }
  }

  private func list(_ folder: LiveFolder) -> ListingOutcome {
    let path = folder.path
    meanwhile()
    guard disk.isMounted, let inode = disk.inode(path), inode.isFolder else { return .absent }
    if inode.device != 1 { return .foreign }
    if !isReadable(path) { return .unreadable }
    let status = FakeDisk.status(inode)
    let watch = disk.watch(inode)
    meanwhile()
    var entries: [(name: [UInt8], status: FileStatus)] = []
    let names = inode.entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for (name, entry) in names where isOurs(path.appending(name), entry.inode) {
      entries.append((name, FakeDisk.status(entry.inode)))
    }
    return .listed(Listing(status: status, watch: watch, entries: entries))
  }

  private func isReadable(_ folder: RelativePath) -> Bool {
    ([folder] + folder.ancestors).allSatisfy { disk.inode($0)?.isReadable ?? true }
  }

  func isOurs(_ path: RelativePath, _ inode: FakeDisk.Inode) -> Bool {
    let status = FakeDisk.status(inode)
    return status.kind != .special && inode.device == 1 && !isIgnored(path)
  }

  private func look(at place: Place) -> Sight {
    meanwhile()
    let path = place.folder.path
    guard disk.isMounted, let folder = disk.inode(path), folder.isFolder,
      place.folder.isSame(as: FakeDisk.status(folder))
    else { return .elsewhere }
    if !isReadable(path) { return .unreadable }
    guard let inode = folder.entries[place.name]?.inode else { return .absent }
    if inode.device != 1 { return .hidden }
    let below = path.appending(place.name)
    guard isOurs(below, inode) else { return .foreign }
    let status = FakeDisk.status(inode)
    if inode.isFolder { return .folder(status) }
    let isKnown = saved[below].map { $0 == Saved(content: inode.content, kind: kind(inode)) }
    let isDifferent = place.folder.files[place.name].map { $0 != LiveFile(status) } ?? false
    return .file(status, isKnownContent: isDifferent && (isKnown ?? false))
  }

  func kind(_ inode: FakeDisk.Inode) -> Item.Kind {
    LiveFile(FakeDisk.status(inode)).kind
  }

  private func probe(_ place: Place) -> Reconciler.Probe {
    let sight = look(at: place)
    guard case .file = sight, let inode = disk.inode(place.path) else {
      return .init(sight, writers: .none)
    }
    return .init(sight, writers: inode.writers > 0 ? .some : .none)
  }

  func folders(where isChosen: (LiveFolder) -> Bool) -> [LiveFolder] {
    var found: [LiveFolder] = []
    reconciler.root.forEach { if isChosen($0) { found.append($0) } }
    return found
  }

  private func list(_ folders: [LiveFolder], isAudit: Bool = false) {
    reconciler.expectListings(folders.count)
    reconciler.handle(folders.map { ($0, list($0)) }, isAudit: isAudit, at: now)
    publish()
  }

  /// Lists everything, for what no event has told.
  func audit() { list(folders { _ in true }, isAudit: true) }

  // MARK: Saving

  private func saveWhatSettled() {
    guard reconciler.isSettled(at: now) else { return }
    probes.append(now)
    // In an order that is the same each time, so that a seed stands for one walk.
    let places = reconciler.placesToSettle(at: now).sorted { $0.path < $1.path }
    let batch = reconciler.settle(places.map { ($0, probe($0)) }, at: now)
    publish()
    guard let batch else { return }
    duringSave()
    let left = save(batch.paths, openFiles: batch.openFiles)
    duringSave()
    reconciler.saved(batch, left: left, at: now)
    reconciler.receive(disk.takeEvents(.max), at: now)
    reconciler.doubtUnseen(of: batch, at: now)
  }

  /// Saves paths and what lies below them as it is.
  ///
  /// - Returns: What was left as somebody writes to it.
  @discardableResult
  private func save(_ paths: [RelativePath], openFiles: [RelativePath]) -> Set<RelativePath> {
    let before = saved
    var left: Set<RelativePath> = []
    let chosen = Set(paths)
    for old in saved.keys where !isHidden(old) {
      if ([old, .root] + old.ancestors).contains(where: chosen.contains) { saved[old] = nil }
    }
    for path in paths where !isHidden(path) {
      take(path, from: before, openFiles: Set(openFiles), leaving: &left)
    }
    note(before, openFiles)
    return left
  }

  private func isHidden(_ path: RelativePath) -> Bool {
    ([path] + path.ancestors).contains { above in
      guard let inode = disk.inode(above) else { return false }
      return inode.device != 1 || !inode.isReadable && inode.isFolder
    }
  }

  private func take(
    _ path: RelativePath, from before: [RelativePath: Saved], openFiles: Set<RelativePath>,
    leaving left: inout Set<RelativePath>
  ) {
    guard let inode = disk.inode(path), path.isRoot || isOurs(path, inode) else { return }
    if inode.isFolder {
      if !inode.isReadable { return }
      for name in inode.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        take(path.appending(name), from: before, openFiles: openFiles, leaving: &left)
      }
    } else if inode.writers > 0, !openFiles.contains(path) {
      left.insert(path)
      saved[path] = before[path]
    } else {
      for above in path.ancestors { saved[above] = nil }
      saved[path] = Saved(content: inode.content, kind: kind(inode))
    }
  }

  private func note(_ before: [RelativePath: Saved], _ openFiles: [RelativePath]) {
    if before == saved { return }
    var gone = before.filter { saved[$0.key] == nil }
    var words: [String] = []
    var contents: [String: String] = [:]
    for (path, new) in saved.sorted(by: { $0.key < $1.key }) where before[path] != new {
      contents[path.description] = String(decoding: new.content, as: UTF8.self)
      if before[path] != nil {
        words.append("M \(path)")
      } else if let old = gone.filter({ $0.value == new }).keys.min() {
        gone[old] = nil
        words.append("R \(old) -> \(path)")
      } else {
        words.append("A \(path)")
      }
    }
    words += gone.keys.sorted().map { "D \($0)" }
    commits.append(
      Commit(
        time: now, summary: words.joined(separator: ", "), contents: contents,
        openFiles: openFiles))
  }

  // MARK: What there is to see

  var model: [RelativePath: (isFolder: Bool, file: LiveFile?)] {
    var found: [RelativePath: (isFolder: Bool, file: LiveFile?)] = [:]
    reconciler.root.forEach { folder in
      if folder !== reconciler.root { found[folder.path] = (true, nil) }
      for name in folder.files.keys {
        found[folder.path.appending(name)] = (false, folder.files[name])
      }
    }
    return found
  }

  /// The summaries of all commits.
  var history: [String] { commits.map(\.summary) }

  private func publish() {
    let changes = reconciler.takeChanges()
    if changes.isEmpty { return }
    self.changes.append(changes.map(Self.words).joined(separator: ", "))
    if hasMirror { apply(changes) }
  }

  private static func words(_ change: LiveChange) -> String {
    switch change {
    case .removed(let path): "- \(path)"
    case .addedFolder(let path): "+ \(path)/"
    case .added(let path, _): "+ \(path)"
    case .renamed(let from, let to): "\(from) -> \(to)"
    case .modified(let path): "M \(path)"
    }
  }

  /// Does what a reader of the changes is told to do.
  private func apply(_ changes: [LiveChange]) {
    var lifted: [RelativePath: [RelativePath: Bool]] = [:]
    var olds: [RelativePath: RelativePath] = [:]
    for case .renamed(let from, let to) in changes { olds[to] = from }
    func lift(_ path: RelativePath) -> [RelativePath: Bool] {
      let taken = mirror.filter { path.contains($0.key) }
      for key in taken.keys { mirror[key] = nil }
      return taken
    }
    var removed: Set<RelativePath> = []
    for case .removed(let path) in changes { removed.insert(path) }
    for old in removed.union(olds.values).sorted().reversed() {
      lifted[old] = lift(old)
      if lifted[old]?[old] == nil { Issue.record("took out what is not there: \(old)") }
    }
    var news: [(RelativePath, RelativePath?, Bool)] = olds.map { ($0.key, $0.value, false) }
    for change in changes {
      if case .added(let path, _) = change { news.append((path, nil, false)) }
      if case .addedFolder(let path) = change { news.append((path, nil, true)) }
    }
    for (path, old, isFolder) in news.sorted(by: { $0.0 < $1.0 }) {
      if mirror[path] != nil { Issue.record("put in what is there: \(path)") }
      if !path.parent.isRoot, mirror[path.parent] != true {
        Issue.record("put into what is no folder: \(path)")
      }
      guard let old else {
        mirror[path] = isFolder
        continue
      }
      for (below, isFolder) in lifted[old] ?? [:] {
        if let below = below.replacing(prefix: old, with: path) { mirror[below] = isFolder }
      }
    }
    for case .modified(let path) in changes where mirror[path] != false {
      Issue.record("modified what is no file: \(path)")
    }
  }
}

import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel
package import VersoWatch

/// Saves each change of a vault once it has settled, for as long as it runs.
///
/// One thread does it all, in poll(2): events come in, the ``Reconciler`` says where to look, what has
/// settled is saved as one version. Not `Sendable`; other threads
/// reach it by its ``handle``.
package final class Watcher {
  /// How to watch.
  package struct Options {
    package var rules = Reconciler.Rules()
    /// Whether to look at the disk now and then instead of listening to the kernel.
    package var polls = false
    /// Seconds.
    package var rootCheckInterval = 2.0
    package var pollInterval = 2.0
    package var auditInterval = 60.0
    package var fullAuditInterval = 3600.0
    package var idleAfter = 30.0
    package var watchRetryInterval = 60.0
    /// Where other processes ask; `nil` where nobody can.
    package var server: ControlServer?
    /// Tells systemd how it goes.
    package var notifier: ServiceNotifier?
    /// Readable when the process is to end, such as a pipe that signal handlers write to.
    package var signals: Int32?

    package init() {}

    /// Seconds that nothing must have happened before a save.
    package var settle: Double {
      get { rules.settle }
      set { rules.settle = newValue }
    }
    /// Seconds from the first change to a save at most.
    package var settleLimit: Double {
      get { rules.settleLimit }
      set { rules.settleLimit = newValue }
    }
  }

  /// What happened, for people and programs.
  package enum Event: Sendable {
    /// Everything is being watched; how many folders.
    case started(folders: Int)
    case saved(SaveOutcome)
    /// What the directory holds changed: removals, additions, renames, modifications.
    case changed([LiveChange])
    /// Saving waits; why, and what to do.
    case waiting(VersoError)
    /// Saving goes on again.
    case resumed
    /// The vault's root is not there; nothing is saved.
    case offline(String)
    case online
    /// Events were lost, so everything is looked at.
    case rescan
    /// Part or all of the vault is looked at now and then instead of watched; why, and what to do.
    case limited(String)
    case paused(Pause)
    case stopped
  }

  package let root: String
  package let options: Options
  package let reconciler: Reconciler
  let report: (Event) -> Void
  private(set) var source: InotifySource?
  private(set) var lookout: Lookout?
  /// By which other threads reach it.
  package let handle: WatcherHandle

  // When what is due, by the monotonic clock.
  var clock = Deadlines()
  /// What the git directory was like after our last look; a difference is somebody else's work.
  private var gitState: GitState?
  private var gitWatches: Set<Int32> = []
  private var gitChangedAt: Double?
  private(set) var needsFullSave = true
  private var blocked: VersoError?
  private var failures = 0
  private(set) var isOffline = false
  private var identity: RootIdentity?
  private(set) var hasStarted = false
  private var toldLimit = false
  private var auditOffset = 0

  struct Deadlines {
    var rootCheck = 0.0
    var poll = 0.0
    var audit = 0.0
    var fullAudit = 0.0
    var watchRetry = 0.0
    var retry = 0.0
    var lastActivity = 0.0
    var suspended = 0.0
    var watchdog = Double.infinity
  }

  /// Makes a watcher for a vault.
  ///
  /// - Parameters:
  ///   - root: The root, absolute, links resolved.
  ///   - report: Told what happens, on the watcher's thread.
  package init(
    root: String, options: Options = Options(), report: @escaping (Event) -> Void
  ) throws(VersoError) {
    self.root = root
    self.options = options
    self.report = report
    reconciler = Reconciler(rules: options.rules)
    handle = try WatcherHandle()
  }

  // MARK: The loop

  /// Watches until it is stopped, then saves what has settled.
  ///
  /// - Throws: ``VersoError`` where it cannot begin: no vault, no permission. What goes wrong later is
  ///   reported and tried again.
  package func run() throws(VersoError) {
    try begin()
    defer { end() }
    while !handle.isStopped {
      wait()
      for task in handle.takeTasks() { task(self) }
      let now = MonotonicTime.now()
      takeEvents(at: now)
      if !isOffline { look(at: now) }
      keepHouse(at: now)
      answerRequests(at: now)
      if !isOffline {
        saveWhatSettled(at: MonotonicTime.now())
        rest(at: now)
      }
    }
    options.notifier?.stopping()
    saveLast()
    report(.stopped)
  }

  private func begin() throws(VersoError) {
    let engine = try openEngine()
    identity = try engine.identity()
    startListening(engine)
    let now = MonotonicTime.now()
    clock.lastActivity = now
    clock.audit = now + options.auditInterval
    clock.fullAudit = now + options.fullAuditInterval * 0.75
    clock.suspended = Self.suspendedTime
    if options.notifier?.watchdogInterval != nil { clock.watchdog = now }
  }

  private func startListening(_ engine: Engine) {
    source = nil
    if options.polls || engine.isOnNetworkFileSystem {
      tellLimit(
        "\(root) is on a file system that tells of no changes made elsewhere, so it is looked at "
          + "every \(Int(options.pollInterval)) seconds")
    } else {
      do throws(DiskError) { source = try InotifySource() } catch { tellLimit(error) }
    }
    lookout = nil
    watchGitDirectory(engine)
  }

  private func end() {
    options.server?.close()
    source?.stop()
    source = nil
    lookout = nil
  }

  private func wait() {
    let now = MonotonicTime.now()
    var due = min(clock.rootCheck, clock.watchdog)
    if !isOffline { due = min(due, clock.audit, workDue) }
    let milliseconds = max(0, min(60_000, (due - now) * 1000))
    var waits = [pollfd(fd: handle.descriptor, events: Int16(POLLIN), revents: 0)]
    let server = options.server
    for descriptor in [source?.wakeDescriptor, options.signals].compactMap({ $0 })
      + (server?.descriptors ?? [])
    {
      waits.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    for descriptor in server?.wantsWrite ?? [] {
      waits.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
    }
    _ = poll(&waits, nfds_t(waits.count), Int32(milliseconds.rounded(.up)))
    if let signals = options.signals,
      waits.contains(where: { $0.fd == signals && $0.revents != 0 })
    {
      handle.stop()
    }
  }

  /// When there is something to look at, to save or to put away.
  private var workDue: Double {
    var due = reconciler.lookDue ?? .infinity
    // What waits for somebody else is tried again in its own time.
    if let settled = reconciler.settleDue { due = min(due, max(settled, clock.retry)) }
    if needsFullSave { due = min(due, clock.retry) }
    if let gitChangedAt { due = min(due, gitChangedAt + gitQuiet) }
    if hasPolledFolders { due = min(due, clock.poll) }
    if lookout != nil, !needsFullSave, !reconciler.hasUnsaved {
      due = min(due, clock.lastActivity + options.idleAfter)
    }
    return due
  }

  func takeEvents(at now: Double) {
    guard let source else { return }
    var events = source.takeAll()
    if events.isEmpty { return }
    clock.lastActivity = now
    if !gitWatches.isEmpty {
      let count = events.count
      events.removeAll { gitWatches.contains($0.watch) && !$0.mask.contains(.overflowed) }
      if events.count < count { noteGitChange(at: now) }
    }
    let before = reconciler.isSuspect
    reconciler.receive(events, at: now)
    if reconciler.isSuspect, !before { report(.rescan) }
  }

  // MARK: Looking

  /// Looks wherever the reconciler wants, until nothing is due.
  func look(at now: Double) {
    if reconciler.doubtsRoot { return clock.rootCheck = now }
    var time = now
    for _ in 0..<10_000 {
      for watch in reconciler.takeEndedWatches() { source?.unwatch(watch) }
      guard !reconciler.nothingIsDue(at: time) else { break }
      guard let lookout = readyLookout() else { return }
      let listings = reconciler.takeListings()
      if !listings.isEmpty {
        list(listings, lookout, at: time)
        noteLimit(lookout)
      }
      let places = reconciler.takeLooks(at: time)
      if !places.isEmpty { reconciler.handle(lookout.look(at: places), at: time) }
      publish()
      time = MonotonicTime.now()
    }
    publish()
    if !hasStarted, !reconciler.isStarting {
      hasStarted = true
      report(.started(folders: reconciler.folderCounts.all))
    }
  }

  /// Lists folders a few at a time: what all of a large vault hold would fill the memory.
  private func list(
    _ folders: [LiveFolder], _ lookout: Lookout, isAudit: Bool = false, at now: Double
  ) {
    for start in stride(from: 0, to: folders.count, by: 64) {
      let some = Array(folders[start..<min(start + 64, folders.count)])
      reconciler.handle(lookout.list(some), isAudit: isAudit, at: now)
    }
  }

  func publish() {
    let changes = reconciler.takeChanges()
    if changes.isEmpty { return }
    noteRules(changes)
    report(.changed(changes))
  }

  /// Looks again at whatever a changed `.gitignore` may set free or hide.
  private func noteRules(_ changes: [LiveChange]) {
    for change in changes {
      switch change {
      case .renamed: lookout?.forgetRules()
      case .added(let path, _), .modified(let path), .removed(let path):
        guard path.name.elementsEqual(".gitignore".utf8) else { continue }
        lookout?.forgetRules()
        if let folder = reconciler.root.folder(at: path.parent) { reconciler.relist(folder) }
      case .addedFolder: continue
      }
    }
  }

  /// The lookout, made anew where it was dropped in a quiet time.
  func readyLookout() -> Lookout? {
    if let lookout { return lookout }
    do throws(VersoError) {
      let made = try Lookout(openEngine(), source: source)
      made.wantsWatches = !toldLimit
      if let old = rulesKey, old != made.rulesKey { reconciler.relist() }
      rulesKey = made.rulesKey
      lookout = made
      return made
    } catch {
      goOffline(error.message)
      return nil
    }
  }
  private var rulesKey: UInt64?

  private func openEngine() throws(VersoError) -> Engine {
    let engine = try Engine(root: root)
    guard engine.isVault else {
      throw VersoError(
        .noVault, "\(root) is a git repository, but not a vault", hint: "run: verso init \(root)")
    }
    return engine
  }

  // MARK: The user's own git

  private func watchGitDirectory(_ engine: Engine) {
    gitWatches = []
    guard let source else { return }
    for folder in [engine.gitFolder.number, engine.commonFolder.number] {
      do throws(DiskError) { gitWatches.insert(try source.watch(folder)) } catch {
        // Found at the next audit instead.
        continue
      }
    }
  }

  /// Seconds that git must have been left alone before its work is looked at.
  private var gitQuiet: Double { min(0.5, options.rules.settle) }

  private func noteGitChange(at now: Double) {
    gitChangedAt = now
    if blocked != nil {
      clock.retry = min(clock.retry, now + 0.1)
      reconciler.hasten(to: clock.retry)
    }
  }

  /// Finds out whether somebody else moved HEAD or the index: then the disk may differ from them
  /// without any event of its own (`git reset`).
  private func checkGit(at now: Double) {
    guard let changed = gitChangedAt, now - changed >= gitQuiet else { return }
    gitChangedAt = nil
    guard let lookout = readyLookout() else { return }
    let state = GitState(lookout.engine)
    if state != gitState, gitState != nil { needsFullSave = true }
    gitState = state
  }

  // MARK: Saving

  /// Whether somebody else may have moved HEAD or the index, and it is not known yet.
  var isGitUnsure: Bool {
    guard gitChangedAt != nil, let lookout = readyLookout() else { return false }
    let state = GitState(lookout.engine)
    if state == gitState {
      gitChangedAt = nil
      return false
    }
    return true
  }

  func didSaveEverything() {
    needsFullSave = false
    gitChangedAt = nil
  }

  private func saveWhatSettled(at now: Double) {
    checkGit(at: now)
    if reconciler.isStarting || now < clock.retry { return }
    if needsFullSave { return saveEverything(at: now) }
    guard reconciler.isSettled(at: now), let lookout = readyLookout() else { return }
    if let pause = lookout.engine.pausedUntil { return hold(pause, at: now) }
    let places = reconciler.placesToSettle(at: now)
    let batch = reconciler.settle(lookout.probe(places), at: now)
    publish()
    guard let batch else { return }
    save(batch, lookout.engine)
  }

  private func save(_ batch: Reconciler.Batch, _ engine: Engine) {
    var request = SaveRequest(paths: batch.paths)
    request.settles = false
    request.wait = 0.5
    request.openFiles = Set(batch.openFiles)
    do throws(VersoError) {
      let outcome = try engine.save(request)
      let left = outcome.skipped.filter { $0.reason == .moving }.map(\.path)
      reconciler.saved(batch, left: Set(left), at: MonotonicTime.now())
      noteSkipped(outcome, request)
      noteSaved(outcome, engine)
    } catch {
      let now = MonotonicTime.now()
      noteFailure(error, at: now)
      reconciler.failed(batch, retryAt: clock.retry)
    }
  }

  /// Saves by looking at the whole disk: at the start, and where git itself was used.
  private func saveEverything(at now: Double) {
    guard let lookout = readyLookout() else { return }
    if let pause = lookout.engine.pausedUntil { return hold(pause, at: now) }
    var request = SaveRequest()
    request.wait = 0.5
    // What is being changed now has its own time.
    request.restless = Set(reconciler.unsavedPaths)
    do throws(VersoError) {
      let outcome = try lookout.engine.save(request)
      needsFullSave = false
      reconciler.remember(outcome.skipped.filter { $0.reason == .moving }.map(\.path), at: now)
      noteSkipped(outcome, request)
      noteSaved(outcome, lookout.engine)
    } catch { noteFailure(error, at: MonotonicTime.now()) }
  }

  /// What is left alone, as of the last save of each path.
  private(set) var skipped: [RelativePath: Skipped] = [:]

  func noteSkipped(_ outcome: SaveOutcome, _ request: SaveRequest) {
    skipped = skipped.filter { !request.covers($0.key) }
    for item in outcome.skipped where item.reason != .moving { skipped[item.path] = item }
  }

  func noteSaved(_ outcome: SaveOutcome, _ engine: Engine) {
    failures = 0
    clock.retry = 0
    gitState = GitState(engine)
    clock.lastActivity = MonotonicTime.now()
    if blocked != nil || isHeld {
      blocked = nil
      isHeld = false
      report(.resumed)
    }
    if outcome.commit != nil || !outcome.newlySkipped.isEmpty || !outcome.held.isEmpty {
      report(.saved(outcome))
    }
  }

  func noteFailure(_ error: VersoError, at now: Double) {
    failures += 1
    let pause = error.code == .locked ? 0.5 : min(60, 2 * Double(1 << min(failures, 5)))
    clock.retry = now + pause
    // Somebody's git at work is no news before it has lasted.
    let isNews = blocked?.message != error.message && (error.code != .locked || failures > 10)
    if isNews {
      blocked = error
      report(.waiting(error))
    }
    if error.code == .refused || error.code == .failed { clock.rootCheck = now }
  }

  var isHeld = false

  private func hold(_ pause: Pause, at now: Double) {
    if !isHeld {
      isHeld = true
      report(.paused(pause))
    }
    clock.retry = now + 1
  }

  /// Saves what has settled by now, at the end.
  private func saveLast() {
    guard !isOffline, let lookout = readyLookout() else { return }
    let now = MonotonicTime.now()
    takeEvents(at: now)
    reconciler.rules.settle = 0.3
    look(at: now)
    guard lookout.engine.pausedUntil == nil else { return }
    let places = reconciler.placesToSettle(at: now)
    guard let batch = reconciler.settle(lookout.probe(places), at: now) else { return }
    save(batch, lookout.engine)
  }

  // MARK: The root

  private func goOffline(_ reason: String) {
    clock.rootCheck = MonotonicTime.now() + options.rootCheckInterval
    lookout = nil
    if isOffline { return }
    isOffline = true
    report(.offline(reason))
  }

  /// Compares the root with the one that was opened.
  private func checkRoot(at now: Double) {
    clock.rootCheck = now + options.rootCheckInterval
    do throws(VersoError) {
      let present = try Engine.identity(of: root, known: identity)
      if isOffline { return try comeBack(at: now) }
      if let identity, let mismatch = present.mismatch(with: identity, since: .thisProcess) {
        return goOffline("\(root): \(mismatch)")
      }
      if reconciler.doubtsRoot {
        // Unmounted and mounted again within the interval, say: all watches went.
        goOffline("\(root) was moved or unmounted")
        try comeBack(at: now)
      }
    } catch { goOffline(error.message) }
  }

  /// Goes on where the root is there again, and is ours.
  private func comeBack(at now: Double) throws(VersoError) {
    let engine = try openEngine()
    try engine.checkRoot(records: false)
    identity = try engine.identity()
    source?.stop()
    startListening(engine)
    reconciler.restart(at: now)
    toldLimit = false
    needsFullSave = true
    isOffline = false
    clock.retry = 0
    report(.online)
  }

  // MARK: Housekeeping

  private func keepHouse(at now: Double) {
    if now >= clock.rootCheck { checkRoot(at: now) }
    if now >= clock.watchdog, let notifier = options.notifier {
      notifier.watchdog()
      clock.watchdog = now + (notifier.watchdogInterval ?? .infinity)
    }
    if isOffline { return }
    noteSuspend()
    if hasPolledFolders, now >= clock.poll { pollFolders(at: now) }
    if now >= clock.audit { audit(at: now) }
    if toldLimit, now >= clock.watchRetry { retryWatches(at: now) }
  }

  /// Holds nothing open in the vault when nothing happens, so that its disk can be unmounted.
  private func rest(at now: Double) {
    if lookout == nil || now - clock.lastActivity < options.idleAfter { return }
    if reconciler.hasUnsaved || needsFullSave { return }
    lookout = nil
  }

  private static var suspendedTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000 - MonotonicTime.now()
  }

  /// After the machine slept, everything is looked at: a disk may have been elsewhere meanwhile.
  private func noteSuspend() {
    let slept = Self.suspendedTime
    if slept - clock.suspended > 5 { clock.fullAudit = 0 }
    clock.suspended = slept
  }

  /// Looks for what no event told: a store through a mapping makes none, and some disks lose some.
  private func audit(at now: Double) {
    clock.audit = now + options.auditInterval
    let wasResting = lookout == nil
    // A new one reads the rules that lie outside the tree.
    lookout = nil
    guard let lookout = readyLookout() else { return }
    var folders: [LiveFolder] = []
    reconciler.root.forEach { folders.append($0) }
    let isFull = now >= clock.fullAudit
    if isFull {
      // Not all machines at the same time.
      clock.fullAudit = now + options.fullAuditInterval * Double.random(in: 0.75...1.25)
    } else {
      folders = lookout.changed(among: folders)
    }
    reconciler.expectListings(folders.count)
    list(folders, lookout, isAudit: true, at: now)
    publish()
    gitChangedAt = gitChangedAt ?? now
    if wasResting, !reconciler.hasUnsaved, gitState == GitState(lookout.engine) {
      gitChangedAt = nil
      self.lookout = nil
    }
  }

  // MARK: Polling

  var hasPolledFolders: Bool { source == nil || toldLimit }
  private var pollCursor = 0
  /// Files to look at in one round besides those in folders that changed.
  private static let pollBudget = 50_000

  private func pollFolders(at now: Double) {
    clock.poll = now + options.pollInterval
    if gitWatches.isEmpty { gitChangedAt = gitChangedAt ?? now }
    guard let lookout = readyLookout() else { return }
    var polled: [LiveFolder] = []
    reconciler.root.forEach { if $0.watch == nil { polled.append($0) } }
    if polled.isEmpty { return }
    var chosen = lookout.changed(among: polled)
    var taken = Set(chosen.map(ObjectIdentifier.init))
    // In-place edits do not show in the folder: all folders take their turn.
    var budget = Self.pollBudget
    for _ in 0..<polled.count where budget > 0 {
      pollCursor = (pollCursor + 1) % polled.count
      let folder = polled[pollCursor]
      budget -= folder.files.count + 1
      if taken.insert(ObjectIdentifier(folder)).inserted { chosen.append(folder) }
    }
    reconciler.expectListings(chosen.count)
    list(chosen, lookout, at: now)
    publish()
  }

  private func noteLimit(_ lookout: Lookout) {
    // How many folders there are is known when all are listed.
    if reconciler.isStarting { return }
    if let failure = lookout.watchFailure, !toldLimit { tellLimit(failure) }
  }

  private func tellLimit(_ failure: DiskError) {
    let counts = reconciler.folderCounts
    let needed = max(counts.all, counts.watched + 1)
    switch failure.code {
    case ENOSPC:
      tellLimit(
        "the kernel watches only \(counts.watched) of the \(needed) folders of \(root); the "
          + "others are looked at every \(Int(options.pollInterval)) seconds. To watch all: "
          + "sysctl fs.inotify.max_user_watches=\(Self.suggestedLimit(for: needed))")
    case EMFILE:
      tellLimit(
        "too many programs watch files, so \(root) is looked at every "
          + "\(Int(options.pollInterval)) seconds. To watch it: "
          + "sysctl fs.inotify.max_user_instances=1024")
    default:
      tellLimit(
        "\(root) cannot be watched (\(failure.reason)), so it is looked at every "
          + "\(Int(options.pollInterval)) seconds")
    }
  }

  private static func suggestedLimit(for needed: Int) -> Int {
    var limit = 65_536
    while limit < needed * 4 { limit *= 2 }
    return limit
  }

  private func tellLimit(_ message: String) {
    if toldLimit { return }
    toldLimit = true
    clock.watchRetry = MonotonicTime.now() + options.watchRetryInterval
    report(.limited(message))
  }

  /// Asks again for the watches that were not to be had.
  private func retryWatches(at now: Double) {
    clock.watchRetry = now + options.watchRetryInterval
    guard source != nil, let lookout = readyLookout() else { return }
    var polled: [LiveFolder] = []
    reconciler.root.forEach { if $0.watch == nil { polled.append($0) } }
    lookout.wantsWatches = true
    reconciler.expectListings(polled.count)
    list(polled, lookout, at: now)
    publish()
    if lookout.wantsWatches {
      toldLimit = false
      report(.resumed)
    }
  }
}

/// HEAD and index as they were.
struct GitState: Equatable {
  private let head: ObjectID?
  private let indexInode: UInt64
  private let indexChanged: Timestamp?

  init(_ engine: Engine) {
    var head: ObjectID?
    var status: FileStatus?
    do throws(GitError) { head = try engine.repository.headCommit() } catch { head = nil }
    do throws(VersoError) { status = try engine.indexStatus() } catch { status = nil }
    self.head = head
    indexInode = status?.inode ?? 0
    indexChanged = status?.changed
  }
}

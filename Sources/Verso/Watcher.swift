import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel
package import VersoWatch

/// Saves each change of a vault once it has settled, for as long as it runs.
///
/// One thread does it all, in poll(2): events come in, the ``Reconciler`` says where to look, what has
/// settled is saved as one version. Not `Sendable`; other threads reach it by its ``handle``.
package final class Watcher {
  /// How to watch.
  package struct Options {
    package var rules = Reconciler.Rules()
    /// Whether versions are made; otherwise it only tells what happens.
    package var saves = true
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
    /// When to synchronise with the remote, where there is one; `nil` for never.
    package var sync: SyncSchedule.Rules?
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
    /// Versions came from other devices, or went to them.
    case synced(SyncOutcome)
    /// The remote could not be reached, or something else keeps devices apart.
    case unsynced(VersoError)
    case stopped
  }

  package let root: String
  package let options: Options
  package let reconciler: Reconciler
  let report: (Event) -> Void
  var source: InotifySource?
  var lookout: Lookout?
  /// By which other threads reach it.
  package let handle: WatcherHandle

  // When what is due, by the monotonic clock.
  var clock = Deadlines()
  /// What the git directory was like after our last look; a difference is somebody else's work.
  var gitState: GitState?
  var gitWatches: Set<Int32> = []
  /// Whether the root has come back, and not all been saved since.
  var isReturning = false
  var gitChangedAt: Double?
  var needsFullSave = true
  var blocked: VersoError?
  var failures = 0
  var isOffline = false
  var identity: RootIdentity?
  var hasStarted = false
  var toldLimit = false
  /// What is left alone, as of the last save of each path.
  var skipped: [RelativePath: Skipped] = [:]
  var isHeld = false
  var pollCursor = 0
  var rulesKey: UInt64?
  var synchroniser: Synchroniser?
  let indexKeeper: IndexKeeper
  /// Whether versions of others are being written: nothing is saved meanwhile.
  var isJoining = false
  /// Seconds until what could not be written is tried again.
  var pendingPause = 1.0
  /// What was told last of a remote that is out of reach.
  var unsynced: VersoError?

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
    var pending = Double.infinity
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
    indexKeeper = IndexKeeper(root: root)
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
    synchroniser?.stop(within: 5)
    indexKeeper.stop()
    for task in handle.takeTasks() { task(self) }
    report(.stopped)
  }

  func begin() throws(VersoError) {
    let engine = try openEngine()
    identity = try engine.identity()
    startListening(engine)
    let now = MonotonicTime.now()
    clock.lastActivity = now
    clock.audit = now + options.auditInterval
    clock.fullAudit = now + options.fullAuditInterval * 0.75
    clock.suspended = Self.suspendedTime
    if options.notifier?.watchdogInterval != nil { clock.watchdog = now }
    if !options.saves { clock.retry = .infinity }
    synchroniser = options.sync.map { Synchroniser(root: root, handle: handle, rules: $0) }
  }

  func startListening(_ engine: Engine) {
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

  func end() {
    options.server?.close()
    source?.stop()
    source = nil
    lookout = nil
  }

  func wait() {
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
  var workDue: Double {
    // What waits for somebody else is tried again in its own time.
    var due = reconciler.nextDeadline(savingFrom: clock.retry) ?? .infinity
    if needsFullSave { due = min(due, clock.retry) }
    if let gitChangedAt { due = min(due, gitChangedAt + gitQuiet) }
    if hasPolledFolders { due = min(due, clock.poll) }
    due = min(due, clock.pending)
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

  /// Lists folders that the reconciler did not ask for.
  func listUnasked(
    _ folders: [LiveFolder], _ lookout: Lookout, isAudit: Bool = false, at now: Double
  ) {
    reconciler.expectListings(folders.count)
    list(folders, lookout, isAudit: isAudit, at: now)
    publish()
  }

  /// Lists folders a few at a time: what all of a large vault hold would fill the memory.
  func list(
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
  func noteRules(_ changes: [LiveChange]) {
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

  func openEngine() throws(VersoError) -> Engine {
    let engine = try Engine(root: root)
    guard engine.isVault else {
      throw VersoError(
        .noVault, "\(root) is a git repository, but not a vault", hint: "run: verso init \(root)")
    }
    return engine
  }

}

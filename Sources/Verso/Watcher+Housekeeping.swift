import Glibc
import VersoDisk
import VersoWatch

extension Watcher {
  // MARK: Housekeeping

  func keepHouse(at now: Double) {
    if now >= clock.rootCheck { checkRoot(at: now) }
    if now >= clock.watchdog, let notifier = options.notifier {
      notifier.watchdog()
      clock.watchdog = now + (notifier.watchdogInterval ?? .infinity)
    }
    if isOffline { return }
    noteSuspend()
    if hasPolledFolders, now >= clock.poll { pollFolders(at: now) }
    if now >= clock.audit { audit(at: now) }
    if now >= clock.pending { takeUpPending(at: now) }
    if toldLimit, now >= clock.watchRetry { retryWatches(at: now) }
  }

  /// Holds nothing open in the vault when nothing happens, so that its disk can be unmounted.
  func rest(at now: Double) {
    if lookout == nil || now - clock.lastActivity < options.idleAfter { return }
    if reconciler.hasUnsaved || needsFullSave { return }
    lookout = nil
  }

  static var suspendedTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000 - MonotonicTime.now()
  }

  /// After the machine slept, everything is looked at: a disk may have been elsewhere meanwhile.
  func noteSuspend() {
    let slept = Self.suspendedTime
    if slept - clock.suspended > 5 {
      clock.fullAudit = 0
      synchroniser?.wanted()
    }
    clock.suspended = slept
  }

  /// Looks for what no event told: a store through a mapping makes none, and some disks lose some.
  func audit(at now: Double) {
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
    listUnasked(folders, lookout, isAudit: true, at: now)
    gitChangedAt = gitChangedAt ?? now
    if wasResting, !reconciler.hasUnsaved, gitState == GitState(lookout.engine) {
      gitChangedAt = nil
      self.lookout = nil
    }
  }

  // MARK: Polling

  var hasPolledFolders: Bool { source == nil || toldLimit }

  private var polledFolders: [LiveFolder] {
    var polled: [LiveFolder] = []
    reconciler.root.forEach { if $0.watch == nil { polled.append($0) } }
    return polled
  }

  /// Files to look at in one round besides those in folders that changed.
  static let pollBudget = 50_000

  func pollFolders(at now: Double) {
    clock.poll = now + options.pollInterval
    if gitWatches.isEmpty { gitChangedAt = gitChangedAt ?? now }
    guard let lookout = readyLookout() else { return }
    let polled = polledFolders
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
    listUnasked(chosen, lookout, at: now)
  }

  func noteLimit(_ lookout: Lookout) {
    // How many folders there are is known when all are listed.
    if reconciler.isStarting { return }
    if let failure = lookout.watchFailure, !toldLimit { tellLimit(failure) }
  }

  func tellLimit(_ failure: DiskError) {
    let counts = reconciler.folderCounts
    let needed = max(counts.all, counts.watched + 1)
    switch failure.code {
    case ENOSPC:
      tellLimit(
        "the kernel watches only \(counts.watched) of the \(needed) folders of \(root); the "
          + "others are looked at every \(Int(options.pollInterval)) seconds. To watch all: "
          + WatchLimit.command(toWatch: needed, insteadOf: presentLimit))
    case EMFILE:
      tellLimit(
        "too many programs watch files, so \(root) is looked at every "
          + "\(Int(options.pollInterval)) seconds. To watch it: "
          + "sudo sysctl fs.inotify.max_user_instances=1024")
    default:
      tellLimit(
        "\(root) cannot be watched (\(failure.reason)), so it is looked at every "
          + "\(Int(options.pollInterval)) seconds")
    }
  }

  /// `nil` where it cannot be read: the advice then rests on the number of folders alone.
  private var presentLimit: WatchLimit? {
    do throws(DiskError) { return try WatchLimit.present(SystemFileStore()) } catch { return nil }
  }

  func tellLimit(_ message: String) {
    if toldLimit { return }
    toldLimit = true
    clock.watchRetry = MonotonicTime.now() + options.watchRetryInterval
    report(.limited(message))
  }

  /// Asks again for the watches that were not to be had.
  func retryWatches(at now: Double) {
    clock.watchRetry = now + options.watchRetryInterval
    guard source != nil, let lookout = readyLookout() else { return }
    let polled = polledFolders
    lookout.wantsWatches = true
    listUnasked(polled, lookout, at: now)
    if lookout.wantsWatches {
      toldLimit = false
      report(.resumed)
    }
  }
}

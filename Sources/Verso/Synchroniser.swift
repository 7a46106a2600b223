import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// Synchronises a vault that is watched, on a thread of its own: the network may take its time.
///
/// It works as another process would, under the vault's lock, with one difference: the watcher is asked
/// what is being edited, told what was written, and saves nothing meanwhile. Nothing of the vault stays
/// open between two syncs.
///
/// Unchecked: the state is touched under `lock` only.
final class Synchroniser: @unchecked Sendable {
  private let root: String
  private let handle: WatcherHandle
  private let lock = SectionLock()
  private var schedule: SyncSchedule
  private var deadline: Double?
  private let wake: Int32
  private let network: Int32
  private var remote: RemoteWatch?
  private var known: ObjectID?
  private var thread: Threads.Handle?
  private var isOver = false

  init(root: String, handle: WatcherHandle, rules: SyncSchedule.Rules) {
    self.root = root
    self.handle = handle
    schedule = SyncSchedule(rules: rules)
    wake = verso_event_counter()
    network = verso_network_listener()
  }

  deinit { for number in [wake, network] where number >= 0 { close(number) } }

  /// Begins; what is there is synchronised at once.
  func start() {
    if thread != nil { return }
    thread = Threads.start { [weak self] in self?.run() }
  }

  /// Something was saved.
  func saved() {
    lock.withLock { schedule.saved(at: MonotonicTime.now()) }
    signal()
  }

  /// There may be news: the machine woke up, or somebody asked.
  func wanted() {
    lock.withLock { schedule.wanted() }
    signal()
  }

  /// Synchronises what was saved last, for so many seconds at most, and ends.
  func stop(within limit: Double) {
    guard let thread else { return }
    lock.withLock { deadline = MonotonicTime.now() + limit }
    signal()
    let end = MonotonicTime.now() + limit + 1
    // What hangs is given up with the process.
    while !lock.withLock({ isOver }), MonotonicTime.now() < end { MonotonicTime.pause(0.01) }
    if lock.withLock({ isOver }) { thread.join() }
  }

  private func signal() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
  }

  // MARK: The loop

  private func run() {
    defer { lock.withLock { isOver = true } }
    while true {
      let now = MonotonicTime.now()
      let (due, poll, end) = lock.withLock {
        (schedule.syncDue, schedule.pollDue(at: now), deadline)
      }
      if let end {
        // What was saved last goes out; news of others can wait.
        let isAhead = lock.withLock { schedule.hasUnsent }
        if isAhead, end - now > 0.2 { synchronise(timeout: end - now) }
        return
      }
      if let due, due <= now {
        synchronise(timeout: nil)
      } else if let poll, poll <= now {
        askForNews()
      } else {
        rest(until: min(due ?? .infinity, poll ?? .infinity), now: now)
      }
    }
  }

  private func rest(until time: Double, now: Double) {
    let milliseconds = min(3_600_000, max(1, (time - now) * 1000))
    var waits = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    let watch = remote
    for descriptor in [network, watch?.descriptor ?? -1] where descriptor >= 0 {
      waits.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    _ = poll(&waits, nfds_t(waits.count), Int32(milliseconds.rounded(.up)))
    var count: UInt64 = 0
    _ = read(wake, &count, 8)
    if drain(network) { lock.withLock { schedule.networkChanged() } }
    if let watch, watch.hasChanged() { lock.withLock { schedule.told() } }
  }

  /// Empties a socket; tells whether anything was in it.
  private func drain(_ descriptor: Int32) -> Bool {
    if descriptor < 0 { return false }
    var found = false
    withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
      while read(descriptor, buffer.baseAddress, 8192) > 0 { found = true }
    }
    return found
  }

  // MARK: Synchronising

  private func synchronise(timeout: Double?) {
    var request = SyncRequest()
    request.timeout = timeout
    request.wait = 30
    request.restless = { [handle] in handle.restlessPaths() }
    request.joining = { [handle] isJoining in handle.perform { $0.isJoining = isJoining } }
    do throws(VersoError) {
      let engine = try Engine.open(above: root)
      guard engine.usedRemote != nil, engine.pausedUntil == nil else {
        return succeed(gotSomething: false)
      }
      // The watcher saves what has settled; nobody else does it for it.
      let outcome = try engine.sync(request) { _ throws(VersoError) in SaveOutcome() }
      known = outcome.tip
      if remote == nil { remote = engine.remotePath.flatMap { RemoteWatch(repository: $0) } }
      succeed(gotSomething: outcome.fetched != nil)
      let state = engine.stateAfterSave
      handle.perform { $0.noteSynced(outcome, state) }
    } catch {
      lock.withLock { schedule.failed(at: MonotonicTime.now(), jitter: .random(in: 0.75...1.25)) }
      handle.perform { $0.noteUnsynced(error) }
    }
  }

  private func succeed(gotSomething: Bool) {
    lock.withLock {
      schedule.succeeded(
        at: MonotonicTime.now(), gotSomething: gotSomething, jitter: .random(in: 0.75...1.25))
    }
  }

  /// Asks the remote for its tip alone.
  private func askForNews() {
    do throws(VersoError) {
      let engine = try Engine.open(above: root)
      // Only where that costs no new connection: everybody's server would be asked all day long.
      let answer = try engine.askOpenConnection()
      lock.withLock {
        schedule.polled(at: MonotonicTime.now())
        if case .tip(let tip) = answer, tip != known { schedule.wanted() }
      }
    } catch {
      lock.withLock { schedule.failed(at: MonotonicTime.now()) }
    }
  }
}

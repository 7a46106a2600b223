import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// A vault with a watcher at work, for tests on the real clock.
final class WatchedVault: Sendable {
  let scratch: Scratch
  /// The vault's root: the scratch folder or one in it.
  let root: String
  private let record: Record
  let handle: WatcherHandle
  private let thread: Threads.Handle

  /// What the watcher's thread tells.
  private final class Record: Sendable {
    struct State {
      var handle: WatcherHandle?
      var events: [Watcher.Event] = []
      var failure: VersoError?
      var counters = Reconciler.Counters()
      var processorTime = 0.0
    }
    let state = Locked(State())

    func run(
      _ path: String, settle: Double, adjust: @Sendable (inout Watcher.Options) -> Void
    ) {
      var options = Watcher.Options()
      options.rules.settle = settle
      adjust(&options)
      do throws(VersoError) {
        let watcher = try Watcher(root: path, options: options) { event in
          self.state.withLock { $0.events.append(event) }
        }
        state.withLock { $0.handle = watcher.handle }
        try watcher.run()
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        state.withLock {
          $0.counters = watcher.reconciler.counters
          $0.processorTime = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
      } catch { state.withLock { $0.failure = error } }
    }
  }

  /// Makes a vault of what `scratch` holds and starts watching it.
  ///
  /// - Parameters:
  ///   - folder: The one in `scratch` that is to be the vault; `nil` for `scratch` itself.
  ///   - prepare: Called on the watcher's thread before anything else.
  init(
    _ scratch: Scratch, at folder: String? = nil, settle: Double = 0.4,
    preparing prepare: @escaping @Sendable () -> Void = {},
    adjusting adjust: @escaping @Sendable (inout Watcher.Options) -> Void = { _ in }
  ) async throws {
    self.scratch = scratch
    let path = folder.map(scratch.at) ?? scratch.path
    root = path
    _ = try await Vault.create(at: path)
    try await Self.takeTurn()
    let record = Record()
    self.record = record
    let started = Threads.start {
      prepare()
      record.run(path, settle: settle, adjust: adjust)
    }
    thread = try #require(started)
    let end = MonotonicTime.now() + 10
    while record.state.withLock({ $0.handle == nil && $0.failure == nil }) {
      try #require(MonotonicTime.now() < end)
      try await Task.sleep(for: .milliseconds(2))
    }
    let reached = record.state.withLock { $0.handle }
    handle = try #require(reached)
    try await wait("the watcher to start") { $0.hasStarted }
    try await waitForFirstSave()
  }

  /// Waits until the save of the start is over: it would take a part of what a test does next, and leave
  /// what is being written. Where something holds it up, as a test may want, it is not waited for long.
  private func waitForFirstSave() async throws {
    let end = MonotonicTime.now() + 5
    let handle = handle
    while MonotonicTime.now() < end {
      let isOver = try await inBackground {
        handle.ask(within: 5) { watcher in !watcher.needsFullSave }
      }
      if isOver ?? true { return }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// How many watch now. The kernel gives a user 128 queues, and tests all want to run at once.
  private static let watching = Locked(0)
  private static let limit = 24

  private static func takeTurn() async throws {
    let end = MonotonicTime.now() + 300
    while watching.withLock({ count in
      if count >= limit { return true }
      count += 1
      return false
    }) {
      try #require(MonotonicTime.now() < end, "no turn to watch within five minutes")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  var events: [Watcher.Event] { record.state.withLock { $0.events } }
  var counters: Reconciler.Counters { record.state.withLock { $0.counters } }
  /// Seconds that the watcher's thread ran, once it has ended.
  var processorTime: Double { record.state.withLock { $0.processorTime } }

  var hasStarted: Bool {
    events.contains { if case .started = $0 { true } else { false } }
  }
  var saves: [SaveOutcome] {
    events.compactMap { if case .saved(let outcome) = $0 { outcome } else { nil } }
  }
  /// What was saved, in the words of its subjects.
  var subjects: [String] { saves.compactMap { $0.commit == nil ? nil : $0.subject } }
  var changes: [LiveChange] {
    events.flatMap { if case .changed(let changes) = $0 { changes } else { [LiveChange]() } }
  }

  /// Waits for a condition, at most so many seconds.
  func wait(
    _ what: String, atMost seconds: Double = 60, _ condition: (WatchedVault) throws -> Bool
  ) async throws {
    let end = MonotonicTime.now() + seconds
    while try !condition(self) {
      if let failure = record.state.withLock({ $0.failure }) { throw failure }
      if MonotonicTime.now() > end {
        throw Failure("waited \(seconds) s in vain for \(what); events: \(events)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Waits until HEAD, index and disk agree.
  func waitForRest(atMost seconds: Double = 60) async throws {
    try await wait("everything to be saved", atMost: seconds) { vault in
      try vault.scratch.git("status", "--porcelain", "--untracked-files=all").isEmpty
    }
  }

  /// Ends the watcher; once is enough.
  func finish() {
    let isFirst = isFinished.withLock { isFinished in
      defer { isFinished = true }
      return !isFinished
    }
    guard isFirst else { return }
    handle.stop()
    thread.join()
    Self.watching.withLock { $0 -= 1 }
  }
  private let isFinished = Locked(false)

  deinit { finish() }
}

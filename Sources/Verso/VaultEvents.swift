import VersoDisk

/// The stream of ``VaultEvent``s of one reader.
///
/// Unread changes wait; where too many wait, they are dropped, and a snapshot of the whole comes in
/// their place. The stream ends with the watching, or when the task that reads it is cancelled.
public struct VaultEvents: AsyncSequence, Sendable {
  public typealias Element = VaultEvent
  public typealias Failure = Never

  let mailbox: EventMailbox

  /// Whether everything was taken, and the reader waits for more.
  package var isDrained: Bool { mailbox.isDrained }

  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

  public struct Iterator: AsyncIteratorProtocol {
    let mailbox: EventMailbox

    public mutating func next() async -> VaultEvent? { await mailbox.next() }
  }
}

/// What waits for one reader.
///
/// Unchecked: the state is touched under `lock` only.
final class EventMailbox: @unchecked Sendable {
  /// So many single changes wait at most.
  static let limit = 4096

  let lock = SectionLock()
  private var waiting: [VaultEvent] = []
  private var weight = 0
  private(set) var isBehind = true
  private var hasBegun = false
  private var early: [VaultEvent] = []
  private(set) var isFinished = false
  private var reader: CheckedContinuation<VaultEvent?, Never>?
  /// Called when nobody reads any more.
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }

  /// Adds an event.
  ///
  /// - Returns: Whether a snapshot is wanted in place of what was dropped.
  func post(_ event: VaultEvent) -> Bool {
    lock.withLock {
      if isFinished { return false }
      if !hasBegun {
        switch event {
        case .snapshot, .failed:
          hasBegun = true
          // What happened before the snapshot comes after it.
          waiting = early
          early = []
        case .changed: return false
        default:
          early.append(event)
          return false
        }
      }
      if case .snapshot = event {
        isBehind = false
      } else if case .changed(let changes) = event {
        // What a snapshot is on its way for is in that snapshot.
        if isBehind { return false }
        weight += changes.count
      }
      if let reader {
        self.reader = nil
        weight = 0
        reader.resume(returning: event)
        return false
      }
      if case .snapshot = event {
        // Before changes that are newer, behind what it answers.
        let last = waiting.lastIndex { event in
          switch event {
          case .offline, .online: true
          default: false
          }
        }
        waiting.insert(event, at: last.map { $0 + 1 } ?? 0)
      } else {
        waiting.append(event)
      }
      if weight <= Self.limit, waiting.count <= Self.limit { return false }
      dropChanges()
      return true
    }
  }

  /// Has a snapshot take the place of all changes until it comes.
  func fallBehind() {
    lock.withLock {
      guard hasBegun, !isFinished else { return }
      isBehind = true
      weight = 0
      waiting.removeAll { event in
        switch event {
        case .changed, .snapshot: true
        default: false
        }
      }
    }
  }

  /// Keeps what a reader must not miss: the newest of each kind.
  private func dropChanges() {
    isBehind = true
    weight = 0
    var kept: [VaultEvent] = []
    var hasSave = false
    for event in waiting.reversed() {
      switch event {
      case .changed, .snapshot: continue
      case .saved:
        if hasSave { continue }
        hasSave = true
      default: break
      }
      if kept.count < 64 { kept.append(event) }
    }
    waiting = kept.reversed()
  }

  var isDrained: Bool { lock.withLock { isFinished || waiting.isEmpty && reader != nil } }

  func finish() {
    lock.withLock {
      isFinished = true
      reader?.resume(returning: nil)
      reader = nil
    }
  }

  func next() async -> VaultEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        lock.withLock {
          if !waiting.isEmpty {
            let event = waiting.removeFirst()
            if case .changed(let changes) = event { weight -= changes.count }
            continuation.resume(returning: event)
          } else if isFinished || Task.isCancelled {
            continuation.resume(returning: nil)
          } else {
            reader?.resume(returning: nil)
            reader = continuation
          }
        }
      }
    } onCancel: {
      lock.withLock {
        reader?.resume(returning: nil)
        reader = nil
        isFinished = true
      }
    }
  }
}

extension VaultEvent.Changes {
  /// How many paths it names.
  public var count: Int { removed.count + added.count + renamed.count + modified.count }
}

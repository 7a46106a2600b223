import Glibc

/// A stack of work shared by a few threads, which ends when nothing is left and nobody is working.
///
/// Unchecked: every access to `pending` and `busy` happens between `lock` and `unlock`.
final class WorkQueue<Work: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var pending: [Work]
  private var busy = 0
  private var isCancelled = false

  init(_ work: [Work]) {
    pending = work
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func add(_ work: [Work]) {
    if work.isEmpty { return }
    pthread_mutex_lock(mutex)
    pending += work
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Makes every thread stop after what it is doing.
  func cancel() {
    pthread_mutex_lock(mutex)
    isCancelled = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Takes and does work until there is none and can come none.
  func run(_ body: (Work) -> Void) {
    pthread_mutex_lock(mutex)
    while true {
      while pending.isEmpty, busy > 0, !isCancelled { pthread_cond_wait(condition, mutex) }
      guard !isCancelled, let work = pending.popLast() else { break }
      busy += 1
      pthread_mutex_unlock(mutex)
      body(work)
      pthread_mutex_lock(mutex)
      busy -= 1
      if busy == 0, pending.isEmpty { pthread_cond_broadcast(condition) }
    }
    pthread_mutex_unlock(mutex)
  }
}

/// Threads for work that blocks in system calls, away from Swift's cooperative pool.
package enum Threads {
  /// How many are worth having for file system work: the processors, at most four.
  package static let count = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Calls `body` once on each of `count` threads, this one among them, and waits for all.
  ///
  /// A thread that cannot be made costs only speed: the others do its work.
  package static func run(_ count: Int = Threads.count, _ body: @escaping @Sendable (Int) -> Void) {
    var others: [Handle] = []
    for number in 1..<max(1, count) {
      if let other = start({ body(number) }) { others.append(other) }
    }
    body(0)
    for other in others { other.join() }
  }

  /// A thread that has been started.
  package struct Handle: Sendable {
    fileprivate let thread: pthread_t

    /// Waits for its end; call it once.
    package func join() { pthread_join(thread, nil) }

    /// Lets it end by itself, in place of ``join()``.
    package func detach() { pthread_detach(thread) }
  }

  /// Starts a thread, which must be joined or detached.
  ///
  /// - Returns: `nil` where the system gives none; `body` is not called then.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Handle? {
    let job = Unmanaged.passRetained(Job(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, job.toOpaque())
    guard result == 0 else {
      job.release()
      return nil
    }
    return Handle(thread: thread)
  }

  /// Has `body` done by a thread that nobody waits for, or at once where the system gives none.
  package static func detach(_ body: @escaping @Sendable () -> Void) {
    guard let handle = start(body) else { return body() }
    pthread_detach(handle.thread)
  }
}

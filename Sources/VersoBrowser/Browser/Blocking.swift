import Glibc

/// Waiting on a thread for what is done by tasks.
enum Blocking {
  /// Runs something and waits for it; `nil` where it takes longer than 15 seconds.
  ///
  /// For the main thread at beginning and end: tasks run on other threads.
  static func wait<R: Sendable>(_ body: @escaping @Sendable () async -> R) -> R? {
    let box = Box<R>()
    let task = Task { box.put(await body()) }
    let end = BrowserClock.monotonic + 15
    while BrowserClock.monotonic < end {
      if let result = box.take() { return result }
      usleep(1_000)
    }
    task.cancel()
    return nil
  }

  private final class Box<R: Sendable>: Sendable {
    private let value = BrowserLock<R?>(nil)
    func put(_ new: R) { value.withLock { $0 = new } }
    func take() -> R? { value.withLock { $0 } }
  }
}

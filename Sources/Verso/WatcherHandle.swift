import CLinux
import Glibc
import VersoDisk
import VersoModel
import VersoWatch

/// By which any thread reaches a ``Watcher`` that runs on another.
///
/// Unchecked: the state is touched under `lock` only; the descriptor stays open from beginning to end.
package final class WatcherHandle: @unchecked Sendable {
  package typealias Task = @Sendable (Watcher) -> Void

  /// Readable where there is something to do.
  package let descriptor: Int32
  private let lock = SectionLock()
  private var tasks: [Task] = []
  private var hasToStop = false

  init() throws(VersoError) {
    descriptor = verso_event_counter()
    if descriptor < 0 {
      throw VersoError(
        .failed,
        "\(DiskError(code: -descriptor, operation: "make", path: Array("an event counter".utf8)))",
        hint: "close other programs or raise the limit of open files")
    }
  }

  deinit { close(descriptor) }

  /// Makes the watcher save what has settled, and end.
  package func stop() {
    lock.withLock { hasToStop = true }
    wake()
  }

  var isStopped: Bool { lock.withLock { hasToStop } }

  /// Has something done on the watcher's thread, soon. Never, where the watcher has ended.
  package func perform(_ task: @escaping Task) {
    lock.withLock { tasks.append(task) }
    wake()
  }

  /// Asks something on the watcher's thread, and waits for the answer.
  ///
  /// - Returns: `nil` where there was none within so many seconds.
  func ask<Answer: Sendable>(
    within limit: Double, _ question: @escaping @Sendable (Watcher) -> Answer
  ) -> Answer? {
    let letter = Letter<Answer>()
    perform { letter.write(question($0)) }
    let end = MonotonicTime.now() + limit
    while MonotonicTime.now() < end {
      if let answer = letter.read() { return answer }
      MonotonicTime.pause(0.002)
    }
    return nil
  }

  /// Unchecked: the answer is touched under `lock` only.
  private final class Letter<Answer: Sendable>: @unchecked Sendable {
    private let lock = SectionLock()
    private var answer: Answer?
    func write(_ answer: Answer) { lock.withLock { self.answer = answer } }
    func read() -> Answer? { lock.withLock { answer } }
  }

  /// Paths whose changes are not over, with what lies below them.
  func restlessPaths() -> Set<RelativePath> {
    ask(within: 2) { watcher in
      watcher.takeEvents(at: MonotonicTime.now())
      return Set(watcher.reconciler.restlessPaths)
    } ?? []
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  func takeTasks() -> [Task] {
    lock.withLock {
      var count: UInt64 = 0
      _ = read(descriptor, &count, 8)
      defer { tasks = [] }
      return tasks
    }
  }
}

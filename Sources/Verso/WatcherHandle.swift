import CLinux
import Glibc
import VersoDisk

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

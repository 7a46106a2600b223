import CLinux
import Glibc
import Synchronization
import VersoDisk
import VersoHistory

/// Makes the history index of a vault that is watched, where it is missing or far behind, on a thread of
/// its own that leaves the processors to everybody else.
///
/// After that every save keeps the index up.
final class IndexKeeper: Sendable {
  private struct State {
    var hasStarted = false
    var isOver = false
    var isStopped = false
  }

  private let root: String
  private let state = Mutex(State())

  init(root: String) { self.root = root }

  /// Begins, once.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    guard isFirst else { return }
    let thread = Threads.start { [self] in
      // 0 is the calling thread alone (setpriority(2), C library/kernel differences).
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15)
      build()
      state.withLock { $0.isOver = true }
    }
    thread?.detach()
  }

  /// Stops within moments; what is done stays done.
  func stop() {
    state.withLock { $0.isStopped = true }
    let end = MonotonicTime.now() + 1
    while state.withLock({ $0.hasStarted && !$0.isOver }), MonotonicTime.now() < end {
      MonotonicTime.pause(0.005)
    }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func build() {
    do throws(VersoError) {
      let engine = try Engine(root: root)
      _ = try engine.completeHistoryIndex(isInterrupted: { self.isStopped }) { _ in
        !self.isStopped
      }
    } catch {
      // Whoever searches is told why there is none; here nobody asked.
    }
  }
}

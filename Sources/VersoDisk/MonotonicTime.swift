import CLinux
import Glibc

/// Seconds of a clock that nobody sets, for waits and deadlines.
package enum MonotonicTime {
  /// Seconds since some fixed moment; time in suspend does not count.
  package static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// Blocks the calling thread; never call it on the cooperative pool.
  ///
  /// Returns early where a signal handler ran: every caller looks at the clock again.
  package static func pause(_ seconds: Double) {
    guard seconds > 0 else { return }
    let whole = Int(seconds)
    var time = timespec(
      tv_sec: whole, tv_nsec: Int((seconds - Double(whole)) * 1_000_000_000))
    _ = nanosleep(&time, nil)
  }
}

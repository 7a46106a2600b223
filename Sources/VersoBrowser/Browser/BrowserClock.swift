import Glibc

/// The clocks of the browser.
enum BrowserClock {
  /// Seconds that never go back.
  static var monotonic: Double { seconds(CLOCK_MONOTONIC) }

  /// Seconds since 1970.
  static var wall: Int64 { Int64(seconds(CLOCK_REALTIME)) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

import Glibc

/// Puts off the signals by which people and systems end programs while something must be done whole.
///
/// Ctrl-C in the middle of taking git's lock would leave the lock until the next run. Only the
/// calling thread's mask changes, and only for the time of the call: no disposition does. A process
/// whose other threads take these signals ends as it would without.
package enum SignalDeferral {
  /// Calls `body`; SIGINT, SIGTERM and SIGHUP that arrive meanwhile act when it has returned.
  package static func run<R: ~Copyable, E: Error>(
    _ body: () throws(E) -> R
  ) throws(E) -> R {
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}

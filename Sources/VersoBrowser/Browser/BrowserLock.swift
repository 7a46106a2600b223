import Glibc

/// A value that several threads share, for short sections that never suspend.
///
/// Swift's own `Mutex` waits in the kernel by itself, which the thread sanitizer cannot see. Unchecked:
/// the pointer never changes, and pthread guards the value.
final class BrowserLock<Value>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<R>(_ body: (inout Value) -> R) -> R {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body(&value)
  }
}

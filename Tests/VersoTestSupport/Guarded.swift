import VersoDisk

/// A value that several threads change, one at a time.
///
/// By a lock of pthread's, which the thread sanitizer knows: `Mutex` has the kernel hand itself over
/// where threads wait for it, and that looks like a race.
///
/// Unchecked: the value is touched under `lock` only.
package final class Guarded<Value>: @unchecked Sendable {
  private let lock = SectionLock()
  private var value: Value

  package init(_ value: sending Value) { self.value = value }

  package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    try lock.withLock { () throws(E) -> R in try body(&value) }
  }
}

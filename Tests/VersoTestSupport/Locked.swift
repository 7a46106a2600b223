import VersoDisk

/// A value that several threads of a test share.
///
/// Swift's own `Mutex` waits in the kernel by itself, which the thread sanitizer cannot see: it would
/// report whatever is kept in one. Unchecked: the value is touched under `lock` only.
public final class Locked<Value>: @unchecked Sendable {
  private let lock = SectionLock()
  private var value: Value

  public init(_ value: sending Value) { self.value = value }

  /// Calls `body` with the value, and nobody else meanwhile.
  public func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    try lock.withLock { () throws(E) in try body(&value) }
  }
}

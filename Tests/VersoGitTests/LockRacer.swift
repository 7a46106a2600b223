import Foundation
import VersoTestSupport

/// Work on a thread of its own, waited for.
final class Racer<Value: Sendable>: @unchecked Sendable {  // The semaphore guards the result.
  private var result: Result<Value, any Error>?
  private let end = DispatchSemaphore(value: 0)

  init(_ work: @escaping @Sendable () throws -> Value) {
    Thread.detachNewThread { [self] in
      result = Result { try work() }
      end.signal()
    }
  }

  /// What the work gave; fails after two minutes.
  func wait() throws -> Value {
    guard end.wait(timeout: .now() + 120) == .success, let result else {
      throw Failure("the other thread did not end")
    }
    return try result.get()
  }
}

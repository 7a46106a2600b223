/// Messages for the thread that owns the screen, from any other.
final class BrowserMailbox: Sendable {
  private struct State {
    var messages: [BrowserMessage] = []
    /// What was begun for the browser and has not ended.
    var running = 0
  }

  private let state = BrowserLock(State())
  private let waker: ScreenWaker

  init(_ waker: ScreenWaker) { self.waker = waker }

  func post(_ message: BrowserMessage) {
    state.withLock { $0.messages.append(message) }
    waker.wake()
  }

  /// Takes all that came, in order.
  func drain() -> [BrowserMessage] {
    state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  func begin() { state.withLock { $0.running += 1 } }

  func end() {
    state.withLock { $0.running -= 1 }
    waker.wake()
  }

  /// Whether nothing waits here and nothing is being done.
  var isIdle: Bool { state.withLock { $0.messages.isEmpty && $0.running == 0 } }
}
